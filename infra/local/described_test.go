package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verdetto/shared/routes"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

// Every answer that a test here gets from the service is held against the
// committed description: its status, its content type, its body, its headers.

// handler is the whole service, watched. What it answers otherwise than is
// described fails the run of the tests, at its end.
func handler(c *choices, table store.Table, source upstream.Source, pepper []byte) http.Handler {
	return watched(whole(c, table, source, pepper))
}

// undescribed is what was answered otherwise than is described.
var undescribed struct {
	sync.Mutex
	checked int
	faults  map[string]string // an example of each
}

// tellUndescribed says whether every answer was as it is described.
func tellUndescribed() bool {
	undescribed.Lock()
	defer undescribed.Unlock()
	for fault, example := range undescribed.faults {
		fmt.Fprintf(os.Stderr, "not as functions/analisi/openapi.json describes it: %s\n\t%s\n", fault, example)
	}
	return len(undescribed.faults) == 0
}

func watched(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tee := &tee{ResponseWriter: w}
		h.ServeHTTP(tee, r)
		fault := described().wrong(r.Method, r.URL.Path, tee.status, w.Header(), tee.body.Bytes())
		undescribed.Lock()
		defer undescribed.Unlock()
		undescribed.checked++
		if fault != "" {
			if undescribed.faults == nil {
				undescribed.faults = map[string]string{}
			}
			undescribed.faults[fmt.Sprintf("%s %s: %d %s", r.Method, r.URL.Path, tee.status, fault)] = fmt.Sprintf("%.300s", tee.body.Bytes())
		}
	})
}

// undescribedEvent says in what the answer of a Lambda executable to an event
// differs from its description. Events that are no HTTP requests have none.
func undescribedEvent(event, answer []byte) string {
	var request struct {
		RawPath        string
		RequestContext struct{ HTTP struct{ Method string } }
	}
	var response struct {
		StatusCode      int
		Headers         map[string]string
		Body            string
		IsBase64Encoded bool
	}
	if json.Unmarshal(event, &request) != nil || request.RawPath == "" {
		return ""
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return err.Error()
	}
	header := http.Header{}
	for name, value := range response.Headers {
		header.Set(name, value)
	}
	body := []byte(response.Body)
	if response.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(response.Body); err != nil {
			return err.Error()
		}
	}
	return described().wrong(request.RequestContext.HTTP.Method, request.RawPath, response.StatusCode, header, body)
}

// tee keeps what is answered.
type tee struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (t *tee) WriteHeader(status int) {
	if t.status == 0 {
		t.status = status
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *tee) Write(b []byte) (int, error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	t.body.Write(b)
	return t.ResponseWriter.Write(b)
}

func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// description is the committed description, as far as answers are concerned.
type description struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]any
			Headers map[string]json.RawMessage
		}
	}
	Components struct{ Headers map[string]headerSays }

	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema // by JSON pointer
}

// headerSays is what is described of a header.
type headerSays struct {
	Required bool
	Schema   struct {
		Type string
		Enum []string
	}
}

var described = sync.OnceValue(func() *description {
	data, err := os.ReadFile(openapiPath)
	if err != nil {
		panic(err)
	}
	d, err := readDescription(data)
	if err != nil {
		panic(err)
	}
	return d
})

func readDescription(data []byte) (*description, error) {
	d := &description{schemas: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("read description: %w", err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read description: %w", err)
	}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", tree); err != nil {
		return nil, fmt.Errorf("read description: %w", err)
	}
	return d, nil
}

// wrong says in what an answer differs from its description; as it is described it is "".
func (d *description) wrong(method, path string, status int, header http.Header, body []byte) string {
	if rest, ok := strings.CutPrefix(path, routes.Alias); ok && strings.HasPrefix(rest+"/", "/v1/") {
		path = rest
	}
	head := method == http.MethodHead
	if head {
		method, body = http.MethodGet, nil
	}
	op, ok := d.Paths[path][strings.ToLower(method)]
	if !ok || head && status == http.StatusMethodNotAllowed {
		return d.elsewhere(path, status, header, body)
	}
	answer, ok := op.Responses[strconv.Itoa(status)]
	if !ok {
		return "is a status that is not described"
	}
	at := "/paths/" + escape(path) + "/" + strings.ToLower(method) + "/responses/" + strconv.Itoa(status)
	if fault := d.wrongHeaders(answer.Headers, header); fault != "" {
		return fault
	}
	if len(answer.Content) == 0 {
		if len(body) > 0 {
			return "has a body, and none is described"
		}
		return ""
	}
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return fmt.Sprintf("has a Content-Type that cannot be read: %v", err)
	}
	if _, ok := answer.Content["application/problem+json"]; ok && mediaType == "text/html" {
		return "" // any problem is a page where somebody would rather have that, as the description says at its head
	}
	if _, ok := answer.Content[mediaType]; !ok {
		return mediaType + " is not described"
	}
	if !strings.HasSuffix(mediaType, "json") || body == nil {
		return ""
	}
	return d.wrongBody(at+"/content/"+escape(mediaType)+"/schema", body)
}

// elsewhere looks at what belongs to no operation: a problem is told as one there too.
func (d *description) elsewhere(path string, status int, header http.Header, body []byte) string {
	if status < 400 {
		if d.Paths[path] != nil && status != http.StatusNoContent || d.Paths[path] == nil && (path == "/v1" || strings.HasPrefix(path, "/v1/")) {
			return "belongs to no operation that is described"
		}
		return ""
	}
	if !strings.HasPrefix(header.Get("Content-Type"), "application/problem+json") || len(body) == 0 {
		return ""
	}
	return d.wrongBody("/components/schemas/Problem", body)
}

// spoken are headers that are part of the API: none is sent that is not described.
var spoken = []string{"Etag", "Location", "Retry-After", "Www-Authenticate", "X-Cache", "X-Data", "X-Plan",
	"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}

func (d *description) wrongHeaders(says map[string]json.RawMessage, sent http.Header) string {
	named := map[string]bool{}
	for name, raw := range says {
		named[http.CanonicalHeaderKey(name)] = true
		var ref struct {
			Ref string `json:"$ref"`
		}
		var h headerSays
		if err := json.Unmarshal(raw, &ref); err != nil {
			return err.Error()
		}
		if at, ok := strings.CutPrefix(ref.Ref, "#/components/headers/"); ok {
			h = d.Components.Headers[at]
		} else if err := json.Unmarshal(raw, &h); err != nil {
			return err.Error()
		}
		values := sent.Values(name)
		switch {
		case len(values) == 0 && h.Required:
			return "lacks the header " + name
		case len(values) == 0:
		case h.Schema.Type == "integer":
			if _, err := strconv.ParseInt(values[0], 10, 64); err != nil {
				return fmt.Sprintf("has %s: %s, which is no integer", name, values[0])
			}
		case len(h.Schema.Enum) > 0 && !slices.Contains(h.Schema.Enum, values[0]):
			return fmt.Sprintf("has %s: %s, want one of %v", name, values[0], h.Schema.Enum)
		}
	}
	for _, name := range spoken {
		if _, ok := sent[name]; ok && !named[name] {
			return "has the header " + name + ", which is not described"
		}
	}
	return ""
}

func (d *description) wrongBody(pointer string, body []byte) string {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Sprintf("has a body that is no JSON: %v", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, ok := d.schemas[pointer]
	if !ok {
		if schema, err = d.compiler.Compile("openapi.json#" + pointer); err != nil {
			return fmt.Sprintf("has a schema that cannot be read: %v", err)
		}
		d.schemas[pointer] = schema
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Sprintf("has another body than described: %v", err)
	}
	return ""
}

// escape writes a key as a step of a JSON pointer in a URL.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key)
}

// TestUndescribedAnswersAreSeen spoils an answer in one way after the other: the
// watch that every other test relies on can fail.
func TestUndescribedAnswersAreSeen(t *testing.T) {
	c := choices{now: func() time.Time { return today }, log: slog.New(slog.DiscardHandler)}
	h := whole(&c, observed(t, 400, today), told(nil), []byte("pepper"))
	for _, spoil := range []struct {
		name, target string
		how          func(status *int, header http.Header, body *string)
		want         string // a part of what is said; "" is nothing
	}{
		{"nothing", question, func(*int, http.Header, *string) {}, ""},
		{"nothing of a problem", "/v1/analisi", func(*int, http.Header, *string) {}, ""},
		{"nothing under the alias", "/api" + question, func(*int, http.Header, *string) {}, ""},
		{"nothing elsewhere", "/v1/nothing", func(*int, http.Header, *string) {}, ""},
		{"status", question, func(status *int, _ http.Header, _ *string) { *status = 203 }, "status that is not described"},
		{"content type", question, func(_ *int, h http.Header, _ *string) { h.Set("Content-Type", "text/plain") }, "text/plain is not described"},
		{"no content type", question, func(_ *int, h http.Header, _ *string) { h.Del("Content-Type") }, "cannot be read"},
		{"no JSON", question, func(_ *int, _ http.Header, b *string) { *b = "<html>" }, "no JSON"},
		{"no body", question, func(_ *int, _ http.Header, b *string) { *b = "" }, "no JSON"},
		{"a field too many", question, func(_ *int, _ http.Header, b *string) { *b = `{"more":1,` + (*b)[1:] }, "additional properties 'more'"},
		{"a field too few", question, func(_ *int, _ http.Header, b *string) { *b = strings.Replace(*b, `"valuta":"EUR",`, "", 1) }, "missing property 'valuta'"},
		{"a field of another type", question, func(_ *int, _ http.Header, b *string) { *b = strings.Replace(*b, `"valuta":"EUR"`, `"valuta":1`, 1) }, "got number, want string"},
		{"a level that does not exist", question, func(_ *int, _ http.Header, b *string) {
			*b = regexp.MustCompile(`"livello":"[a-z-]+"`).ReplaceAllString(*b, `"livello":"regalato"`)
		}, "value must be one of"},
		{"a time that is none", question, func(_ *int, _ http.Header, b *string) {
			*b = regexp.MustCompile(`"aggiornatoIl":"[^"]+"`).ReplaceAllString(*b, `"aggiornatoIl":"yesterday"`)
		}, "not valid date-time"},
		{"an unknown code", "/v1/analisi", func(_ *int, _ http.Header, b *string) {
			*b = strings.ReplaceAll(*b, "richiesta-non-valida", "altro")
		}, "value must be one of"},
		{"a problem elsewhere without its code", "/v1/nothing", func(_ *int, _ http.Header, b *string) {
			*b = strings.Replace(*b, `"code"`, `"other"`, 1)
		}, "missing property 'code'"},
		{"a header too many", "/v1/analisi", func(_ *int, h http.Header, _ *string) { h.Set("WWW-Authenticate", "ApiKey") }, "Www-Authenticate, which is not described"},
		{"a header too few", question, func(_ *int, h http.Header, _ *string) { h.Del("X-RateLimit-Limit") }, "lacks the header X-RateLimit-Limit"},
		{"no lifetime", question, func(_ *int, h http.Header, _ *string) { h.Del("Cache-Control") }, "lacks the header Cache-Control"},
		{"a header that is no number", question, func(_ *int, h http.Header, _ *string) { h.Set("X-RateLimit-Reset", "soon") }, "no integer"},
		{"a plan that does not exist", question, func(_ *int, h http.Header, _ *string) { h.Set("X-Plan", "gold") }, "want one of"},
		{"a success of no operation", "/v1/nothing", func(status *int, _ http.Header, _ *string) { *status = 200 }, "belongs to no operation"},
	} {
		t.Run(spoil.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("GET", spoil.target, nil)
			h.ServeHTTP(w, r)
			status, body := w.Code, w.Body.String()
			spoil.how(&status, w.Header(), &body)
			got := described().wrong("GET", r.URL.Path, status, w.Header(), []byte(body))
			if spoil.want == "" && got != "" || !strings.Contains(got, spoil.want) {
				t.Errorf("it says %q, want %q", got, spoil.want)
			}
		})
	}
}

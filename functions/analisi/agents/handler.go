package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"verdetto/shared/runtime/recorder"
	"verdetto/shared/web/httpapi"
)

// On a loopback address the SDK refuses unknown Host headers, against DNS rebinding. mcpHandler
// also allows the host of the base URL, for callers behind a proxy on the same machine.
type mcpHandler struct {
	server func() http.Handler
	host   string
}

// maxMessage leaves room for a comparison of ten destinations with 100 characters each.
const maxMessage = 16 << 10

type exchange struct {
	ctx    context.Context
	header http.Header
}

type exchangeKey struct{}

func (h *mcpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		httpapi.WrongMethod.Problem("This path answers POST with one JSON-RPC message of the Model Context Protocol. "+
			"It keeps no sessions and offers no stream.").
			With("Allow", "POST").Write(w, r)
		return
	}
	if p := checkHeaders(r); p != nil {
		p.Write(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		problemWithStatus(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("The body is larger than %d bytes. Send one JSON-RPC message.", maxMessage)).Write(w, r)
		return
	}
	if err != nil {
		problemWithStatus(http.StatusBadRequest, "The body could not be read to its end. Send it again.").Write(w, r)
		return
	}
	id, fault := checkMessage(body)
	if fault != nil {
		status := http.StatusBadRequest
		if fault.Code == jsonrpc.CodeMethodNotFound {
			status = http.StatusOK // before statelessRevision, an unknown method has this status
			if r.Header.Get("Mcp-Protocol-Version") >= statelessRevision {
				status = http.StatusNotFound
			}
		}
		writeError(w, status, id, fault)
		return
	}

	// The SDK refuses a client that does not accept both JSON and event streams, although this server
	// answers with JSON.
	r2 := r.Clone(context.WithValue(r.Context(), exchangeKey{}, &exchange{r.Context(), w.Header()}))
	r2.Header.Set("Accept", "application/json, text/event-stream")
	r2.Body = io.NopCloser(bytes.NewReader(body))
	if named := (&url.URL{Host: r.Host}).Hostname(); h.host != "" && strings.EqualFold(named, h.host) {
		r2.Host = "localhost" // a name that the SDK always allows
	}
	answer := &recorder.Recorder{}
	h.server().ServeHTTP(answer, r2)
	copyTo(answer, w, r, id)
}

func checkHeaders(r *http.Request) *httpapi.Problem {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problemWithStatus(http.StatusUnsupportedMediaType, "Send the message as Content-Type: application/json.")
	}
	accept := strings.Join(r.Header.Values("Accept"), ",")
	for one := range strings.SplitSeq(accept, ",") {
		kind, _, _ := strings.Cut(strings.TrimSpace(one), ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "application/json", "application/*", "*/*":
			return nil
		}
	}
	if strings.TrimSpace(accept) == "" {
		return nil
	}
	return problemWithStatus(http.StatusNotAcceptable,
		"Answers are JSON. Send Accept: application/json, text/event-stream, as the protocol asks.")
}

// statelessRevision is the first protocol revision in which an unknown method gets HTTP status 404.
const statelessRevision = "2026-07-28"

// answeredMethods lacks the methods for subscriptions: a subscription would keep a request open,
// and no notification would ever come.
var answeredMethods = []string{"initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list",
	"resources/templates/list", "resources/read"}

// checkMessage refuses batches, because one batch could contain very many calls.
func checkMessage(body []byte) (id json.RawMessage, fault *jsonrpc.Error) {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: "batches are not answered: send one JSON-RPC message in each POST"}
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) || len(trimmed) == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError,
				Message: "the body is no JSON: send one JSON-RPC message"}
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: `the body is no JSON-RPC message: it is an object with "jsonrpc": "2.0", an "id" and a "method"`}
	}
	switch {
	case m.Version != "2.0":
		return m.ID, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `the message lacks "jsonrpc": "2.0"`}
	case len(m.ID) > 0 && m.Method != "" && !slices.Contains(answeredMethods, m.Method):
		return m.ID, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound,
			Message: fmt.Sprintf("there is no method %.40q here: this server offers tools and resources, and answers "+
				"%s", m.Method, strings.Join(answeredMethods, ", "))}
	}
	return m.ID, nil
}

func problemWithStatus(status int, detail string) *httpapi.Problem {
	kind := httpapi.BadRequest
	kind.Status = status
	return kind.Problem(detail)
}

func writeError(w http.ResponseWriter, status int, id json.RawMessage, fault *jsonrpc.Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, fault})
}

func copyTo(rec *recorder.Recorder, w http.ResponseWriter, r *http.Request, id json.RawMessage) {
	rec.WriteHeader(http.StatusOK)
	contentType := rec.Sent.Get("Content-Type")
	text := strings.TrimSpace(rec.Body.String())
	switch {
	case rec.Status < 400 || strings.HasPrefix(contentType, "application/json"):
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(rec.Status)
		_, _ = w.Write(rec.Body.Bytes())
	case rec.Status == http.StatusBadRequest:
		writeError(w, rec.Status, id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text})
	case rec.Status >= 500:
		httpapi.Internal.Problem("Something went wrong on our side. Call again in a minute.").Write(w, r)
	default:
		problemWithStatus(rec.Status, text+".").Write(w, r)
	}
}

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
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"verdetto/shared/httpapi"
)

// door stands before the protocol's server and gives its answers the manners of
// the house. What is wrong with the HTTP request is told in a problem document,
// what is wrong with the message in a JSON-RPC error.
//
// Pages of any site may call it: it looks at no cookie, so whatever a page could
// have it answer anybody can ask for. Only where the process answers on a
// loopback address a Host that is no loopback name is refused, by the SDK: there
// a page could otherwise reach a service that its own author cannot.
type door struct {
	handler func() http.Handler
}

// exchange is the HTTP request that a tool's call came in, and the headers of its answer.
type exchange struct {
	ctx    context.Context
	header http.Header
}

type exchangeKey struct{}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		// There is no stream to listen to, and no session to end.
		httpapi.WrongMethod.Problem("This path answers POST with one JSON-RPC message of the Model Context Protocol. It keeps no sessions and offers no stream.").
			With("Allow", "POST").Write(w, r)
		return
	}
	if p := acceptable(r); p != nil {
		p.Write(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, httpapi.MaxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		problem(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes. Send one JSON-RPC message.", httpapi.MaxBody)).Write(w, r)
		return
	}
	if err != nil {
		problem(http.StatusBadRequest, "The body could not be read to its end. Send it again.").Write(w, r)
		return
	}
	id, fault := peek(body)
	if fault != nil {
		status := http.StatusBadRequest
		if fault.Code == jsonrpc.CodeMethodNotFound {
			status = http.StatusOK // a well-formed answer to a well-formed message
			if r.Header.Get("Mcp-Protocol-Version") >= statelessRevision {
				status = http.StatusNotFound
			}
		}
		refuse(w, status, id, fault)
		return
	}

	// Everything that is answered is JSON, whichever of the two the caller prefers.
	r2 := r.Clone(context.WithValue(r.Context(), exchangeKey{}, &exchange{r.Context(), w.Header()}))
	r2.Header.Set("Accept", "application/json, text/event-stream")
	r2.Body = io.NopCloser(bytes.NewReader(body))
	kept := &answer{header: http.Header{}}
	d.handler().ServeHTTP(kept, r2)
	kept.pass(w, r, id)
}

// acceptable tells what is wrong with the headers of a POST.
func acceptable(r *http.Request) *httpapi.Problem {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problem(http.StatusUnsupportedMediaType, "Send the message as Content-Type: application/json.")
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
	return problem(http.StatusNotAcceptable, "Answers are JSON. Send Accept: application/json, text/event-stream, as the protocol asks.")
}

// statelessRevision of the protocol is the first that has HTTP tell of unknown methods, with 404.
const statelessRevision = "2026-07-28"

// methods are what a server with tools and nothing else answers. A subscription
// would hold the request open for news that never come.
var methods = []string{"initialize", "server/discover", "ping", "tools/list", "tools/call"}

// peek looks at a message before the protocol's server does. Batches are of an
// old revision of the protocol and would have one request do the work of hundreds.
func peek(body []byte) (id json.RawMessage, fault *jsonrpc.Error) {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "batches are not answered: send one JSON-RPC message in each POST"}
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) || len(trimmed) == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the body is no JSON: send one JSON-RPC message"}
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `the body is no JSON-RPC message: it is an object with "jsonrpc": "2.0", an "id" and a "method"`}
	}
	switch {
	case m.Version != "2.0":
		return m.ID, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `the message lacks "jsonrpc": "2.0"`}
	case len(m.ID) > 0 && m.Method != "" && !slices.Contains(methods, m.Method):
		return m.ID, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("there is no method %.40q here: this server offers tools only, and answers %s", m.Method, strings.Join(methods, ", "))}
	}
	return m.ID, nil
}

// problem is a problem document with a status of HTTP's own.
func problem(status int, detail string) *httpapi.Problem {
	kind := httpapi.BadRequest
	kind.Status = status
	return kind.Problem(detail)
}

// refuse answers with a JSON-RPC error.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, fault *jsonrpc.Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct { // the caller has gone: nobody is left to tell
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, fault})
}

// answer keeps what the protocol's server says, which is small, until it is whole.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// pass hands the answer over. The plain text in which the SDK refuses requests
// becomes what the house says in its place.
func (a *answer) pass(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
	a.WriteHeader(http.StatusOK)
	contentType := a.header.Get("Content-Type")
	said := strings.TrimSpace(a.body.String())
	switch {
	case a.status < 400 || strings.HasPrefix(contentType, "application/json"):
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body.Bytes()) // the caller has gone: nobody is left to tell
	case a.status == http.StatusBadRequest:
		refuse(w, a.status, id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: said})
	case a.status >= 500:
		httpapi.Internal.Problem("Something went wrong on our side. Try again in a minute.").Write(w, r)
	default:
		problem(a.status, said+".").Write(w, r)
	}
}

package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/functions/analisi"
	"verdetto/shared/httpapi"
)

// tool is one question that agents can ask. I holds its arguments, which are
// all strings, O is its structured answer; both describe themselves with the
// tags that the endpoints' types have.
type tool[I, O any] struct {
	name, title, description string
	counts                   string // the route under whose cap a call is counted
	// check refuses, before the call is counted, what no answer could be made for.
	check func(context.Context, *I) error
	// answer gives the structured answer and the same in a sentence or two.
	answer func(context.Context, *I) (O, string, error)
}

// add offers a tool and gives its name.
func add[I, O any](s *Service, server *mcp.Server, t tool[I, O]) string {
	takes := schemaOf[I]()
	no, yes := false, true
	server.AddTool(&mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: written(takes), OutputSchema: written(schemaOf[O]()),
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &yes},
	}, func(ctx context.Context, request *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		x := ctx.Value(exchangeKey{}).(*exchange)
		// The SDK parts a call from the request that it came in. Here one is all
		// there is of the other: it ends when the caller goes, or time is up.
		ctx = x.ctx
		defer func() {
			if v := recover(); v != nil {
				s.Log.ErrorContext(ctx, "panic", "tool", t.name, "value", v, "stack", string(debug.Stack()))
				result = refusal(httpapi.Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute."), x)
			}
		}()
		out, said, err := ask(ctx, s, t, takes, request.Params.Arguments)
		if err != nil {
			return refusal(s.api.ProblemFor(ctx, t.counts, err), x), nil
		}
		return success(out, said, x)
	})
	return t.name
}

// ask goes the way of every call: read, check, count, answer.
func ask[I, O any](ctx context.Context, s *Service, t tool[I, O], takes *huma.Schema, arguments json.RawMessage) (out O, said string, err error) {
	in := new(I)
	if err = read(arguments, takes, in); err != nil {
		return
	}
	if t.check != nil {
		if err = t.check(ctx, in); err != nil {
			return
		}
	}
	if err = s.api.ConsumeQuota(ctx, t.counts); err != nil {
		return
	}
	return t.answer(ctx, in)
}

// success is what a tool answers.
func success(out any, said string, x *exchange) (*mcp.CallToolResult, error) {
	structured, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: said}},
		StructuredContent: json.RawMessage(structured),
	}
	if data := x.header.Get("X-Data"); data != "" { // which an agent does not see
		result.Content = append(result.Content, &mcp.TextContent{Text: "These fares are invented (" + data + " data): tell nobody that they are real."})
	}
	return result, nil
}

// refusal tells an agent what went wrong and what to do next: first in words,
// then as the problem document that the endpoint would have answered with. It is
// no structured content, which clients check against the schema of answers.
func refusal(p *httpapi.Problem, x *exchange) *mcp.CallToolResult {
	said := p.Detail
	if next := advice(p, x); next != "" {
		said += " " + next
	}
	result := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: said}}}
	if document, err := json.Marshal(p); err == nil { // it is made of strings
		result.Content = append(result.Content, &mcp.TextContent{Text: string(document)})
	}
	return result
}

// advice is what an agent, which sees no headers and calls tools rather than paths, can do about a problem.
func advice(p *httpapi.Problem, x *exchange) string {
	switch p.Code {
	case httpapi.TooMany.Code:
		if wait, err := time.ParseDuration(x.header.Get("Retry-After") + "s"); err == nil {
			return fmt.Sprintf("That is %s from now. Until then do not call this tool again; a Pro key goes into the header X-Api-Key of the connection.", wait)
		}
	case analisi.UnknownCity.Code:
		return "Ask again with another spelling, the English name, or an IATA code such as MXP."
	case analisi.NotCovered.Code:
		return "As a tool that is watched_routes: call it with the same origin, or with the same destination."
	case analisi.NoLiveFare.Code:
		return "price_trends tells what is known of the route's past."
	case httpapi.BadRequest.Code:
		return "Correct the arguments and call again; this call was not counted."
	}
	return ""
}

// schemaOf describes a type. Every type that it is made of stands where it is
// used, for clients that do not follow references.
func schemaOf[T any]() *huma.Schema {
	registry := huma.NewMapRegistry(inline, huma.DefaultSchemaNamer)
	return resolved(registry, registry.Schema(reflect.TypeFor[T](), false, ""))
}

// written is a schema as it is sent: the tools are listed more often than made.
func written(s *huma.Schema) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("agents: a schema cannot be written: %v", err)) // it is made of the types above
	}
	return data
}

const inline = "#/$defs/"

func resolved(registry huma.Registry, s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		target := *registry.SchemaFromRef(s.Ref)
		if s.Description != "" {
			target.Description = s.Description
		}
		s = &target
	}
	s.Items = resolved(registry, s.Items)
	for name, property := range s.Properties {
		property = resolved(registry, property)
		if property.Nullable && slices.Contains(s.Required, name) {
			property = orNull(property)
		}
		property.Nullable = false // what may be left out is left out, and never null
		s.Properties[name] = property
	}
	return s
}

// orNull describes a value that may be null in two branches: a list of types in
// one is more than some clients understand.
func orNull(s *huma.Schema) *huma.Schema {
	value := *s
	value.Description, value.Nullable = "", false
	return &huma.Schema{Description: s.Description, AnyOf: []*huma.Schema{&value, {Type: "null"}}}
}

// read takes a tool's arguments, and names every one that is at fault.
func read(arguments json.RawMessage, takes *huma.Schema, into any) error {
	given := map[string]any{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return httpapi.Invalid(httpapi.Fault{Name: "arguments", Detail: `are no JSON object, as in {"origin": "Milano"}`})
		}
	}
	var faults []httpapi.Fault
	for _, name := range slices.Sorted(maps.Keys(takes.Properties)) {
		required := slices.Contains(takes.Required, name)
		value, ok := given[name]
		text, isText := value.(string)
		fault := ""
		switch {
		case !ok || value == nil:
			delete(given, name)
			if required {
				fault = "is missing"
			}
		case !isText:
			fault = "is no string"
		default:
			fault = httpapi.Unfit(text, required)
		}
		if fault != "" {
			faults = append(faults, httpapi.Fault{Name: name, Detail: fault})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if takes.Properties[name] == nil {
			faults = append(faults, httpapi.Fault{Name: "arguments",
				Detail: fmt.Sprintf("hold %.40q, which this tool does not take; it takes %s", name, strings.Join(slices.Sorted(maps.Keys(takes.Properties)), ", "))})
		}
	}
	if len(faults) > 0 {
		return httpapi.Invalid(faults...)
	}
	plain, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(plain, into)
	}
	if err != nil {
		return fmt.Errorf("read arguments: %w", err)
	}
	return nil
}

// nameTools tells an agent that calls a tool that is not there which ones are.
func nameTools(names []string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, request)
			var fault *jsonrpc.Error
			if method == "tools/call" && errors.As(err, &fault) && fault.Code == jsonrpc.CodeInvalidParams && strings.HasPrefix(fault.Message, "unknown tool") {
				named := *fault
				named.Message += "; the tools are " + strings.Join(names, ", ")
				return nil, &named
			}
			return result, err
		}
	}
}

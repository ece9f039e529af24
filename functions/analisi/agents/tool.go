package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

// tool is one question that agents can ask. I holds its arguments:
// strings, numbers, true or false. O is its structured answer; both describe themselves with the
// tags that the endpoints' types have.
type tool[I, O any] struct {
	name, title, description string
	quota                    string // the route under whose cap a call is counted
	many                     bool   // a call counts as several, and the answer counts them
	// check refuses, before the call is counted, what no answer could be made for.
	check func(context.Context, *I) error
	// answer gives the structured answer and the same in a sentence or two.
	answer func(context.Context, *I) (O, string, error)
}

// addTool offers a tool and gives its name.
func addTool[I, O any](s *Service, server *mcp.Server, t tool[I, O]) string {
	input := schemaOf[I]()
	no, yes := false, true
	var meta mcp.Meta
	if _, ok := any(*new(O)).(interface{ html() string }); ok {
		meta = cardMeta()
	}
	server.AddTool(&mcp.Tool{
		Meta: meta,
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: marshalSchema(input), OutputSchema: marshalSchema(schemaOf[O]()),
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &yes},
	}, func(ctx context.Context, request *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		x := ctx.Value(exchangeKey{}).(*exchange)
		// The SDK gives a call a context apart from that of its request. Here a
		// request is one call: it ends when the caller goes, or time is up.
		ctx, say := x.ctx, sentences{i18n.English()}
		defer func() {
			if v := recover(); v != nil {
				s.Log.ErrorContext(ctx, "panic", "tool", t.name, "value", v, "stack", string(debug.Stack()))
				result = errorResult(httpapi.Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute."), say, x)
			}
		}()
		in := new(I)
		out, text, err := answerCall(ctx, s, t, input, request.Params.Arguments, in)
		if a, ok := any(in).(interface{ say() sentences }); ok {
			say = a.say()
		}
		if err != nil {
			return errorResult(s.api.ProblemFor(ctx, t.quota, err), say, x), nil
		}
		result, err = successResult(out, text, say, x)
		if c, ok := any(out).(interface{ html() string }); ok && err == nil && c.html() != "" && showsCards(request) {
			result.Meta = mcp.Meta{cardKey: c.html()}
		}
		return result, err
	})
	return t.name
}

// answerCall does for every call: read its arguments, check them, count, answer.
func answerCall[I, O any](ctx context.Context, s *Service, t tool[I, O], schema *huma.Schema, arguments json.RawMessage, in *I) (out O, text string, err error) {
	if err = readArguments(arguments, schema, in); err != nil {
		return
	}
	if t.check != nil {
		if err = t.check(ctx, in); err != nil {
			return
		}
	}
	if t.many {
		return t.answer(ctx, in)
	}
	if err = s.api.ConsumeQuota(ctx, t.quota); err != nil {
		return
	}
	return t.answer(ctx, in)
}

// successResult is what a tool answers.
func successResult(out any, text string, say sentences, x *exchange) (*mcp.CallToolResult, error) {
	structured, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: json.RawMessage(structured),
	}
	if data := x.header.Get("X-Data"); data != "" { // which an agent does not see
		result.Content = append(result.Content, &mcp.TextContent{Text: say.Text("agents.invented", "Data", data)})
	}
	return result, nil
}

// errorResult tells an agent what went wrong and what to do next: first in words,
// then as the problem document that the endpoint would have answered with. It is
// no structured content, which clients check against the schema of answers.
// What happened is said in the asker's language, and to whoever asks in English with what was given.
func errorResult(p *httpapi.Problem, say sentences, x *exchange) *mcp.CallToolResult {
	text := p.Detail
	if said, ok := say.Lookup("problem.code." + p.Code); ok && say.Language != i18n.English() {
		text = said
	}
	if next := advice(p, say, x); next != "" {
		text += " " + next
	}
	result := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if document, err := json.Marshal(p); err == nil { // it is made of strings
		result.Content = append(result.Content, &mcp.TextContent{Text: string(document)})
	}
	return result
}

// advice is what an agent, which sees no headers and calls tools rather than paths, can do about a problem.
func advice(p *httpapi.Problem, say sentences, x *exchange) string {
	switch p.Code {
	case httpapi.TooMany.Code:
		if wait, err := time.ParseDuration(x.header.Get("Retry-After") + "s"); err == nil {
			return say.Text("agents.wait", "Time", wait) + say.instead(p)
		}
	case httpapi.UnknownCity.Code:
		return say.Text("agents.unknown_city")
	case httpapi.NotCovered.Code:
		return say.Text("agents.ask_routes")
	case published.NoLiveFare.Code:
		return say.Text("agents.ask_trends")
	case httpapi.BadRequest.Code:
		return say.Text("agents.correct")
	}
	return ""
}

// instead is what else there is for who has used up a cap.
func (s sentences) instead(p *httpapi.Problem) (text string) {
	if p.Usage != "" {
		text += " " + s.Text("agents.ask_usage")
	}
	if p.Paid != nil {
		text += " " + s.Text("agents.paid", "Path", p.Paid.Path, "Price", p.Paid.Price)
	}
	return text
}

// listToolNames tells an agent that calls an unknown tool which ones there are.
func listToolNames(names []string) mcp.Middleware {
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

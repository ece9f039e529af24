package agents

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

// description is what an agent reads of a tool before it calls it.
type description struct {
	Name, Title, Description string

	Arguments map[string]string // where they mean something else than those of most tools
	Quota     string            // the route under whose cap a call is counted
	Several   bool              // a call counts as several, and the answer counts them
}

//go:embed tools.json
var toolsJSON []byte

// descriptions are those of all tools, in the order in which they are listed, and what
// arguments of the same name mean to most tools.
var descriptions = parseDescriptions()

func parseDescriptions() (all struct {
	Arguments map[string]string
	Tools     []description
}) {
	if err := json.Unmarshal(toolsJSON, &all); err != nil {
		panic(err) // it is embedded
	}
	return all
}

// describe puts what the arguments mean into their schema.
func (d description) describe(input *huma.Schema) {
	for name, property := range input.Properties {
		property.Description = cmp.Or(d.Arguments[name], descriptions.Arguments[name])
	}
}

type asker interface{ say() sentences }

// addTool offers a tool. I holds its arguments, of which question makes what check and
// answer work on. O is its structured answer, beside which stand sentences. A nil check
// refuses nothing; what check refuses is not counted.
func addTool[I, Q, O any](
	s *Service, server *mcp.Server, name string,
	question func(*I) (Q, error), check func(context.Context, Q) error,
	answer func(context.Context, *I, Q) (O, string, error),
) {
	d := descriptions.Tools[slices.IndexFunc(descriptions.Tools, func(d description) bool { return d.Name == name })]
	input := schemaOf[I]()
	d.describe(input)
	var meta mcp.Meta
	if _, ok := any(*new(O)).(interface{ html() string }); ok {
		meta = cardMeta()
	}
	// call reads the arguments, checks and counts the question, and answers it.
	call := func(ctx context.Context, arguments json.RawMessage, in *I) (out O, text string, err error) {
		if err = readArguments(arguments, input, in); err != nil {
			return
		}
		q, err := question(in)
		if err == nil && check != nil {
			err = check(ctx, q)
		}
		if err == nil && !d.Several {
			err = s.api.ConsumeQuota(ctx, d.Quota)
		}
		if err != nil {
			return
		}
		return answer(ctx, in, q)
	}
	server.AddTool(&mcp.Tool{
		Meta: meta,
		Name: d.Name, Title: d.Title, Description: d.Description,
		InputSchema: marshalSchema(input), OutputSchema: marshalSchema(schemaOf[O]()),
		Annotations: readOnly(d.Title),
	}, func(ctx context.Context, request *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		x := ctx.Value(exchangeKey{}).(*exchange)
		// The SDK gives a call a context apart from that of its request. Here a
		// request is one call: it ends when the caller goes, or time is up.
		ctx, say := x.ctx, sentences{i18n.English()}
		defer func() {
			if v := recover(); v != nil {
				s.Log.ErrorContext(ctx, "panic", "tool", d.Name, "value", v, "stack", string(debug.Stack()))
				result = errorResult(httpapi.Internal.Problem("Something went wrong on our side; it has been logged. "+
					"Try again in a minute."), say, x)
			}
		}()
		in := new(I)
		out, text, err := call(ctx, request.Params.Arguments, in)
		say = any(in).(asker).say()
		if err != nil {
			return errorResult(s.api.ProblemFor(ctx, d.Quota, err), say, x), nil
		}
		result, err = successResult(out, text, say, x)
		if c, ok := any(out).(interface{ html() string }); ok && err == nil && c.html() != "" && showsCards(request) {
			result.Meta = mcp.Meta{cardKey: c.html()}
		}
		return result, err
	})
}

// readOnly annotates a tool that looks at the world and changes nothing in it.
func readOnly(title string) *mcp.ToolAnnotations {
	no, yes := false, true
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true,
		DestructiveHint: &no, OpenWorldHint: &yes}
}

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

// errorResult tells an agent what went wrong and what to do next: in words, then as the
// problem document of the endpoint. Clients check structured content against the
// schema of answers, so it is none.
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
func listToolNames(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		var fault *jsonrpc.Error
		if method != "tools/call" || !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams ||
			!strings.HasPrefix(fault.Message, "unknown tool") {
			return result, err
		}
		var names []string
		for _, d := range descriptions.Tools {
			names = append(names, d.Name)
		}
		named := *fault
		named.Message += "; the tools are " + strings.Join(names, ", ")
		return nil, &named
	}
}

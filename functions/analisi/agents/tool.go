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

type description struct {
	Name, Title, Description string

	Arguments map[string]string
	Quota     string
	Several   bool // the tool counts its calls itself, by the number of trips
	// Fields lists the fields that the structured answer has, as dotted paths. If Fields is empty,
	// the answer has all fields.
	Fields []string
	Card   bool
}

//go:embed tools.json
var toolsJSON []byte

var descriptions = parseDescriptions()

func parseDescriptions() (all struct {
	Arguments map[string]string
	Tools     []description
}) {
	if err := json.Unmarshal(toolsJSON, &all); err != nil {
		panic(err)
	}
	return all
}

func (d description) describe(input *huma.Schema) {
	for name, property := range input.Properties {
		property.Description = cmp.Or(d.Arguments[name], descriptions.Arguments[name])
	}
}

type asker interface{ say() sentences }

// A question that check refuses does not count towards the quota. check may be nil.
func addTool[I, Q, O any](
	s *Service, server *mcp.Server, name string,
	question func(*I) (Q, error), check func(context.Context, Q) error,
	answer func(context.Context, *I, Q) (O, string, error),
) {
	d := descriptions.Tools[slices.IndexFunc(descriptions.Tools, func(d description) bool { return d.Name == name })]
	input, fields := schemaOf[I](), httpapi.Fields{}
	for _, path := range d.Fields {
		fields.Add(path)
	}
	d.describe(input)
	var meta mcp.Meta
	if d.Card {
		meta = cardMeta()
	}
	call := func(ctx context.Context, arguments json.RawMessage, in *I) (out O, text string, err error) {
		if err = readArguments(arguments, input, in); err != nil {
			return
		}
		read, err := readDays(in, s.Answers.Now())
		if err != nil {
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
		out, text, err = answer(ctx, in, q)
		return out, lines(append(read, text)...), err
	}
	server.AddTool(&mcp.Tool{
		Meta: meta,
		Name: d.Name, Title: d.Title, Description: d.Description,
		InputSchema: marshalSchema(input), Annotations: readOnly(d.Title),
	}, func(ctx context.Context, request *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		x := ctx.Value(exchangeKey{}).(*exchange)
		// The SDK's context is not that of the HTTP request. A tool call must end when the caller
		// disconnects, or at the request's deadline.
		ctx, say := x.ctx, sentences{i18n.English()}
		defer func() {
			if v := recover(); v != nil {
				s.Log.ErrorContext(ctx, "panic", "tool", d.Name, "value", v, "stack", string(debug.Stack()))
				result = errorResult(httpapi.Internal.Problem("Something went wrong on our side and was logged. "+
					"Call again in a minute."), say, x)
			}
		}()
		in := new(I)
		out, text, err := call(ctx, request.Params.Arguments, in)
		say = any(in).(asker).say()
		if err != nil {
			return errorResult(s.api.ProblemFor(ctx, d.Quota, err), say, x), nil
		}
		shortened, err := fields.Shorten(out)
		if err != nil {
			return nil, fmt.Errorf("shorten answer: %w", err)
		}
		structured, err := json.Marshal(shortened)
		if err != nil {
			return nil, fmt.Errorf("write answer: %w", err)
		}
		return successResult(structured, text, say, x), nil
	})
}

func readOnly(title string) *mcp.ToolAnnotations {
	no, yes := false, true
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true,
		DestructiveHint: &no, OpenWorldHint: &yes}
}

func successResult(structured json.RawMessage, text string, say sentences, x *exchange) *mcp.CallToolResult {
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: structured,
	}
	if data := x.header.Get("X-Data"); data != "" { // agents do not see headers
		result.Content = append(result.Content, &mcp.TextContent{Text: say.Text("agents.invented", "Data", data)})
	}
	return result
}

func errorResult(p *httpapi.Problem, say sentences, x *exchange) *mcp.CallToolResult {
	text := p.In(say.Language).Detail
	if len(p.Suggestions) > 0 && !strings.Contains(text, p.Suggestions[0]) {
		text += " (" + strings.Join(p.Suggestions, ", ") + ")"
	}
	text = and(p.Code+": "+text, advice(p, say, x))
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func advice(p *httpapi.Problem, say sentences, x *exchange) string {
	switch p.Code {
	case httpapi.TooMany.Code:
		if wait, err := time.ParseDuration(x.header.Get("Retry-After") + "s"); err == nil {
			return say.Text("agents.wait", "Time", wait) + say.instead(p)
		}
	case httpapi.NotCovered.Code:
		if p.Raccolta == nil {
			return say.Text("agents.ask_routes")
		}
	case published.NoLiveFare.Code:
		return say.Text("agents.ask_trends")
	case httpapi.BadRequest.Code:
		return say.Text("agents.correct")
	}
	return ""
}

func (s sentences) instead(p *httpapi.Problem) (text string) {
	if p.Usage != "" {
		text += " " + s.Text("agents.ask_usage")
	}
	if p.Paid != nil {
		text += " " + s.Text("agents.paid", "Path", p.Paid.Path, "Price", p.Paid.Price)
	}
	return text
}

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

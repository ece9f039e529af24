package reference

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
	"verdetto/shared/web/routes"
)

//go:embed agents.html
var agentsTemplate string

var agentsHTML = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("agents").Parse(agentsTemplate))
})

type Agents struct {
	MCP     string       `json:"mcp" doc:"Address of the MCP server: streamable HTTP, without sessions" example:"https://verdetto.example/mcp"`
	Header  string       `json:"header" doc:"Header for a Pro key. Without it, calls count per day and IP address" example:"X-Api-Key"`
	Clients []AgentSetUp `json:"clients" nullable:"false" doc:"Set-up of common clients, to copy"`
}

type AgentSetUp struct {
	Name    string `json:"name" example:"Claude Code"`
	Where   string `json:"where" doc:"Where to enter it: a terminal, a file, or a place in the settings" example:"a terminal"`
	Form    string `json:"form" enum:"command,json,text" doc:"The form of the set-up: a shell command, JSON, or text to type"`
	SetUp   string `json:"setUp" example:"claude mcp add --transport http verdetto https://verdetto.example/mcp"`
	WithKey string `json:"withKey,omitempty" doc:"The same with a Pro key: put yours in place of vd_..., or in the environment variable that the command names. Absent if the client cannot send headers"`
}

const keyExample = "vd_..."

func (s *Service) agents() (Agents, error) {
	a := Agents{MCP: s.BaseURL + routes.Named("mcp").Path, Header: httpapi.KeyHeader}
	type object = map[string]any
	keyed := object{a.Header: keyExample}
	server := func(list string, entry object) (string, error) {
		text, err := indented(object{list: object{"verdetto": entry}})
		return string(bytes.TrimSpace(text)), err
	}
	for _, c := range []struct {
		name, where, list string
		free, pro         object
	}{
		{"VS Code", ".vscode/mcp.json", "servers", object{"type": "http", "url": a.MCP},
			object{"type": "http", "url": a.MCP, "headers": keyed}},
		{"Cursor", "~/.cursor/mcp.json", "mcpServers", object{"url": a.MCP}, object{"url": a.MCP, "headers": keyed}},
		{
			"Clients that start programs only", "their file of servers; wants Node.js", "mcpServers",
			object{"command": "npx", "args": []string{"-y", "mcp-remote", a.MCP}},
			object{"command": "npx", "args": []string{"-y", "mcp-remote", a.MCP, "--header",
				a.Header + ":" + keyExample}},
		},
	} {
		free, err := server(c.list, c.free)
		if err != nil {
			return Agents{}, err
		}
		pro, err := server(c.list, c.pro)
		if err != nil {
			return Agents{}, err
		}
		a.Clients = append(a.Clients, AgentSetUp{c.name, c.where, "json", free, pro})
	}
	header := ` --header "` + a.Header + ": " + keyExample + `"`
	claude, gemini := "claude mcp add --transport http verdetto "+a.MCP, "gemini mcp add --transport http"
	codex := "codex mcp add verdetto --url " + a.MCP
	a.Clients = append([]AgentSetUp{
		{"Claude Code", "a terminal", "command", claude, claude + header},
		{"Codex", "a terminal", "command", codex, codex + " --bearer-token-env-var VERDETTO_KEY"},
		{"Gemini CLI", "a terminal", "command", gemini + " verdetto " + a.MCP, gemini + header + " verdetto " + a.MCP},
		{"Claude, on the web and on the desktop", "Settings, Connectors, Add custom connector", "text", a.MCP, ""},
	}, a.Clients...)
	return a, nil
}

func (s *Service) registerAgents(api *httpapi.API) {
	httpapi.JSON(api, "agenti", httpapi.JSONDoc{
		Summary: "Set-up for AI agents",
		Description: "Returns the address of the MCP server and the set-up of common clients, as JSON or " +
			"as a page.",
		Answer: Agents{},
		Pages:  []int{http.StatusOK},
	}, nil, func(_ context.Context, in *docsInput) (*page.Response, error) {
		a, err := s.agents()
		if err != nil {
			return nil, fmt.Errorf("write set-up: %w", err)
		}
		l := i18n.ForHeader(in.AcceptLanguage)
		return answer(in, a, a, agentsHTML(), page.Page{Language: l, Title: l.Text("docs.agents"),
			Description: l.Text("docs.agents_summary")})
	})
}

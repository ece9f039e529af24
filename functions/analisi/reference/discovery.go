package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

// catalogType is the media type of an API catalog (RFC 9727).
const catalogType = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`

type apiCatalog struct {
	Linkset []apiLinks `json:"linkset"`
}

type apiLinks struct {
	Anchor string     `json:"anchor"`
	Item   []linkedTo `json:"item,omitempty"`
	Desc   []linkedTo `json:"service-desc,omitempty"`
	Doc    []linkedTo `json:"service-doc,omitempty"`
	Meta   []linkedTo `json:"service-meta,omitempty"`
}

type linkedTo struct {
	Href string `json:"href"`
	Type string `json:"type,omitempty"`
}

func (s *Service) catalog() apiCatalog {
	at := func(name, contentType string) linkedTo {
		return linkedTo{s.BaseURL + routes.Named(name).Path, contentType}
	}
	rest, mcp := at("index", ""), at("mcp", "")
	return apiCatalog{[]apiLinks{
		{Anchor: at("api-catalog", "").Href, Item: []linkedTo{rest, mcp}},
		{
			Anchor: rest.Href,
			Desc:   []linkedTo{at("openapi", "application/json")},
			Doc:    []linkedTo{at("docs", "text/html")},
			Meta:   []linkedTo{at("llms", "text/plain"), at("docs", "application/json")},
		},
		{
			Anchor: mcp.Href,
			Desc:   []linkedTo{at("server-json", "application/json")},
			Doc:    []linkedTo{at("agenti", "text/html")},
			Meta:   []linkedTo{at("agenti", "application/json")},
		},
	}}
}

type registryEntry struct {
	Schema      string           `json:"$schema"`
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Version     string           `json:"version"`
	WebsiteURL  string           `json:"websiteUrl"`
	Remotes     []registryRemote `json:"remotes"`
}

type registryRemote struct {
	Type    string           `json:"type"`
	URL     string           `json:"url"`
	Headers []registryHeader `json:"headers"`
}

type registryHeader struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	IsRequired  bool   `json:"isRequired"`
	IsSecret    bool   `json:"isSecret"`
}

func (s *Service) entry() registryEntry {
	return registryEntry{
		Schema:      "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:        namespace(s.BaseURL) + "/verdetto",
		Title:       "Verdetto",
		Description: "Is this flight fare cheap? Judged against the route's own history, with its certainty.",
		Version:     httpapi.Version,
		WebsiteURL:  s.BaseURL + routes.Named("agenti").Path,
		Remotes: []registryRemote{{
			Type: "streamable-http", URL: s.BaseURL + routes.Named("mcp").Path,
			Headers: []registryHeader{{Name: httpapi.KeyHeader,
				Description: "Optional: a Pro key, for calls without daily caps.", IsSecret: true}},
		}},
	}
}

// namespace returns the labels of the domain in reverse order, as in names in the registry of MCP
// servers. An IP address is not reversed.
func namespace(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return "localhost"
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return strings.Trim(strings.ReplaceAll(ip.WithZone("").String(), ":", "-"), "-")
	}
	labels := strings.Split(strings.ToLower(host), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

func (s *Service) registerDiscovery(api *httpapi.API) {
	api.Mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		catalog := s.catalog()
		body, err := indented(catalog)
		if err != nil {
			api.ProblemFor(r.Context(), "api-catalog", fmt.Errorf("write catalog: %w", err)).Write(w, r)
			return
		}
		out := httpapi.Tag(r.Header.Get("If-None-Match"), catalogType, body)
		h := w.Header()
		h.Set("Content-Type", out.ContentType)
		h.Set("ETag", out.ETag)
		h.Set("Link", "<"+catalog.Linkset[0].Anchor+`>; rel="api-catalog"`) // RFC 9727 requires this header in answers to HEAD
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(out.Status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(out.Body)
		}
	}), "api-catalog")
	httpapi.JSON(api, "server-json", httpapi.JSONDoc{Summary: "The entry for the registry of MCP servers"}, nil,
		func(_ context.Context, in *cachedInput) (*httpapi.Tagged, error) {
			body, err := indented(s.entry())
			if err != nil {
				return nil, fmt.Errorf("write entry: %w", err)
			}
			return httpapi.Tag(in.IfNoneMatch, "application/json", body), nil
		})
}

func indented(document any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(document)
	return b.Bytes(), err
}

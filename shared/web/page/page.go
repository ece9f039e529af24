// Package page holds what all pages have in common: layout, style sheet, languages, security policy
// and assets. Assets are style sheets, scripts, fonts and images, whose paths contain a hash of the
// content. Start with Page and Respond.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/routes"
)

var Policy = sync.OnceValue(func() string {
	return "default-src 'none'; style-src 'self' 'sha256-" + hashOf(inlineStyle()) + "'; script-src 'self'; " +
		"img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
})

// inlineStyle is part of each page, because fetching a style sheet would delay the page by a round
// trip.
func inlineStyle() []byte { return assets().files[path.Base(Asset("style.css"))].data }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}

type Page struct {
	Language    *i18n.Language
	Title       string
	Description string
	Index       bool // search engines are allowed to list the page
	Head        template.HTML
	Body        template.HTML
	Scripts     []string
	Styles      []string
	Others      []Other
	Search      SearchAddresses
	Alone       bool
	Start       string
}

// SearchAddresses are addresses of a page for search engines. Without Base the addresses are omitted,
// because search engines need absolute addresses.
type SearchAddresses struct {
	Base      string
	Itself    string
	Languages []Other
	Any       string
}

func NewSearchAddresses(base string, l *i18n.Language, path string) SearchAddresses {
	f := SearchAddresses{Base: base, Itself: AddressIn(l, path), Any: path}
	for _, l := range i18n.Languages() {
		f.Languages = append(f.Languages, Other{l, AddressIn(l, path)})
	}
	return f
}

type Other struct {
	Language *i18n.Language
	Address  string
}

func Home(l *i18n.Language) string {
	if l.Code == i18n.Default().Code {
		return "/"
	}
	return "/?lang=" + l.Code
}

func AddressIn(l *i18n.Language, path string) string {
	if strings.Contains(path, "?") {
		return path + "&lang=" + l.Code
	}
	return path + "?lang=" + l.Code
}

func OtherLanguages(l *i18n.Language, path string) (others []Other) {
	for _, other := range i18n.Languages() {
		if other != l {
			others = append(others, Other{other, AddressIn(other, path)})
		}
	}
	return others
}

var (
	Demonstration atomic.Bool // the plan is paid with play money
	MailKept      atomic.Bool // mails are written into a folder instead of being sent
)

//go:embed *.html
var templates embed.FS

var layout = Templates{templates, template.FuncMap{"asset": Asset, "in": AddressIn,
	"sold": func() bool { return !routes.NothingSold.Load() }, "mailKept": MailKept.Load,
	"demonstration": Demonstration.Load,
	"style":         func() template.CSS { return template.CSS(inlineStyle()) }}, sync.Map{}}

type Response struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Policy      string `header:"Content-Security-Policy"`
	Referrer    string `header:"Referrer-Policy"`
	Vary        string `header:"Vary"`
	Body        []byte
}

func Respond(status int, p Page) (*Response, error) {
	var b bytes.Buffer
	b.Grow(len(inlineStyle()) + len(p.Head) + len(p.Body) + 4<<10)
	if err := layout.In(p.Language).ExecuteTemplate(&b, "layout.html", p); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return &Response{
		Status: status, ContentType: "text/html; charset=utf-8", Policy: Policy(), Referrer: "no-referrer",
		Vary: "Accept, Accept-Language", Body: b.Bytes(),
	}, nil
}

// Write sends the response without Huma.
func (r *Response) Write(w http.ResponseWriter, request *http.Request) {
	h := w.Header()
	h.Set("Content-Type", r.ContentType)
	h.Set("Content-Security-Policy", r.Policy)
	h.Set("Referrer-Policy", r.Referrer)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", r.Vary)
	w.WriteHeader(r.Status)
	if request.Method != http.MethodHead {
		_, _ = w.Write(r.Body)
	}
}

// WantsHTML reports whether an Accept header names HTML before JSON, as the header of a browser
// does.
func WantsHTML(accept string) bool {
	html, json := strings.Index(accept, "text/html"), strings.Index(accept, "application/json")
	return html >= 0 && (json < 0 || html < json)
}

//go:embed assets
var files embed.FS

const AssetPath = "/assets/"

type asset struct {
	data        []byte
	contentType string
}

type assetFiles struct {
	paths map[string]string
	files map[string]asset
	style string
}

var assets = sync.OnceValue(readAssets)

func readAssets() (all assetFiles) {
	if err := mime.AddExtensionType(".woff2", "font/woff2"); err != nil {
		panic(err)
	}
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err)
	}
	all.paths, all.files = map[string]string{}, map[string]asset{}
	// Style sheets contain the hashed names of other assets, so they come last.
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return strings.Count(path.Ext(a.Name()), ".css") - strings.Count(path.Ext(b.Name()), ".css")
	})
	for _, e := range entries {
		data, err := files.ReadFile("assets/" + e.Name())
		if err != nil {
			panic(err)
		}
		ext := path.Ext(e.Name())
		if ext == ".css" {
			for name, lasting := range all.paths {
				data = bytes.ReplaceAll(data, []byte("url("+name+")"), []byte("url("+lasting+")"))
			}
			if e.Name() == "style.css" {
				all.style = string(data)
			}
			data = compactStyle(data)
		}
		if ext == ".js" {
			data = compact(data)
		}
		sum := sha256.Sum256(data)
		hashed := strings.TrimSuffix(e.Name(), ext) + "-" + hex.EncodeToString(sum[:6]) + ext
		all.paths[e.Name()] = AssetPath + hashed
		all.files[hashed] = asset{data, mime.TypeByExtension(ext)}
	}
	return all
}

// compactStyle drops comments and insignificant spaces, and perhaps spaces inside strings.
func compactStyle(source []byte) []byte {
	comment, space := regexp.MustCompile(`(?s)/\*.*?\*/`), regexp.MustCompile(`\s*([{};,])\s*|(:)\s+`)
	return space.ReplaceAll(comment.ReplaceAll(bytes.TrimSpace(source), nil), []byte("$1$2"))
}

func compact(source []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(source) {
		line = bytes.TrimLeft(line, " ")
		if code, _, ok := bytes.Cut(line, []byte(" // ")); ok { // the scripts must not contain a string with two slashes between spaces
			line = append(bytes.Clone(code), '\n')
		}
		if !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("/**")) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

// Asset panics if no asset has the name.
func Asset(name string) string {
	p, ok := assets().paths[name]
	if !ok {
		panic("page: no asset is named " + name)
	}
	return p
}

func ChartStyle() string {
	_, css, _ := strings.Cut(assets().style, ":root")
	colours, _, _ := strings.Cut(css, "\n* {")
	_, rest, _ := strings.Cut(css, "/* charts */")
	charts, _, _ := strings.Cut(rest, "\n\n")
	return ":root" + colours + charts + "\n.paper { fill: var(--paper) }\n.chart .title { fill: var(--ink); " +
		"font-weight: 600; font-size: 19px }\n"
}

// hostColours maps our colours to those of MCP Apps, a protocol for interfaces inside clients of
// agents.
var hostColours = map[string]string{
	"--paper": "--color-background-primary", "--raised": "--color-background-secondary",
	"--ink":   "--color-text-primary",
	"--faint": "--color-text-secondary", "--line": "--color-border-primary", "--field": "--color-border-secondary",
}

// EmbeddedStyle returns the style sheet for parts of a page that another program (the host) embeds.
// The attribute data-theme selects light or dark; without this attribute, the browser's setting
// does.
func EmbeddedStyle() string {
	_, css, _ := strings.Cut(assets().style, ":root")
	light, rest, _ := strings.Cut(css, "\n}\n")
	_, rest, _ = strings.Cut(rest, ":root {")
	dark, rest, _ := strings.Cut(rest, "\n  }\n}\n")
	var names []string
	for ours, theirs := range hostColours {
		names = append(names, ours+": ", ours+": var("+theirs+", ")
	}
	themed := func(declarations string) string {
		for i := 0; i < len(names); i += 2 {
			before, after, ok := strings.Cut(declarations, names[i])
			if value, more, ends := strings.Cut(after, ";"); ok && ends {
				declarations = before + names[i+1] + value + ");" + more
			}
		}
		return declarations
	}
	light, dark = themed(strings.TrimPrefix(light, " {")), themed(dark)
	return ":root {" + light + "\n}\n@media (prefers-color-scheme: dark) { :root {" + dark + "\n} }\n" +
		":root[data-theme=light] {" + light + "\ncolor-scheme: light }\n:root[data-theme=dark] {" + dark +
		"\ncolor-scheme: dark }\n" + string(compactStyle([]byte(rest)))
}

func File(hashed string) (data []byte, contentType string, ok bool) {
	a, ok := assets().files[hashed]
	return a.data, a.contentType, ok
}

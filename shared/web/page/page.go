// Package page is the look that the service's pages share: layout, style sheet, languages,
// security policy, and assets under names that change with their content.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"verdetto/shared/text/i18n"
)

// Policy is the Content-Security-Policy of every page: nothing from elsewhere,
// nothing inline, no framing.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; font-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Page is what a page says.
type Page struct {
	Language    *i18n.Language
	Title       string // without the service's name
	Description string
	Index       bool          // search engines may list it
	Head        template.HTML // more for the head
	Body        template.HTML // what stands in main
	Scripts     []string      // names of assets
	Others      []Other       // the same page in other languages
	Found       Found         // only where search engines may list it
}

// Found is where a page is found, for search engines: they are told one address
// in each language. Without Base nothing is said: addresses have to be whole.
type Found struct {
	Base   string  // where the service is reached
	Itself string  // canonical path of this page
	In     []Other // canonical paths in every language, its own too
	Any    string  // path that answers in the language that a browser asks for
}

// FoundAt is where a page of the paid plan, or about the service, is found.
func FoundAt(base string, l *i18n.Language, path string) Found {
	f := Found{Base: base, Itself: In(l, path), Any: path}
	for _, l := range i18n.Languages() {
		f.In = append(f.In, Other{l, In(l, path)})
	}
	return f
}

// Other is where a page is shown in another language.
type Other struct {
	Language *i18n.Language
	Address  string
}

// Home is the address of the first page in a language: the default one needs no naming.
func Home(l *i18n.Language) string {
	if l == i18n.Default() {
		return "/"
	}
	return "/?lang=" + l.Code
}

// In is the address of a page of the paid plan, or about the service, in a language.
func In(l *i18n.Language, path string) string {
	if strings.Contains(path, "?") {
		return path + "&lang=" + l.Code
	}
	return path + "?lang=" + l.Code
}

// InAll gives the other languages that a page is shown in.
func InAll(l *i18n.Language, path string) (others []Other) {
	for _, other := range i18n.Languages() {
		if other != l {
			others = append(others, Other{other, In(other, path)})
		}
	}
	return others
}

//go:embed *.html
var templates embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"asset": Asset, "home": Home,
	"in": In}).ParseFS(templates, "*.html"))

// Response is a page as a handler returns it to package httpapi.
type Response struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Policy      string `header:"Content-Security-Policy"`
	Referrer    string `header:"Referrer-Policy"`
	Vary        string `header:"Vary"`
	Body        []byte
}

// Respond writes a page.
func Respond(status int, p Page) (*Response, error) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "layout.html", p); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return &Response{
		Status: status, ContentType: "text/html; charset=utf-8", Policy: Policy, Referrer: "no-referrer",
		Vary: "Accept, Accept-Language", Body: b.Bytes(),
	}, nil
}

// Write answers with a page outside of package httpapi.
func (r *Response) Write(w http.ResponseWriter, request *http.Request) {
	h := w.Header()
	h.Set("Content-Type", r.ContentType)
	h.Set("Content-Security-Policy", r.Policy)
	h.Set("Referrer-Policy", r.Referrer)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", r.Vary)
	w.WriteHeader(r.Status)
	if request.Method != http.MethodHead {
		_, _ = w.Write(r.Body) // the caller has gone: nobody is left to tell
	}
}

// WantsHTML tells a person's browser from a program, by the Accept header.
func WantsHTML(accept string) bool {
	html, json := strings.Index(accept, "text/html"), strings.Index(accept, "application/json")
	return html >= 0 && (json < 0 || html < json)
}

//go:embed assets
var files embed.FS

// AssetPath is where assets are served, by functions/analisi.
const AssetPath = "/assets/"

type asset struct {
	data        []byte
	contentType string
}

// Every asset by the name of its file, and by the name that it is served under.
var assetPaths, assets = readAssets()

func readAssets() (byName map[string]string, byHashed map[string]asset) {
	if err := mime.AddExtensionType(".woff2", "font/woff2"); err != nil { // Go does not know it by itself
		panic(err)
	}
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // they are embedded
	}
	byName, byHashed = map[string]string{}, map[string]asset{}
	// Style sheets come last: they name other assets, whose lasting names must be known by then.
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
			for name, lasting := range byName {
				data = bytes.ReplaceAll(data, []byte("url("+name+")"), []byte("url("+lasting+")"))
			}
		}
		sum := sha256.Sum256(data)
		hashed := strings.TrimSuffix(e.Name(), ext) + "-" + hex.EncodeToString(sum[:6]) + ext
		byName[e.Name()] = AssetPath + hashed
		byHashed[hashed] = asset{data, mime.TypeByExtension(ext)}
	}
	return byName, byHashed
}

// Asset gives the path of an asset by the name of its file. A name that is not there is a fault of ours: it panics.
func Asset(name string) string {
	p, ok := assetPaths[name]
	if !ok {
		panic("page: no asset is named " + name)
	}
	return p
}

// ChartStyle is the part of the style sheet that a chart needs where it stands
// alone: the colours, and the classes of charts.
func ChartStyle() string {
	_, css, _ := strings.Cut(string(assets[strings.TrimPrefix(Asset("style.css"), AssetPath)].data), ":root")
	colours, _, _ := strings.Cut(css, "\n* {")
	_, rest, _ := strings.Cut(css, "/* charts */")
	charts, _, _ := strings.Cut(rest, "\n\n")
	return ":root" + colours + charts + "\n.paper { fill: var(--paper) }\n.chart .title { fill: var(--ink); " +
		"font-weight: 600; font-size: 19px }\n"
}

// hostColours are the names that the protocol of interfaces in clients for agents
// (MCP Apps) has for colours that the style sheet names.
var hostColours = map[string]string{
	"--paper": "--color-background-primary", "--raised": "--color-background-secondary",
	"--ink":   "--color-text-primary",
	"--faint": "--color-text-secondary", "--line": "--color-border-primary", "--field": "--color-border-secondary",
}

// EmbeddedStyle is the style sheet for a part of a page that another program shows:
// it fetches nothing, takes that program's colours where it names some, and is light or
// dark as the attribute data-theme of the document says, or else as the browser does.
func EmbeddedStyle() string {
	_, css, _ := strings.Cut(string(assets[strings.TrimPrefix(Asset("style.css"), AssetPath)].data), ":root")
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
		"\ncolor-scheme: dark }\n" + rest
}

// File gives what is served under AssetPath.
func File(hashed string) (data []byte, contentType string, ok bool) {
	a, ok := assets[hashed]
	return a.data, a.contentType, ok
}

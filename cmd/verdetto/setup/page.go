package setup

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"html/template"
	"iter"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/page"
)

//go:embed setup.html
var markup string

var steps = template.Must(template.New("setup").Parse(markup))

const most = 16 << 10

// Page has an address that works once and redirects the browser to a second address, which only this
// browser knows.
type Page struct {
	setup   *Setup
	host    string
	base    string
	once    string
	session string

	mu    sync.Mutex
	used  bool
	ended bool
}

// NewPage returns a page that refuses requests to another host. base is the service's address.
func NewPage(s *Setup, host, base string) *Page {
	return &Page{setup: s, host: host, base: base, once: "/" + rand.Text(), session: "/" + rand.Text() + "/"}
}

func (p *Page) Address() string { return "http://" + p.host + p.once }

func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if status, why := refusal(r, p.host); why != "" {
		http.Error(w, why, status)
		return
	}
	hashed, isAsset := strings.CutPrefix(r.URL.Path, page.AssetPath)
	switch {
	case isAsset:
		serveAsset(w, hashed)
	case same(r.URL.Path, p.once) && r.Method == http.MethodGet:
		if !p.open() {
			p.over(w, r)
			return
		}
		http.Redirect(w, r, p.session, http.StatusSeeOther)
	case !same(r.URL.Path, p.session):
		http.Error(w, "There is no page at this address.", http.StatusNotFound)
	case p.isOver():
		p.over(w, r)
	case r.Method == http.MethodPost:
		p.act(w, r)
	default:
		p.show(w, r, http.StatusOK, form{})
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (p *Page) open() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.used
	p.used = true
	return first
}

func (p *Page) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func serveAsset(w http.ResponseWriter, hashed string) {
	data, contentType, ok := page.File(hashed)
	if !ok {
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(data)
}

type form struct {
	City       string // typed names that were not added; CityFault is about the first of these names
	TokenFault *Fault
	CityFault  *Fault
	StartFault *Fault
}

// After a success, act redirects, so that a reload sends no form again.
func (p *Page) act(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "This form is too long or incomplete.", http.StatusBadRequest)
		return
	}
	var f form
	do, city, _ := strings.Cut(r.PostForm.Get("do"), " ")
	switch do {
	case "token":
		f.TokenFault = p.setup.SetToken(r.Context(), r.PostForm.Get("token"))
	case "sample":
		p.setup.Invent()
	case "remove":
		p.setup.Remove(fare.City(city))
	case "add", "start":
		f.City, f.CityFault = p.setup.AddCities(r.PostForm.Get("city"))
		if do == "start" && f.CityFault == nil {
			f.StartFault = p.setup.Start()
		}
	}
	if f.TokenFault != nil || f.CityFault != nil || f.StartFault != nil {
		p.show(w, r, http.StatusUnprocessableEntity, f)
		return
	}
	to := p.session
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

type view struct {
	form
	State
	Over    bool
	T       *i18n.Language
	Action  string
	File    string
	Home    string
	Verdict string
}

func (v view) Known() iter.Seq[string] {
	return func(yield func(string) bool) {
		for city := range places.Cities() {
			if !yield(places.Query(city, places.Name(city, v.T.Code))) {
				return
			}
		}
	}
}

func (v view) Name(c fare.City) string { return places.Name(c, v.T.Code) }

func (p *Page) view(r *http.Request) view {
	l := i18n.Choose(r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	return view{State: p.setup.State(), T: l, Action: page.AddressIn(l, p.session), File: p.setup.File,
		Home: p.base + page.Home(l)}
}

func (p *Page) show(w http.ResponseWriter, r *http.Request, status int, f form) {
	v := p.view(r)
	v.form = f
	switch {
	case v.Step == Refresh:
		w.Header().Set("Refresh", "2")
	case v.Step == Done && v.Progress.First != nil:
		v.Verdict = p.base + v.Progress.First.Path(v.T)
	}
	p.respond(w, r, status, v.T.Text("setup.title"), v)
	if v.Step == Done {
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
	}
}

func (p *Page) over(w http.ResponseWriter, r *http.Request) {
	v := p.view(r)
	v.Over = true
	p.respond(w, r, http.StatusGone, v.T.Text("setup.over"), v)
}

func (p *Page) respond(w http.ResponseWriter, r *http.Request, status int, title string, v view) {
	var body bytes.Buffer
	err := steps.Execute(&body, v)
	if err == nil {
		var answer *page.Response
		answer, err = page.Respond(status, page.Page{Language: v.T, Title: title, Alone: true,
			Body: template.HTML(body.String()), Others: page.OtherLanguages(v.T, p.session)})
		if err == nil {
			answer.Referrer = "same-origin" // with no-referrer, browsers send "Origin: null" with a form
			answer.Write(w, r)
			return
		}
	}
	http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
}

func refusal(r *http.Request, host string) (status int, why string) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case err != nil || !from.Addr().Unmap().IsLoopback():
		return http.StatusForbidden, "This page answers only on its own machine."
	case r.Host != host:
		// A foreign name that leads to this machine is DNS rebinding.
		return http.StatusMisdirectedRequest, "This page answers only at the address in the terminal."
	case site != "" && site != "none" && site != "same-origin", origin != "" && origin != "http://"+host:
		return http.StatusForbidden, "This page answers no other page."
	case r.Method == http.MethodPost && origin == "" && site != "same-origin":
		return http.StatusForbidden, "A form must say which page it comes from."
	case slices.Contains(frames, r.Header.Get("Sec-Fetch-Dest")):
		return http.StatusForbidden, "This page is not shown in a frame."
	case r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "":
		return http.StatusForbidden, "This page is not fetched in advance."
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "This page answers GET and POST."
	}
	return 0, ""
}

var frames = []string{"iframe", "frame", "embed", "object", "fencedframe"}

func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

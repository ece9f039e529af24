package counted

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

func (w *world) ask(target string) string {
	w.calls++
	r := httptest.NewRequest("GET", target, nil)
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", w.calls>>16, w.calls>>8&255, w.calls&255)
	return w.serve(r)
}

func (w *world) serve(r *http.Request) string {
	a := httptest.NewRecorder()
	w.api.API.ServeHTTP(a, r)
	if a.Code != 200 {
		return ""
	}
	return a.Body.String()
}

func (w *world) tool(name string, arguments map[string]any) (text, data string) {
	w.t.Helper()
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}})
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(string(body)))
	w.calls++
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", w.calls>>16, w.calls>>8&255, w.calls&255)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	var answer struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(w.serve(r)), &answer); err != nil || len(answer.Result.Content) == 0 {
		w.t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return answer.Result.Content[0].Text, string(answer.Result.StructuredContent)
}

type document struct {
	kind, text string
	l          *i18n.Language
	route      *route
	origin     string
	subject    float64
}

var (
	wrapped = regexp.MustCompile(`([^\n])\n[ ]*`)
	dealRow = regexp.MustCompile(`(?s)<tr><th scope="row"><a href="/\?da=[^"]*?&amp;a=([^"&]*)[^"]*">.*?</tr>`)
	shown   = regexp.MustCompile(`</th><td>([^<]*)`)
)

func (w *world) skips(i int) bool { return len(w.routes) > 100 && i%2 > 0 }

func (w *world) documents(t *testing.T, planted map[string]bool) (all []document) {
	all = append(all, w.mailed(t, planted)...)
	origins := map[string]bool{}
	for i, r := range w.routes {
		if w.skips(i) {
			continue
		}
		languages := []string{"en"}
		if i%3 == 0 {
			languages = append(languages, i18n.Codes()[i/3%len(i18n.Codes())])
		}
		for _, code := range languages {
			l := i18n.ForCode(code)
			page := w.ask("/?da=" + r.from + "&a=" + r.to + "&lang=" + code)
			rows, faults := checkTables(page, l, r)
			for _, fault := range faults {
				t.Errorf("%s-%s, page in %s: %s", r.from, r.to, code, fault)
			}
			if rows == 0 {
				t.Errorf("%s-%s, page in %s: no tables", r.from, r.to, code)
			}
			main, _, _ := strings.Cut(page, `<section class="calendar`)
			text, _ := w.tool("flight_price_verdict", map[string]any{"origin": r.from, "destination": r.to, "language": code})
			all = append(all, document{"page", readable(main), l, r, "", 0}, document{"tool", text, l, r, "", 0})
			if code == languages[len(languages)-1] && (len(w.routes) < 100 || len(languages) > 1) {
				w.checkCards(t, r, l, planted)
			}
		}
		if origins[r.from] {
			continue
		}
		origins[r.from] = true
		for _, code := range []string{"en", "it"} {
			l := i18n.ForCode(code)
			all = append(all, w.deals(r.from, l)...)
			var feed struct {
				Items []struct{ Title, URL, Content_Text string }
			}
			if err := json.Unmarshal([]byte(w.ask("/feed/"+r.from+"-"+code+".json")), &feed); err != nil {
				t.Fatal(err)
			}
			for _, item := range feed.Items {
				address, _ := url.Parse(item.URL)
				for _, r := range w.routes {
					if r.from == address.Query().Get("da") && r.to == address.Query().Get("a") {
						all = append(all, document{"feed", item.Title + "\n" + item.Content_Text, l, r, "", 0})
					}
				}
			}
		}
		for name, arguments := range map[string]map[string]any{"price_trends": {"currency": "EUR"}, "cheap_now": {}, "watched_routes": {}} {
			arguments["origin"] = r.from
			text, _ := w.tool(name, arguments)
			all = append(all, document{name, text, i18n.English(), nil, r.from, 0})
		}
	}
	return all
}

func (w *world) deals(origin string, l *i18n.Language) (all []document) {
	for _, m := range dealRow.FindAllStringSubmatch(w.ask("/?da="+origin+"&lang="+l.Code), -1) {
		name, _ := url.QueryUnescape(m[1])
		place, _ := places.Find(name)
		for _, r := range w.routes {
			if r.from == origin && r.to == string(place.City) {
				price := number(plain(shown.FindStringSubmatch(m[0])[1]))
				if !exact(r.euro(float64(r.price))).holds(plain(shown.FindStringSubmatch(m[0])[1])) &&
					!exact(r.euro(float64(r.cheapest()))).holds(plain(shown.FindStringSubmatch(m[0])[1])) {
					w.t.Errorf("%s-%s is listed at %v, and its fares are %d and %d", origin, r.to, price, r.price, r.cheapest())
				}
				all = append(all, document{"deals", readable(m[0]), l, r, "", price})
			}
		}
	}
	if len(all) == 0 {
		w.t.Errorf("the list of deals from %s has no row", origin)
	}
	return all
}

func (w *world) mailed(t *testing.T, planted map[string]bool) (all []document) {
	mails, err := maildir.Read(w.mails)
	if err != nil || len(mails) == 0 {
		t.Fatalf("%d mails: %v", len(mails), err)
	}
	for _, m := range mails {
		name, _, _ := strings.Cut(m.To, "@")
		kind := strings.TrimRight(name, "0123456789")
		if i, err := strconv.Atoi(name[len(kind):]); err == nil {
			if kind == "mail" && len(m.Inline) > 0 {
				w.checkBars(t, w.routes[i], m.Inline[0].Data, planted)
			}
			all = append(all, document{kind, m.Subject + "\n" + wrapped.ReplaceAllString(m.Text, "$1 ") + "\n" + readable(m.HTML),
				i18n.ForCode(i18n.Codes()[i/2%len(i18n.Codes())]), w.routes[i], "", 0})
		}
	}
	return all
}

var byLanguage = map[string][]statement{}

func (w *world) statements(l *i18n.Language) []statement {
	if byLanguage[l.Code] == nil {
		byLanguage[l.Code] = statements(l)
	}
	return byLanguage[l.Code]
}

func (d document) check(w *world) []claim {
	return w.check(d.kind, d.text, d.l, d.route, d.origin, d.subject)
}

func TestSentences(t *testing.T) {
	planted := map[string]bool{}
	for _, p := range panels {
		t.Run(p.file, func(t *testing.T) {
			w := open(t, p)
			w.checkFields(t, planted)
			w.checkDepartures(t)
			if p.file == "" {
				w.checkReadme(t)
			}
			found, kinds := map[string]int{}, map[string]int{}
			for _, d := range w.documents(t, planted) {
				claims := d.check(w)
				if len(claims) > 0 {
					kinds[d.kind]++
				}
				for _, c := range claims {
					found[c.id]++
					if c.fault != "" {
						t.Errorf("%s of %s: %s", d.kind, d.name(), c.fault)
						continue
					}
					what := c.id + " " + c.field
					if planted[what] || t.Failed() || c.field == "" {
						continue
					}
					text := plain(d.text)
					lie := text[:c.start] + falsified(c.field, text[c.start:c.end], d.l) + text[c.end:]
					d := d
					if d.text = lie; !slices.ContainsFunc(d.check(w), func(c claim) bool { return c.fault != "" }) {
						t.Errorf("not found: %s in %s of %s: %q becomes %q", what, d.kind, d.name(), text[c.start:c.end], lie[c.start:c.end])
					}
					planted[what] = true
				}
			}
			t.Logf("%d routes, documents %v, statements %v", len(w.routes), kinds, found)
			for _, kind := range []string{"page", "tool", "mail", "digest", "price_trends", "cheap_now", "watched_routes"} {
				if kinds[kind] == 0 {
					t.Errorf("nothing is checked in a document of the kind %s", kind)
				}
			}
			if len(w.routes) < 15 {
				t.Errorf("only %d routes have a verdict", len(w.routes))
			}
		})
	}
	for _, what := range append(slices.Collect(maps.Keys(changes)), "bar", "median line") {
		if !planted["picture "+what] {
			t.Errorf("no picture shows that its %s is another", what)
		}
	}
	if len(planted) < 20 {
		t.Errorf("only %d kinds of falsehoods were planted: %v", len(planted), planted)
	}
	t.Logf("%d kinds of falsehoods found", len(planted))
}

func (d document) name() string {
	if d.route == nil {
		return d.origin
	}
	return d.route.from + "-" + d.route.to
}

func falsified(field, value string, l *i18n.Language) string {
	if at, interval := map[string]string{"LowShare": "101", "HighShare": "0"}[field]; interval {
		return at
	}
	until := len(value)
	if m := decimals.FindStringIndex(value); m != nil {
		until = m[0]
	}
	if all := digits.FindAllStringIndex(value[:until], -1); all != nil {
		at := all[len(all)-1][1] - 1
		if len(all) > 1 && len(all[0]) > 0 && strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyz") {
			at = all[0][1] - 1
		}
		digit := map[bool]byte{true: '8', false: value[at] + 1}[value[at] == '9']
		return value[:at] + string(digit) + value[at+1:]
	}
	for _, level := range []string{"ottimo", "caro"} {
		if word := l.Text("level." + level); !strings.Contains(strings.ToLower(value), word) {
			return word
		}
	}
	return "x"
}

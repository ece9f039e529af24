package page_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict/trends"
	"verdetto/shared/web/httpapi"
)

// milan is a store that covers Milan (MIL) and counts its reads. Bucharest (BUH) has a current fare
// and a verdict, Rome (ROM) has too few days, London (LON) has no current fare.
type milan struct {
	analisitest.Coverage
	reads int
}

func (m *milan) Covered(_ context.Context, _ fare.City, limit int) ([]fare.City, error) {
	m.reads++
	return []fare.City{"MIL", "ROM"}[:min(2, limit)], nil
}

func (m *milan) Trends(_ context.Context, origin fare.City) ([]byte, int64, error) {
	m.reads++
	if origin != "MIL" {
		return nil, 0, store.ErrNotFound
	}
	d := fare.DayOf(analisitest.Today)
	live := []trends.Live{{Depart: d + 9, Price: 1999, Found: analisitest.Today.Unix()}}
	return trends.Origin{}.Merge([]trends.Entry{
		{Destination: "BUH", AsOf: d, Newest: analisitest.Today.Unix(), Observations: 90, Sample: 40, Live: live},
		{Destination: "ROM", AsOf: d, Newest: analisitest.Today.Unix(), Observations: 80, Sample: 7, Live: live},
		{Destination: "LON", AsOf: d, Newest: analisitest.Today.Unix(), Observations: 70, Sample: 40},
	}).Encode(), 1, nil
}

func crawled(base string, hideFares bool) (*httpapi.API, *milan) {
	m, s := &milan{}, analisitest.OfMilBuh()
	s.Coverage, s.BaseURL, s.HideFares = m, base, hideFares
	return s.Open(), m
}

const publicBase = "https://verdetto.example"

type sitemapFile struct {
	XMLName  xml.Name
	Sitemaps []struct {
		Loc string `xml:"loc"`
	} `xml:"sitemap"`
	URLs []struct {
		Loc      string `xml:"loc"`
		Modified string `xml:"lastmod"`
		Links    []struct {
			Rel  string `xml:"rel,attr"`
			Lang string `xml:"hreflang,attr"`
			Href string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
	} `xml:"url"`
}

var (
	canonicalOf  = regexp.MustCompile(`<link rel="canonical" href="([^"]*)">`)
	alternatesOf = regexp.MustCompile(`<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">`)
	structuredOf = regexp.MustCompile(`<script type="application/ld\+json">(.*?)</script>`)
)

// Each listed page names itself as the canonical page, and has the same links to other languages as
// its entry.
func TestSitemaps(t *testing.T) {
	h, m := crawled(publicBase, false)
	read := func(path string) (f sitemapFile) {
		t.Helper()
		before := m.reads
		w := analisitest.Get(t, h, path)
		if err := xml.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != 200 ||
			w.Header().Get("Content-Type") != "application/xml; charset=utf-8" ||
			w.Header().Get("Cache-Control") != "public, s-maxage=21600" {
			t.Fatalf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
		if m.reads > before+1 {
			t.Errorf("%s: %d reads", path, m.reads-before)
		}
		return f
	}
	index := read("/sitemap.xml")
	if index.XMLName.Local != "sitemapindex" || len(index.Sitemaps) != 3 ||
		index.Sitemaps[1].Loc != publicBase+"/sitemap/MIL.xml" {
		t.Fatalf("%+v", index)
	}
	languages := len(i18n.Languages())
	for path, pages := range map[string]int{"/sitemap/pagine.xml": 6, "/sitemap/MIL.xml": 2} {
		f := read(path)
		if f.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" || f.XMLName.Local != "urlset" ||
			len(f.URLs) != pages*languages {
			t.Fatalf("%s: %d addresses %+v", path, len(f.URLs), f.XMLName)
		}
		for _, u := range f.URLs {
			if len(u.Links) != languages+1 || !strings.HasPrefix(u.Loc, publicBase+"/") {
				t.Errorf("%+v", u)
			}
			target := strings.TrimPrefix(u.Loc, publicBase)
			if path != "/sitemap/MIL.xml" || !strings.Contains(target, "&a=") {
				continue
			}
			if u.Modified != "2016-03-01" {
				t.Errorf("%+v", u)
			}
			body := analisitest.Get(t, h, target).Body.String()
			if got := canonicalOf.FindStringSubmatch(body); got == nil ||
				strings.ReplaceAll(got[1], "&amp;", "&") != u.Loc {
				t.Errorf("%s: canonical is %v", u.Loc, got)
			}
			onPage := map[string]string{}
			for _, a := range alternatesOf.FindAllStringSubmatch(body, -1) {
				onPage[a[1]] = strings.ReplaceAll(a[2], "&amp;", "&")
			}
			for _, l := range u.Links {
				if l.Rel != "alternate" || onPage[l.Lang] != l.Href {
					t.Errorf("%s in %s: %s, on the page %s", u.Loc, l.Lang, l.Href, onPage[l.Lang])
				}
			}
		}
	}
	for _, path := range []string{"/sitemap/LON.xml", "/sitemap/mil.xml", "/sitemap/QQQ.xml",
		"/sitemap/MIL", "/sitemap/"} {
		if w := analisitest.Get(t, h, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	none, _ := crawled("", false)
	for _, path := range []string{"/sitemap.xml", "/sitemap/MIL.xml", "/sitemap/pagine.xml"} {
		if w := analisitest.Get(t, none, path); w.Code != 404 ||
			!strings.Contains(w.Body.String(), "VERDETTO_BASE_URL") {
			t.Errorf("%s without an address: %d %s", path, w.Code, w.Body)
		}
	}
	if w := analisitest.Get(t, none, "/robots.txt"); w.Code != 200 || strings.Contains(w.Body.String(), "Sitemap") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	robots := analisitest.Get(t, h, "/robots.txt").Body.String()
	for _, line := range []string{"User-agent: *\nAllow: /\n", "\nDisallow: /v1/analisi\n", "\nDisallow: /api/\n",
		"\nDisallow: /mcp\n", "\nSitemap: https://verdetto.example/sitemap.xml\n"} {
		if !strings.Contains(robots, line) {
			t.Errorf("robots.txt lacks %q: %s", line, robots)
		}
	}
}

// Only pages in a sitemap have schema.org data.
func TestStructured(t *testing.T) {
	h, _ := crawled(publicBase, false)
	for _, c := range []struct {
		target string
		crumbs string
	}{
		{"/", "Verdetto"},
		{"/?da=Milano&a=Bucarest", "Verdetto > I prezzi più bassi da Milano per qualsiasi destinazione > Da Milano a Bucarest"},
		{"/?da=Milan&a=Bucharest&lang=en", "Verdetto > Lowest fares from Milan to anywhere > Milan to Bucharest"},
		{"/?da=Milano&a=Bucarest&mese=2016-04", ""}, // not listed
		{"/?da=Milano&a=Atlantide", ""},
	} {
		body := analisitest.Get(t, h, c.target).Body.String()
		m := structuredOf.FindStringSubmatch(body)
		if (m != nil) != (c.crumbs != "") {
			t.Errorf("%s: structured data %v", c.target, m)
		}
		if m == nil {
			continue
		}
		var d struct {
			Context string `json:"@context"`
			Graph   []struct {
				Type       string `json:"@type"`
				Name, URL  string
				Breadcrumb struct {
					Items []struct {
						Position   int
						Name, Item string
					} `json:"itemListElement"`
				}
			} `json:"@graph"`
		}
		if err := json.Unmarshal([]byte(m[1]), &d); err != nil || d.Context != "https://schema.org" ||
			len(d.Graph) != 2 || d.Graph[1].Type != "WebPage" || !strings.HasPrefix(d.Graph[1].URL, publicBase) {
			t.Fatalf("%s: %v %s", c.target, err, m[1])
		}
		var names []string
		for i, item := range d.Graph[1].Breadcrumb.Items {
			names = append(names, item.Name)
			if item.Position != i+1 || !strings.HasPrefix(item.Item, publicBase+"/") {
				t.Errorf("%s: %+v", c.target, item)
			}
		}
		if got := strings.Join(names, " > "); got != c.crumbs {
			t.Errorf("%s: %s, want %s", c.target, got, c.crumbs)
		}
		for _, claim := range []string{"Offer", "Rating", "price", "Product"} {
			if strings.Contains(m[1], `"`+claim) {
				t.Errorf("%s claims %s: %s", c.target, claim, m[1])
			}
		}
	}
	// The script element may hold only data, because the security policy allows no inline scripts.
	w := analisitest.Get(t, h, "/")
	if policy := w.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe-inline") {
		t.Error(policy)
	}
}

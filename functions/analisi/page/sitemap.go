package page

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
	"verdetto/shared/web/routes"
)

// Without a BaseURL there are no sitemaps, because sitemaps need full addresses.

// maxSitemaps is below the 50,000 that the protocol allows in one list.
const maxSitemaps = 5000

type cachedInput struct {
	IfNoneMatch string `header:"If-None-Match"`
}

type sitemapInput struct {
	File        string `path:"file" doc:"CODE.xml of a city, or pagine.xml" example:"MIL.xml"`
	IfNoneMatch string `header:"If-None-Match"`
}

func (s *Service) registerSitemaps(api *httpapi.API) {
	httpapi.JSON(api, "robots", httpapi.JSONDoc{Summary: "What crawlers may read"}, nil,
		func(_ context.Context, in *cachedInput) (*httpapi.Tagged, error) {
			return httpapi.Tag(in.IfNoneMatch, "text/plain; charset=utf-8", s.robots()), nil
		})
	known := func(context.Context, *cachedInput) error { return s.hasAddress() }
	httpapi.JSON(api, "sitemap", httpapi.JSONDoc{Summary: "The list of sitemaps",
		Problems: []httpapi.ProblemType{httpapi.UnknownPath}}, known,
		func(ctx context.Context, in *cachedInput) (*httpapi.Tagged, error) {
			origins, err := s.Stored.Covered(ctx, "", maxSitemaps)
			if err != nil {
				return nil, err
			}
			index := sitemapIndex{Sitemaps: []sitemapRef{{s.BaseURL + "/sitemap/" + fixedPages}}}
			for _, city := range origins {
				index.Sitemaps = append(index.Sitemaps, sitemapRef{s.BaseURL + "/sitemap/" + string(city) + ".xml"})
			}
			return writeXML(in.IfNoneMatch, index)
		})
	httpapi.JSON(api, "sitemap-file", httpapi.JSONDoc{Summary: "The pages of a city",
		Problems: []httpapi.ProblemType{httpapi.UnknownPath}},
		func(_ context.Context, in *sitemapInput) error {
			if _, ok := sitemapCity(in.File); !ok && in.File != fixedPages {
				return noSitemap()
			}
			return s.hasAddress()
		}, s.sitemap)
}

const fixedPages = "pagine.xml"

func noSitemap() error {
	return httpapi.UnknownPath.Problem("GET /sitemap.xml lists the sitemaps that there are.")
}

func (s *Service) hasAddress() error {
	if s.BaseURL == "" {
		return httpapi.UnknownPath.Problem("This service does not know its public address, so it has no sitemap: who " +
			"runs it can set VERDETTO_BASE_URL.")
	}
	return nil
}

// robots keeps crawlers away from most answers of the API, which are no pages.
func (s *Service) robots() []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\nAllow: /\nDisallow: " + routes.Alias + "/\n")
	for _, r := range routes.Table {
		if r.FreeTier && !strings.HasSuffix(r.Path, "{file}") {
			b.WriteString("Disallow: " + r.Path + "\n")
		}
	}
	if s.BaseURL != "" {
		b.WriteString("\nSitemap: " + s.BaseURL + "/sitemap.xml\n")
	}
	return []byte(b.String())
}

func sitemapCity(file string) (fare.City, bool) {
	code, ok := strings.CutSuffix(file, ".xml")
	city, err := fare.ParseCity(code)
	return city, ok && err == nil && string(city) == code && places.Name(city, "en") != ""
}

func (s *Service) sitemap(ctx context.Context, in *sitemapInput) (*httpapi.Tagged, error) {
	set := urlSet{XHTML: "http://www.w3.org/1999/xhtml"}
	if in.File == fixedPages {
		s.list(&set, func(l *i18n.Language) string { return page.Home(l) }, "")
		for _, path := range []string{"/v1/pro", "/v1/termini", "/v1/privacy", "/v1/contatti", "/v1/note-legali"} {
			if path != "/v1/pro" || !routes.NothingSold.Load() {
				s.list(&set, func(l *i18n.Language) string { return page.AddressIn(l, path) }, "")
			}
		}
		return writeXML(in.IfNoneMatch, set)
	}
	city, _ := sitemapCity(in.File)
	all, _, err := s.Stored.Trends(ctx, city)
	if errors.Is(err, store.ErrNotFound) {
		return nil, noSitemap()
	}
	if err != nil {
		return nil, err
	}
	from, _ := places.Get(city)
	today, listed := fare.DayOf(s.Now()), false
	for _, e := range all.Entries {
		to, known := places.Get(e.Destination)
		if _, live := e.Cheapest(today); !live || !known || e.Sample < verdict.MinSample {
			continue
		}
		if !listed {
			s.list(&set, func(l *i18n.Language) string { return canonical(l, from, nil, trip{}) }, "")
			listed = true
		}
		s.list(&set, func(l *i18n.Language) string { return canonical(l, from, &to, trip{}) },
			time.Unix(e.Newest, 0).UTC().Format(time.DateOnly))
	}
	return writeXML(in.IfNoneMatch, set)
}

func canonical(l *i18n.Language, from places.Place, to *places.Place, t trip) string {
	there, lang := "", l.Code
	if to != nil {
		there = named(*to, l).Query()
	}
	if l == i18n.Default() { // canonical addresses omit the default language
		lang = ""
	}
	return pageAddress(named(from, l).Query(), there, t, lang, "")
}

type (
	sitemapRef struct {
		Loc string `xml:"loc"`
	}
	sitemapIndex struct {
		XMLName  xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Sitemaps []sitemapRef `xml:"sitemap"`
	}
	alternate struct {
		Rel  string `xml:"rel,attr"`
		Lang string `xml:"hreflang,attr"`
		Href string `xml:"href,attr"`
	}
	sitemapURL struct {
		Loc        string      `xml:"loc"`
		Modified   string      `xml:"lastmod,omitempty"`
		Alternates []alternate `xml:"xhtml:link"`
	}
	urlSet struct {
		XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		XHTML   string       `xml:"xmlns:xhtml,attr"`
		URLs    []sitemapURL `xml:"url"`
	}
)

func (s *Service) list(to *urlSet, path func(*i18n.Language) string, modified string) {
	alternates := []alternate{}
	for _, l := range i18n.Languages() {
		alternates = append(alternates, alternate{"alternate", l.Code, s.BaseURL + path(l)})
	}
	for _, a := range alternates {
		to.URLs = append(to.URLs, sitemapURL{a.Href, modified,
			append(alternates[:len(alternates):len(alternates)],
				alternate{"alternate", "x-default", alternates[0].Href})})
	}
}

func writeXML(ifNoneMatch string, document any) (*httpapi.Tagged, error) {
	body, err := xml.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write sitemap: %w", err)
	}
	return httpapi.Tag(ifNoneMatch, "application/xml; charset=utf-8", append([]byte(xml.Header), body...)), nil
}

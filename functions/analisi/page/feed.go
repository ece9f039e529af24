package page

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
)

// The id of an entry depends only on the route, the departure and the language, so feed readers
// recognize an entry that they have shown.

type feedInput struct {
	File        string `path:"file" doc:"ORIGIN-LANGUAGE.atom or .json" example:"MIL-it.atom"`
	IfNoneMatch string `header:"If-None-Match"`
}

type feed struct {
	language   *i18n.Language
	id, title  string
	page, self string
	updated    time.Time
	entries    []feedEntry
}

type feedEntry struct {
	id, title, text, page, level string
	updated                      time.Time
}

func (s *Service) registerFeeds(api *httpapi.API) {
	httpapi.JSON(api, "feed", httpapi.JSONDoc{
		Summary:     "Cheap destinations now, as a feed",
		Description: "Atom (.atom) or JSON Feed 1.1 (.json).",
		Problems:    []httpapi.ProblemType{httpapi.UnknownPath, httpapi.NotCovered},
	}, func(_ context.Context, in *feedInput) error {
		_, _, _, err := feedOf(in.File)
		return err
	}, s.feed)
}

func feedOf(file string) (origin places.Place, l *i18n.Language, form string, err error) {
	name, form, _ := strings.Cut(file, ".")
	code, language, _ := strings.Cut(name, "-")
	l, known := i18n.Find(language)
	if city, err := fare.ParseCity(code); err == nil && known && string(city) == code &&
		(form == "atom" || form == "json") {
		if name := places.Name(city, l.Code); name != "" {
			return places.Place{City: city, Name: name}, l, form, nil
		}
	}
	return origin, nil, "", httpapi.UnknownPath.Problem("Feeds are named as in MIL-it.atom and MIL-it.json: a city " +
		"code, and " + i18n.SpokenCodes() + ".")
}

func (s *Service) feed(ctx context.Context, in *feedInput) (*httpapi.Tagged, error) {
	origin, l, form, err := feedOf(in.File)
	if err != nil {
		return nil, err
	}
	all, err := s.DealsFrom(ctx, origin, fare.OneWay)
	if err != nil {
		return nil, err
	}
	list, _ := published.ValidDeals(all, fare.DayOf(s.Now()), deals.Filter{})
	if err = s.JudgeToday(ctx, origin.City, fare.OneWay, false, list); err != nil {
		return nil, err
	}
	f := s.feedOfDeals(all, list, origin, l, httpapi.Data(ctx) == "sample")
	if s.BaseURL != "" {
		f.self = s.BaseURL + "/feed/" + in.File
	}
	var body []byte
	contentType := "application/feed+json"
	if form == "atom" {
		contentType = "application/atom+xml"
		body, err = f.atom()
	} else {
		body, err = f.json()
	}
	if err != nil {
		return nil, fmt.Errorf("write feed of %s: %w", origin.City, err)
	}
	return httpapi.Tag(in.IfNoneMatch, contentType, body), nil
}

func (s *Service) feedOfDeals(all deals.Origin, list []published.DestinationDeal, origin places.Place, l *i18n.Language, invented bool) feed {
	now := s.Now()
	f := feed{language: l, id: feedID("feed", l.Code, string(origin.City)),
		title: l.Text("feed.title", "City", origin.Name), page: s.page(l, "da="+string(origin.City))}
	if invented {
		f.title += " · " + l.Text("home.invented")
	}
	for _, e := range all.Entries {
		for _, d := range e.Any.Route { // a deal that is no longer good also changes the feed
			f.updated = later(f.updated, lastChange(d, now))
		}
	}
	if f.updated.IsZero() {
		for _, e := range all.Entries {
			f.updated = later(f.updated, e.AsOf.Time())
		}
	}
	for _, d := range list {
		offer, v := d.Fare, d.ForDay(now).Verdict
		if !isCheap(d.Verdict.Level) || !isCheap(v.Level) {
			continue
		}
		name := places.Name(d.To, l.Code)
		f.entries = append(f.entries, feedEntry{
			id: feedID("deal", l.Code, string(origin.City), string(d.To), offer.Depart.String()),
			title: l.Text("feed.entry", "City", name, "Price", l.Amount(offer.Price), "Date",
				l.WeekdayDate(offer.Depart), "Level", l.Text("level."+string(v.Level))),
			text: l.Text("feed.text", "Route", routeName(l, origin.Name, name), "Price", l.Amount(offer.Price), "Date",
				l.WeekdayDate(offer.Depart), "Word", wording.Sentence(l.Text("headline.day", "Level", l.Text("level."+string(v.Level)))), "NonStop",
				offer.Stops == fare.NonStop, "Flight", wording.Flight(l, offer), "Certainty", l.Text("certainty."+string(v.Reliability)), "Found",
				l.Text("verdict.found")),
			page: s.page(l, "da="+string(origin.City)+"&a="+string(d.To)), level: string(v.Level),
			updated: lastChange(d.Deal, now),
		})
		f.updated = later(f.updated, lastChange(d.Deal, now))
	}
	return f
}

func isCheap(l verdict.Level) bool { return l == verdict.Great || l == verdict.Good }

// The entry of a deal also changes when the fare becomes stale, if that lowers the certainty.
func lastChange(d deals.Deal, now time.Time) time.Time {
	since := time.Unix(d.Since, 0).UTC()
	if d.ForDay(now).Verdict.Reliability != d.OwnDay.Reliability {
		since = later(since, d.GoesStale().UTC())
	}
	return since
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func feedPath(origin fare.City, l *i18n.Language) string {
	return "/feed/" + string(origin) + "-" + l.Code + ".atom"
}

func (s *Service) page(l *i18n.Language, query string) string {
	if s.BaseURL == "" {
		return ""
	}
	return s.BaseURL + "/?" + query + "&lang=" + l.Code
}

const feedNamespace = "verdetto:feed:"

// feedID makes a version-5 UUID (RFC 9562) from names, which must not contain the service's public
// address, because the address may change.
func feedID(names ...string) string {
	sum := sha1.Sum([]byte(feedNamespace + strings.Join(names, "/")))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	text := hex.EncodeToString(id)
	return "urn:uuid:" + strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomEntry struct {
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Updated  string       `xml:"updated"`
	Links    []atomLink   `xml:"link"`
	Category atomCategory `xml:"category"`
	Content  string       `xml:"content"`
}

type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Language string      `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Updated  string      `xml:"updated"`
	Author   string      `xml:"author>name"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

func (f feed) atom() ([]byte, error) {
	page := func(address string) (links []atomLink) {
		if address != "" {
			links = append(links, atomLink{"alternate", "text/html", address})
		}
		return links
	}
	a := atomFeed{Language: f.language.Code, ID: f.id, Title: f.title, Updated: f.updated.Format(time.RFC3339),
		Author: "Verdetto", Links: page(f.page)}
	if f.self != "" {
		a.Links = append(a.Links, atomLink{"self", "application/atom+xml", f.self})
	}
	for _, e := range f.entries {
		a.Entries = append(a.Entries, atomEntry{e.id, e.title, e.updated.Format(time.RFC3339), page(e.page),
			atomCategory{e.level}, e.text})
	}
	body, err := xml.MarshalIndent(a, "", " ")
	return append([]byte(xml.Header), append(body, '\n')...), err
}

type jsonAuthor struct {
	Name string `json:"name"`
}

type jsonItem struct {
	ID       string   `json:"id"`
	URL      string   `json:"url,omitempty"`
	Title    string   `json:"title"`
	Text     string   `json:"content_text"`
	Modified string   `json:"date_modified"`
	Tags     []string `json:"tags"`
}

type jsonFeed struct {
	Version  string       `json:"version"`
	Title    string       `json:"title"`
	Page     string       `json:"home_page_url,omitempty"`
	Self     string       `json:"feed_url,omitempty"`
	Language string       `json:"language"`
	Authors  []jsonAuthor `json:"authors"`
	Items    []jsonItem   `json:"items"`
}

func (f feed) json() ([]byte, error) {
	j := jsonFeed{"https://jsonfeed.org/version/1.1", f.title, f.page, f.self, f.language.Code,
		[]jsonAuthor{{"Verdetto"}}, []jsonItem{}}
	for _, e := range f.entries {
		j.Items = append(j.Items, jsonItem{e.id, e.page, e.title, e.text,
			e.updated.Format(time.RFC3339), []string{e.level}})
	}
	return json.Marshal(j)
}

package page_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
)

func dealing(d *analisitest.DealsOfMilan, data string, now func() time.Time) *httpapi.API {
	return analisitest.Site{Coverage: d, Data: data, Now: now, BaseURL: publicBase}.Open()
}

func parsed(t *testing.T, api *httpapi.API, path, kind string) *gofeed.Feed {
	t.Helper()
	w := analisitest.Get(t, api, path)
	if w.Code != 200 || w.Header().Get("Content-Type") != kind || w.Header().Get("ETag") == "" {
		t.Fatalf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
	}
	f, err := gofeed.NewParser().Parse(w.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}

const atomKind, jsonKind = "application/atom+xml", "application/feed+json"

var uuid = regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestFeeds(t *testing.T) {
	h := dealing(&analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())}, "", analisitest.Noon)
	ids := map[string]bool{}
	for language, want := range map[string]struct{ title, london string }{
		"it": {"Dove conviene volare adesso da Milano",
			"Londra a 19,99\u00a0€ domenica 10 aprile 2016: ottimo per quel giorno"},
		"en": {"Where to fly cheaply from Milan now",
			"London for €19.99 on Sunday 10 April 2016: great for that day"},
		"de": {"Wohin man ab Mailand jetzt günstig fliegt",
			"London für 19,99\u00a0€ am Sonntag, 10. April 2016: sehr gut für diesen Tag"},
		"fr": {"Où partir à bon prix depuis Milan en ce moment",
			"Londres à 19,99\u00a0€ le dimanche 10 avril 2016\u00a0: excellent pour ce jour"},
		"es": {"Adónde volar barato ahora desde Milán",
			"Londres por 19,99\u00a0€ el domingo 10 de abril de 2016: excelente para ese día"},
		"pt": {"Para onde voar barato agora a partir de Milão",
			"Londres por 19,99\u00a0€ (domingo, 10 de abril de 2016): ótimo para esse dia"},
	} {
		atom, jsonFeed := parsed(t, h, "/feed/MIL-"+language+".atom", atomKind),
			parsed(t, h, "/feed/MIL-"+language+".json", jsonKind)
		if atom.FeedType != "atom" || atom.FeedVersion != "1.0" || jsonFeed.FeedType != "json" ||
			!strings.HasSuffix(jsonFeed.FeedVersion, "/1.1") {
			t.Errorf("%s %s, %s %s", atom.FeedType, atom.FeedVersion, jsonFeed.FeedType, jsonFeed.FeedVersion)
		}
		if atom.Title != want.title || atom.UpdatedParsed == nil || len(atom.Authors) != 1 ||
			atom.FeedLink != "https://verdetto.example/feed/MIL-"+language+".atom" || atom.Language != language {
			t.Errorf("%+v", atom)
		}
		if jsonFeed.Title != want.title || jsonFeed.FeedLink != "https://verdetto.example/feed/MIL-"+language+".json" ||
			jsonFeed.Language != language {
			t.Errorf("%+v", jsonFeed)
		}
		if len(atom.Items) != 3 || len(jsonFeed.Items) != 3 || atom.Items[0].Title != want.london {
			t.Fatalf("%d and %d entries, the first %q", len(atom.Items), len(jsonFeed.Items), atom.Items[0].Title)
		}
		for i, a := range atom.Items {
			j := jsonFeed.Items[i]
			if a.GUID != j.GUID || a.Title != j.Title || a.Content != j.Content || a.Link != j.Link ||
				!a.UpdatedParsed.Equal(*j.UpdatedParsed) || a.Content == "" {
				t.Errorf("%+v\n%+v", a, j)
			}
			if !uuid.MatchString(a.GUID) || ids[a.GUID] ||
				!strings.HasPrefix(a.Link, "https://verdetto.example/?da=MIL&a=") {
				t.Errorf("id %s, link %s", a.GUID, a.Link)
			}
			ids[a.GUID] = true
		}
	}
	sample := dealing(&analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())},
		"sample", analisitest.Noon)
	if f := parsed(t, sample, "/feed/MIL-en.atom", atomKind); !strings.Contains(f.Title, "made up") {
		t.Errorf("a feed of invented fares is called %q", f.Title)
	}
	for file, status := range map[string]int{"MIL-it.rss": 404, "MIL.atom": 404, "mil-it.atom": 404, "QQQ-it.atom": 404,
		"MIL-xx.json": 404, "VIE-it.atom": 404, "-.": 404, "MIL-it.atom.atom": 404} {
		if w := analisitest.Get(t, h, "/feed/"+file); w.Code != status {
			t.Errorf("%s: %d %s", file, w.Code, w.Body)
		}
	}
	w := analisitest.Get(t, h, "/feed/MIL-it.atom")
	again := httptest.NewRequest("GET", "/feed/MIL-it.atom", nil)
	again.Header.Set("If-None-Match", w.Header().Get("ETag"))
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, again); w.Code != 304 {
		t.Errorf("the same again: %d", w.Code)
	}
}

// If no deal changes over two refreshes, the feed stays identical byte for byte. If one changes,
// only its entry is updated.
func TestFeedsAreStable(t *testing.T) {
	first := deals.Origin{}.Merge(analisitest.Entries())
	clock := analisitest.Today
	d := &analisitest.DealsOfMilan{Has: first}
	h := dealing(d, "", func() time.Time { return clock })
	before := map[string]string{}
	for _, file := range []string{"MIL-it.atom", "MIL-it.json"} {
		before[file] = analisitest.Get(t, h, "/feed/"+file).Body.String()
	}
	// The next day the same prices are found again, and the medians move by a few cents.
	next := analisitest.Entries()
	for i := range next {
		next[i].AsOf++
		next[i].Observations += 10
		for j := range next[i].Any.Route {
			if deal := &next[i].Any.Route[j]; deal.Verdict.Judged() && next[i].Destination != "LON" {
				deal.Fare.Found += 86400
				deal.Verdict.Median += 7
			}
		}
	}
	clock = clock.AddDate(0, 0, 1)
	d.Has = first.Merge(next)
	for file, was := range before {
		if now := analisitest.Get(t, h, "/feed/"+file).Body.String(); now != was {
			t.Errorf("%s changed: %s", file, cmp.Diff(was, now))
		}
	}
	old := parsed(t, h, "/feed/MIL-it.atom", atomKind)
	next[0].Any.Route[0].Fare.Price -= 500
	next[0].Any.Route[0].Fare.Found += 3600
	next[0].AsOf, next[0].Observations = next[0].AsOf+1, 500
	clock = clock.AddDate(0, 0, 1)
	d.Has = d.Has.Merge(next[:1])
	now := parsed(t, h, "/feed/MIL-it.atom", atomKind)
	if !now.UpdatedParsed.After(*old.UpdatedParsed) {
		t.Error("the feed says that nothing changed")
	}
	for i, item := range now.Items {
		was := old.Items[i]
		isBuh := strings.Contains(item.Link, "a=BUH")
		if item.GUID != was.GUID || item.UpdatedParsed.After(*was.UpdatedParsed) != isBuh ||
			(item.Title != was.Title) != isBuh {
			t.Errorf("%+v, before %+v", item, was)
		}
	}
	// A stale fare lowers the reliability by one step, which updates its entry once.
	clock = analisitest.Today.AddDate(0, 0, 4)
	stale := parsed(t, h, "/feed/MIL-it.atom", atomKind)
	for i, item := range stale.Items {
		if (item.Content != now.Items[i].Content) != item.UpdatedParsed.After(*now.Items[i].UpdatedParsed) {
			t.Errorf("%+v, before %+v", item, now.Items[i])
		}
	}
}

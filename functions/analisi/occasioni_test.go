package analisi_test

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// dealing serves the deals of Milan at a moment.
func dealing(t *testing.T, d *analisitest.DealsOfMilan, data string, now func() time.Time) (*httpapi.API, *analisitest.Requests) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	wanted := &analisitest.Requests{}
	s := &analisi.Service{Reader: &answer.Reader{Summaries: analisitest.Summaries{}, Demand: wanted, Now: now, Log: log}, Coverage: d, BaseURL: "https://verdetto.example"}
	api := httpapi.New(httpapi.Config{Now: now, Log: log, AllFares: true, Data: data, Limiter: limit.New(analisitest.Unlimited{}, now)})
	s.Register(api)
	return api, wanted
}

func TestCheapNow(t *testing.T) {
	back := analisitest.Deal(verdict.Buono, 20, fare.DayOf(analisitest.Today)+10, 6999, 9000, fare.NonStop, 3)
	back.Fare.Nights = 6
	returns := deals.Entry{Destination: "MAD", AsOf: fare.DayOf(analisitest.Today), Observations: 90, Any: deals.Fares{Route: []deals.Deal{back}}}
	h, wanted := dealing(t, &analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries()), Returns: deals.Origin{}.Merge([]deals.Entry{returns})}, "", analisitest.Noon)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		want        string // destinations, the best first
	}{
		{"all", "origine=Milano", 200, "", "LON MAD BUH PAR ROM"},
		{"good ones", "origine=Milano&livello=ottimo,buono", 200, "", "LON MAD BUH"},
		{"one level", "origine=MIL&livello=dati-insufficienti", 200, "", "ROM"},
		{"up to", "origine=Milano&massimo=25", 200, "", "LON MAD ROM"},
		{"up to a cent less", "origine=Milano&massimo=24.99", 200, "", "LON"},
		{"without stops", "origine=Milano&diretto=true", 200, "", "BUH"},
		{"a month", "origine=Milano&mese=2016-04", 200, "", "BUH"},
		{"a month with none", "origine=Milano&mese=2016-09", 200, "", ""},
		{"a month that has been", "origine=Milano&mese=2016-01", 400, "richiesta-non-valida", ""},
		{"a month too far", "origine=Milano&mese=2018-01", 400, "richiesta-non-valida", ""},
		{"returns", "origine=Milano&notti=4-7", 200, "", "MAD"},
		{"returns that are too dear", "origine=Milano&notti=4-7&massimo=69.98", 200, "", ""},
		{"returns of a month", "origine=Milano&notti=4-7&mese=2016-04", 400, "richiesta-non-valida", ""},
		{"no class of nights", "origine=Milano&notti=5", 400, "richiesta-non-valida", ""},
		{"returns that nobody observed", "origine=Milano&notti=15%2B", 404, "rotta-non-coperta", ""},
		{"no level", "origine=Milano&livello=regalato", 400, "richiesta-non-valida", ""},
		{"nothing at most", "origine=Milano&massimo=0", 400, "richiesta-non-valida", ""},
		{"no amount", "origine=Milano&massimo=-5", 400, "richiesta-non-valida", ""},
		{"no origin", "", 400, "richiesta-non-valida", ""},
		{"an unknown city", "origine=Atlantide", 404, "citta-sconosciuta", ""},
		{"a city that is not covered", "origine=Vienna", 404, "rotta-non-coperta", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, h, "/v1/occasioni?"+c.query)
			var got struct {
				published.Occasioni
				Code string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status || got.Code != c.code {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			var cities []string
			for _, o := range got.Occasioni.Occasioni {
				cities = append(cities, o.DestinazioneIata)
			}
			if strings.Join(cities, " ") != c.want {
				t.Errorf("%v, want %s", cities, c.want)
			}
			if c.status == 200 && (w.Header().Get("Cache-Control") != "public, s-maxage=3600" || w.Header().Get("ETag") == "" || got.OrigineIata != "MIL") {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
		})
	}
	if diff := cmp.Diff([]fare.City{"VIE"}, wanted.Noted); diff != "" {
		t.Errorf("requested of the next refresh: %s", diff)
	}
	var got published.Occasioni
	if err := json.Unmarshal(analisitest.Get(t, h, "/v1/occasioni?origine=Milano&notti=4-7").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if p := got.Occasioni[0].Prezzo; got.Notti != "4-7" || p.Cent != 6999 || p.Ritorno != back.Fare.Depart.Time().AddDate(0, 0, 6).Format(time.DateOnly) {
		t.Errorf("%+v", got)
	}
	got = published.Occasioni{}
	if err := json.Unmarshal(analisitest.Get(t, h, "/v1/occasioni?origine=Milano").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	// London's fare is 80 hours old: it is less sure.
	first, last := got.Occasioni[0], got.Occasioni[4]
	if first.Destinazione != "Londra" || first.Verdetto.Affidabilita != verdict.Media || *first.Prezzo.EtaOre != 80 || first.Prezzo.Cent != 1999 || *first.Verdetto.ScartoMedianaCent != -2501 {
		t.Errorf("%+v", first)
	}
	if last.Verdetto.Livello != verdict.Insufficient || last.Verdetto.Percentile != nil || last.Verdetto.MedianaCent != nil || last.Verdetto.Affidabilita != "" {
		t.Errorf("too little data, and yet: %+v", last)
	}
	// Eight days on nothing is known of now.
	later, _ := dealing(t, &analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())}, "", func() time.Time { return analisitest.Today.AddDate(0, 0, 8) })
	if w := analisitest.Get(t, later, "/v1/occasioni?origine=Milano"); w.Code != 200 || !strings.Contains(w.Body.String(), `"occasioni":[]`) || strings.Contains(w.Body.String(), "aggiornatoIl") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	down, _ := dealing(t, &analisitest.DealsOfMilan{Err: store.ErrUnavailable}, "", analisitest.Noon)
	if w := analisitest.Get(t, down, "/v1/occasioni?origine=Milano"); w.Code != 503 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// parsed gives a feed as an independent parser understands it.
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

// TestFeeds: both forms tell the same, in every language, and lack nothing that a feed must have.
func TestFeeds(t *testing.T) {
	h, _ := dealing(t, &analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())}, "", analisitest.Noon)
	ids := map[string]bool{}
	for language, want := range map[string]struct{ title, london string }{
		"it": {"Dove conviene volare adesso da Milano", "Londra da 19,99\u00a0€ il 10 aprile 2016: ottimo"},
		"en": {"Where it is cheap to fly from Milan now", "London from €19.99 on 10 April 2016: great"},
		"de": {"Wohin man ab Mailand jetzt günstig fliegt", "London ab 19,99\u00a0€ am 10. April 2016: sehr gut"},
		"fr": {"Où partir à bon prix depuis Milan en ce moment", "Londres dès 19,99\u00a0€ le 10 avril 2016\u00a0: excellent"},
		"es": {"Adónde sale barato volar ahora desde Milán", "Londres desde 19,99\u00a0€ el 10 de abril de 2016: excelente"},
		"pt": {"Para onde é barato voar agora a partir de Milão", "Londres a partir de 19,99\u00a0€ em 10 de abril de 2016: ótimo"},
	} {
		atom, jsonFeed := parsed(t, h, "/feed/MIL-"+language+".atom", atomKind), parsed(t, h, "/feed/MIL-"+language+".json", jsonKind)
		if atom.FeedType != "atom" || atom.FeedVersion != "1.0" || jsonFeed.FeedType != "json" || !strings.HasSuffix(jsonFeed.FeedVersion, "/1.1") {
			t.Errorf("%s %s, %s %s", atom.FeedType, atom.FeedVersion, jsonFeed.FeedType, jsonFeed.FeedVersion)
		}
		if atom.Title != want.title || atom.UpdatedParsed == nil || len(atom.Authors) != 1 || atom.FeedLink != "https://verdetto.example/feed/MIL-"+language+".atom" || atom.Language != language {
			t.Errorf("%+v", atom)
		}
		if jsonFeed.Title != want.title || jsonFeed.FeedLink != "https://verdetto.example/feed/MIL-"+language+".json" || jsonFeed.Language != language {
			t.Errorf("%+v", jsonFeed)
		}
		if len(atom.Items) != 3 || len(jsonFeed.Items) != 3 || atom.Items[0].Title != want.london {
			t.Fatalf("%d and %d entries, the first %q", len(atom.Items), len(jsonFeed.Items), atom.Items[0].Title)
		}
		for i, a := range atom.Items {
			j := jsonFeed.Items[i]
			if a.GUID != j.GUID || a.Title != j.Title || a.Content != j.Content || a.Link != j.Link || !a.UpdatedParsed.Equal(*j.UpdatedParsed) || a.Content == "" {
				t.Errorf("%+v\n%+v", a, j)
			}
			if !uuid.MatchString(a.GUID) || ids[a.GUID] || !strings.HasPrefix(a.Link, "https://verdetto.example/?da=MIL&a=") {
				t.Errorf("id %s, link %s", a.GUID, a.Link)
			}
			ids[a.GUID] = true
		}
	}
	sample, _ := dealing(t, &analisitest.DealsOfMilan{Has: deals.Origin{}.Merge(analisitest.Entries())}, "sample", analisitest.Noon)
	if f := parsed(t, sample, "/feed/MIL-en.atom", atomKind); !strings.Contains(f.Title, "invented") {
		t.Errorf("a feed of invented fares is called %q", f.Title)
	}
	for file, status := range map[string]int{"MIL-it.rss": 404, "MIL.atom": 404, "mil-it.atom": 404, "QQQ-it.atom": 404, "MIL-xx.json": 404, "VIE-it.atom": 404, "-.": 404, "MIL-it.atom.atom": 404} {
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

// TestFeedsAreStable: over two refreshes a feed is byte for byte the same where the
// same is told, and where one thing changes only that entry is updated.
func TestFeedsAreStable(t *testing.T) {
	first := deals.Origin{}.Merge(analisitest.Entries())
	clock := analisitest.Today
	d := &analisitest.DealsOfMilan{Has: first}
	h, _ := dealing(t, d, "", func() time.Time { return clock })
	before := map[string]string{}
	for _, file := range []string{"MIL-it.atom", "MIL-it.json"} {
		before[file] = analisitest.Get(t, h, "/feed/"+file).Body.String()
	}
	// The next day all is found again, at the same prices, and the medians move by a few cents.
	next := analisitest.Entries()
	for i := range next {
		next[i].AsOf++
		next[i].Observations += 10
		for j := range next[i].Any.Route {
			if deal := &next[i].Any.Route[j]; deal.Verdict.MedianaCent != nil && next[i].Destination != "LON" {
				deal.Fare.Found += 86400
				*deal.Verdict.MedianaCent += 7
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
		if item.GUID != was.GUID || item.UpdatedParsed.After(*was.UpdatedParsed) != isBuh || (item.Title != was.Title) != isBuh {
			t.Errorf("%+v, before %+v", item, was)
		}
	}
	// A fare that goes stale is told to be less sure: that is news, once.
	clock = analisitest.Today.AddDate(0, 0, 4)
	stale := parsed(t, h, "/feed/MIL-it.atom", atomKind)
	for i, item := range stale.Items {
		if (item.Content != now.Items[i].Content) != item.UpdatedParsed.After(*now.Items[i].UpdatedParsed) {
			t.Errorf("%+v, before %+v", item, now.Items[i])
		}
	}
}

package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
)

func scored() []byte {
	chance := rand.New(rand.NewPCG(16, 12))
	var rows bytes.Buffer
	rows.WriteString("origin,destination,observed_date,depart_date,price,currency\n")
	begin := fare.DayOf(fixture.Today) - 180
	for _, to := range strings.Fields("LON PAR BUH MAD LIS BER VIE PRG ATH DUB OSL CPH STO HEL WAW AMS BRU ZRH BCN " +
		"VLC SVQ OPO GDN KRK") {
		price := map[fare.Day]float64{}
		for d := range 180 {
			day := begin + fare.Day(d)
			for at := day + 1; at < day+45; at += 2 {
				switch {
				case price[at] == 0:
					price[at] = 60 * (.7 + .6*chance.Float64())
				case chance.IntN(9) == 0:
					price[at] += .7 * (60*(.7+.6*chance.Float64()) - price[at])
				}
				if chance.IntN(2) == 0 {
					fmt.Fprintf(&rows, "MIL,%s,%s,%s,%.0f,EUR\n", to, day, at, price[at])
				}
			}
		}
	}
	return rows.Bytes()
}

func TestProveScore(t *testing.T) { score(t, "score", scoredSource(t)) }

func scoredSource(t *testing.T) *csvfile.Panel {
	t.Helper()
	source, err := csvfile.Read(bytes.NewReader(scored()), comparable(), "")
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func comparable() upstream.Comparable {
	return upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}
}

func score(t *testing.T, name string, source *csvfile.Panel) {
	t.Helper()
	b, base := openBrowser(t), scoreSite(t, source)
	for i, l := range i18n.Languages() {
		on := []screen{{name + "-360", 360, 740, []string{"light", "dark"}[i%2]}, {name + "-1000", 1000, 800, "dark"}}
		for _, s := range on[:max(1, 2-i)] {
			w := b.open(t, s)
			if status, html := w.visit(base + "/pagella?lang=" + l.Code); status != 200 ||
				!strings.Contains(html, `<html lang="`+l.Code+`"`) {
				t.Errorf("%s: %d", l.Code, status)
			}
			if n := evaluate[int](w,
				`[...document.querySelectorAll('figure svg')].filter(c => c.getBoundingClientRect().height > 40).length`); n != 1 {
				t.Errorf("%s at %d pixels: %d diagrams are seen", l.Code, s.width, n)
			}
			if over := evaluate[[]string](w,
				`[...document.querySelectorAll('figure svg text')].filter(c => c.getBoundingClientRect().right > innerWidth).map(c => c.textContent)`); len(over) > 0 {
				t.Errorf("%s at %d pixels: off the screen: %q", l.Code, s.width, over)
			}
			w.check(l.Code)
			w.do(click("article details summary"))
			w.wait(`document.querySelector('article details[open] tbody tr')`)
			w.check(l.Code + "-numbers")
			w.quiet()
		}
	}
}

func scoreSite(t *testing.T, source *csvfile.Panel) (base string) {
	t.Helper()
	read := source.Report()
	clock := read.First.Time()
	now := func() time.Time { return clock }
	table := fixture.Bolt(t, now)
	r := refresh.Refresher{Source: source, Fares: store.Fares{Table: table}, Now: now, Rates: ecb.Table().RatesOn(read.Last),
		Workers: 2}
	for day := read.First; day <= read.Last; day += 7 {
		clock = day.Time().Add(12 * time.Hour)
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatalf("%s: %+v %v", day, report, err)
		}
	}
	clock = (read.Last + 1).Time()
	service := fixture.New(t, onemachine.Options{Table: table, Source: source, Now: now,
		Log: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(fixture.Described(t, service.API))
	t.Cleanup(server.Close)
	return server.URL
}

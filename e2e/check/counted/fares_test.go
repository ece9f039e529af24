// Package counted recounts, from the raw fares, what the service states about a route.
package counted

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
)

type raw struct {
	found          time.Time
	depart, origin string
	to, currency   string
	stops          int8 // -1 if unknown
	dayOnly        bool
	price          int64 // hundredths of the currency
}

func (f raw) onDay() raw {
	f.found, f.stops, f.dayOnly = f.found.UTC().Truncate(24*time.Hour), -1, true
	return f
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

type panel struct{ file, column, day string }

var panels = []panel{
	{"travelpayouts_daily_2025_2026", "price", "2026-07-01"},
	{"travelpayouts_history_2026", "outbound_price", "2026-08-20"},
	{"google2026", "price", "2026-07-22"},
	{"eu_wizzair_weekly", "price", "2016-04-04"},
	{"", "", "2026-11-01"}, // an empty file name stands for the invented fares
}

func (p panel) read(t *testing.T, until time.Time) (all []raw) {
	t.Helper()
	if p.file == "" {
		source := sample.New()
		origins, err := source.Origins(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, origin := range origins {
			answer, err := source.Fares(t.Context(), origin, time.Time{}, until)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range answer.Fares {
				stops := int8(-1)
				if n, known := f.Stops.Number(); known {
					stops = int8(n)
				}
				if f.Nights == 0 {
					all = append(all, raw{time.Unix(f.Found, 0), f.Depart.String(), string(f.Route.Origin),
						string(f.Route.Destination), f.Currency.String(), stops, f.DayOnly, int64(f.Price)})
				}
			}
		}
		return all
	}
	f, err := os.Open(p.path(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := csv.NewReader(z)
	header, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) string {
		if i := slices.Index(header, name); i >= 0 {
			return row[i]
		}
		return ""
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		price, err := strconv.ParseFloat(at(row, p.column), 64)
		found, fault := time.Parse(time.DateOnly, at(row, "observed_date"))
		from, known := places.CityOf(at(row, "origin"))
		to, alsoKnown := places.CityOf(at(row, "destination"))
		if err == nil && fault == nil && price > 0 && !found.After(until) && known && alsoKnown {
			all = append(all, raw{found, at(row, "depart_date"), string(from), string(to), at(row, "currency"), -1, true,
				int64(math.Round(100 * price))})
		}
	}
}

func (p panel) path(t *testing.T) string {
	return filepath.Join(testenv.Data(t), "fares", p.file+".csv.gz")
}

type low struct {
	day   string
	price int64
}

type route struct {
	from, to      string
	perCent       float64 // euro cents for a hundredth of the currency
	fares         []raw
	lows          []low // daily lows before today, cheapest first
	price         int64
	departs       map[string]bool
	live          map[string]raw
	lower, equal  int // days with a low below the price, and days with a low equal to the price
	first         string
	event         string
	limit, mailed float64 // in euro cents
}

func (r *route) count(today time.Time) bool {
	day, oldest := dayOf(today), dayOf(today.Add(-400*24*time.Hour))
	daily, newest := map[string]int64{}, time.Time{}
	r.fares = slices.DeleteFunc(r.fares, func(f raw) bool { return dayOf(f.found) <= oldest })
	for _, f := range r.fares {
		newest = later(newest, f.found)
		on := dayOf(f.found)
		if lowest, ok := daily[on]; f.depart >= on && on < day && (!ok || f.price < lowest) {
			daily[on] = f.price
		}
	}
	for on, price := range daily {
		r.lows, r.first = append(r.lows, low{on, price}), min(cmp.Or(r.first, on), on)
	}
	slices.SortFunc(r.lows, func(a, b low) int { return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.day, b.day)) })
	r.live, r.departs = map[string]raw{}, map[string]bool{}
	offers := map[string]raw{}
	for _, f := range r.fares {
		at := fmt.Sprint(f.depart, f.stops)
		known, ok := offers[at]
		if f.depart >= day && !f.found.Before(today.Truncate(24*time.Hour).Add(-7*24*time.Hour)) && (!ok || f.found.After(known.found) ||
			f.found.Equal(known.found) && f.price < known.price) {
			offers[at] = f
		}
	}
	for _, fresh := range []bool{true, false} { // older fares count only if no fare is fresh
		for _, f := range offers {
			if !fresh || f.found.After(newest.Add(-24*time.Hour)) {
				if r.price == 0 || f.price < r.price {
					r.price, r.departs = f.price, map[string]bool{}
				}
				if f.price == r.price {
					r.departs[f.depart] = true
				}
			}
		}
		if r.price > 0 {
			break
		}
	}
	for _, f := range offers {
		if known, ok := r.live[f.depart]; !ok || f.price < known.price {
			r.live[f.depart] = f
		}
	}
	for _, l := range r.lows {
		if l.price < r.price {
			r.lower++
		} else if l.price == r.price {
			r.equal++
		}
	}
	return len(r.lows) >= 8 && r.price > 0
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (r *route) euro(amount float64) float64 { return amount * r.perCent }

func (r *route) quantile(share float64) float64 {
	prices := make([]int64, len(r.lows))
	for i, l := range r.lows {
		prices[i] = l.price
	}
	return quantile(prices, share)
}

func quantile(sorted []int64, share float64) float64 {
	at := share * float64(len(sorted))
	if i := int(at); float64(i) == at && i > 0 {
		return float64(sorted[i-1]+sorted[i]) / 2
	}
	return float64(sorted[min(int(at), len(sorted)-1)])
}

func (r *route) minimum() float64 { return float64(r.lows[0].price) }
func (r *route) maximum() float64 { return float64(r.lows[len(r.lows)-1].price) }

func (r *route) share() float64 { return 100 * float64(r.lower) / float64(len(r.lows)) }

func (r *route) cheapest() (price int64) {
	for _, f := range r.live {
		if price == 0 || f.price < price {
			price = f.price
		}
	}
	return price
}

func (r *route) level() string {
	place := 100 * (float64(r.lower) + float64(r.equal)/2) / float64(len(r.lows))
	switch apart := float64(r.price) / r.quantile(.5); {
	case place <= 10 && apart <= .98:
		return "ottimo"
	case place <= 35 && apart <= .98:
		return "buono"
	case place > 70 && apart >= 1.02:
		return "caro"
	}
	return "normale"
}

func (r *route) months() map[int][]int64 {
	all := map[int][]int64{}
	for _, f := range r.fares {
		if month, err := strconv.Atoi(f.depart[5:7]); err == nil {
			all[month] = append(all[month], f.price)
		}
	}
	for _, prices := range all {
		slices.Sort(prices)
	}
	return all
}

func (r *route) week(monday string) (prices []int64) {
	first, err := time.Parse(time.DateOnly, monday)
	for _, l := range r.lows {
		if err == nil && l.day >= monday && l.day < dayOf(first.AddDate(0, 0, 7)) {
			prices = append(prices, l.price)
		}
	}
	return prices
}

type world struct {
	panel
	t      *testing.T
	api    *onemachine.Service
	now    time.Time
	routes []*route
	mails  string
	calls  int
}

func (w *world) watch(table store.Table, i int, r *route) {
	t, alerts, digests, today := w.t, store.Alerts{Table: table}, store.Digests{Table: table}, fare.DayOf(w.now)
	price := r.euro(float64(r.price))
	r.limit, r.mailed = whole(r.euro(r.quantile(.5))), math.Round(price*float64(9+i%3)/10)
	if math.Abs(price-r.limit) < 2 {
		r.limit += 100
	}
	for kind, a := range map[string]store.Alert{"mail": {Threshold: fare.MaxPrice}, "digest": {Threshold: fare.Cents(r.limit), Digest: true},
		store.Webhook: {Threshold: fare.MaxPrice, Channel: store.Webhook, Address: "https://example.com/"}} {
		a.Email = fmt.Sprintf("%s%d@example.com", kind, i)
		a.Subscriber, a.Route = fixture.Subscriber(a.Email), fare.Route{Origin: fare.City(r.from), Destination: fare.City(r.to)}
		a.Language = i18n.Codes()[i/2%len(i18n.Codes())]
		err := alerts.AddPending(t.Context(), a.Email, a, w.now.Add(48*time.Hour), store.Job{At: w.now})
		if err == nil {
			_, err = alerts.Confirm(t.Context(), a.Email)
		}
		if err == nil && a.Digest {
			var before store.Digest
			if before, err = digests.Digest(t.Context(), a.Subscriber); err == nil {
				err = digests.MarkSent(t.Context(), before, today-8, map[string]fare.Cents{a.Ref().String(): fare.Cents(r.mailed)})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	progress, err := digests.Progress(t.Context())
	if err == nil {
		err = digests.Advance(t.Context(), &progress, today-7, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, p panel) *world {
	t.Helper()
	day, err := time.Parse(time.DateOnly, p.day)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{panel: p, t: t, now: day.Add(12 * time.Hour), mails: t.TempDir()}
	o := onemachine.Options{Log: slog.New(slog.DiscardHandler), BaseURL: "https://verdetto.example", Mail: w.mails,
		LocalURL: fixture.LocalURL, Now: func() time.Time { return w.now }}
	var source upstream.Source = sample.New()
	if p.file != "" {
		if source, _, err = onemachine.OpenSource(t.Context(), "csv:"+p.path(t), p.column, &o, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	byRoute, seen, precise, all := map[string]*route{}, map[raw]bool{}, map[raw]bool{}, p.read(t, w.now)
	for _, f := range all {
		if !f.dayOnly {
			precise[f.onDay()] = true
		}
	}
	for _, f := range all {
		if seen[f] || f.dayOnly && precise[f.onDay()] { // the same fare was recorded twice
			continue
		}
		seen[f] = true
		name := f.origin + "-" + f.to
		if byRoute[name] == nil {
			byRoute[name] = &route{from: f.origin, to: f.to}
		}
		byRoute[name].fares = append(byRoute[name].fares, f)
	}
	rates := ecb.Table().RatesOn(fare.DayOf(w.now))
	for _, r := range byRoute {
		rate, ok := rates.Rate(cmp.Or(r.fares[0].currency, "EUR"))
		if !ok {
			t.Fatalf("no rate of %s", r.fares[0].currency)
		}
		if r.perCent = 1 / rate; r.count(w.now) {
			w.routes = append(w.routes, r)
		}
	}
	slices.SortFunc(w.routes, func(a, b *route) int { return cmp.Compare(a.from+a.to, b.from+b.to) })
	o.Source, o.Table = source, fixture.Unlimited{Table: fixture.Bolt(t, o.Now)}
	for i, r := range w.routes {
		if !w.skips(i) {
			w.watch(o.Table, i, r)
		}
	}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	w.api = fixture.New(t, o)
	for more := true; more; {
		sent, err := w.api.Sender.Work(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		more = sent.More
	}
	for i, r := range w.routes {
		events, err := store.Deliveries{Table: o.Table}.BySubscriber(t.Context(), fixture.Subscriber(fmt.Sprintf("%s%d@example.com", store.Webhook, i)))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			r.event = string(e.Body)
		}
	}
	return w
}

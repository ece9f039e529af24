package watch

import (
	"bytes"
	"flag"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

var update = flag.Bool("update", false, "write the golden files")

// story is a history from day 100 on, one refresh a week.
func story(seen ...Seen) (h History) {
	for i, s := range seen {
		s.Day = fare.Day(100 + 7*i)
		h = h.Add(s)
	}
	return h
}

func at(price fare.Cents) Seen   { return Seen{Price: price, Level: verdict.Normale} }
func level(level string) Seen    { return Seen{Price: 5000, Level: level} }
func thin(price fare.Cents) Seen { return Seen{Price: price, Level: verdict.Insufficient} }

func TestWakes(t *testing.T) {
	for _, c := range []struct {
		name      string
		threshold fare.Cents
		mailed    fare.Day
		history   History
		want      bool
	}{
		{"nothing seen", 5000, 0, nil, false},
		{"under", 5000, 0, story(at(4999)), true},
		{"at", 5000, 0, story(at(5000)), true},
		{"above", 5000, 0, story(at(5001)), false},
		{"under since the mail", 5000, 100, story(at(4000), at(4500), at(3000)), false},
		{"above since the mail and under again", 5000, 100, story(at(4000), at(5500), at(4500)), true},
		{"above before the mail only", 5000, 107, story(at(5500), at(4000), at(4500)), false},
		{"still above", 5000, 100, story(at(4000), at(5500), at(5400)), false},
		{"told of this refresh", 5000, 114, story(at(4000), at(5500), at(4500)), false},
		{"threshold lowered under the price of the mail", 4000, 100, story(at(4500), at(3900)), true},
		{"mail older than what is remembered, cheap since", 5000, 3, story(at(4000), at(4500)), false},
		{"mail older than what is remembered, dear since", 5000, 3, story(at(6000), at(4500)), true},
		{"under, but too little data", 5000, 0, story(thin(4000)), false},
		{"too little data above, then under", 5000, 100, story(at(4000), thin(6000), at(4500)), true},
		{"too little data under, then under", 5000, 100, story(at(4000), thin(3000), at(4500)), false},
		{"caro, but under the threshold", 5000, 0, story(Seen{Price: 4000, Level: verdict.Caro}), true},

		{"ottimo", 0, 0, story(level(verdict.Ottimo)), true},
		{"buono", 0, 0, story(level(verdict.Buono)), true},
		{"normale", 0, 0, story(level(verdict.Normale)), false},
		{"caro", 0, 0, story(level(verdict.Caro)), false},
		{"no verdict", 0, 0, story(level(verdict.Insufficient)), false},
		{"buono since the mail, ottimo now", 0, 100, story(level(verdict.Buono), level(verdict.Ottimo)), false},
		{"normale since the mail, buono now", 0, 100, story(level(verdict.Ottimo), level(verdict.Normale), level(verdict.Buono)), true},
		{"no verdict since the mail, buono now", 0, 100, story(level(verdict.Ottimo), level(verdict.Insufficient), level(verdict.Buono)), false},
		{"told of by threshold when it was caro, by verdict now", 0, 100, story(level(verdict.Caro), level(verdict.Buono)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Wakes(c.threshold, c.mailed, c.history); got != c.want {
				t.Errorf("wakes %v, want %v", got, c.want)
			}
		})
	}
}

// TestOneMailForEachFall replays random prices and wants a mail exactly on the
// days on which the price comes under the threshold: the rule said in another way.
func TestOneMailForEachFall(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var h History
		mailed, met := fare.Day(0), false
		for week := range 150 { // longer than what is remembered
			s := Seen{Day: fare.Day(1000 + 7*week), Price: fare.Cents(4000 + chance.IntN(2000)), Level: levels[1+chance.IntN(4)]}
			h = h.Add(s)
			was := met
			met = s.Price <= 5000
			if got := Wakes(5000, mailed, h); got != (met && !was) {
				t.Fatalf("week %d: wakes %v; the price is under the threshold: %v, and was: %v", week, got, met, was)
			} else if got {
				mailed = s.Day
			}
		}
	}
}

func TestAdd(t *testing.T) {
	h := story(at(1), at(2))
	for _, c := range []struct {
		name string
		add  Seen
		want History
	}{
		{"another day", Seen{114, 3, verdict.Caro}, story(at(1), at(2), Seen{Price: 3, Level: verdict.Caro})},
		{"the same day again", Seen{107, 3, verdict.Normale}, story(at(1), at(3))},
		{"an earlier day", Seen{103, 3, verdict.Normale}, h},
	} {
		if diff := cmp.Diff(c.want, h.Add(c.add)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff(story(at(1), at(2)), h); diff != "" {
		t.Errorf("what was added to has changed: %s", diff)
	}
	for i := range 100 {
		h = h.Add(Seen{Day: fare.Day(1000 + i)})
	}
	if len(h) != MaxHistory || h[MaxHistory-1].Day != 1099 {
		t.Errorf("%d refreshes remembered, the last of day %d", len(h), h[len(h)-1].Day)
	}
}

func sheet(asOf fare.Day) verdict.RouteSummary {
	var all []fare.Observation
	for week := range 40 {
		day := asOf - fare.Day(7*week)
		price := fare.Cents(4000 + 500*(week*7%11))
		if week == 0 {
			price = 1499
		}
		if week >= 10 && week < 13 {
			continue // nothing was found then
		}
		all = append(all, fare.Observation{Found: day.Time().Unix() + 3600, Depart: day + 30, Price: price})
	}
	return verdict.Build(all, nil, asOf)
}

var route = fare.Route{Origin: "MIL", Destination: "BUH"}

const asOf = fare.Day(16861) // 2016-03-01

func look(t *testing.T) News {
	t.Helper()
	n, ok := Look(route, sheet(asOf), asOf)
	if !ok {
		t.Fatal("nothing to see")
	}
	return n
}

func TestLook(t *testing.T) {
	n := look(t)
	a, _ := verdict.Judge(sheet(asOf), asOf)
	want := News{Route: route, Day: asOf, Price: 1499, Depart: asOf + 30, Found: asOf.Time().Unix() + 3600,
		Level: a.Verdetto.Livello, Reliability: a.Verdetto.Affidabilita, Percentile: *a.Verdetto.Percentile,
		Median: *a.Verdetto.MedianaCent, Minimum: *a.Verdetto.MinimoCent, Sample: a.Verdetto.Campione, Lows: n.Lows}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Error(diff)
	}
	if n.Level != verdict.Ottimo {
		t.Errorf("level %s: the case is not what it should be", n.Level)
	}
	// A week ago the fare of the week before, of 4000 + 500*3, was still live and the cheapest.
	if n.Lows[Weeks-1] != 5500 || n.Lows[Weeks-9] == 0 || n.Lows[Weeks-10] != 0 || n.Lows[Weeks-12] != 0 || n.Lows[Weeks-13] == 0 {
		t.Errorf("lows %v", n.Lows)
	}
	for _, c := range []struct {
		name  string
		sheet verdict.RouteSummary
		today fare.Day
	}{
		{"a sheet of an earlier refresh", sheet(asOf - 1), asOf},
		{"a sheet of a later refresh", sheet(asOf + 1), asOf},
		{"no fare", verdict.Build(nil, nil, asOf), asOf},
		{"departed", verdict.Build([]fare.Observation{{Found: (asOf - 2).Time().Unix(), Depart: asOf - 1, Price: 1}}, nil, asOf), asOf},
	} {
		if n, ok := Look(route, c.sheet, c.today); ok {
			t.Errorf("%s: %+v", c.name, n)
		}
	}
}

func TestLive(t *testing.T) {
	n := look(t)
	soon := n
	soon.Depart = asOf + 2
	stale := n
	stale.Found = (asOf - 5).Time().Unix()
	for _, c := range []struct {
		name  string
		news  News
		today fare.Day
		want  bool
	}{
		{"at once", n, asOf, true},
		{"a week later", n, asOf + 7, true},
		{"eight days later", n, asOf + 8, false},
		{"on the day of departure", soon, asOf + 2, true},
		{"departed", soon, asOf + 3, false},
		{"seen a week ago", stale, asOf + 2, true},
		{"seen eight days ago", stale, asOf + 3, false},
	} {
		if got := c.news.Live(c.today); got != c.want {
			t.Errorf("%s: live %v, want %v", c.name, got, c.want)
		}
	}
}

func TestEncoded(t *testing.T) {
	n := look(t)
	thin := News{Route: route, Day: 1, Price: 1, Level: verdict.Insufficient, Sample: 3}
	for _, want := range []News{n, thin} {
		got, err := Decode(want.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	var h History
	for i := range MaxHistory {
		h = h.Add(Seen{fare.Day(16000 + 7*i), fare.Cents(10000 + i), levels[i%len(levels)]})
	}
	got, err := DecodeHistory(h.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, got); diff != "" {
		t.Error(diff)
	}
	t.Logf("news %d bytes, a full history %d bytes", len(n.Encode()), len(h.Encode()))
	if len(n.Encode())+len(h.Encode()) > 700 {
		t.Error("news and history do not fit in one write unit as JSON")
	}
	if _, err := DecodeHistory([]byte{9}); err == nil {
		t.Error("a format that is not known was decoded")
	}
}

func FuzzDecode(f *testing.F) {
	n, _ := Look(route, sheet(asOf), asOf)
	f.Add(n.Encode())
	f.Add(story(at(1), level(verdict.Caro)).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := Decode(data); err == nil {
			if again, err := Decode(n.Encode()); err != nil || again != n {
				t.Errorf("%+v came back as %+v, %v", n, again, err)
			}
		}
		if h, err := DecodeHistory(data); err == nil {
			if again, err := DecodeHistory(h.Encode()); err != nil || !cmp.Equal(again, h) {
				t.Errorf("%+v came back as %+v, %v", h, again, err)
			}
		}
	})
}

func TestPicture(t *testing.T) {
	n := look(t)
	short := n
	clear(short.Lows[:Weeks-3])
	flat := News{Route: route, Day: asOf, Price: 1}
	huge := n
	huge.Lows[3] = fare.MaxPrice
	for _, c := range []struct {
		name string
		news News
	}{{"lows", n}, {"short", short}, {"flat", flat}, {"huge", huge}} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Picture(c.news)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := png.Decode(bytes.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			if size := decoded.Bounds().Size(); size.X != 2*PictureWidth || size.Y != 2*PictureHeight {
				t.Errorf("size %v", size)
			}
			if len(got) > 8<<10 {
				t.Errorf("%d bytes", len(got))
			}
			path := filepath.Join("testdata", c.name+".png")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			for y := range decoded.Bounds().Dy() { // the pixels, not the bytes: how they are packed may change
				for x := range decoded.Bounds().Dx() {
					if decoded.At(x, y) != want.At(x, y) {
						t.Fatalf("%s: pixel %d,%d is another", path, x, y)
					}
				}
			}
		})
	}
}

func BenchmarkPicture(b *testing.B) {
	n, _ := Look(route, sheet(fare.DayOf(time.Now())), fare.DayOf(time.Now()))
	for b.Loop() {
		if _, err := Picture(n); err != nil {
			b.Fatal(err)
		}
	}
}

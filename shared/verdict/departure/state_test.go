package departure

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

var private = cmp.AllowUnexported(State{}, Route{}, mean{}, bar{}, term{}, Past{}, dayPrice{}, question{},
	Statistics{}, amounts{}, gradient{}, Pooled{}, table{})

func seenOn(m *market, route int, day fare.Day) []Live {
	var all []Live
	for _, q := range m.quotes(route, day) {
		all = append(all, Live{Depart: day + fare.Day(q.Lead), Price: q.Price,
			Found: day.Time().Unix() + int64(60*q.Lead)})
	}
	slices.SortFunc(all, func(a, b Live) int { return int(a.Depart - b.Depart) })
	return slices.CompactFunc(all, func(a, b Live) bool { return a.Depart == b.Depart })
}

func days(seed uint64, ahead int, first, n fare.Day) (all []Live) {
	m := newMarket(seed, 1, ahead)
	for day := first; day < first+n; day++ {
		all = append(all, seenOn(m, 0, day)...)
	}
	return all
}

const begin = fare.Day(20000)

func until(all []Live, day fare.Day) []Live {
	i, _ := slices.BinarySearchFunc(all, day+1, func(l Live, d fare.Day) int { return int(l.FoundDay() - d) })
	return all[:i]
}

func TestAdvanceInStepsIsAtOnce(t *testing.T) {
	all := days(1, 20, begin, 40)
	p := Start(begin)
	var want Learner
	var wantLeft Statistics
	want.Advance(begin+39, p, all, &wantLeft)
	for _, cycle := range []fare.Day{1, 3, 13} {
		var got Learner
		var left Statistics
		for day := begin; day <= begin+39; day += cycle {
			for again := range 3 {
				before := left
				if got.Advance(day, p, until(all, day), &left); again > 0 && left != before {
					t.Fatalf("every %d days, on %s, time %d: something is left", cycle, day, again+1)
				}
			}
		}
		// The learned terms depend on the days of the refreshes.
		for h := range horizons {
			got.Route.terms[h], want.Route.terms[h] = term{}, term{}
			left.learned[h], wantLeft.learned[h] = gradient{}, gradient{}
		}
		if diff := cmp.Diff(want, got, private); diff != "" {
			t.Errorf("every %d days: %s", cycle, diff)
		}
		if left != wantLeft {
			t.Errorf("every %d days other statistics are left", cycle)
		}
	}
}

func TestLateFinds(t *testing.T) {
	at := func(day, depart fare.Day, price fare.Cents) Live {
		return Live{Depart: begin + depart, Price: price, Found: (begin + day).Time().Unix()}
	}
	known := []Live{at(0, 30, 5000), at(2, 30, 5100), at(2, 31, 5200)}
	for _, c := range []struct {
		name  string
		late  Live
		count int
	}{
		{"a departure that was not seen", at(1, 40, 6000), 4},
		{"one that was seen before", at(3, 31, 6000), 4},
		{"one that was seen that day", at(2, 30, 4000), 3},
		{"one that was seen later", at(1, 30, 4000), 3},
		{"one that has left", at(1, 3, 4000), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Start(begin)
			var s Learner
			var left Statistics
			s.Advance(begin+5, p, known, &left)
			all := append(slices.Clone(known), c.late)
			slices.SortStableFunc(all, func(a, b Live) int { return int(a.FoundDay() - b.FoundDay()) })
			for range 3 {
				s.Advance(begin+5, p, all, &left)
			}
			s.Advance(begin+6, p, all, &left)
			if s.Route.Count() != c.count {
				t.Errorf("%d fares are counted, want %d", s.Route.Count(), c.count)
			}
		})
	}
	var s Learner
	var left Statistics
	s.Advance(begin+20, Start(begin), known, &left)
	s.Advance(begin+21, Start(begin), append([]Live{at(1, 60, 100)}, known...), &left)
	if s.Route.Count() != 3 {
		t.Errorf("%d fares are counted, want 3", s.Route.Count())
	}
}

func TestSheetOfYesterday(t *testing.T) {
	all := days(2, 20, begin, 60)
	p := Start(begin)
	var s Learner
	s.Advance(begin+59, p, all, new(Statistics))
	refreshed := s.Clone()
	refreshed.Advance(begin+60, p, all, new(Statistics))
	old, ok := s.Day(p, begin+60)
	now, also := refreshed.Day(p, begin+60)
	if !ok || !also {
		t.Fatal("no answer")
	}
	compared := 0
	for _, l := range now.Live() {
		for _, price := range []fare.Cents{0, l.Price * 9 / 10, l.Price * 2} {
			want, _ := now.Judge(l.Depart, price)
			got, ok := old.Judge(l.Depart, price)
			if !ok || got.Count != want.Count || math.Abs(got.Percentile-want.Percentile) > 1e-12 ||
				got.Cells != want.Cells {
				t.Errorf("%v: %+v, want %+v", l.Depart, got, want)
			}
			compared++
		}
	}
	if compared < 30 {
		t.Errorf("only %d were compared", compared)
	}
	if !slices.EqualFunc(old.Live(), now.Live(), func(a, b Live) bool { return a == b }) {
		t.Error("other fares are live")
	}
}

func TestSheetJudges(t *testing.T) {
	all := days(3, 20, begin, 30)
	var s Learner
	p := Start(begin)
	s.Advance(begin+29, p, all, new(Statistics))
	first := s.Live[3]
	a, q, live, ok := s.judge(p, s.AsOf, first.Depart, 0)
	if !ok || !a.Known || live != first || !(q.Q1 <= q.Median && q.Median <= q.Q3) {
		t.Errorf("%+v %+v %+v %v", a, q, live, ok)
	}
	if judged, _, _, ok := s.judge(p, s.AsOf, first.Depart, first.Price); !ok || judged != a {
		t.Errorf("at the price that it has: %+v, want %+v", judged, a)
	}
	far := s.AsOf + 200
	if a, _, live, ok := s.judge(nil, s.AsOf, far, 7000); !ok || !a.Known || live != (Live{}) {
		t.Errorf("a price of a departure that was never seen: %+v %+v %v", a, live, ok)
	}
	for name, ask := range map[string]func() bool{
		"no live fare":     func() bool { _, _, _, ok := s.judge(p, s.AsOf, far, 0); return ok },
		"a negative price": func() bool { _, _, _, ok := s.judge(p, s.AsOf, first.Depart, -1); return ok },
		"a departure that left": func() bool {
			_, _, _, ok := s.judge(p, first.Depart+1, first.Depart,
				5000)
			return ok
		},
		"a day before the sheet": func() bool { _, _, _, ok := s.judge(p, s.AsOf-1, first.Depart, 5000); return ok },
		"a live fare too old":    func() bool { _, _, _, ok := s.judge(p, s.AsOf+LiveDays+1, s.AsOf+19, 0); return ok },
	} {
		if ask() {
			t.Errorf("%s: there is an answer", name)
		}
	}
}

func TestSheetIsRead(t *testing.T) {
	all := days(4, 30, begin, 50)
	huf, err := fare.ParseCurrency("HUF")
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		switch i % 3 {
		case 1:
			all[i].Quoted = fare.Money{Amount: all[i].Price * 400, Currency: huf}
			all[i].Nights, all[i].Stops = int16(i%fare.MaxNights), fare.NonStop
		case 2:
			all[i].Found, all[i].DayOnly = all[i].FoundDay().Time().Unix(), true
		}
	}
	var s Learner
	s.Convert(huf, 401.25)
	s.Advance(begin+49, Start(begin), all, new(Statistics))
	s.Stops = AllNonStop
	data := s.Encode()
	got, err := DecodeState(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.AsOf != s.AsOf || got.Currency != huf || got.PerEuro != 401.25 || !got.NonStopOnly() {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(s.Live, got.Live); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.departures(), got.departures(), private); diff != "" {
		t.Error(diff)
	}
	for _, isSecond := range []bool{false, true} { // the first departure is decoded alone, the second with all others
		for at := s.AsOf; at < s.AsOf+40; at++ {
			one, err := DecodeState(data)
			if err != nil {
				t.Fatal(err)
			}
			if isSecond {
				one.past(s.AsOf - 1)
			}
			if diff := cmp.Diff(s.departures()[at], one.past(at), private, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", at, diff)
			}
		}
	}
	if string(got.Encode()) != string(data) {
		t.Error("what was read is not written as it was")
	}
	open, err := DecodeLearning(Learning{All: s.Questions}.Encode())
	if diff := cmp.Diff(Learning{All: s.Questions}, open, private, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Error(diff, err)
	}
	learning := Learning{All: s.Questions}.Encode()
	for n := range learning {
		if _, err := DecodeLearning(learning[:n]); err == nil {
			t.Errorf("%d of %d bytes are open questions", n, len(learning))
		}
	}
	for n := range data {
		if _, err := DecodeState(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are a sheet", n, len(data))
		}
		damaged := slices.Clone(data)
		damaged[n] ^= 1 << (n % 8)
		if _, err := DecodeState(damaged); err == nil {
			t.Errorf("a sheet with another byte %d is read", n)
		}
	}
}

func FuzzDecodeLearning(f *testing.F) {
	var s Learner
	s.Advance(begin+9, Start(begin), days(5, 8, begin, 10), new(Statistics))
	f.Add(Learning{All: s.Questions}.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := DecodeLearning(data); err == nil {
			l.Encode()
		}
	})
}

func FuzzDecodeSheet(f *testing.F) {
	var s Learner
	s.Advance(begin+9, Start(begin), days(5, 8, begin, 10), new(Statistics))
	data := s.Encode()
	f.Add(data[:len(data)-crc32.Size])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeState(packed.Writer(data).Seal())
		if err != nil {
			return
		}
		if day, ok := s.Day(nil, s.AsOf+1); ok {
			day.Judge(s.AsOf+10, 5000)
			day.Quartiles(s.AsOf + 10)
		}
		s.Encode()
	})
}

// A negative step makes all prices rise on each refresh.
func busy(maxLead int, step int, n, interval fare.Day) *Learner {
	chance := rand.New(rand.NewPCG(6, uint64(maxLead)))
	var s Learner
	p := Start(begin)
	price := map[fare.Day]fare.Cents{}
	var all []Live
	for day := begin; day < begin+n; day += interval {
		for lead := 1; lead <= maxLead; lead++ {
			at := day + fare.Day(lead)
			if price[at] == 0 {
				price[at] = fare.Cents(2000 + 100*chance.IntN(200))
			}
			if step < 0 {
				price[at] += fare.Cents(101 + chance.IntN(100)) // the price rises, so that earlier lows stay
			} else if chance.IntN(8) == 0 {
				price[at] = max(1000, price[at]+fare.Cents(step*(chance.IntN(11)-5)))
			}
			all = append(all, Live{Depart: at, Price: price[at],
				Found: day.Time().Unix() + int64(chance.IntN(86400)), Stops: fare.NonStop})
		}
		s.Advance(day, p, until(all, day), new(Statistics))
		all = slices.DeleteFunc(all, func(l Live) bool { return l.FoundDay() < day-LiveDays })
	}
	return &s
}

type sizeCase struct {
	name       string
	ahead      int
	step       int
	days       fare.Day
	every      fare.Day
	most, kept int
}

func (c sizeCase) fly(t *testing.T, s *Learner, without int) {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 35))
	flown := s.State
	flown.Live = slices.Clone(s.Live)
	for i := range flown.Live {
		l := &flown.Live[i]
		l.Flight = fare.Flight{From: fare.Airport([]byte("BGY")), To: fare.Airport([]byte("STN")),
			Airline: fare.Airline([]byte{"FU"[i%2], "R2"[i%2]}), Minutes: int16(120 + 5*chance.IntN(3))}
		if i%3 == 0 {
			l.Stops, l.Flight.Minutes = fare.OneStop, int16(300+5*chance.IntN(100))
		}
	}
	data := flown.Encode()
	got, err := DecodeState(data)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	t.Logf("%s: with flights %d bytes, %+d", c.name, len(data), len(data)-without)
	if len(data) > c.most+c.ahead*2 && len(data) > MaxState || len(got.Live) < c.kept ||
		!slices.Equal(got.Live, flown.Live[:len(got.Live)]) {
		t.Errorf("%s: with flights %d bytes, %d departures", c.name, len(data), len(got.Live))
	}
}

func TestSheetIsSmall(t *testing.T) {
	for _, c := range []sizeCase{
		{"14 departures", 14, 100, 60, 1, 1100, 14},
		{"14 departures, a year", 14, 100, 400, 1, 1400, 14},
		{"300 departures, weekly", 300, 100, 120, 7, MaxState, 300},
		{"300 departures, daily", 300, 100, 120, 1, MaxState, 300},
		{"300 departures, daily, a year", 300, 100, 400, 1, MaxState, 300},
		{"300 departures, ever dearer", 300, -1, 120, 1, MaxState, 300},
		{"500 departures, ever dearer", 500, -1, 90, 1, MaxState, 300},
	} {
		s := busy(c.ahead, c.step, c.days, c.every)
		data := s.Encode()
		got, err := DecodeState(data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		exact := len(s.State.encode(s.departures(), s.Live))
		t.Logf("%s: %d bytes (all that is known: %d), %d live, questions %d bytes", c.name, len(data), exact,
			len(got.Live), len(Learning{All: s.Questions}.Encode()))
		if len(data) > c.most || len(got.Live) < c.kept {
			t.Errorf("%s: %d bytes with %d departures, want at most %d with %d", c.name, len(data),
				len(got.Live), c.most, c.kept)
		}
		c.fly(t, s, len(data))
		for at, past := range got.departures() {
			wantDay, want, _ := s.departures()[at].Last()
			if day, last, _ := past.Last(); day != wantDay || last != want ||
				past.lows[0].price != s.departures()[at].lows[0].price {
				t.Errorf("%s: %v is remembered as %+v", c.name, at, past)
				break
			}
		}
	}
}

func TestCurrencyOfAState(t *testing.T) {
	all := days(7, 20, begin, 40)
	p := Start(begin)
	var s Learner
	s.Convert(fare.EUR, 1)
	s.Advance(begin+39, p, all, new(Statistics))
	ron, err := fare.ParseCurrency("RON")
	if err != nil {
		t.Fatal(err)
	}
	in := s.Clone()
	in.Convert(ron, 5)
	for i := range all {
		all[i].Price *= 5
	}
	in.Advance(begin+39, p, all, new(Statistics))
	for _, l := range s.Live {
		want, _, _, _ := s.judge(p, s.AsOf, l.Depart, 0)
		got, _, _, _ := in.judge(p, s.AsOf, l.Depart, 0)
		if got.Cells != want.Cells || math.Abs(got.Percentile-want.Percentile) > .02 {
			t.Errorf("%v: %+v, want %+v", l.Depart, got, want)
		}
	}
	in.Convert(ron, 5.5)
	if again, _, _, _ := in.judge(p, s.AsOf, s.Live[0].Depart, 0); math.IsNaN(again.Percentile) {
		t.Error("no answer")
	}
}

func (s *State) judge(p *Pooled, today, depart fare.Day, price fare.Cents) (a Answer, q Quartiles, live Live, ok bool) {
	day, ok := s.Day(p, today)
	if !ok {
		return a, q, live, false
	}
	if a, ok = day.Judge(depart, price); !ok {
		return a, q, live, false
	}
	q, _ = day.Quartiles(depart)
	live, _ = day.LiveFare(depart)
	return a, q, live, true
}

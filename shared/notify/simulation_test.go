package notify_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
)

type simulation struct {
	*notifytest.Fixture
	routes []fare.Route
	watch  []store.Alert
	chance *rand.Rand

	mu           sync.Mutex
	messages     map[string]int
	sent         map[string]int
	to           map[string]string
	reads, write int
	left         int // calls until the process is killed; if negative, it is not killed
	kills        map[string]int
	lost         int
}

func newSimulation(t *testing.T, routes int) *simulation {
	s := &simulation{Fixture: notifytest.New(t), chance: rand.New(rand.NewPCG(7, 8)), messages: map[string]int{},
		sent: map[string]int{}, to: map[string]string{}, kills: map[string]int{}, left: -1}
	s.Rate = 100_000
	var cities []fare.City
	for c := range places.Cities() {
		if cities = append(cities, c); len(cities) == 101 {
			break
		}
	}
	for i := range routes {
		s.routes = append(s.routes, fare.Route{Origin: cities[i%100], Destination: cities[(i%100+1+i/100)%101]})
	}
	day := s.Today() + 60
	one, some := store.Trip{From: day, To: day}, store.Trip{From: day - 2, To: day + 3}
	first, last := departure.Month.Ends(day)
	s.watch = []store.Alert{
		{Threshold: 4000}, {}, {Kind: store.Change}, {Kind: store.Drop, Percent: 10},
		{Trip: one, Threshold: 4000}, {Trip: one, Kind: store.Low, Days: 7},
		{Trip: some, Kind: store.Drop, Amount: 500}, {Trip: store.Trip{From: first, To: last, Month: true}},
		{Trip: one, Kind: store.Change}, {Trip: store.Trip{From: s.Today() + 9, To: s.Today() + 9}, Threshold: 100},
		{Route: milAnywhere}, {Route: milAnywhere, Threshold: 3750, Level: string(verdict.Great)},
	}
	return s
}

func (s *simulation) subscribe() {
	s.T.Helper()
	for i, route := range s.routes {
		for k, a := range s.watch {
			who := fmt.Sprintf("s%d-%d", i, k)
			to := route
			if a.Route.Destination == store.Anywhere {
				to.Destination = store.Anywhere
			}
			a.Route, a.Language = to, "en"
			s.Confirm(who, a)
		}
	}
}

func (s *simulation) refresh(price fare.Cents) {
	s.T.Helper()
	ctx, today, fares, notifications := s.T.Context(), s.Today(), store.Fares{Table: s.Table},
		store.Notifications{Table: s.Table}
	sheet := sheetAt(today, 0, func(fare.Day) fare.Cents { return price })
	var found []fare.Observation
	for back, usual := range notifytest.Steady() {
		day := today - 1 - fare.Day(back)
		found = append(found, fare.Observation{Found: day.Time().Unix(), Depart: today + 150, Price: usual + 500})
	}
	found = append(found, fare.Observation{Found: today.Time().Unix(), Depart: today + 150, Price: price})
	summary := verdict.Build(found, verdict.RouteSummary{}, today, verdict.Options{})
	if _, err := fares.Pooled(ctx); errors.Is(err, store.ErrNotFound) {
		if err := fares.PutPooled(ctx, store.Stored[departure.Cycle]{}, store.Cycles.Pack(departure.Cycle{
			Day: today - 1, Pooled: departure.Start(today)}), store.Score{}); err != nil {
			s.T.Fatal(err)
		}
	}
	for _, route := range s.routes {
		series := fare.Series{Route: route}
		before, err := fares.Departures(ctx, series)
		if err == nil {
			err = fares.PutDepartures(ctx, series, before, store.Departures{Any: store.States.Pack(sheet)}, store.Contribution{})
		}
		if err == nil {
			err = notifications.LeaveTrips(ctx, route, today, s.Now().AddDate(0, 0, 8))
		}
		if err == nil {
			_, err = notify.StoreNews(ctx, notifications, route, summary, today)
		}
		if err == nil {
			s.addDeal(route, price)
		}
		if err != nil {
			s.T.Fatal(err)
		}
	}
}

func (s *simulation) addDeal(route fare.Route, price fare.Cents) {
	s.T.Helper()
	stored, _, err := store.Fares{Table: s.Table}.Deals(s.T.Context(), route.Origin, fare.OneWay)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.T.Fatal(err)
	}
	level := verdict.Fair
	if price < 5000 {
		level = verdict.Great
	}
	e := deals.Entry{Destination: route.Destination, AsOf: s.Today(), Observations: 400}
	e.Any.Route = []deals.Deal{dealAt(s.Today(), price, level, 0)}
	putDeals(s.Fixture, route.Origin, stored.Merge([]deals.Entry{e}))
}

var errKilled = errors.New("killed")

// The call at which the process is killed may take effect.
func (s *simulation) call(step string) (effect bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left < 0 {
		return true, nil
	}
	if s.left == 0 {
		return false, errKilled
	}
	effect = s.chance.IntN(2) == 0
	if !strings.HasPrefix(step, "read") {
		step += map[bool]string{true: ", after its effect", false: ", before its effect"}[effect]
	}
	if seldom := 30*s.kills[step] < s.killed() && s.chance.IntN(3) == 0; seldom {
		s.left = 0
	} else if s.left--; s.left > 0 {
		return true, nil
	}
	s.kills[step]++
	return effect, errKilled
}

func stepOf(what string, k store.Key) string {
	partition, _, _ := strings.Cut(k.Partition, "#")
	return what + " " + partition
}

func (s *simulation) killed() (all int) {
	for _, n := range s.kills {
		all += n
	}
	return all
}

type mortal struct {
	store.Table
	s *simulation
}

func (m mortal) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	m.s.mu.Lock()
	m.s.reads++
	m.s.mu.Unlock()
	if _, err := m.s.call(stepOf("read", key)); err != nil {
		return store.Item{}, err
	}
	return m.Table.Get(ctx, key, read)
}

func (m mortal) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	m.s.mu.Lock()
	m.s.reads++
	m.s.mu.Unlock()
	if _, err := m.s.call(stepOf("read list", store.Key{Partition: r.Partition})); err != nil {
		return nil, err
	}
	return m.Table.Query(ctx, r)
}

func (m mortal) Write(ctx context.Context, ops ...store.Op) error {
	m.s.mu.Lock()
	m.s.write++
	m.s.mu.Unlock()
	effect, err := m.s.call(stepOf("write", ops[len(ops)-1].Item.Key))
	if effect {
		return errors.Join(m.Table.Write(ctx, ops...), err)
	}
	return err
}

func (s *simulation) Send(_ context.Context, m mail.Message) error {
	effect, err := s.call("send a mail")
	s.mu.Lock()
	defer s.mu.Unlock()
	if effect {
		if s.messages[m.ID]++; s.messages[m.ID] == 1 {
			s.sent[m.To]++
			s.to[m.ID] = m.To
		}
	}
	if err == nil && s.left >= 0 && s.chance.IntN(10) == 0 {
		s.lost++
		return mail.ErrUnavailable
	}
	return err
}

func (s *simulation) work(killAfter int) {
	s.T.Helper()
	for {
		s.left = -1
		if killAfter > 0 {
			s.left = 1 + s.chance.IntN(killAfter)
		}
		table := mortal{s.Table, s}
		sender := s.Sender()
		sender.Alerts.Table, sender.Notifications.Table, sender.Mail = table, table, s
		got, err := sender.Work(s.T.Context())
		if err == nil && !got.More {
			return
		}
		if killAfter == 0 {
			s.T.Fatalf("%+v %v", got, err)
		}
		s.Add(4 * time.Minute) // longer than the lease of the killed process
	}
}

func (s *simulation) run(killAfter int, prices ...fare.Cents) (each []int) {
	s.subscribe()
	for i, price := range prices {
		s.Set(notifytest.Today.AddDate(0, 0, 2*i))
		s.refresh(price)
		s.work(killAfter)
		if day := notifytest.Today.AddDate(0, 0, 2*i); s.Now().Sub(day) >= 12*time.Hour {
			s.T.Fatalf("the messages of %v took until %v: too many kills for one day", day, s.Now())
		}
	}
	each = make([]int, len(s.watch))
	for i := range s.routes {
		for k := range s.watch {
			n := s.sent[notifytest.AddressOf(fmt.Sprintf("s%d-%d", i, k))]
			if i > 0 && n != each[k] {
				s.T.Errorf("alert %d tells %d messages of %v, %d of %v", k, n, s.routes[i], each[k], s.routes[0])
			}
			each[k] = n
		}
	}
	return each
}

var prices = []fare.Cents{5500, 5500, 3900, 3900, 5600, 3800, 3700}

// A round has few routes, because each kill takes four minutes and news must be sent on the day of
// its refresh: the next day, the same price may have another verdict.
func simulate(t *testing.T, rounds, routes, killAfter, leastKills, least int) {
	want := newSimulation(t, 1).run(0, prices...)
	for k, n := range want {
		if n == 0 {
			t.Errorf("alert %d tells nothing: %v", k, want)
		}
	}
	kills := map[string]int{}
	alerts, messages, again, lost, reads, writes := 0, 0, 0, 0, 0, 0
	for round := range rounds {
		s := newSimulation(t, routes)
		s.chance = rand.New(rand.NewPCG(7, uint64(round)))
		for k, n := range s.run(killAfter, prices...) {
			if n != want[k] {
				t.Errorf("round %d: alert %d has sent %d messages, and without kills %d", round, k, n, want[k])
			}
		}
		for _, n := range s.messages {
			again += n - 1
		}
		for step, n := range s.kills {
			kills[step] += n
		}
		alerts, messages, lost, reads, writes = alerts+routes*len(s.watch), messages+len(s.messages), lost+s.lost,
			reads+s.reads, writes+s.write
	}
	all := 0
	for _, step := range slices.Sorted(maps.Keys(kills)) {
		all += kills[step]
		t.Logf("%6d kills: %s", kills[step], step)
		if kills[step] < least {
			t.Errorf("%d kills of %q, want %d", kills[step], step, least)
		}
	}
	t.Logf("%d alerts on %d routes, %d refreshes: %d messages, %d of them sent again as they were; %d kills, %d lost answers; %d reads and %d writes",
		alerts, rounds*routes, len(prices), messages, again, all, lost, reads, writes)
	if all < leastKills || killAfter > 0 && lost == 0 || again > all+lost {
		t.Errorf("%d kills, %d lost answers, %d messages again", all, lost, again)
	}
}

func TestKindsUnderKills(t *testing.T) { simulate(t, 2, 5, 35, 200, 0) }

package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
	"verdetto/shared/verdict/trends"
	"verdetto/shared/web/limit"
)

type call struct {
	record any
	method string
	args   args
}

type args []any

type made func() (any, error)

func (c call) do(ctx context.Context) error {
	method := reflect.ValueOf(c.record).MethodByName(c.method)
	is := method.Type()
	var in []reflect.Value
	if is.NumIn() > 0 && is.In(0) == reflect.TypeFor[context.Context]() {
		in = append(in, reflect.ValueOf(ctx))
	}
	for _, arg := range c.args {
		if make, ok := arg.(made); ok {
			var err error
			if arg, err = make(); err != nil {
				return err
			}
		}
		parameter := is.In(min(len(in), is.NumIn()-1))
		if is.IsVariadic() && len(in) >= is.NumIn()-1 {
			parameter = parameter.Elem()
		}
		value := reflect.Zero(parameter)
		if arg != nil {
			value = reflect.ValueOf(arg).Convert(parameter)
		}
		in = append(in, value)
	}
	out := method.Call(in)
	if len(out) == 0 {
		return nil
	}
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

func first[T any](all []T, err error) (any, error) {
	if err == nil && len(all) == 0 {
		err = errors.New("nothing was read")
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func read[T any](f func() (T, error)) made { return func() (any, error) { return f() } }

func fareCalls(table store.Table, later time.Time) []call {
	fares, series := store.Fares{Table: table}, fare.Series{Route: milBuh}
	data, summary, cycle := []byte("d"), store.Summaries.Pack(verdict.RouteSummary{}), store.Cycles.Pack(departure.Cycle{Pooled: departure.Start(1)})
	state := store.States.Pack(new(departure.State))
	contribution := store.NewContribution(20500, new(score.Contribution), later)
	blocks := []store.StoredBlock{{Block: fare.Block{Cycle: 2928, Data: data}}}
	return []call{
		{fares, "PutBlocks", args{series, blocks, func(fare.Cycle) time.Time { return later }}},
		{fares, "Blocks", args{series, store.Strong}},
		{fares, "PutSummary", args{series, store.Stored[verdict.RouteSummary]{}, summary}},
		{fares, "Summary", args{series}},
		{fares, "StoredSummary", args{series, store.Strong}},
		{fares, "PutDepartures", args{
			series, store.Departures{}, store.Departures{Any: state, NonStop: state, Learning: store.Learnings.Pack(store.Learning{})}, contribution,
		}},
		{fares, "Departures", args{series}},
		{fares, "Sheet", args{series, true}},
		{fares, "PutContributions", args{map[fare.Series]store.Contribution{series: contribution}}},
		{fares, "Contributions", args{20500}},
		{fares, "ContributionOf", args{series, 20500}},
		{fares, "PutPooled", args{store.Stored[departure.Cycle]{}, cycle,
			store.Score{Sum: new(score.Sum), Weeks: map[fare.Day]*score.Sum{20500: new(score.Sum)}}}},
		{fares, "ScoreSum", args{store.Strong}},
		{fares, "ScoreOfWeek", args{20500}},
		{fares, "ScoreWeeks", args{20500, store.Strong}},
		{fares, "Pooled", args{}},
		{fares, "StoredPooled", args{store.Strong}},
		{fares, "SetLastAnswer", args{"MIL", noon}},
		{fares, "LastAnswer", args{"MIL"}},
		{fares, "Claim", args{"csv", noon}},
		{fares, "ClaimImported", args{}},
		{fares, "Source", args{}},
		{fares, "CheckSource", args{"csv"}},
		{fares, "SeriesItems", args{series}},
		{fares, "PutSeriesItems", args{series, []store.Item{{Key: store.Key{Partition: "ROUTE#MIL-BUH", Sort: "SHEET"},
			Data: data}}, map[string]int64{"SHEET": 1}}},
		{fares, "CopyContributions", args{fares, 20500}},
		{fares, "PutTrends", args{"MIL", trends.Origin{}, 0, map[fare.City]store.Coverage{"BUH": {Observations: 1}}}},
		{fares, "UpdateDeals", args{"MIL", fare.OneWay, func(deals.Origin) deals.Origin { return deals.Origin{} }}},
		{fares, "UpdateDeals", args{"MIL", fare.Return4to7, func(deals.Origin) deals.Origin { return deals.Origin{} }}},
		{fares, "PutOrigin", args{"MIL", store.OriginLists{LastAnswer: later,
			Coverage: map[fare.City]store.Coverage{"BUH": {Observations: 1}},
			Deals:    map[fare.Trip]deals.Origin{fare.OneWay: {}, fare.Return4to7: {}}}}},
		{fares, "Deals", args{"MIL", fare.OneWay}},
		{fares, "DealsNow", args{"MIL", fare.OneWay}},
		{fares, "Trends", args{"MIL"}},
		{fares, "Covered", args{"", 0}},
		{fares, "IsCovered", args{milBuh}},
		{fares, "Into", args{"BUH", "", 0}},
		{fares, "SetRates", args{fare.Rates{}}},
		{fares, "Rates", nil},
		{fares, "NoteDemand", args{fare.Series{Route: milBuh, Trip: fare.Return4to7}, later}},
		{fares, "Demanded", args{time.Now()}},
		{fares, "RequestOrigin", args{"ROM", later}},
		{fares, "RequestedOrigins", args{time.Now()}},
		{fares, "SetRun", args{store.Discovery, noon, 0}},
		{fares, "SetRun", args{store.Depth, noon, 0}},
		{fares, "LastRun", args{store.Discovery}},
	}
}

func alertCalls(ctx context.Context, table store.Table, outbox store.Outbox, later time.Time) []call {
	alerts, digests := store.Alerts{Table: table, Outbox: outbox}, store.Digests{Table: table}
	ref, job := store.Ref{Route: milBuh}, store.Job{At: noon}
	one := read(func() (store.Alert, error) { return alerts.One(ctx, ref, "ada") })
	trip := alertOf("ada", "BUH", 0)
	trip.Trip.Airports = fare.Airports{From: fare.Airport{'B', 'G', 'Y'}}
	trip.ID = trip.NewID()
	chat := store.Alert{Route: milBuh, Channel: store.Telegram}
	weekly := store.Alert{Subscriber: "dan", Route: milBuh, Email: "dan@example.com", Digest: true}
	progress := read(func() (*store.DigestProgress, error) {
		p, err := digests.Progress(ctx)
		return &p, err
	})
	return []call{
		{alerts, "AddPending", args{"x", alertOf("ada", "BUH", 0), later, job}},
		{alerts, "AddPending", args{"trip", trip, later, job}},
		{alerts, "AddPending", args{"chat", chat, later}},
		{alerts, "AddPending", args{"weekly", weekly, later, job}},
		{alerts, "Pending", args{"x"}},
		{alerts, "Confirm", args{"x"}},
		{alerts, "Confirm", args{"trip"}},
		{alerts, "ConfirmAs", args{"chat", "eve", "1"}},
		{alerts, "One", args{ref, "ada"}},
		{alerts, "BySubscriber", args{"ada"}},
		{alerts, "Page", args{milBuh, "", 10}},
		{alerts, "MarkNotified", args{one, 20500, 0}},
		{alerts, "MarkNotifiedOf", args{one, 20501, "BUH"}},
		{alerts, "MarkMet", args{one, ""}},
		{alerts, "Change", args{ref, "ada", func(a *store.Alert) { a.Threshold++ }}},
		{alerts, "Pause", args{one, store.UntilResumed}},
		{alerts, "MarkSeen", args{alertOf("ada", "BUH", 0), 5000}},
		{alerts, "MarkOver", args{one, 20501}},
		{alerts, "Confirm", args{"weekly"}},
		{digests, "Digest", args{"dan"}},
		{alerts, "RemoveDigest", args{"dan"}},
		{alerts, "RemoveDigest", args{"dan"}},
		{digests, "Progress", nil},
		{digests, "Advance", args{progress, 20500, "dan"}},
		{digests, "Page", args{time.Monday, "", 10}},
		{digests, "MarkSent", args{store.Digest{Subscriber: "dan"}, 20500, nil}},
		{alerts, "SubscribedRoutes", args{"MIL"}},
		{alerts, "Remove", args{"ada"}},
		{alerts, "ForgetRoute", args{milBuh}},
		{alerts, "Stop", args{"ada", later}},
		{alerts, "Resume", args{"ada"}},
		{alerts, "Stopped", args{"ada"}},
		{store.Mailboxes{Table: table}, "Change", args{"ada", noon, func(b *store.Mailbox) { b.Stopped = later }}},
		{store.Networks{Table: table}, "Change", args{noon, func(n map[string]*store.Network) {
			n["net"] = &store.Network{Since: noon.Unix()}
		}}},
	}
}

func customerCalls(ctx context.Context, table store.Table, outbox store.Outbox, later time.Time) []call {
	customers, notes := store.Customers{Table: table}, store.Notes{Table: table}
	bob := apikey.CustomerIDOf([]byte("pepper"), "bob@example.com")
	held := read(func() (apikey.Key, error) {
		text, err := customers.Issue(ctx, rand.Reader, ada, noon, nil)
		key, _ := apikey.Parse(text)
		return key, err
	})
	owned := read(func() ([]byte, error) {
		c, err := customers.Customer(ctx, ada)
		return c.Hash, err
	})
	once := store.Once{What: "payment/1", Keep: func(store.Customer) bool { return false }}
	jobs := func(store.Customer) []store.LeftJob {
		return []store.LeftJob{{Outbox: outbox, Job: store.Job{At: noon}}}
	}
	return []call{
		{customers, "Put", args{store.Customer{ID: ada}}},
		{customers, "Customer", args{ada}},
		{customers, "Change", args{ada, func(*store.Customer) error { return nil }}},
		{customers, "Issue", args{rand.Reader, ada, noon, nil}},
		{customers, "IssueOnce", args{rand.Reader, ada, noon, once}},
		{customers, "Activate", args{ada, apikey.Hash{1}, noon}},
		{customers, "Cancel", args{ada, apikey.Hash{1}}},
		{customers, "Undoable", args{ada, owned}},
		{customers, "Undo", args{ada, owned, later}},
		{customers, "Rotate", args{held, apikey.Hash{1}, noon}},
		{customers, "LinkSubscription", args{"sub_1", ada}},
		{customers, "SubscriptionOwner", args{"sub_1"}},
		{customers, "Move", args{ada, bob, noon, jobs}},
		{customers, "Erase", args{ada, func(store.Job) bool { return false }, outbox}},
		{notes, "Put", args{store.Note{Name: "x", Data: []byte("n"), Until: later}}},
		{notes, "Get", args{"x"}},
		{notes, "Drop", args{"x"}},
	}
}

func paymentCalls(ctx context.Context, table store.Table, later time.Time) []call {
	payments := store.Payments{Table: table}
	daily := store.Slots{Subject: "all", Name: "DAY", Most: 500, Per: 24 * time.Hour, Fees: true}
	hourly := store.Slots{Subject: "all", Name: "HOUR", Most: 20, Per: time.Hour}
	payment := func(name string) made {
		return read(func() (store.Payment, error) { return payments.Get(ctx, name) })
	}
	var calls []call
	for _, name := range []string{"p1", "p2", "p3", "p4", "p5"} {
		taken := store.Payment{Name: name, Call: "c", Payer: name, At: noon}
		calls = append(calls, call{payments, "Take", args{taken, daily}})
	}
	return append(calls, []call{
		{payments, "Get", args{"p1"}},
		{payments, "Credits", args{"p1", later}},
		{payments, "Use", args{payment("p1"), payment("p2"), []byte("a"), noon}},
		{payments, "Give", args{payment("p3"), []byte("a"), noon}},
		{payments, "FreeFees", args{payment("p5"), noon}},
		{payments, "Answer", args{"p3"}},
		{payments, "Fail", args{payment("p4"), "failed", true, noon}},
		{payments, "Count", args{hourly, noon}},
	}...)
}

func queueCalls(ctx context.Context, table store.Table, outbox store.Outbox, later time.Time) []call {
	notifications, deliveries := store.Notifications{Table: table}, store.Deliveries{Table: table, Outbox: outbox}
	left := store.Notification{Route: milBuh, Day: 20500, News: []byte("n"), Expires: later}
	news := func() (store.Notification, error) { return notifications.Next(ctx, "") }
	pointer := read(func() (*store.Notification, error) {
		n, err := news()
		return &n, err
	})
	job, trip, data := store.Job{At: noon}, store.Trip{Nonstop: true}, []byte("d")
	const url = "https://example.com/"
	taken := func(now time.Time) made {
		return func() (any, error) { return first(outbox.Take(ctx, 1, now, time.Minute)) }
	}
	due := func(now time.Time) made {
		return func() (any, error) { return first(deliveries.Take(ctx, 1, now, time.Minute)) }
	}
	ended := func() (any, error) {
		d, err := first(deliveries.Take(ctx, 1, later, time.Minute))
		if err != nil {
			return nil, err
		}
		one := d.(store.Delivery)
		one.Ended = later
		return one, nil
	}
	return []call{
		{notifications, "Put", args{store.Past{}, left, data, later}},
		{notifications, "Past", args{milBuh}},
		{notifications, "Next", args{""}},
		{notifications, "Advance", args{pointer, "ada"}},
		{notifications, "Delete", args{read(news)}},
		{notifications, "LeaveTrips", args{milBuh, 20500, later}},
		{notifications, "PastTrip", args{milBuh, trip}},
		{notifications, "KeepTrip", args{store.Past{}, milBuh, trip, data, later}},
		{notifications, "TakeBack", args{milBuh, 20500}},

		{outbox, "Offer", args{"x", job, later}},
		{outbox, "CheckOffer", args{"x"}},
		{outbox, "Accept", args{"x", noon}},
		{outbox, "Put", args{job}},
		{outbox, "Keep", args{job, "kept-job", later}},
		{outbox, "Kept", args{"", 1}},
		{outbox, "PutOnce", args{job, "once"}},
		{outbox, "Postpone", args{taken(noon), noon.Add(time.Minute)}},
		{outbox, "Release", args{taken(later)}},
		{outbox, "Retries", nil},
		{outbox.Retries(), "Put", args{job}},
		{outbox, "Take", args{10, noon, time.Minute}},
		{outbox, "Delete", args{taken(later)}},

		{deliveries, "Enqueue", args{deliveryOf("ada", "a", noon)}},
		{deliveries, "Take", args{1, noon, time.Minute}},
		{deliveries, "Postpone", args{due(noon.Add(time.Minute)), later}},
		{deliveries, "One", args{"ada", "a"}},
		{deliveries, "BySubscriber", args{"ada"}},
		{deliveries, "End", args{made(ended), job}},
		{deliveries, "Replay", args{"ada", later, func(store.Delivery) bool { return true }}},
		{deliveries, "Drop", args{due(later)}},
		{deliveries, "Endpoint", args{"ada", url}},
		{
			deliveries, "ChangeEndpoint",
			args{"ada", url, noon, func(e *store.Endpoint) bool { e.Verified = true; return true }, job},
		},
		{deliveries, "Forget", args{"ada"}},
	}
}

func processCalls(table store.Table) []call {
	now := func() time.Time { return noon }
	limiter := limit.New(table, now)
	lease := &store.Lease{Table: table, Name: "mail", Holder: "a", Duration: time.Hour, Now: now}
	hourly := func(name string, calls int64) limit.Limit {
		return limit.Limit{Name: name, Calls: calls, Window: time.Hour}
	}
	calls := []call{
		{lease, "Hold", nil},
		{lease, "Remaining", nil},
		{lease, "While", args{func(context.Context) error { return nil }}},
		{lease, "Await", args{func() {}, func(context.Context) error { return nil }}},
		{lease, "Release", nil},

		{limiter, "With", args{map[string]int64{}}},
		{limiter, "Set", args{hourly("daily", 1)}},
		{limiter, "Take", args{hourly("daily", 1), "ip 192.0.2.1"}},
		{limiter, "TakeSeveral", args{hourly("daily", 9), "ip 192.0.2.1", 3}},
		{limiter, "Uncount", args{hourly("joined", 100), "network"}},
		{limiter, "Full", args{hourly("joined", 1000), "network"}},
		{limiter, "Usage", args{hourly("daily", 1), "ip 192.0.2.1"}},
		{store.Calls{Table: table}, "Count", args{"travelpayouts", 20500, 1}},
	}
	for range 20 {
		calls = append(calls, call{limiter, "CountShared", args{hourly("joined", 1000), "network"}})
	}
	return calls
}

type markedIn struct {
	store.Whole
	table store.Table
}

func (m markedIn) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	return m.table.Get(ctx, key, read)
}

func (m markedIn) Write(ctx context.Context, ops ...store.Op) error {
	return m.table.Write(ctx, ops...)
}

func driveRecords(t *testing.T, table store.Table) {
	t.Helper()
	ctx, later := t.Context(), noon.Add(time.Hour)
	outbox := store.Outbox{Table: table, Name: "alerts"}
	driven := map[reflect.Type][]string{}
	for _, c := range slices.Concat(
		fareCalls(table, later), alertCalls(ctx, table, outbox, later), customerCalls(ctx, table, outbox, later),
		paymentCalls(ctx, table, later), queueCalls(ctx, table, outbox, later), processCalls(table),
	) {
		if err := c.do(ctx); err != nil {
			t.Errorf("%T.%s: %v", c.record, c.method, err)
		}
		driven[reflect.TypeOf(c.record)] = append(driven[reflect.TypeOf(c.record)], c.method)
	}
	for record, methods := range driven {
		for i := range record.NumMethod() {
			if name := record.Method(i).Name; !slices.Contains(methods, name) {
				t.Errorf("%v.%s is not driven here, so its keys are not held to the table", record, name)
			}
		}
	}
	clock := storetest.NewClock()
	_, copied := copyOf(t, boltTable(t, clock.Now), markedIn{boltTable(t, clock.Now), table})
	_, pepper := store.Pepper(ctx, table, []byte("p"))
	replaced := store.ReplacePepper(ctx, table, []byte("p"))
	_, stored := store.StoredPepper(ctx, table)
	for _, err := range []error{store.DropLeases(ctx, table), store.Probe(ctx, table), copied, pepper, replaced, stored} {
		if err != nil {
			t.Error(err)
		}
	}
}

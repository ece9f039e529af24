package refresh_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

type recordingQueue struct {
	sent []string
	err  error
}

func (k *recordingQueue) Send(_ context.Context, messages ...string) error {
	k.sent = append(k.sent, messages...)
	return k.err
}

func TestEvent(t *testing.T) {
	const schedule = `{"version":"0","source":"aws.events","time":"2026-03-04T03:00:00Z","detail":{}}`
	planned := []string{
		`{"origins":["BAD"],"planned":"2026-03-04T03:00:00Z"}`,
		`{"origins":["MIL"],"planned":"2026-03-04T03:00:00Z"}`,
		`{"origins":["ROM"],"planned":"2026-03-04T03:00:00Z"}`,
	}
	later := func(all []string) (out []string) {
		for _, m := range all {
			out = append(out, strings.Replace(m, "03:00:00Z", "12:00:00Z", 1))
		}
		return out
	}
	all := []fare.City{"BAD", "MIL", "ROM"}
	for _, c := range []struct {
		name, event string
		without     bool
		queueErr    error
		sent        []string
		asked       []fare.City
		answer, err string
	}{
		{name: "a schedule", event: schedule, sent: planned, answer: `{"planned":3,"at":"2026-03-04T03:00:00Z"}`},
		{name: "nothing in particular", event: `{}`, sent: later(planned),
			answer: `{"planned":3,"at":"2026-03-04T12:00:00Z"}`},
		{name: "a schedule, and the queue fails", event: schedule, queueErr: errPartial, sent: planned,
			err: "plan 3 origins: out of order"},
		{name: "a schedule without a queue", event: schedule, without: true, asked: all, err: "1 of 3 cities failed"},
		{name: "some origins", event: `{"origins":["rom","MIL"]}`, asked: []fare.City{"MIL", "ROM"},
			answer: `"asked":2`},
		{name: "no city", event: `{"origins":["MIL","Rome"]}`, err: `"Rome": want three letters`},
		{name: "mail", event: `{"mail":true}`, answer: `{"mail":{"sent":0}}`},
		{name: "age", event: `{"age":true}`, answer: `null`},
		{name: "misspelt", event: `{"orgins":["MIL"]}`, err: `{"origins":["MIL"]} asks for some`},
		{name: "of another kind", event: `{"origins":"MIL"}`, err: "read event: json:"},
		{name: "no object", event: `"MIL"`, err: "read event: json:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := world()
			delete(s.has, "XXX")
			s.has["BAD"] = fmt.Errorf("%w: 503", upstream.ErrUnavailable)
			k := &recordingQueue{err: c.queueErr}
			table := open(t)
			f := function(refresher(s, table, clock), nil)
			f.CurrentRates = func(context.Context) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"USD": 1.1}} }
			f.Sender = &notify.Sender{Alerts: store.Alerts{Table: table},
				Notifications: store.Notifications{Table: table}, Rate: 1, Now: clock, Log: f.Log}
			if !c.without {
				f.Queue = k
			}
			answer, err := f.Event(t.Context(), json.RawMessage(c.event))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if text, _ := json.Marshal(answer); err == nil && !strings.Contains(string(text), c.answer) {
				t.Errorf("answer %s, want %s", text, c.answer)
			}
			slices.Sort(s.requests)
			if diff := cmp.Diff(c.sent, k.sent) + cmp.Diff(c.asked, s.requests); diff != "" {
				t.Error(diff)
			}
			rates, err := store.Fares{Table: table}.Rates(t.Context())
			if began := len(c.sent)+len(c.asked) > 0; (err == nil) != began || began && rates.PerEuro["USD"] != 1.1 {
				t.Errorf("rates %v %v", rates, err)
			}
		})
	}
}

func TestNoMailHere(t *testing.T) {
	f := function(refresh.Refresher{Now: clock}, nil)
	if _, err := f.Event(t.Context(), json.RawMessage(`{"mail":true}`)); err == nil ||
		!strings.Contains(err.Error(), "not configured") {
		t.Errorf("error %v", err)
	}
}

func message(id string, planned string, origins ...string) queue.Message {
	body, err := json.Marshal(map[string]any{"origins": origins, "planned": planned})
	if err != nil {
		panic(err)
	}
	return queue.Message{ID: id, Body: string(body), Received: 1}
}

func TestMessages(t *testing.T) {
	const before, now, after = "2026-03-03T03:00:00Z", "2026-03-04T12:00:00Z", "2026-03-05T03:00:00Z"
	for _, c := range []struct {
		name      string
		messages  []queue.Message
		refreshed bool
		failed    []string
		asked     []fare.City
	}{
		{"each for itself", []queue.Message{message("1", before, "MIL"), message("2", before, "BAD"),
			message("3", before, "ROM")}, false,
			[]string{"2"}, []fare.City{"BAD", "MIL", "ROM"}},
		{"several in one", []queue.Message{message("1", before, "MIL", "ROM", "BAD")}, false, []string{"1"},
			[]fare.City{"BAD", "MIL", "ROM"}},
		{"the same twice", []queue.Message{message("1", before, "MIL"), message("2", before, "MIL"),
			message("3", before, "BAD"), message("4", before, "BAD")}, false,
			[]string{"3", "4"}, []fare.City{"BAD", "MIL"}},
		{"done since", []queue.Message{message("1", before, "ROM", "MIL")}, true, nil, []fare.City{"MIL"}},
		{"done at the moment", []queue.Message{message("1", now, "ROM")}, true, nil, nil},
		{"not done since", []queue.Message{message("1", after, "ROM")}, true, nil, []fare.City{"ROM"}},
		{"no moment", []queue.Message{{ID: "1", Body: `{"origins":["ROM"]}`}}, true, nil, []fare.City{"ROM"}},
		{"not to be read", []queue.Message{{ID: "1", Body: "MIL"}, {ID: "2", Body: `{}`},
			{ID: "3", Body: `{"origins":["Rome"]}`}, message("4", before, "ROM")}, false,
			[]string{"1", "2", "3"}, []fare.City{"ROM"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := open(t)
			if c.refreshed {
				run(t, table, world(), "ROM")
			}
			s := world()
			s.has["BAD"] = fmt.Errorf("%w: 503", upstream.ErrUnavailable)
			k := &recordingQueue{}
			var log bytes.Buffer
			f := function(refresher(s, table, clock), k)
			f.Log, f.Metrics = slog.New(slog.NewJSONHandler(&log, nil)), metrics.NewSource("verdetto-refresh")
			failed := f.Messages(t.Context(), c.messages)
			slices.Sort(s.requests)
			if diff := cmp.Diff(c.failed, failed) + cmp.Diff(c.asked, s.requests); diff != "" || len(k.sent) > 0 {
				t.Errorf("sent %q; %s", k.sent, diff)
			}
			var line struct {
				Msg                         string
				OriginsAsked, OriginsFailed int
				Aws                         struct{ CloudWatchMetrics []json.RawMessage } `json:"_aws"`
			}
			last := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
			if err := json.Unmarshal(last[len(last)-1], &line); err != nil {
				t.Fatal(err)
			}
			bad := 0
			if slices.Contains(c.asked, "BAD") {
				bad = 1
			}
			if line.Msg != "refreshed" || line.OriginsFailed != bad || line.OriginsAsked != len(c.asked)-bad ||
				(len(c.asked) > 0) != (len(line.Aws.CloudWatchMetrics) == 1) {
				t.Errorf("logged %s", &log)
			}
		})
	}
}

type slowSource struct {
	*source
	takes time.Duration
}

func (s slowSource) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	if err := retry.Sleep(ctx, s.takes); err != nil {
		return upstream.Answer{}, err
	}
	return s.source.Fares(ctx, origin, since, until)
}

type slowTable struct {
	store.Table
	takes time.Duration
}

func (l slowTable) Write(ctx context.Context, ops ...store.Op) error {
	if ops[0].Item.Sort == "SHEET" {
		if err := retry.Sleep(ctx, l.takes); err != nil {
			return err
		}
	}
	return l.Table.Write(ctx, ops...)
}

func TestTimeRunsOut(t *testing.T) {
	const planned = "1999-12-31T03:00:00Z"
	for _, c := range []struct {
		name         string
		asks, writes time.Duration
		queueErr     error
		failed, sent []string
		asked        int
		took         time.Duration
	}{
		{"time enough", time.Minute, 0, nil, nil, nil, 3, 3 * time.Minute},
		{"not begun", 130 * time.Second, 0, nil, nil, []string{`{"origins":["ROM"],"planned":"` + planned + `"}`}, 2,
			260 * time.Second},
		{"not begun, and the queue fails", 130 * time.Second, 0, errPartial, []string{"3"},
			[]string{`{"origins":["ROM"],"planned":"` + planned + `"}`}, 2, 260 * time.Second},
		{"cut off with nothing to show", 200 * time.Second, 0, nil, []string{"2"},
			[]string{`{"origins":["ROM"],"planned":"` + planned + `"}`}, 1, 295 * time.Second},
		{"cut off half-way", 0, 160 * time.Second, nil, nil,
			[]string{`{"origins":["MIL"],"planned":"` + planned + `"}`,
				`{"origins":["ROM"],"planned":"` + planned + `"}`}, 1, 295 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := open(t)
				s := slowSource{world(), c.asks}
				s.has["NIL"] = nil
				k := &recordingQueue{err: c.queueErr}
				f := function(refresher(s, slowTable{table, c.writes}, clock), k)
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				began := time.Now()
				failed := f.Messages(ctx, []queue.Message{message("1", planned, "NIL"), message("2", planned, "MIL"),
					message("3", planned, "ROM")})
				if diff := cmp.Diff(c.failed, failed) + cmp.Diff(c.sent, k.sent); diff != "" {
					t.Error(diff)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				asked := 0
				for _, o := range []fare.City{"NIL", "MIL", "ROM"} {
					at, err := store.Fares{Table: table}.LastAnswer(t.Context(), o)
					if err != nil {
						t.Fatal(err)
					}
					if !at.IsZero() {
						asked++
					}
				}
				if asked != c.asked {
					t.Errorf("%d origins asked for, want %d", asked, c.asked)
				}
			})
		})
	}
}

type postponing struct {
	recordingQueue
	waits []time.Duration
}

func (q *postponing) Postpone(_ context.Context, _ queue.Message, wait time.Duration) error {
	q.waits = append(q.waits, wait)
	return nil
}

func TestFailedMessagesArePostponed(t *testing.T) {
	s := &source{has: map[fare.City]any{"MIL": fmt.Errorf("%w: 401", upstream.ErrRefused)}}
	q := &postponing{}
	f := function(refresher(s, open(t), clock), q)
	var log bytes.Buffer
	f.Log, f.Metrics = slog.New(slog.NewJSONHandler(&log, nil)), metrics.NewSource("verdetto-refresh")
	var whole time.Duration
	for received := range 8 { // after 8 deliveries, a message is a dead letter
		m := message("1", "2026-03-04T03:00:00Z", "MIL")
		m.Received = received + 1
		f.Messages(t.Context(), []queue.Message{m})
	}
	for _, wait := range q.waits[:7] {
		whole += wait
	}
	if !slices.IsSorted(q.waits) || q.waits[0] != 10*time.Minute || whole != 13*time.Hour+10*time.Minute {
		t.Errorf("waits %v, %v in all", q.waits, whole)
	}
	if n := strings.Count(log.String(), "store a valid travelpayouts-token"); n != 8 ||
		strings.Count(log.String(), `"SourceRefused":1`) != n {
		t.Errorf("%d lines name the token: %s", n, log.String())
	}
	s.has["MIL"], q.waits = nil, nil
	if f.Messages(t.Context(), []queue.Message{message("1", "2026-03-04T03:00:00Z", "MIL")}); len(q.waits) > 0 {
		t.Errorf("after an answer: %v", q.waits)
	}
}

func TestRefusedCredentialsFailMessages(t *testing.T) {
	s := &source{has: map[fare.City]any{"MIL": upstream.ErrRefused, "ROM": upstream.ErrRefused,
		"NIL": upstream.ErrRefused}}
	k := &recordingQueue{}
	f := function(refresher(s, open(t), clock), k)
	failed := f.Messages(t.Context(), []queue.Message{message("1", "2026-03-04T03:00:00Z", "MIL"),
		message("2", "2026-03-04T03:00:00Z", "ROM"), message("3", "2026-03-04T03:00:00Z", "NIL")})
	if len(failed) != 3 || len(k.sent) > 0 || len(s.requests) > 2 {
		t.Errorf("failed %v, sent %q, asked %v", failed, k.sent, s.requests)
	}
}

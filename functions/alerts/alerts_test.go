package alerts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/limit"
	"verdetto/shared/mail"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

// carrier answers each mail with the next of its errors, and takes it when there are none.
type carrier struct {
	errors []error
	taken  []mail.Message
	asked  int
	during func() // what happens while a mail is being handed over
}

func (c *carrier) Send(_ context.Context, m mail.Message) error {
	c.asked++
	if c.during != nil {
		c.during()
	}
	if len(c.errors) > 0 {
		err := c.errors[0]
		c.errors = c.errors[1:]
		if err != nil {
			return err
		}
	}
	c.taken = append(c.taken, m)
	return nil
}

type bench struct {
	*Service
	t     *testing.T
	clock *storetest.Clock
	post  *carrier
	log   *bytes.Buffer
}

func newBench(t *testing.T) bench {
	t.Helper()
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	b := bench{t: t, clock: clock, post: &carrier{}, log: &bytes.Buffer{}}
	b.Service = &Service{
		Alerts: store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}},
		Sender: b.post, Limiter: limit.New(table, clock.Now), Pepper: []byte("pepper"), BaseURL: "https://verdetto.example",
		Random: &rising{}, Now: clock.Now, Log: slog.New(slog.NewTextHandler(b.log, nil)),
	}
	t.Cleanup(func() {
		_ = table.Close()
		if strings.Contains(b.log.String(), "example.com") {
			t.Errorf("the log tells an address:\n%s", b.log)
		}
	})
	return b
}

// rising counts up, so that no two ids of a test are the same.
type rising struct{ n byte }

func (r *rising) Read(b []byte) (int, error) {
	r.n++
	for i := range b {
		b[i] = r.n
	}
	return len(b), nil
}

var milBuh = fare.Route{Origin: "MIL", Destination: "BUH"}

func (b bench) wish(email string) {
	b.t.Helper()
	if err := b.keep(b.t.Context(), wish{route: milBuh, email: email, threshold: 4000}, "it"); err != nil {
		b.t.Fatal(err)
	}
}

// work does what is in the outbox, comes back after a minute, and says what failed.
func (b bench) work() error {
	_, err := b.Work(b.t.Context())
	b.clock.Add(2 * time.Minute)
	return err
}

func (b bench) stopped(email string) bool {
	b.t.Helper()
	stopped, err := b.Alerts.Stopped(b.t.Context(), b.subscriber(email))
	if err != nil {
		b.t.Fatal(err)
	}
	return stopped
}

// TestTriedAgain: what the carrier does not take for now is sent later, as the
// same mail, and counts as one mail to its address however often it is tried.
func TestTriedAgain(t *testing.T) {
	b := newBench(t)
	b.wish("ada@example.com")
	b.post.errors = []error{
		mail.ErrThrottled, mail.ErrUnavailable, mail.ErrBlocked, fmt.Errorf("slow down: %w", mail.ErrThrottled), mail.ErrThrottled,
	}
	for n := range 5 {
		if err := b.work(); err == nil {
			t.Errorf("try %d: no error", n)
		}
	}
	if err := b.work(); err != nil || len(b.post.taken) != 1 || b.stopped("ada@example.com") {
		t.Fatalf("%v, %d mails", err, len(b.post.taken))
	}
	m := b.post.taken[0]
	if m.To != "ada@example.com" || !strings.Contains(m.Text, "https://verdetto.example/v1/alerts/confirm?id=") || m.Unsubscribe != "" {
		t.Errorf("%+v", m)
	}
	b.wish("ada@example.com")
	b.wish("ada@example.com")
	b.wish("ada@example.com") // the fourth of the hour
	if err := b.work(); err != nil || len(b.post.taken) != 3 {
		t.Errorf("%v, %d mails", err, len(b.post.taken))
	}
	if err := b.work(); err != nil || b.post.asked != 8 { // five in vain, three taken, and nothing is left
		t.Errorf("%v, the carrier was asked %d times", err, b.post.asked)
	}
}

func TestNotSent(t *testing.T) {
	t.Run("refused for good", func(t *testing.T) {
		b := newBench(t)
		b.wish("ada@example.com")
		b.wish("ada@example.com")
		b.post.errors = []error{fmt.Errorf("no such mailbox: %w", mail.ErrRefused)}
		if err := b.work(); err != nil || b.post.asked != 1 || !b.stopped("ada@example.com") {
			t.Errorf("%v, asked %d times", err, b.post.asked)
		}
		b.clock.Add(RefusedDays * 24 * time.Hour)
		if b.stopped("ada@example.com") {
			t.Error("stopped for longer")
		}
	})
	t.Run("expired before it was sent", func(t *testing.T) {
		b := newBench(t)
		b.wish("ada@example.com")
		b.clock.Add(PendingHours * time.Hour)
		if err := b.work(); err != nil || b.post.asked != 0 {
			t.Errorf("%v, asked %d times", err, b.post.asked)
		}
	})
	t.Run("one that fails holds up no other", func(t *testing.T) {
		b := newBench(t)
		b.wish("ada@example.com")
		b.clock.Add(time.Second)
		b.wish("bob@example.com")
		b.post.errors = []error{mail.ErrThrottled}
		if err := b.work(); err == nil || len(b.post.taken) != 1 || b.post.taken[0].To != "bob@example.com" {
			t.Errorf("%v %+v", err, b.post.taken)
		}
	})
	t.Run("no randomness", func(t *testing.T) {
		b := newBench(t)
		b.Random = strings.NewReader("short")
		if err := b.keep(t.Context(), wish{route: milBuh, email: "ada@example.com"}, "it"); err == nil {
			t.Error("an id was made of nothing")
		}
	})
}

// TestNotices hands over what SES says in either form.
func TestNotices(t *testing.T) {
	const year = 365 * 24 * time.Hour
	bounce := func(form, kind, recipients string) string {
		return `{"` + form + `":"Bounce","bounce":{"bounceType":"` + kind + `","bounceSubType":"General","bouncedRecipients":[` + recipients + `],"feedbackId":"1"},"mail":{"destination":["bob@example.com"]}}`
	}
	complaint := func(form, feedback, recipients string) string {
		return `{"` + form + `":"Complaint","complaint":{"complainedRecipients":[` + recipients + `],"complaintFeedbackType":"` + feedback + `"},"mail":{"destination":["bob@example.com"]}}`
	}
	const ada = `{"emailAddress":"ada@example.com","status":"5.1.1","action":"failed"}`
	for _, c := range []struct {
		name     string
		messages []string
		stopped  []string
		still    time.Duration // for at least so long
		over     time.Duration // and no longer than that
		logged   string
	}{
		{"bounce, older form", []string{bounce("notificationType", "Permanent", ada)}, []string{"ada"}, 179 * 24 * time.Hour, 180 * 24 * time.Hour, ""},
		{"bounce, event", []string{bounce("eventType", "Permanent", ada)}, []string{"ada"}, 179 * 24 * time.Hour, 180 * 24 * time.Hour, ""},
		{"complaint, older form", []string{complaint("notificationType", "abuse", ada)}, []string{"ada"}, 9 * year, 11 * year, ""},
		{"complaint, event", []string{complaint("eventType", "", ada)}, []string{"ada"}, 9 * year, 11 * year, ""},
		{"two recipients, one with a name", []string{bounce("eventType", "Permanent", ada+`,{"emailAddress":"Bob <bob@EXAMPLE.com>"}`)}, []string{"ada", "bob"}, 0, 180 * 24 * time.Hour, ""},
		{"full mailbox", []string{bounce("eventType", "Transient", ada)}, nil, 0, 0, ""},
		{"nobody knows why", []string{bounce("notificationType", "Undetermined", ada)}, nil, 0, 0, ""},
		{"said not to be spam", []string{complaint("eventType", "not-spam", ada)}, nil, 0, 0, ""},
		{"delivered", []string{`{"eventType":"Delivery","delivery":{"recipients":["ada@example.com"]}}`}, nil, 0, 0, ""},
		{"a greeting", []string{"Successfully validated SNS topic for Amazon SES event publishing."}, nil, 0, 0, "cannot be read"},
		{"the next is read all the same", []string{"{", "null", bounce("eventType", "Permanent", ada)}, []string{"ada"}, 0, 180 * 24 * time.Hour, "cannot be read"},
		{"wrong types", []string{`{"eventType":7}`, `{"eventType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":"ada@example.com"}}`}, nil, 0, 0, "cannot be read"},
		{"an address that is none", []string{bounce("eventType", "Permanent", `{"emailAddress":"ada@example.com\r\nx"},{},`+ada)}, []string{"ada"}, 0, 180 * 24 * time.Hour, "nobody"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			for _, who := range []string{"ada", "bob"} {
				b.wish(who + "@example.com")
			}
			var records []map[string]any
			for _, m := range c.messages {
				records = append(records, map[string]any{"EventSource": "aws:sns", "EventVersion": "1.0", "Sns": map[string]string{"Type": "Notification", "Message": m}})
			}
			event, err := json.Marshal(map[string]any{"Records": records})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // SNS delivers at least once
				out, err := b.Event(t.Context(), event)
				if diff := cmp.Diff(Outcome{Stopped: len(c.stopped)}, out); err != nil || diff != "" {
					t.Errorf("%v %s", err, diff)
				}
			}
			check := func(when string, want []string) {
				var got []string
				for _, who := range []string{"ada", "bob"} {
					if b.stopped(who + "@example.com") {
						got = append(got, who)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
			}
			check("now", c.stopped)
			b.clock.Add(c.still)
			check("still", c.stopped)
			b.clock.Add(c.over - c.still)
			check("at the end", nil)
			if logged := b.log.String(); c.logged == "" && logged != "" || !strings.Contains(logged, c.logged) {
				t.Errorf("log %q", logged)
			}
		})
	}
}

// TestOtherEvents: schedules and nudges mean that there is work.
func TestOtherEvents(t *testing.T) {
	for name, event := range map[string]string{
		"schedule": `{"source":"aws.events","detail-type":"Scheduled Event","detail":{}}`,
		"queue":    `{"Records":[{"messageId":"1","eventSource":"aws:sqs","body":"{\"work\":true}"}]}`,
		"nothing":  `{}`,
		"null":     `null`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for n := range 60 { // more than are done at once
				b.wish(fmt.Sprintf("ada%d@example.com", n))
			}
			out, err := b.Event(t.Context(), json.RawMessage(event))
			if err != nil || out.Done != 60 || len(b.post.taken) != 60 {
				t.Errorf("%v %+v, %d mails", err, out, len(b.post.taken))
			}
		})
	}
	t.Run("what fails is told, and the rest is done", func(t *testing.T) {
		b := newBench(t)
		for n := range 60 {
			b.wish(fmt.Sprintf("ada%d@example.com", n))
		}
		b.post.errors = []error{mail.ErrThrottled}
		if out, err := b.Event(t.Context(), json.RawMessage(`{}`)); err == nil || out.Done != 59 {
			t.Errorf("%v %+v", err, out)
		}
	})
}

// TestOneMailboxManyAddresses: addresses that are delivered to one mailbox share its cap.
func TestOneMailboxManyAddresses(t *testing.T) {
	for _, c := range []struct {
		name      string
		addresses []string
		want      int
	}{
		{"one address", []string{"ada@mail.test", "ada@mail.test", "ada@mail.test", "ada@mail.test"}, 3},
		{"in other cases", []string{"ada@mail.test", "Ada@mail.test", "ADA@mail.test", "adA@MAIL.test"}, 3},
		{"with tags", []string{"ada@mail.test", "ada+1@mail.test", "Ada+2@mail.test", "ada+2+3@mail.test"}, 3},
		{"with dots at Google", []string{"adalace@gmail.com", "ada.lace@gmail.com", "a.d.a.lace+x@googlemail.com", "adalac.e@gmail.com"}, 3},
		{"with dots elsewhere", []string{"adalace@mail.test", "ada.lace@mail.test", "a.dalace@mail.test", "adalac.e@mail.test"}, 4},
		{"nothing but a tag", []string{"+a@mail.test", "+b@mail.test", "+c@mail.test", "+d@mail.test"}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			for _, address := range c.addresses {
				b.wish(address)
			}
			if err := b.work(); err != nil {
				t.Fatal(err)
			}
			if len(b.post.taken) != c.want {
				t.Errorf("%d mails, want %d", len(b.post.taken), c.want)
			}
		})
	}
}

// TestASlowCarrier: where mails take so long that the lease of the last jobs runs
// out, another worker sends those that were not begun, and the first does not.
func TestASlowCarrier(t *testing.T) {
	b := newBench(t)
	for _, who := range []string{"ada", "bob", "eve"} {
		b.wish(who + "@mail.test")
	}
	b.post.during = func() {
		b.clock.Add(40 * time.Second)
		if b.post.asked == 2 { // 80 seconds have passed
			if _, err := b.Work(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	for range 3 {
		if err := b.work(); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	for _, m := range b.post.taken {
		got[m.To]++
	}
	// The one that was on its way when its lease ran out may come twice; the one that was not begun may not.
	if len(got) != 3 || len(b.post.taken) != 4 {
		t.Errorf("%v", got)
	}
}

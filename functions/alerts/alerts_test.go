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

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

type carrier struct {
	errors []error
	taken  int
}

func (c *carrier) Send(context.Context, mail.Message) error {
	if len(c.errors) > 0 {
		err := c.errors[0]
		c.errors = c.errors[1:]
		return err
	}
	c.taken++
	return nil
}

type fixture struct {
	*Service
	t       *testing.T
	clock   *storetest.Clock
	carrier *carrier
	log     *bytes.Buffer
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	b := fixture{t: t, clock: clock, carrier: &carrier{}, log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(b.log, nil))
	records := store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}}
	links := notify.Links{Pepper: []byte("pepper"), BaseURL: "https://verdetto.example"}
	b.Service = &Service{
		Alerts: records, Links: links, Random: &rising{}, Now: clock.Now, Log: log,
		Confirmations: &notify.Confirmations{Alerts: records, Mail: b.carrier, Limiter: limit.New(table, clock.Now),
			Links: links, Now: clock.Now, Log: log},
		Pushes: &notify.Pushes{Alerts: records, Outbox: store.Outbox{Table: table, Name: notify.PushOutbox},
			Links: links, Now: clock.Now, Log: log},
		Webhooks: &webhook.Worker{Deliveries: store.Deliveries{Table: table, Outbox: records.Outbox},
			Alerts: records, Limiter: limit.New(table, clock.Now), Now: clock.Now, Log: log},
	}
	t.Cleanup(func() {
		_ = table.Close()
		if strings.Contains(b.log.String(), "example.com") {
			t.Errorf("the log tells an address:\n%s", b.log)
		}
	})
	return b
}

type rising struct{ n byte }

func (r *rising) Read(b []byte) (int, error) {
	r.n++
	for i := range b {
		b[i] = r.n
	}
	return len(b), nil
}

var milBuh = fare.Route{Origin: "MIL", Destination: "BUH"}

func (b fixture) request(email string) {
	b.t.Helper()
	if _, err := b.savePending(b.t.Context(), httpapi.Repeatable{},
		request{Alert: store.Alert{Route: milBuh, Email: email, Threshold: 4000}}, "it"); err != nil {
		b.t.Fatal(err)
	}
}

func (b fixture) stopped(email string) bool {
	b.t.Helper()
	stopped, err := b.Alerts.Stopped(b.t.Context(), b.Links.Subscriber(email))
	if err != nil {
		b.t.Fatal(err)
	}
	return stopped
}

func TestNoRandomness(t *testing.T) {
	b := newFixture(t)
	b.Random = strings.NewReader("short")
	if _, err := b.savePending(t.Context(), httpapi.Repeatable{},
		request{Alert: store.Alert{Route: milBuh, Email: "ada@example.com"}}, "it"); err == nil {
		t.Error("an id was made of nothing")
	}
}

func TestNotices(t *testing.T) {
	const year = 365 * 24 * time.Hour
	bounce := func(form, kind, recipients string) string {
		return `{"` + form + `":"Bounce","bounce":{"bounceType":"` + kind +
			`","bounceSubType":"General","bouncedRecipients":[` + recipients +
			`],"feedbackId":"1"},"mail":{"destination":["bob@example.com"]}}`
	}
	complaint := func(form, feedback, recipients string) string {
		return `{"` + form + `":"Complaint","complaint":{"complainedRecipients":[` + recipients +
			`],"complaintFeedbackType":"` + feedback + `"},"mail":{"destination":["bob@example.com"]}}`
	}
	const ada = `{"emailAddress":"ada@example.com","status":"5.1.1","action":"failed"}`
	for _, c := range []struct {
		name     string
		messages []string
		stopped  []string
		still    time.Duration
		over     time.Duration
		logged   string
	}{
		{"bounce, older form", []string{bounce("notificationType", "Permanent", ada)}, []string{"ada"},
			179 * 24 * time.Hour, 180 * 24 * time.Hour, ""},
		{"bounce, event", []string{bounce("eventType", "Permanent", ada)}, []string{"ada"}, 179 * 24 * time.Hour,
			180 * 24 * time.Hour, ""},
		{"complaint, older form", []string{complaint("notificationType", "abuse", ada)}, []string{"ada"}, 9 * year,
			11 * year, ""},
		{"complaint, event", []string{complaint("eventType", "", ada)}, []string{"ada"}, 9 * year, 11 * year, ""},
		{"two recipients, one with a name", []string{bounce("eventType", "Permanent",
			ada+`,{"emailAddress":"Bob <bob@EXAMPLE.com>"}`)}, []string{"ada", "bob"}, 0, 180 * 24 * time.Hour, ""},
		{"full mailbox", []string{bounce("eventType", "Transient", ada)}, nil, 0, 0, ""},
		{"unknown reason", []string{bounce("notificationType", "Undetermined", ada)}, nil, 0, 0, ""},
		{"said not to be spam", []string{complaint("eventType", "not-spam", ada)}, nil, 0, 0, ""},
		{"delivered", []string{`{"eventType":"Delivery","delivery":{"recipients":["ada@example.com"]}}`}, nil, 0, 0,
			""},
		{"a greeting", []string{"Successfully validated SNS topic for Amazon SES event publishing."}, nil, 0, 0,
			"cannot be read"},
		{"the next is read all the same", []string{"{", "null", bounce("eventType", "Permanent", ada)},
			[]string{"ada"}, 0, 180 * 24 * time.Hour, "cannot be read"},
		{"wrong types", []string{`{"eventType":7}`,
			`{"eventType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":"ada@example.com"}}`}, nil,
			0, 0, "cannot be read"},
		{"an address that is none", []string{bounce("eventType", "Permanent",
			`{"emailAddress":"ada@example.com\r\nx"},{},`+ada)}, []string{"ada"}, 0, 180 * 24 * time.Hour, "address that cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFixture(t)
			for _, who := range []string{"ada", "bob"} {
				b.request(who + "@example.com")
			}
			var records []map[string]any
			for _, m := range c.messages {
				records = append(records, map[string]any{"EventSource": "aws:sns", "EventVersion": "1.0",
					"Sns": map[string]string{"Type": "Notification", "Message": m}})
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

func TestOtherEvents(t *testing.T) {
	for name, event := range map[string]string{
		"schedule": `{"source":"aws.events","detail-type":"Scheduled Event","detail":{}}`,
		"queue":    `{"Records":[{"messageId":"1","eventSource":"aws:sqs","body":"{\"work\":true}"}]}`,
		"nothing":  `{}`,
		"null":     `null`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			for n := range 60 {
				b.request(fmt.Sprintf("ada%d@example.com", n))
			}
			out, err := b.Event(t.Context(), json.RawMessage(event))
			if err != nil || out.Done != 60 || b.carrier.taken != 60 {
				t.Errorf("%v %+v, %d mails", err, out, b.carrier.taken)
			}
		})
	}
	t.Run("what fails waits, and the rest is done", func(t *testing.T) {
		b := newFixture(t)
		for n := range 60 {
			b.request(fmt.Sprintf("ada%d@example.com", n))
		}
		b.carrier.errors = []error{mail.ErrThrottled}
		if out, err := b.Event(t.Context(), json.RawMessage(`{}`)); err != nil || out.Done != 59 {
			t.Errorf("%v %+v", err, out)
		}
		b.clock.Add(time.Minute)
		if out, err := b.Event(t.Context(), json.RawMessage(`{}`)); err != nil || out.Done != 1 {
			t.Errorf("a minute later: %v %+v", err, out)
		}
	})
}

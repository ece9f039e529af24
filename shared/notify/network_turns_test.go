package notify_test

import (
	"fmt"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
)

func (b *outbox) addFrom(network, email string) {
	b.t.Helper()
	b.asked++
	id, now, to := fmt.Sprint("id", b.asked), b.clock.Now(), b.Links.Subscriber(email)
	j := notify.ConfirmJob(id, now)
	j.To, j.Caller, j.Network = to, network, network
	if err := b.Alerts.AddPending(b.t.Context(), id, store.Alert{Subscriber: to, Email: email, Language: "it",
		Route: notifytest.Route("MIL-BUH"), Threshold: 4000}, now.Add(pendingFor), j); err != nil {
		b.t.Fatal(err)
	}
}

func TestAFloodOfRequests(t *testing.T) {
	t.Parallel()
	const jobs, bounceAfter = 2200, 20 * time.Second
	for _, c := range []struct {
		name     string
		networks int
		bounce   bool
	}{
		{"seven /48", 7, false},
		{"440 addresses, no mailbox exists", 440, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newOutbox(t)
			b.addFrom("neighbour", "first@mail.test")
			b.clock.Add(time.Second)
			if _, err := b.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			networkOf, bounces, strangers := map[string]string{}, map[string]int{}, map[string]int{}
			for n := range jobs {
				network := fmt.Sprint("network", n%c.networks)
				email := fmt.Sprintf("s%d@strangers.test", n)
				networkOf[email] = network
				b.addFrom(network, email)
			}
			b.clock.Add(2 * time.Second)
			began, sent := b.clock.Now(), len(b.carrier.taken)
			asked, waited := map[string]time.Time{}, map[string]time.Duration{}
			seen := len(b.carrier.taken)
			b.carrier.refuses = func(mail.Message) error { b.clock.Add(100 * time.Millisecond); return nil }
			due := []time.Duration{0, 10 * time.Second, 5 * time.Minute, 40 * time.Minute, 100 * time.Minute}
			for b.clock.Now().Sub(began) < 2*time.Hour {
				if len(due) > 0 && b.clock.Now().Sub(began) >= due[0] {
					who := fmt.Sprintf("honest%d@mail.test", len(due))
					asked[who] = b.clock.Now()
					b.addFrom(who, who)
					if len(due) == 4 {
						asked["second@mail.test"] = b.clock.Now()
						b.addFrom("neighbour", "second@mail.test")
					}
					due = due[1:]
				}
				if _, err := b.Work(t.Context()); err != nil {
					t.Fatal(err)
				}
				for ; seen < len(b.carrier.taken); seen++ {
					to := b.carrier.taken[seen].To
					if from, ok := asked[to]; ok {
						waited[to] = b.carrier.at[seen].Sub(from)
					} else {
						strangers[networkOf[to]]++
					}
				}
				for ; c.bounce && sent < seen && b.clock.Now().Sub(b.carrier.at[sent]) >= bounceAfter; sent++ {
					if to := b.carrier.taken[sent].To; networkOf[to] != "" {
						bounces[networkOf[to]]++
						if err := b.Mailboxes().Bounced(t.Context(), to); err != nil {
							t.Fatal(err)
						}
					}
				}
				if b.clock.Add(15 * time.Second); len(waited) == len(asked) {
					b.clock.Add(time.Minute)
				}
			}
			for who := range asked {
				if took, ok := waited[who]; !ok || took >= time.Minute && who != "second@mail.test" || took > time.Hour {
					t.Errorf("%s waited %s, sent %v", who, took, ok)
				}
			}
			for network, n := range bounces {
				if n > 3 {
					t.Errorf("%d mails of %s bounced", n, network)
				}
			}
			least, most := jobs, 0
			for _, n := range strangers {
				least, most = min(least, n), max(most, n)
			}
			t.Logf("waits %v; %d networks of strangers got %d to %d mails", waited, len(strangers), least, most)
			if len(strangers) != c.networks || most-least > 2 {
				t.Errorf("%d networks of strangers got %d to %d mails", len(strangers), least, most)
			}
		})
	}
}

func TestBouncesOfANetwork(t *testing.T) {
	b := newOutbox(t)
	sent := func() int {
		for range 3 {
			if err := b.work(); err != nil {
				t.Fatal(err)
			}
			b.clock.Add(5 * time.Minute)
		}
		return len(b.carrier.taken)
	}
	bounce := func(email string) {
		if err := b.Mailboxes().Bounced(t.Context(), email); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Mailboxes().Read(t.Context(), b.Links.Mailbox("own@mail.test"), "net"); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"own", "a", "b"} {
		b.addFrom("net", who+"@mail.test")
	}
	if n := sent(); n != 3 {
		t.Fatalf("%d were sent", n)
	}
	for _, who := range []string{"own", "a", "b", "b", "unknown"} {
		bounce(who + "@mail.test")
	}
	b.addFrom("net", "c@mail.test")
	if n := sent(); n != 4 {
		t.Fatalf("after two bounces %d were sent", n)
	}
	bounce("c@mail.test")
	b.addFrom("net", "d@mail.test")
	b.addFrom("other", "e@mail.test")
	if n := sent(); n != 5 || b.carrier.taken[4].To != "e@mail.test" {
		t.Fatalf("after three bounces %d were sent", n)
	}
	b.clock.Add(24 * time.Hour)
	if n := sent(); n != 6 {
		t.Errorf("a day later %d were sent", n)
	}
}

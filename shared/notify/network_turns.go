package notify

import (
	"context"
	"slices"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// The networks of anonymous callers take turns, so that none can use up the mails of the hour for
// the others, or spoil the service's reputation with mails to mailboxes that do not exist.
const (
	// A mail provider reports a mailbox that does not exist within recentTime. After maxBounced such
	// mailboxes in a day, the network's jobs wait for closedTime. So in recentTime the network's mails
	// go to at most maxBounced recipients, less those that bounced.
	recentTime = 5 * time.Minute
	maxBounced = 3
	closedTime = 24 * time.Hour
)

// perSeen counts all messages too. When it is full, only networks without a mail in the last 24 hours
// get the rest of perService.
func (c *Confirmations) perSeen() limit.Limit {
	return limit.Limit{Name: "alerts-seen", Calls: max(1, c.Limiter.Set(perService).Calls*3/4), Window: time.Hour}
}

// choose is the Choose of the outboxes.
func (c *Confirmations) choose(ctx context.Context, due []store.Job, most int) (chosen []store.Job, err error) {
	if len(due) == 0 {
		return nil, nil
	}
	_, onlyNew := c.Limiter.Full(c.perSeen(), everybody)
	err = c.networks().Change(ctx, c.Now(), func(networks map[string]*store.Network) {
		chosen = inTurn(networks, due, most, onlyNew, c.Now())
	})
	return chosen, err
}

func (c *Confirmations) networks() store.Networks { return store.Networks{Table: c.Alerts.Table} }

// inTurn picks the jobs that may run now, and records them with their networks. A retried job was
// recorded when its turn came.
func inTurn(networks map[string]*store.Network, due []store.Job, most int, onlyNew bool, now time.Time) (chosen []store.Job) {
	for _, n := range networks {
		for to, at := range n.Recent {
			if now.Sub(time.Unix(at, 0)) >= recentTime {
				delete(n.Recent, to)
			}
		}
	}
	had := func(network string) int {
		if n := networks[network]; n != nil {
			return n.Jobs
		}
		return 0
	}
	for _, j := range store.InTurn(due, had) {
		if len(chosen) == most {
			break
		}
		n := networks[j.Network]
		j.New = j.New || n == nil && j.First == ""
		switch {
		case j.Network == "":
		case onlyNew && !j.New, n != nil && now.Unix() < n.Closed:
			continue
		case j.First == "":
			if n == nil {
				n = &store.Network{Since: now.Unix()}
				networks[j.Network] = n
			}
			if _, again := n.Recent[j.To]; !again && len(n.Recent)+len(n.Bounced) >= maxBounced {
				continue
			}
			if n.Recent == nil {
				n.Recent = map[store.SubscriberID]int64{}
			}
			n.Recent[j.To] = now.Unix()
			n.Jobs++
		}
		chosen = append(chosen, j)
	}
	return chosen
}

// Bounced counts a mailbox that does not exist towards the networks that asked for mails to it, unless
// its reader asked. The jobs of a network with maxBounced such mailboxes wait; keys and plans do not.
func (c *Confirmations) Bounced(ctx context.Context, email string) error {
	var asked []string
	err := c.Mailboxes().Store.Change(ctx, c.Links.Mailbox(email), c.Now(), func(b *store.Mailbox) {
		asked = nil
		for _, m := range b.Mails {
			if m.Network != "" && !m.Own {
				asked = append(asked, m.Network)
			}
		}
	})
	if err != nil || len(asked) == 0 {
		return err
	}
	return c.networks().Change(ctx, c.Now(), func(networks map[string]*store.Network) {
		for _, network := range asked {
			n := networks[network]
			if n == nil {
				n = &store.Network{Since: c.Now().Unix()}
				networks[network] = n
			}
			to := c.Links.Subscriber(email)
			if n.Closed > 0 || slices.Contains(n.Bounced, to) {
				continue
			}
			delete(n.Recent, to)
			if n.Bounced = append(n.Bounced, to); len(n.Bounced) == maxBounced {
				n.Closed = c.Now().Add(closedTime).Unix()
			}
		}
	})
}

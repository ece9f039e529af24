package notify

import (
	"context"
	"slices"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// The networks of callers take turns, so that no network can use up the mails of the hour.
const (
	// Within recentTime, new mails of a network go to at most maxBounced recipients, because a mail
	// provider may still report that a mailbox does not exist. After maxBounced bounces, the jobs
	// of the network wait for closedTime.
	recentTime = 5 * time.Minute
	maxBounced = 3
	closedTime = 24 * time.Hour
)

// Without perService, a caller with many IP addresses could cause a flood of mails, and mail
// providers might block the service.
var perService = limit.Limit{Name: "alerts-service", Calls: 1000, Window: time.Hour}

const everybody = "all"

// Beyond perSeen, the rest of perService is for new networks and for jobs without a network.
func perSeen(l *limit.Limiter) limit.Limit {
	return limit.Limit{Name: "alerts-seen", Calls: max(1, l.Set(perService).Calls*3/4), Window: time.Hour}
}

func inTurn(networks map[string]*store.Network, due []store.Job, most int, onlyNew bool, now time.Time) (chosen []store.Job) {
	for _, n := range networks {
		for to, at := range n.Recent {
			if now.Sub(time.Unix(at, 0)) >= recentTime {
				delete(n.Recent, to)
			}
		}
	}
	earlier := func(network string) int {
		if n := networks[network]; n != nil {
			return n.Jobs
		}
		return 0
	}
	for _, j := range store.InTurn(due, earlier) {
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

// Bounced counts a bounce against the networks from which mails to the address were requested in the last
// 24 hours. Requests by the reader of the mailbox do not count.
func (m Mailboxes) Bounced(ctx context.Context, email string) error {
	var asked []string
	err := m.Store.Change(ctx, m.Links.Mailbox(email), m.Now(), func(b *store.Mailbox) {
		asked = nil
		for _, mail := range b.Mails {
			if mail.Network != "" && !mail.Own {
				asked = append(asked, mail.Network)
			}
		}
	})
	if err != nil || len(asked) == 0 {
		return err
	}
	return store.Networks{Table: m.Store.Table}.Change(ctx, m.Now(), func(networks map[string]*store.Network) {
		for _, network := range asked {
			n := networks[network]
			if n == nil {
				n = &store.Network{Since: m.Now().Unix()}
				networks[network] = n
			}
			to := m.Links.Subscriber(email)
			if n.Closed > 0 || slices.Contains(n.Bounced, to) {
				continue
			}
			delete(n.Recent, to)
			if n.Bounced = append(n.Bounced, to); len(n.Bounced) == maxBounced {
				n.Closed = m.Now().Add(closedTime).Unix()
			}
		}
	})
}

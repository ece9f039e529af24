package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/web/page"
)

// The export of all stored data of a subscriber. It holds only what the link to manage alerts
// shows, and no secrets: no link, no token, no signing key.

// asJSON is the value of format that exports the stored data.
const asJSON = "json"

type managePageInput struct {
	Token          string `query:"t" doc:"From a mail: signed, and good for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
	Format         string `query:"format" enum:"json" doc:"All that is kept of the subscriber, to be taken along; without it the page"`
}

type kept struct {
	Read      time.Time      `json:"read" doc:"When it was read, UTC"`
	Alerts    []keptAlert    `json:"alerts"`
	Digest    *keptDigest    `json:"digest,omitempty" doc:"Where one mail a week tells of alerts"`
	Endpoints []keptEndpoint `json:"endpoints" doc:"Those of alerts by webhook"`
}

// keptAlert is an alert with the fields of a request, and its state.
type keptAlert struct {
	Alert     string       `json:"alert" doc:"As links and events name it" example:"MIL-BUH"`
	Route     string       `json:"route"`
	Email     string       `json:"email,omitempty"`
	Channel   string       `json:"channel"`
	Address   string       `json:"address,omitempty" doc:"Of the channel, where it is not mail: of Telegram the number of the chat"`
	Language  string       `json:"language"`
	Departure string       `json:"departure,omitempty"`
	Month     string       `json:"month,omitempty"`
	Nights    string       `json:"nights,omitempty"`
	NonStop   bool         `json:"nonstop,omitempty"`
	Kind      string       `json:"kind"`
	Threshold *float64     `json:"threshold,omitempty" doc:"Euro"`
	Level     string       `json:"level,omitempty" doc:"To anywhere: the level that a fare has at least"`
	Days      int          `json:"days,omitempty"`
	Percent   int          `json:"percent,omitempty"`
	Amount    *float64     `json:"amount,omitempty" doc:"Euro"`
	Frequency string       `json:"frequency,omitempty" enum:"weekly" doc:"weekly: one mail a week tells of it; without it a message as soon as there is news"`
	Asked     string       `json:"asked,omitempty" doc:"The day that it was asked for last"`
	Since     string       `json:"since,omitempty" doc:"The day from which on fares are looked at"`
	Paused    string       `json:"paused,omitempty" doc:"The day before which nothing is told, or until-resumed"`
	Last      *keptMessage `json:"last,omitempty" doc:"The last message"`
	Changed   bool         `json:"changed,omitempty" doc:"What is waited for was changed since the last message"`
	Met       []string     `json:"met,omitempty" doc:"To anywhere: the cities that it has told of and that meet it still"`
	First     *float64     `json:"first,omitempty" doc:"Euro: the fare as it was first seen, which a drop and a change are compared with"`
}

type keptMessage struct {
	Day   string   `json:"day" doc:"That the fares were of"`
	Price *float64 `json:"price,omitempty" doc:"Euro, as it was told"`
}

// keptDigest is the stored data on the weekly digests.
type keptDigest struct {
	Day  string             `json:"day,omitempty" doc:"That the last one was of"`
	Told map[string]float64 `json:"told,omitempty" doc:"Euro: the fares that were told last, by alert"`
}

// keptEndpoint is an endpoint with its recent deliveries.
type keptEndpoint struct {
	Address    string         `json:"address"`
	State      string         `json:"state" enum:"waiting,works,dead" doc:"waiting: it has not yet taken a test event; dead: it was given up"`
	Answered   *time.Time     `json:"answered,omitempty" doc:"When it took a test event last"`
	Rotated    *time.Time     `json:"rotated,omitempty" doc:"When its secret was changed last"`
	Deliveries []keptDelivery `json:"deliveries" doc:"Of the last 8 days, the newest first"`
}

// keptDelivery is an event without its body, which holds links that change alerts.
type keptDelivery struct {
	ID     string     `json:"id" doc:"webhook-id of the event"`
	Alert  string     `json:"alert"`
	At     time.Time  `json:"at" doc:"When it was left to be delivered"`
	State  string     `json:"state" enum:"under_way,delivered,failed"`
	Tries  int        `json:"tries"`
	Tried  *time.Time `json:"tried,omitempty" doc:"The last time"`
	Status int        `json:"status,omitempty" doc:"That the endpoint answered with"`
	Ended  *time.Time `json:"ended,omitempty"`
}

// export returns all stored data of a subscriber, or the page that says that there are none.
func (s *Service) export(ctx context.Context, subscriber store.SubscriberID, v view) (*page.Response, error) {
	alerts, err := s.Alerts.BySubscriber(ctx, subscriber)
	if err != nil {
		return nil, err
	}
	if len(alerts) == 0 {
		return respond(http.StatusGone, "none", v)
	}
	all := kept{Read: s.Now().UTC().Truncate(time.Second), Alerts: []keptAlert{}, Endpoints: []keptEndpoint{}}
	for _, a := range alerts {
		all.Alerts = append(all.Alerts, exportAlert(a))
	}
	if all.Digest, err = s.keptDigest(ctx, subscriber); err != nil {
		return nil, err
	}
	if all.Endpoints, err = s.keptEndpoints(ctx, subscriber, alerts); err != nil {
		return nil, err
	}
	body, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write what is kept: %w", err)
	}
	return &page.Response{Status: http.StatusOK, ContentType: "application/json", Referrer: "no-referrer",
		Vary: "Accept, Accept-Language", Body: body}, nil
}

func exportAlert(a store.Alert) keptAlert {
	k := keptAlert{
		Alert: a.Ref().String(), Route: a.Route.String(), Email: a.Email, Channel: cmp.Or(a.Channel, byMail),
		Address: a.Address, Language: a.Language,
		Nights: a.Trip.Nights.String(), NonStop: a.Trip.Nonstop, Kind: a.Condition(), Threshold: euros(a.Threshold),
		Days: a.Days, Percent: a.Percent, Amount: euros(a.Amount),
		Asked: dayOf(a.RequestDay), Since: dayOf(a.Since), Paused: dayOf(a.Paused), Changed: a.Fresh,
		First: euros(a.State.First),
	}
	if t := a.Trip; t.Month {
		k.Month = t.From.String()[:len("2006-01")]
	} else if k.Departure = dayOf(t.From); t.To != t.From {
		k.Departure += ".." + t.To.String()
	}
	if a.Paused == store.UntilResumed {
		k.Paused = "until-resumed"
	}
	if a.Digest {
		k.Frequency = weekly
	}
	if a.Route.Destination == store.Anywhere {
		k.Level, k.Met = a.LeastLevel(), a.State.Cities()
	}
	if a.Mailed > 0 {
		k.Last = &keptMessage{dayOf(a.Mailed), euros(a.State.LastPrice)}
	}
	return k
}

func (s *Service) keptEndpoints(ctx context.Context, subscriber store.SubscriberID,
	alerts []store.Alert) ([]keptEndpoint, error) {
	endpoints := []keptEndpoint{}
	err := s.eachEndpoint(ctx, subscriber, alerts, func(_ store.Alert, e store.Endpoint, deliveries []store.Delivery) {
		k := keptEndpoint{Address: e.URL, State: endpointState(e, true), Answered: moment(e.Answered),
			Rotated: moment(e.Rotated), Deliveries: []keptDelivery{}}
		for _, d := range deliveries {
			k.Deliveries = append(k.Deliveries, keptDelivery{d.ID, d.Alert, d.At.UTC(), stateOf(d), d.Tries,
				moment(d.Tried), d.Status, moment(d.Ended)})
		}
		endpoints = append(endpoints, k)
	})
	return endpoints, err
}

// euros returns an amount as in requests; nil for 0.
func euros(c fare.Cents) *float64 {
	if c == 0 {
		return nil
	}
	e := float64(c) / 100
	return &e
}

// dayOf returns a day as in requests; empty for 0.
func dayOf(d fare.Day) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// moment returns a time in UTC; nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

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

// The export holds no token and no signing key.

const asJSON = "json"

type managePageInput struct {
	Token          string `query:"t" doc:"Signed token of a mail, for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
	Lang           string `query:"lang" doc:"Code of the language of the mails and pages. It takes precedence over Accept-Language"`
	Format         string `query:"format" enum:"json" doc:"json: the stored alerts, weekly mail and endpoints, without tokens and signing keys"`
}

type kept struct {
	Read      time.Time      `json:"read" doc:"Time of this answer, UTC"`
	Alerts    []keptAlert    `json:"alerts"`
	Digest    *keptDigest    `json:"digest,omitempty" doc:"Present if alerts come in one weekly mail"`
	Endpoints []keptEndpoint `json:"endpoints" doc:"Endpoints of alerts by webhook"`
}

type keptAlert struct {
	Alert     string       `json:"alert" doc:"Name of the alert in links and events" example:"MIL-BUH"`
	Route     string       `json:"route"`
	Email     string       `json:"email,omitempty"`
	Channel   string       `json:"channel"`
	Address   string       `json:"address,omitempty" doc:"Address on the channel, if it is not mail. For Telegram, the number of the chat"`
	Language  string       `json:"language"`
	Departure string       `json:"departure,omitempty"`
	Month     string       `json:"month,omitempty"`
	Nights    string       `json:"nights,omitempty"`
	NonStop   bool         `json:"nonstop,omitempty"`
	Airports  string       `json:"airports,omitempty"`
	Airlines  string       `json:"airline,omitempty" doc:"IATA codes of the only airlines whose fares count"`
	Without   string       `json:"withoutAirline,omitempty" doc:"IATA codes of the airlines whose fares do not count"`
	Kind      string       `json:"kind"`
	Threshold *float64     `json:"threshold,omitempty" doc:"EUR"`
	Paid      *float64     `json:"paid,omitempty" doc:"EUR"`
	Level     string       `json:"level,omitempty" doc:"To anywhere: the lowest level that counts"`
	Area      string       `json:"area,omitempty" doc:"To anywhere: the country or continent of the destinations"`
	Days      int          `json:"days,omitempty"`
	Percent   int          `json:"percent,omitempty"`
	Amount    *float64     `json:"amount,omitempty" doc:"EUR"`
	Currency  string       `json:"currency,omitempty" doc:"The currency in which the amount was stated, if not EUR"`
	Stated    *float64     `json:"stated,omitempty" doc:"The amount as stated, in currency"`
	Frequency string       `json:"frequency,omitempty" enum:"weekly" doc:"weekly: in one weekly mail. Absent: a message at once"`
	Asked     string       `json:"asked,omitempty" doc:"Day of the latest request, UTC"`
	Since     string       `json:"since,omitempty" doc:"The first day whose fares count"`
	Paused    string       `json:"paused,omitempty" doc:"The day before which no message is sent, or until-resumed"`
	Last      *keptMessage `json:"last,omitempty" doc:"The last message"`
	Changed   bool         `json:"changed,omitempty" doc:"True: the condition was changed after the last message"`
	Met       []string     `json:"met,omitempty" doc:"To anywhere: the cities that were reported and still meet the alert"`
	First     *float64     `json:"first,omitempty" doc:"EUR: the first fare seen, with which kinds drop and change compare until the first message"`
}

type keptMessage struct {
	Day   string   `json:"day" doc:"Day of the fares"`
	Price *float64 `json:"price,omitempty" doc:"Price in the message, EUR"`
}

type keptDigest struct {
	Day  string             `json:"day,omitempty" doc:"Day of the last weekly mail"`
	Told map[string]float64 `json:"told,omitempty" doc:"EUR: the fares in the last weekly mail, by alert"`
}

type keptEndpoint struct {
	Address    string         `json:"address"`
	State      string         `json:"state" enum:"waiting,works,dead" doc:"waiting: it has not accepted a test event yet. dead: deliveries have stopped"`
	Answered   *time.Time     `json:"answered,omitempty" doc:"Time at which it last accepted an event, accurate to an hour, UTC"`
	Rotated    *time.Time     `json:"rotated,omitempty" doc:"Time at which its secret was last changed, UTC"`
	Deliveries []keptDelivery `json:"deliveries" doc:"Deliveries of the last 8 days, newest first"`
}

// keptDelivery leaves out the event's body, which holds links that change alerts.
type keptDelivery struct {
	ID     string     `json:"id" doc:"webhook-id of the event"`
	Alert  string     `json:"alert"`
	At     time.Time  `json:"at" doc:"Time at which it was queued, UTC"`
	State  string     `json:"state" enum:"under_way,delivered,failed"`
	Tries  int        `json:"tries"`
	Tried  *time.Time `json:"tried,omitempty" doc:"Time of the last attempt, UTC"`
	Status int        `json:"status,omitempty" doc:"HTTP status that the endpoint returned"`
	Ended  *time.Time `json:"ended,omitempty"`
}

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
		Nights: a.Trip.Nights.String(), NonStop: a.Trip.Nonstop, Airports: a.Trip.Airports.String(),
		Kind: a.Condition(), Threshold: euros(a.Threshold),
		Days: a.Days, Percent: a.Percent, Amount: euros(a.Amount),
		Asked: dayOf(a.RequestDay), Since: dayOf(a.Since), Paused: dayOf(a.Paused), Changed: a.Fresh,
		First: euros(a.State.First), Currency: a.Currency, Stated: euros(a.Stated),
	}
	k.Airlines, k.Without = a.Trip.Airlines.Codes()
	if t := a.Trip; t.Month {
		k.Month = t.From.String()[:len("2006-01")]
	} else if k.Departure = dayOf(t.From); t.To != t.From {
		k.Departure += ".." + t.To.String()
	}
	if a.Kind == store.Paid {
		k.Threshold, k.Paid = nil, k.Threshold
	}
	if a.Paused == store.UntilResumed {
		k.Paused = "until-resumed"
	}
	if a.Digest {
		k.Frequency = weekly
	}
	if a.Route.Destination == store.Anywhere {
		k.Level, k.Area, k.Met = a.LeastLevel(), a.Area, a.State.Cities()
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

func euros(c fare.Cents) *float64 {
	if c == 0 {
		return nil
	}
	e := float64(c) / 100
	return &e
}

func dayOf(d fare.Day) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

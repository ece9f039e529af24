package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"verdetto/shared/fare"
)

// SubscriberID is a pseudonym computed from a subscriber's address, which keys contain in its place.
type SubscriberID string

// Alert is a subscription to the fares of a route, or of a trip on it. Earlier versions stored only
// the fields up to Fresh: an alert by mail with a threshold or a verdict as its condition.
type Alert struct {
	Subscriber SubscriberID `json:"s"`
	Route      fare.Route   `json:"r"` // destination Anywhere: all cities from the origin
	Email      string       `json:"e"` // of the owner; empty if the channel is Ntfy or Telegram
	Language   string       `json:"l"`
	// Threshold is a price in EUR cents; 0: none. For Anywhere, it is the highest matching price.
	Threshold fare.Cents `json:"t,omitempty"`
	// Mailed is the day of the refresh whose fares the last message reported; 0: none sent.
	Mailed fare.Day `json:"m,omitempty"`
	Fresh  bool     `json:"f,omitempty"` // the subscriber changed the condition after the last message

	// ID distinguishes the alerts of one subscriber for one route; see NewID.
	ID      string     `json:"i,omitempty"`
	Trip    Trip       `json:"trip,omitzero"`
	Kind    string     `json:"k,omitempty"`  // Low, Drop, Change or Paid; empty: see Condition
	Days    int        `json:"d,omitempty"`  // for Low
	Percent int        `json:"pc,omitempty"` // for Drop; 0: see Amount
	Amount  fare.Cents `json:"am,omitempty"` // for Drop, in EUR cents; 0: see Percent
	// Level is the verdict that matches an alert to Anywhere: buono (the default) or ottimo.
	Level string `json:"lv,omitempty"`
	// Area is a country or continent, as in places.Area, that limits an alert to Anywhere.
	Area    string `json:"ar,omitempty"`
	Digest  bool   `json:"w,omitempty"`
	Channel string `json:"ch,omitempty"` // a channel such as Ntfy; empty: mail
	Address string `json:"ad,omitempty"` // recipient on a channel other than mail
	// Since is the day of the first request; fares found earlier do not count. It is 0 if the alert
	// has no ID and is not to Anywhere.
	Since  fare.Day `json:"si,omitempty"`
	Paused fare.Day `json:"pa,omitempty"` // no notification before this day
	// RequestDay is the day of the latest request; 0 in alerts of earlier versions.
	RequestDay fare.Day `json:"asked,omitempty"`
	State      State    `json:"st,omitzero"`
	// Currency is the currency in which the subscriber stated Threshold or Amount, and Stated is
	// that amount in hundredths. An alert without an amount has the Rate of Currency instead, in
	// units per euro. All three are empty for euros.
	Currency string     `json:"cu,omitempty"`
	Stated   fare.Cents `json:"sa,omitempty"`
	Rate     float64    `json:"ra,omitempty"`
	// EndDay is the day on which the event about the end of the alert was queued for its webhook;
	// the sender of webhook events then removes the alert. 0: the alert is active.
	EndDay fare.Day `json:"ov,omitempty"`

	version int64
}

// FirstCheck returns the first day on which an alert of today is checked.
func FirstCheck(today fare.Day) fare.Day { return today + 1 }

func (a Alert) PausedOn(day fare.Day) bool { return day < a.Paused }

// State holds what an alert must remember between notifications: the prices that Drop and Change
// compare with, or the matching destinations of an alert to Anywhere.
type State struct {
	LastPrice fare.Cents `json:"t,omitempty"` // price in the last message
	First     fare.Cents `json:"f,omitempty"` // first price found for the alert; see MarkSeen
	// Met lists the destinations that a message named and that still match an alert to Anywhere:
	// city codes in alphabetical order, without separators.
	Met string `json:"d,omitempty"`
}

func (s State) Cities() (all []string) {
	for met := s.Met; len(met) >= 3; met = met[3:] {
		all = append(all, met[:3])
	}
	return all
}

// The kinds of conditions. Threshold and Verdict exclude each other in alerts that are otherwise
// equal: see NewID.
const (
	Threshold = "threshold" // the fare costs this much or less
	Verdict   = "verdict"   // the fare is buono or ottimo
	Low       = "low"       // the fare is the lowest in Days days
	Drop      = "drop"      // the fare fell by Percent or Amount
	Change    = "change"    // the fare changed
	Paid      = "paid"      // the fare is below Threshold, the price that the subscriber paid
)

// The channels other than mail, with what Alert.Address holds for each.
const (
	Ntfy     = "ntfy"     // the address is the URL of a topic
	Telegram = "telegram" // the address is the number of a chat
	Webhook  = "webhook"  // the address is the URL of an endpoint
)

// Condition returns Kind, or Threshold or Verdict for an alert without Kind.
func (a Alert) Condition() string {
	switch {
	case a.Kind != "":
		return a.Kind
	case a.Threshold > 0:
		return Threshold
	}
	return Verdict
}

func (a Alert) LeastLevel() string {
	if a.Level == "" {
		return "buono"
	}
	return a.Level
}

// condition returns the fields whose change makes an alert Fresh.
func (a Alert) condition() [6]any {
	return [6]any{a.Condition(), a.Threshold, a.Days, a.Percent, a.Amount, a.Level}
}

// Anywhere is the destination of an alert to all destinations from an origin.
const Anywhere fare.City = "*"

// Trip selects which fares of a route an alert is for. The zero value selects the cheapest one-way
// fare of any departure date.
type Trip struct {
	From     fare.Day      `json:"f,omitempty"` // 0: any
	To       fare.Day      `json:"t,omitempty"` // last day of departure
	Month    bool          `json:"m,omitempty"` // the subscriber asked for a whole month
	Nights   fare.Trip     `json:"n,omitempty"`
	Nonstop  bool          `json:"s,omitempty"`
	Airports fare.Airports `json:"ap,omitzero"`
	Airlines fare.Airlines `json:"al,omitempty"` // empty: any
}

func (t Trip) HasPassed(today fare.Day) bool { return t.To > 0 && t.To < today }

// String returns a text that is unique for the trip and safe in keys and links.
func (t Trip) String() string {
	text := fmt.Sprintf("%d-%d-%t-%d-%t", t.From, t.To, t.Month, t.Nights, t.Nonstop)
	if t.Airports != (fare.Airports{}) {
		text += "-" + t.Airports.String()
	}
	if t.Airlines != "" {
		text += "-al" + string(t.Airlines)
	}
	return text
}

type Ref struct {
	fare.Route
	ID string `json:",omitempty"`
}

func (a Alert) Ref() Ref { return Ref{a.Route, a.ID} }

// String returns the reference in URL-safe characters. Examples: MIL-BUH, MIL-BUH~id, MIL-*~id.
func (r Ref) String() string {
	if r.ID == "" {
		return r.Route.String()
	}
	return r.Route.String() + "~" + r.ID
}

func ParseRef(s string) (r Ref, err error) {
	name, id, _ := strings.Cut(s, "~")
	if r.ID = id; len(id) > maxID {
		return r, fmt.Errorf("an alert's id has %d characters: want at most %d", len(id), maxID)
	}
	if origin, all := strings.CutSuffix(name, "-"+string(Anywhere)); all {
		r.Destination = Anywhere
		r.Origin, err = fare.ParseCity(origin)
		return r, err
	}
	r.Route, err = fare.ParseRoute(name)
	return r, err
}

func (r Ref) place(s SubscriberID) string {
	if r.ID == "" {
		return string(s)
	}
	return string(s) + "#" + r.ID
}

// Place returns the alert's sort key in the partition of its route, for Page to continue after.
func (a Alert) Place() string { return a.Ref().place(a.Subscriber) }

const (
	idLength = 12 // characters of an id
	maxID    = 64 // keeps keys within their maximum length
)

// NewID returns a hash of the alert's trip, kind, channel, address and area, so that a request with
// the same values changes the stored alert instead of adding another. Threshold and Verdict count as
// one kind. An alert of this kind by mail without a trip and area has no ID, as in earlier versions.
func (a Alert) NewID() string {
	group := a.Condition()
	if group == Threshold || group == Verdict {
		group = ""
	}
	if a.Trip == (Trip{}) && group == "" && a.Channel == "" && a.Area == "" {
		return ""
	}
	text := "alert\x00" + a.Trip.String() + "\x00" + group + "\x00" + a.Channel + "\x00" + a.Address
	if a.Area != "" {
		text += "\x00" + a.Area
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:idLength]
}

// Readable reports whether the alert was decoded; Page also returns malformed ones.
func (a Alert) Readable() bool { return a.Email != "" || a.Address != "" }

// MayDigest reports whether the weekly mail can include the alert: it must be by mail and not to
// Anywhere.
func (a Alert) MayDigest() bool { return a.Channel == "" && a.Route.Destination != Anywhere }

func alertKey(r Ref, s SubscriberID) Key { return Key{alertsOf(r.Route), r.place(s)} }

func alertsOf(route fare.Route) string { return "ALERTS#" + route.String() }

func readAlert(item Item) (Alert, error) {
	alert := Alert{version: item.Version}
	if err := json.Unmarshal(item.Data, &alert); err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w: %w", ErrUnreadable, err)
	}
	return alert, nil
}

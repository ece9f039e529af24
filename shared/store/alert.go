package store

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"verdetto/shared/fare"
)

// SubscriberID is a pseudonym of an address, so that the address itself is stored only where it is needed.
type SubscriberID string

// Alert is a subscription to the fares of a route, or of a trip on it. What
// earlier versions stored of one has the fields up to Fresh: by mail, of the
// cheapest fare of the route, by a threshold or the verdict.
type Alert struct {
	Subscriber SubscriberID `json:"s"`
	Route      fare.Route   `json:"r"` // to Anywhere: to all cities from the origin
	Email      string       `json:"e"` // of a mail or a webhook, whose owner is told by mail that it is dead
	Language   string       `json:"l"`
	// Euro cents; 0: none. Of an alert to Anywhere the most that a fare may cost
	Threshold fare.Cents `json:"t,omitempty"`
	// The day of the refresh that its last message was about; 0: none was sent
	Mailed fare.Day `json:"m,omitempty"`
	Fresh  bool     `json:"f,omitempty"` // its condition has changed since that message

	// ID tells it from others of the subscriber for the route: see NewID. "" is that of earlier versions.
	ID      string     `json:"i,omitempty"`
	Trip    Trip       `json:"trip,omitzero"`
	Kind    string     `json:"k,omitempty"`  // Low, Drop or Change; else see Condition
	Days    int        `json:"d,omitempty"`  // of Low: cheaper than in so many days
	Percent int        `json:"pc,omitempty"` // of Drop: by so much of the price, or
	Amount  fare.Cents `json:"am,omitempty"` // by so many euro cents
	// to Anywhere: the level that a fare has at least, as in verdict; "" is buono
	Level string `json:"lv,omitempty"`
	// Digest: what it has to tell is told once a week, together with what others of the subscriber have.
	Digest  bool   `json:"w,omitempty"`
	Channel string `json:"ch,omitempty"` // "" is mail
	Address string `json:"ad,omitempty"` // of the channel, where it is not mail
	// The day that it was asked for; looks before it are not its own. 0: of alerts for a route, where
	// it does not matter
	Since  fare.Day `json:"si,omitempty"`
	Paused fare.Day `json:"pa,omitempty"` // nothing is told before this day
	// The day that it was asked for last, as messages say; 0: before that was kept
	Asked fare.Day `json:"asked,omitempty"`
	State State    `json:"st,omitzero"`
	// The day that its end was left for its endpoint, which has it removed; 0: it goes on
	Over fare.Day `json:"ov,omitempty"`

	version int64
}

// PausedOn tells whether nothing is told on a day.
func (a Alert) PausedOn(day fare.Day) bool { return day < a.Paused }

// State is what an alert remembers beside the day of its last message: what Drop and Change compare with.
type State struct {
	Told  fare.Cents `json:"t,omitempty"` // the price that its last message told
	First fare.Cents `json:"f,omitempty"` // that of the first look at its fares
	// Met are, of an alert to Anywhere, the destinations that it has told of and that meet it still: their
	// codes one after the other, in order. There are no more than the origin has deals.
	Met string `json:"d,omitempty"`
}

// Cities are those of Met.
func (s State) Cities() (all []string) {
	for met := s.Met; len(met) >= 3; met = met[3:] {
		all = append(all, met[:3])
	}
	return all
}

// The kinds of conditions. The first two are one group: a subscriber has one of
// them for a trip and channel, and changes between them.
const (
	Threshold = "threshold" // the fare costs so much or less
	Verdict   = "verdict"   // it is buono or ottimo
	Low       = "low"       // it is cheaper than in so many days
	Drop      = "drop"      // it has become cheaper by so much
	Change    = "change"    // it costs something else
)

// The channels beside mail.
const (
	Ntfy     = "ntfy"     // the address is the URL of a topic
	Telegram = "telegram" // the address is the number of a chat
	Webhook  = "webhook"  // the address is the URL of an endpoint
)

// Condition is the kind of an alert.
func (a Alert) Condition() string {
	switch {
	case a.Kind != "":
		return a.Kind
	case a.Threshold > 0:
		return Threshold
	}
	return Verdict
}

// LeastLevel is the level that a fare has at least for an alert to Anywhere.
func (a Alert) LeastLevel() string {
	if a.Level == "" {
		return "buono"
	}
	return a.Level
}

// condition is what is changed by asking for the alert again.
func (a Alert) condition() [6]any {
	return [6]any{a.Condition(), a.Threshold, a.Days, a.Percent, a.Amount, a.Level}
}

// Anywhere is the destination of an alert for all of them.
const Anywhere fare.City = "*"

// Trip says which fares of a route an alert is for; the zero value is the cheapest one-way fare of any departure.
type Trip struct {
	From    fare.Day  `json:"f,omitempty"` // departures from this day; 0: of any
	To      fare.Day  `json:"t,omitempty"` // to this one
	Month   bool      `json:"m,omitempty"` // the days are those of a month, and it was asked for as one
	Nights  fare.Trip `json:"n,omitempty"` // returns after so many nights
	Nonstop bool      `json:"s,omitempty"` // without stops
}

// Over tells whether all departures have been, on a day.
func (t Trip) Over(today fare.Day) bool { return t.To > 0 && t.To < today }

// String is the same for the same trip and no other, in characters of keys and links.
func (t Trip) String() string {
	return fmt.Sprintf("%d-%d-%t-%d-%t", t.From, t.To, t.Month, t.Nights, t.Nonstop)
}

// Ref names an alert among those of its subscriber.
type Ref struct {
	fare.Route
	ID string `json:",omitempty"`
}

// Ref is what the alert is named by.
func (a Alert) Ref() Ref { return Ref{a.Route, a.ID} }

// String names the alert in characters that stand in a URL as they are: MIL-BUH, MIL-BUH~id, MIL-*~id.
func (r Ref) String() string {
	if r.ID == "" {
		return r.Route.String()
	}
	return r.Route.String() + "~" + r.ID
}

// ParseRef reads what String gives.
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

// place is the sort key of a subscriber's alert.
func (r Ref) place(s SubscriberID) string {
	if r.ID == "" {
		return string(s)
	}
	return string(s) + "#" + r.ID
}

// Place is where the alert stands in the order of those for its route.
func (a Alert) Place() string { return a.Ref().place(a.Subscriber) }

const (
	idLength = 12 // characters of an id
	maxID    = 64 // that no key is too long by
)

// NewID is the ID that an alert has by what it is for: the same for the same
// trip, group of kinds, channel and address. Asking for the same again changes
// the numbers and no more.
func (a Alert) NewID() string {
	group := a.Condition()
	if group == Threshold || group == Verdict {
		group = ""
	}
	if a.Trip == (Trip{}) && group == "" && a.Channel == "" {
		return ""
	}
	sum := sha256.Sum256(
		[]byte("alert\x00" + a.Trip.String() + "\x00" + group + "\x00" + a.Channel + "\x00" + a.Address),
	)
	return base64.RawURLEncoding.EncodeToString(sum[:])[:idLength]
}

// Readable tells whether the stored alert could be read; of one that could not, see Page.
func (a Alert) Readable() bool { return a.Email != "" || a.Address != "" }

package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"verdetto/shared/fare"
)

// SubscriberID is a pseudonym, so that the keys of items contain no mail address.
type SubscriberID string

type Alert struct {
	Subscriber SubscriberID `json:"s"`
	Route      fare.Route   `json:"r"`
	Email      string       `json:"e"` // empty if the channel is Ntfy or Telegram
	Language   string       `json:"l"`
	// Threshold is in EUR cents; 0 means none.
	Threshold fare.Cents `json:"t,omitempty"`
	// Mailed is the day of the refresh whose fares the last message reported; 0 means no message.
	// Weekly mails do not change Mailed.
	Mailed fare.Day `json:"m,omitempty"`
	Fresh  bool     `json:"f,omitempty"` // the condition changed after the last message, if any

	ID      string     `json:"i,omitempty"`
	Trip    Trip       `json:"trip,omitzero"`
	Kind    string     `json:"k,omitempty"` // Low, Drop, Change, Paid or empty (see Condition)
	Days    int        `json:"d,omitempty"`
	Percent int        `json:"pc,omitempty"`
	Amount  fare.Cents `json:"am,omitempty"` // in EUR cents
	// Level is the least level that matches an alert to Anywhere; the default is buono.
	Level string `json:"lv,omitempty"`
	// Area is a country or continent, as in places.Area, that limits an alert to Anywhere.
	Area    string `json:"ar,omitempty"`
	Digest  bool   `json:"w,omitempty"`
	Channel string `json:"ch,omitempty"` // empty for mail
	Address string `json:"ad,omitempty"`
	// Fares of refreshes before Since do not count.
	Since      fare.Day `json:"si,omitempty"`
	Paused     fare.Day `json:"pa,omitempty"` // no message before this day
	RequestDay fare.Day `json:"asked,omitempty"`
	State      State    `json:"st,omitzero"`
	// Stated is the subscriber's amount in hundredths of Currency, and Rate is in units of Currency per euro.
	Currency string     `json:"cu,omitempty"`
	Stated   fare.Cents `json:"sa,omitempty"`
	Rate     float64    `json:"ra,omitempty"`
	// EndDay is the day on which the webhook event about the end of the alert was queued.
	EndDay fare.Day `json:"ov,omitempty"`

	version int64
}

func FirstCheck(today fare.Day) fare.Day { return today + 1 }

func (a Alert) PausedOn(day fare.Day) bool { return day < a.Paused }

type State struct {
	LastPrice fare.Cents `json:"t,omitempty"`
	First     fare.Cents `json:"f,omitempty"`
	// Met holds codes of cities, without separators.
	Met string `json:"d,omitempty"`
}

func (s State) Cities() (all []string) {
	for met := s.Met; len(met) >= 3; met = met[3:] {
		all = append(all, met[:3])
	}
	return all
}

const (
	Threshold = "threshold"
	Verdict   = "verdict"
	Low       = "low"
	Drop      = "drop"
	Change    = "change"
	Paid      = "paid" // the fare is below Threshold, the price that the subscriber paid
)

const (
	Ntfy     = "ntfy"
	Telegram = "telegram" // Alert.Address is the number of a chat
	Webhook  = "webhook"
)

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

const Anywhere fare.City = "*"

// The zero Trip selects one-way fares of any departure date.
type Trip struct {
	From     fare.Day      `json:"f,omitempty"` // 0 for any day
	To       fare.Day      `json:"t,omitempty"` // last day of departure
	Month    bool          `json:"m,omitempty"`
	Nights   fare.Trip     `json:"n,omitempty"`
	Nonstop  bool          `json:"s,omitempty"`
	Airports fare.Airports `json:"ap,omitzero"`
	Airlines fare.Airlines `json:"al,omitempty"` // empty for any airline
}

func (t Trip) HasPassed(today fare.Day) bool { return t.To > 0 && t.To < today }

// String's text must not change, because NewID hashes that text.
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

// String returns texts such as MIL-BUH, MIL-BUH~id and MIL-*~id.
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

func (a Alert) Place() string { return a.Ref().place(a.Subscriber) }

const (
	idLength = 12
	maxID    = 64 // keeps keys within their maximum length
)

// If the subscriber has an alert with the same route and ID, a new request changes that alert instead of adding
// another.
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

// Page returns malformed alerts too, for which Readable is false.
func (a Alert) Readable() bool { return a.Email != "" || a.Address != "" }

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

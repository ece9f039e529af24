package notify

import (
	"crypto/cipher"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// The paths of the links in mails. They must equal those in shared/web/routes.
const (
	confirmPath     = "/v1/alerts/confirm"
	unsubscribePath = "/v1/alerts/unsubscribe"
	managePath      = "/v1/alerts/manage"
)

// Links computes the pseudonyms of subscribers and creates the links in mails. A link is a path; a
// mail puts BaseURL before it. The signed token in it is valid only for its purpose and for the
// pepper that signed it, and does not contain the address.
//
// A link to unsubscribe is for one alert or for all alerts of a digest, and a link to pause for one
// alert. Neither expires, because a mail provider may offer it years later. A link to manage shows
// all alerts for ManageDays days; after that it offers to mail a new link, like a link of Renew.
type Links struct {
	Pepper  []byte // the operator's secret; another pepper changes every pseudonym
	BaseURL string // public base address, without a trailing slash
}

func (l Links) Subscriber(email string) store.SubscriberID {
	return store.SubscriberID(apikey.Pseudonym(l.Pepper, "alert subscriber\x00"+strings.ToLower(strings.TrimSpace(email))))
}

// SubscriberAt is case-sensitive, because names of ntfy topics are.
func (l Links) SubscriberAt(channel, address string) store.SubscriberID {
	return store.SubscriberID(apikey.Pseudonym(l.Pepper, "alert subscriber\x00"+channel+"\x00"+address))
}

func (l Links) Confirm(id string) string { return confirmPath + "?id=" + id }

func (l Links) Unsubscribe(s store.SubscriberID, ref store.Ref) string {
	return unsubscribePath + "?t=" + l.sign(unsubscribe, string(s), ref.String())
}

const ManageDays = 30

func (l Links) Manage(s store.SubscriberID, now time.Time) string {
	return managePath + "?t=" + l.sign(manage, string(s), fare.DayOf(now).String())
}

// Renew returns the link to the page that mails a new link to manage alerts. Manage links of early
// versions had no date and work like links of Renew.
func (l Links) Renew(s store.SubscriberID) string {
	return managePath + "?t=" + l.sign(manage, string(s), "")
}

func (l Links) OpenUnsubscribe(token string) (s store.SubscriberID, ref store.Ref, ok bool) {
	return l.openOne(unsubscribe, token)
}

// OpenManage parses a token of Manage or Renew; current is true if it is at most ManageDays days old.
func (l Links) OpenManage(token string, now time.Time) (s store.SubscriberID, current, ok bool) {
	subscriber, made, ok := l.open(manage, token)
	if !ok {
		return "", false, false
	}
	day, err := fare.ParseDay(made)
	age := fare.DayOf(now) - day
	return store.SubscriberID(subscriber), err == nil && age >= 0 && age <= ManageDays, true
}

const SnoozeDays = 30

func (l Links) Snooze(s store.SubscriberID, ref store.Ref) string {
	return managePath + "?t=" + l.sign(snooze, string(s), ref.String())
}

func (l Links) OpenSnooze(token string) (s store.SubscriberID, ref store.Ref, ok bool) {
	return l.openOne(snooze, token)
}

func (l Links) EndDigest(s store.SubscriberID) string {
	return unsubscribePath + "?t=" + l.sign(digest, string(s), "")
}

func (l Links) OpenEndDigest(token string) (s store.SubscriberID, ok bool) {
	subscriber, _, ok := l.open(digest, token)
	return store.SubscriberID(subscriber), ok
}

const undoTime = time.Hour

type ended struct {
	Alerts []store.Alert
	At     time.Time
}

// Undo returns a token that restores alerts which have just ended. It holds the alerts, which are
// stored nowhere else, and is encrypted, because the link that ended them may have been passed on.
func (l Links) Undo(alerts []store.Alert, now time.Time) (string, error) {
	if len(alerts) == 0 {
		return "", nil
	}
	data, err := json.Marshal(ended{alerts, now})
	if err != nil {
		return "", fmt.Errorf("write an undo: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(l.cipher().Seal(nil, nil, data, nil)), nil //nolint:gosec // the cipher draws a nonce
}

func (l Links) OpenUndo(token string, now time.Time) ([]store.Alert, bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return nil, false
	}
	data, err := l.cipher().Open(nil, nil, sealed, nil)
	var e ended
	if err != nil || json.Unmarshal(data, &e) != nil {
		return nil, false
	}
	return e.Alerts, now.Sub(e.At) < undoTime
}

func (l Links) cipher() cipher.AEAD { return apikey.Cipher(l.Pepper, "ended alerts") }

// Requests returns the link to block mails which other callers cause. One POST is enough (RFC 8058).
func (l Links) Requests(mailbox store.SubscriberID) string {
	return unsubscribePath + "?t=" + l.sign(requests, string(mailbox), "")
}

func (l Links) AllowRequests(mailbox store.SubscriberID) string {
	return managePath + "?t=" + l.sign(requests, string(mailbox), "")
}

func (l Links) OpenRequests(token string) (mailbox store.SubscriberID, ok bool) {
	id, _, ok := l.open(requests, token)
	return store.SubscriberID(id), ok
}

func (l Links) openOne(p purpose, token string) (s store.SubscriberID, ref store.Ref, ok bool) {
	subscriber, name, ok := l.open(p, token)
	if !ok {
		return "", ref, false
	}
	ref, err := store.ParseRef(name)
	return store.SubscriberID(subscriber), ref, err == nil
}

type purpose string

const (
	unsubscribe purpose = "unsubscribe"
	snooze      purpose = "snooze"
	digest      purpose = "digest"   // signed with an empty route
	requests    purpose = "requests" // signed with an empty route
	manage      purpose = "manage"   // signed with the day of the link as the route, or with an empty one
)

const (
	maxToken = 200 // open rejects longer tokens
)

// sign returns subscriber, route and signature, separated by dots, in characters that a URL does
// not escape.
func (l Links) sign(p purpose, subscriber, route string) string {
	return subscriber + "." + route + "." + l.signature(p, subscriber, route)
}

func (l Links) open(p purpose, token string) (subscriber, route string, ok bool) {
	if len(token) > maxToken {
		return "", "", false
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] == "" {
		return "", "", false
	}
	want := l.signature(p, parts[0], parts[1])
	if !hmac.Equal([]byte(want), []byte(parts[2])) {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// signature has its own key for each purpose, so a token is never valid for another purpose.
func (l Links) signature(p purpose, subscriber, route string) string {
	return apikey.Pseudonym(l.Pepper, "alert link\x00"+string(p), subscriber+"\x00"+route)
}

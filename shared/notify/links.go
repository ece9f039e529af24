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

// These paths must equal those in shared/web/routes.
const (
	confirmPath     = "/v1/alerts/confirm"
	unsubscribePath = "/v1/alerts/unsubscribe"
	managePath      = "/v1/alerts/manage"
)

// Links computes the pseudonyms of subscribers and the links in mails. A signed token does not
// contain the address, and is valid only for its purpose and the pepper that signed it. Links to
// unsubscribe or to pause do not expire, because a mail may be read years later.
type Links struct {
	Pepper  []byte // another pepper changes every pseudonym
	BaseURL string // without a trailing slash
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

// Renew returns the link to the page on which a subscriber can request a new link to manage alerts.
func (l Links) Renew(s store.SubscriberID) string {
	return managePath + "?t=" + l.sign(manage, string(s), "")
}

func (l Links) OpenUnsubscribe(token string) (s store.SubscriberID, ref store.Ref, ok bool) {
	return l.openOne(unsubscribe, token)
}

// OpenManage also opens a token of Renew, but then current is false.
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

// Undo returns a token that restores alerts. The token is encrypted, because the link that ended
// the alerts may have been passed on.
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

// Requests returns the link to block mails which other callers cause.
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
	digest      purpose = "digest"
	requests    purpose = "requests"
	manage      purpose = "manage"
)

const (
	maxToken = 200
)

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

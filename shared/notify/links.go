package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// The paths that links in mails lead to, as in shared/web/routes.
const (
	confirmPath     = "/v1/alerts/confirm"
	unsubscribePath = "/v1/alerts/unsubscribe"
	managePath      = "/v1/alerts/manage"
)

// Links names subscribers by pseudonyms and signs the links that their mails hold. They are paths;
// a mail puts BaseURL before them. A token opens only for the purpose and under the pepper that it
// was signed with, has one spelling, and says nothing of the address.
//
// A link to unsubscribe or to pause opens one alert, or those of a digest. It never expires: a mail
// provider may offer it years later. A link to manage shows all alerts for ManageDays; from then on,
// like Renew, it has a fresh one mailed and shows nothing.
type Links struct {
	Pepper  []byte // the operator's secret; with another one every address is another subscriber
	BaseURL string // where the service is reached, without a slash at the end
}

// Subscriber derives the pseudonym of an e-mail address.
func (l Links) Subscriber(email string) store.SubscriberID {
	return store.SubscriberID(mac(l.Pepper, "alert subscriber\x00"+strings.ToLower(strings.TrimSpace(email))))
}

// SubscriberAt derives the pseudonym of whoever reads an address of another channel
// than mail. It is of the address as it is spelled: topics differ by the case of letters.
func (l Links) SubscriberAt(channel, address string) store.SubscriberID {
	return store.SubscriberID(mac(l.Pepper, "alert subscriber\x00"+channel+"\x00"+address))
}

// Confirm is the link to the page that confirms what was asked for under an id.
func (l Links) Confirm(id string) string { return confirmPath + "?id=" + id }

// Unsubscribe is the link that ends one alert (RFC 8058: one POST to it).
func (l Links) Unsubscribe(s store.SubscriberID, of store.Ref) string {
	return unsubscribePath + "?t=" + l.sign(unsubscribe, string(s), of.String())
}

// ManageDays is how many days a link to manage is good.
const ManageDays = 30

// Manage is the link to the page that shows and ends all alerts of a subscriber, as of a moment.
func (l Links) Manage(s store.SubscriberID, now time.Time) string {
	return managePath + "?t=" + l.sign(manage, string(s), fare.DayOf(now).String())
}

// Renew is the link to the page that has a link to manage mailed. Links to manage were once like that.
func (l Links) Renew(s store.SubscriberID) string {
	return managePath + "?t=" + l.sign(manage, string(s), "")
}

// OpenUnsubscribe reads the token of a link to unsubscribe; false where it was not signed for that.
func (l Links) OpenUnsubscribe(token string) (s store.SubscriberID, of store.Ref, ok bool) {
	return l.openOne(unsubscribe, token)
}

// OpenManage reads the token of a link to manage, or to renew it; false where it
// was not signed for that. It is current for ManageDays from its day on.
func (l Links) OpenManage(token string, now time.Time) (s store.SubscriberID, current, ok bool) {
	subscriber, made, ok := l.open(manage, token)
	if !ok {
		return "", false, false
	}
	day, err := fare.ParseDay(made)
	age := fare.DayOf(now) - day
	return store.SubscriberID(subscriber), err == nil && age >= 0 && age <= ManageDays, true
}

// SnoozeDays is how many days a link to pause an alert pauses it.
const SnoozeDays = 30

// Snooze is the link to the page that pauses one alert for SnoozeDays.
func (l Links) Snooze(s store.SubscriberID, of store.Ref) string {
	return managePath + "?t=" + l.sign(snooze, string(s), of.String())
}

// OpenSnooze reads the token of a link to pause an alert; false where it was not signed for that.
func (l Links) OpenSnooze(token string) (s store.SubscriberID, of store.Ref, ok bool) {
	return l.openOne(snooze, token)
}

// EndDigest is the link that ends all alerts that a digest tells of (RFC 8058: one POST to it).
func (l Links) EndDigest(s store.SubscriberID) string {
	return unsubscribePath + "?t=" + l.sign(digest, string(s), "")
}

// OpenEndDigest reads the token of a link to end a digest; false where it was not signed for that.
func (l Links) OpenEndDigest(token string) (s store.SubscriberID, ok bool) {
	subscriber, _, ok := l.open(digest, token)
	return store.SubscriberID(subscriber), ok
}

// Requests is the link to the page of the mails that anyone can cause to be sent to a mailbox (RFC
// 8058: one POST to it stops them).
func (l Links) Requests(mailbox store.SubscriberID) string {
	return unsubscribePath + "?t=" + l.sign(requests, string(mailbox), "")
}

// AllowRequests is where the button of that page allows them again.
func (l Links) AllowRequests(mailbox store.SubscriberID) string {
	return managePath + "?t=" + l.sign(requests, string(mailbox), "")
}

// OpenRequests reads the token of a link to a mailbox's requests; false where it was not signed for that.
func (l Links) OpenRequests(token string) (mailbox store.SubscriberID, ok bool) {
	id, _, ok := l.open(requests, token)
	return store.SubscriberID(id), ok
}

// openOne reads the token of a link to one alert.
func (l Links) openOne(p purpose, token string) (s store.SubscriberID, of store.Ref, ok bool) {
	subscriber, name, ok := l.open(p, token)
	if !ok {
		return "", of, false
	}
	of, err := store.ParseRef(name)
	return store.SubscriberID(subscriber), of, err == nil
}

// purpose is what a token is for.
type purpose string

const (
	unsubscribe purpose = "unsubscribe"
	snooze      purpose = "snooze"
	digest      purpose = "digest"   // in the place of a route it has nothing
	requests    purpose = "requests" // likewise
	manage      purpose = "manage"   // in the place of a route it has the day that it is of, or nothing
)

const (
	macSize  = 16  // bytes of an HMAC that a pseudonym or a signature has
	maxToken = 200 // open looks at no longer one
)

// sign makes a token: the subscriber, the alert and a signature, parted by dots,
// in characters that stand in a URL as they are.
func (l Links) sign(p purpose, subscriber, route string) string {
	return subscriber + "." + route + "." + l.signature(p, subscriber, route)
}

// open reads a token that was signed for a purpose; false where it was not.
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

// signature uses a key of its own for each purpose, so that no token of one is one of another.
func (l Links) signature(p purpose, subscriber, route string) string {
	key := hmac.New(sha256.New, l.Pepper)
	key.Write([]byte("alert link\x00" + string(p)))
	return mac(key.Sum(nil), subscriber+"\x00"+route)
}

func mac(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:macSize])
}

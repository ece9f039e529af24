// Package alertlink names subscribers by pseudonyms and signs the links that
// their mails hold: to end an alert, or to look after all of them. It is pure.
//
// It promises that a token opens only for the purpose and under the pepper that
// it was signed with, that each has one spelling, and that it says nothing of
// the address. Tokens do not expire: a mail provider may offer to unsubscribe
// years after the mail came. What they open must therefore do no harm to
// whoever holds one by mistake: it can end mail and never begin it.
package alertlink

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// What tokens are for.
const (
	// Unsubscribe ends the alert for one route.
	Unsubscribe = "unsubscribe"
	// Manage shows and ends all alerts of a subscriber; its route may be empty.
	Manage = "manage"
)

// size is how many bytes of an HMAC a pseudonym or a signature has.
const size = 16

// maxToken bounds what Open looks at.
const maxToken = 200

// Subscriber derives the pseudonym of an e-mail address. The pepper is the
// operator's secret; with another one every address is another subscriber.
func Subscriber(pepper []byte, email string) string {
	return mac(pepper, "alert subscriber\x00"+strings.ToLower(strings.TrimSpace(email)))
}

// Sign makes the token of a link: the subscriber, the route and a signature,
// parted by dots, in characters that stand in a URL as they are.
func Sign(pepper []byte, purpose, subscriber, route string) string {
	return subscriber + "." + route + "." + signature(pepper, purpose, subscriber, route)
}

// Open reads a token that was signed for a purpose; false where it was not.
func Open(pepper []byte, purpose, token string) (subscriber, route string, ok bool) {
	if len(token) > maxToken {
		return "", "", false
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] == "" {
		return "", "", false
	}
	want := signature(pepper, purpose, parts[0], parts[1])
	if !hmac.Equal([]byte(want), []byte(parts[2])) {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// signature uses a key of its own for each purpose, so that no token of one is one of another.
func signature(pepper []byte, purpose, subscriber, route string) string {
	key := hmac.New(sha256.New, pepper)
	key.Write([]byte("alert link\x00" + purpose))
	return mac(key.Sum(nil), subscriber+"\x00"+route)
}

func mac(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:size])
}

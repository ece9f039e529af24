package apikey

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// MAC uses the MAC of each text as the key for the next text. Stored pseudonyms, links in mails and
// signatures of webhooks depend on this derivation, so it must not change.
func MAC(secret []byte, texts ...string) []byte {
	for _, text := range texts {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		secret = mac.Sum(nil)
	}
	return secret
}

// Pseudonym returns the first half of the MAC, as 22 characters that need no escaping in a URL.
func Pseudonym(secret []byte, texts ...string) string {
	return base64.RawURLEncoding.EncodeToString(MAC(secret, texts...)[:idBytes])
}

// The returned cipher generates the nonce and puts it before the sealed text, so callers must pass
// a nil nonce to Seal and Open.
func Cipher(secret []byte, texts ...string) cipher.AEAD {
	block, err := aes.NewCipher(MAC(secret, texts...))
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

package apikey

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// Each text but the last derives a key from the secret. Stored pseudonyms, links in mails and
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

// Seal of the returned cipher puts a random nonce before the sealed text, so callers pass a nil
// nonce to Seal and Open.
func Cipher(secret []byte, texts ...string) cipher.AEAD {
	block, err := aes.NewCipher(MAC(secret, texts...))
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes
	}
	return aead
}

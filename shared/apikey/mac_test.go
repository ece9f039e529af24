package apikey

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"testing"
)

// The first value is from RFC 4231, test case 2.
func TestMAC(t *testing.T) {
	t.Parallel()
	once := MAC([]byte("Jefe"), "what do ya want for nothing?")
	if got := hex.EncodeToString(once); got != "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		t.Error(got)
	}
	if got := MAC([]byte("Jefe"), "what do ya want for nothing?", "text"); !bytes.Equal(got, MAC(once, "text")) {
		t.Errorf("a key for a purpose is not the MAC of the purpose: %x", got)
	}
}

// Stored texts have this format: a nonce of 12 bytes, then the output of AES-GCM.
func TestCipher(t *testing.T) {
	t.Parallel()
	secret, nonce, name := []byte("secret"), []byte("twelve bytes"), []byte("name")
	block, err := aes.NewCipher(MAC(secret, "purpose"))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	stored := gcm.Seal(nonce, nonce, []byte("text"), name)
	c := Cipher(secret, "purpose")
	if text, err := c.Open(nil, nil, stored, name); err != nil || string(text) != "text" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := c.Open(nil, nil, stored, []byte("other")); err == nil {
		t.Error("a text sealed for another name was opened")
	}
	if a, b := c.Seal(nil, nil, []byte("text"), name), c.Seal(nil, nil, []byte("text"), name); bytes.Equal(a, b) {
		t.Error("a nonce was used twice")
	}
	if _, err := c.Open(nil, nil, stored[:5], name); err == nil {
		t.Error("a text that was cut off was opened")
	}
}

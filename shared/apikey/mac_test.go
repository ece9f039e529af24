package apikey

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// Stored pseudonyms and links in mails depend on these bytes (RFC 4231, test case 2).
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

package config

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPepperText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, pepper := range [][]byte{{0, 255, 10}, bytes.Repeat([]byte{0xfe}, 32), []byte("a pepper of more than thirty-two characters")} {
		text := PepperText(pepper)
		for _, as := range []string{text, " " + text + "\n", strings.ToUpper(text)} {
			if got, err := ParsePepper(as); err != nil || !bytes.Equal(got, pepper) {
				t.Errorf("%q: %q, %v", as, got, err)
			}
		}
		for range 300 {
			wrong := []byte(text)
			at := len(pepperMark) + random.IntN(len(text)-len(pepperMark))
			wrong[at] = "0123456789abcdefg-"[random.IntN(18)]
			if _, err := ParsePepper(string(wrong)); err == nil && string(wrong) != text {
				t.Errorf("%q is taken for %q", wrong, text)
			}
		}
		if _, err := ParsePepper(text[:len(text)-1]); err == nil {
			t.Error("a text that was cut short is a pepper")
		}
	}
	if got, err := ParsePepper(" any other text\n"); err != nil || string(got) != " any other text\n" {
		t.Errorf("%q, %v", got, err)
	}
}

package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// An exported pepper is also a valid VERDETTO_PEPPER.
const (
	pepperMark  = "verdetto-pepper-"
	pepperCheck = 4 // bytes of SHA-256 at the end of the text, to detect typing errors
)

var ErrPepper = errors.New("a letter is wrong in this pepper, or some are missing; compare it with what verdetto pepper export wrote")

func PepperText(pepper []byte) string {
	sum := sha256.Sum256(pepper)
	return pepperMark + hex.EncodeToString(pepper) + "-" + hex.EncodeToString(sum[:pepperCheck])
}

// A text that is not an exported pepper is the pepper itself.
func ParsePepper(text string) ([]byte, error) {
	exported, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), pepperMark)
	if !ok {
		return []byte(text), nil
	}
	digits, check, _ := strings.Cut(exported, "-")
	pepper, err := hex.DecodeString(digits)
	sum := sha256.Sum256(pepper)
	if given, bad := hex.DecodeString(check); err != nil || bad != nil || !bytes.Equal(given, sum[:pepperCheck]) {
		return nil, ErrPepper
	}
	return pepper, nil
}

func (s Secret) Key() []byte {
	pepper, err := ParsePepper(s.Pepper)
	if err != nil {
		panic(err)
	}
	return pepper
}

func isPepper(v string) bool {
	pepper, err := ParsePepper(v)
	return err == nil && len(pepper) >= 32
}

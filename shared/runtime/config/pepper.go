package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// An exported pepper is a text that people can print and type: a pepper may be any
// bytes. It is a value of VERDETTO_PEPPER as well, so it fits every place that holds one.
const (
	pepperMark  = "verdetto-pepper-"
	pepperCheck = 4 // bytes of SHA-256 at its end, by which a wrong letter is found
)

// ErrPepper: a text is no pepper.
var ErrPepper = errors.New("a letter is wrong in this pepper, or some are missing; compare it with what verdetto pepper export wrote")

// PepperText returns the exported form of a pepper.
func PepperText(pepper []byte) string {
	sum := sha256.Sum256(pepper)
	return pepperMark + hex.EncodeToString(pepper) + "-" + hex.EncodeToString(sum[:pepperCheck])
}

// ParsePepper returns the pepper of its exported form, and of any other text the text itself.
func ParsePepper(text string) ([]byte, error) {
	exported, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), pepperMark)
	if !ok {
		return []byte(text), nil
	}
	digits, check, _ := strings.Cut(exported, "-")
	pepper, err := hex.DecodeString(digits)
	sum := sha256.Sum256(pepper)
	if had, bad := hex.DecodeString(check); err != nil || bad != nil || !bytes.Equal(had, sum[:pepperCheck]) {
		return nil, ErrPepper
	}
	return pepper, nil
}

// Key returns the pepper as bytes.
func (s Secret) Key() []byte {
	pepper, err := ParsePepper(s.Pepper)
	if err != nil {
		panic(err) // Load has refused it
	}
	return pepper
}

func isPepper(v string) bool {
	pepper, err := ParsePepper(v)
	return err == nil && len(pepper) >= 32
}

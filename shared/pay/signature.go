package pay

import (
	"errors"
	"fmt"
)

// Signature names a transaction.
type Signature [64]byte

// ErrNotSignature: the text does not name a transaction.
var ErrNotSignature = errors.New("not the signature of a transaction")

// ParseSignature reads base58 of exactly 64 bytes, the one spelling that wallets
// and explorers show. Any other encoding is refused, so that a transaction has
// one name only.
func ParseSignature(text string) (Signature, error) {
	var s Signature
	if err := decodeBase58(s[:], text); err != nil {
		return Signature{}, fmt.Errorf("%w: %w", ErrNotSignature, err)
	}
	return s, nil
}

// String is the spelling that ParseSignature reads.
func (s Signature) String() string { return encodeBase58(s[:]) }

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// digits maps a letter of the alphabet to its value and everything else to -1.
var digits = func() (d [256]int8) {
	for i := range d {
		d[i] = -1
	}
	for i := range len(alphabet) {
		d[alphabet[i]] = int8(i)
	}
	return d
}()

// decodeBase58 fills number, big end first, with exactly what text says. A
// leading zero byte is one leading '1'.
func decodeBase58(number []byte, text string) error {
	// 11 letters hold more than 8 bytes: longer texts are not worth reading.
	if most := (len(number)*11 + 7) / 8; len(text) > most {
		return fmt.Errorf("more than %d characters", most)
	}
	for i := range len(text) {
		carry := int(digits[text[i]])
		if carry < 0 {
			return fmt.Errorf("character %d is not base58", i+1)
		}
		for j := len(number) - 1; j >= 0; j-- {
			carry += 58 * int(number[j])
			number[j] = byte(carry)
			carry >>= 8
		}
		if carry != 0 {
			return fmt.Errorf("more than %d bytes", len(number))
		}
	}
	if encodeBase58(number) != text {
		return fmt.Errorf("not %d bytes", len(number)) // too few, or zeros that mean nothing
	}
	return nil
}

func encodeBase58(number []byte) string {
	number = append([]byte(nil), number...)
	zeros := 0
	for zeros < len(number) && number[zeros] == 0 {
		zeros++
	}
	text := make([]byte, len(number)*11/8+1)
	at := len(text)
	for first := zeros; first < len(number); {
		rest := 0
		for i := first; i < len(number); i++ {
			rest = rest<<8 | int(number[i])
			number[i] = byte(rest / 58)
			rest %= 58
		}
		at--
		text[at] = alphabet[rest]
		for first < len(number) && number[first] == 0 {
			first++
		}
	}
	for range zeros {
		at--
		text[at] = alphabet[0]
	}
	return string(text[at:])
}

package places

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which names are compared: lower case, without accents, spaces and
// punctuation.
func Fold(s string) string {
	var buf [64]byte
	return string(appendFold(buf[:0], s))
}

func appendFold(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			dst = append(dst, c)
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c|0x20)
		case c >= utf8.RuneSelf:
			return appendFoldUnicode(dst, s[i:])
		}
	}
	return dst
}

func appendFoldUnicode(dst []byte, s string) []byte {
	// Some systems send decomposed text, in which Hangul would be folded differently.
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	var enc [utf8.UTFMax]byte
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == utf8.RuneError {
			continue
		}
		r = unicode.ToLower(r)
		parts := norm.NFKD.Properties(enc[:utf8.EncodeRune(enc[:], r)]).Decomposition()
		if parts == nil {
			dst = appendFoldRune(dst, r)
			continue
		}
		for len(parts) > 0 {
			p, size := utf8.DecodeRune(parts)
			parts = parts[size:]
			dst = appendFoldRune(dst, unicode.ToLower(p))
		}
	}
	return dst
}

// r must be a lower-case rune without a Unicode decomposition.
func appendFoldRune(dst []byte, r rune) []byte {
	switch r {
	case 'ß':
		return append(dst, "ss"...)
	case 'æ':
		return append(dst, "ae"...)
	case 'œ':
		return append(dst, "oe"...)
	case 'þ':
		return append(dst, "th"...)
	case 'ø':
		return append(dst, 'o')
	case 'đ', 'ð':
		return append(dst, 'd')
	case 'ł':
		return append(dst, 'l')
	case 'ħ':
		return append(dst, 'h')
	case 'ı':
		return append(dst, 'i')
	}
	switch {
	case 0x2B0 <= r && r <= 0x2FF: // modifier letters, such as the Hawaiian okina, stand for apostrophes
		return dst
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return utf8.AppendRune(dst, r)
	case unicode.IsMark(r) && r >= 0x700: // from 0x700 on, a mark may be a vowel
		return utf8.AppendRune(dst, r)
	}
	return dst
}

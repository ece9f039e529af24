package notify

import (
	"fmt"

	"verdetto/shared/varint"
	"verdetto/shared/verdict"
)

// format is the first byte of what is encoded here.
const format = 1

// levels are numbered by their place here: new ones go to the end.
var levels = []string{verdict.Insufficient, verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro}

// reliabilities likewise.
var reliabilities = []string{"", verdict.Alta, verdict.Media, verdict.Bassa}

// oneOf reads a place in a list of words.
func oneOf(r *varint.Reader, what string, all []string) string {
	at := r.Int()
	if at < 0 || at >= int64(len(all)) {
		r.Fail(fmt.Errorf("unknown %s %d", what, at))
		return ""
	}
	return all[at]
}

// Package trends turns the stored data of the routes from an origin into price
// trends: which destinations are popular, what the cheapest live fare is, and
// how it stands against last week and against the route's past. It is pure.
//
// One Origin is stored per origin and holds an Entry per route, so an answer
// costs one read however many destinations there are.
package trends

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"verdetto/shared/fare"
)

// Live is a fare that could be found on the day of the refresh.
type Live struct {
	Depart fare.Day   `json:"d"`
	Price  fare.Cents `json:"p"`
	Found  int64      `json:"f"` // Unix seconds
	// How the fare was judged while it was fresh: the words of package verdict.
	// Entries of before this was kept have no Level, and what cannot be judged has no Certainty.
	Level      string `json:"v,omitempty"`
	Certainty  string `json:"c,omitempty"`
	Percentile int    `json:"q,omitempty"`
}

// Month is the observed fares that depart in a month of the year.
type Month struct {
	Month   int        `json:"m"` // 1 to 12
	Median  fare.Cents `json:"p"`
	Minimum fare.Cents `json:"l"`
	Sample  int        `json:"n"`
}

// Entry is one route. Amounts are euro cents.
type Entry struct {
	Destination  fare.City  `json:"to"`
	AsOf         fare.Day   `json:"on"` // the refresh that made it
	Newest       int64      `json:"at"` // newest observation, Unix seconds
	Observations int        `json:"n"`
	Median       fare.Cents `json:"p"` // of the cheapest fares of past days
	Minimum      fare.Cents `json:"l"`
	Sample       int        `json:"s"`           // how many past days those are
	Previous     fare.Cents `json:"b,omitempty"` // cheapest fare one cycle before AsOf; 0: none
	Live         []Live     `json:"live"`        // the first that has not departed is the cheapest
	Months       []Month    `json:"months"`      // cheapest first
}

// Cycle is the days from one refresh to the next, for which an entry's live fares may be shown.
const Cycle = 7

// Cheapest is the cheapest live fare on a day, if there is one.
func (e Entry) Cheapest(today fare.Day) (Live, bool) {
	if today < e.AsOf || today > e.AsOf+Cycle {
		return Live{}, false
	}
	for _, l := range e.Live {
		if l.Depart >= today {
			return l, true
		}
	}
	return Live{}, false
}

// Origin is all routes from a city, by how often fares were observed on them:
// an observation is a search that somebody made, which is the best measure
// there is of how popular a destination is.
type Origin struct {
	Entries []Entry
}

// Merge puts fresh entries in the place of older ones to the same destinations and ranks all again.
func (o Origin) Merge(fresh []Entry) Origin {
	all := slices.Clone(fresh)
	for _, old := range o.Entries {
		if !slices.ContainsFunc(fresh, func(e Entry) bool { return e.Destination == old.Destination }) {
			all = append(all, old)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Observations, a.Observations), cmp.Compare(a.Destination, b.Destination))
	})
	return Origin{all}
}

// To gives the entry of a destination.
func (o Origin) To(destination fare.City) (Entry, bool) {
	i := slices.IndexFunc(o.Entries, func(e Entry) bool { return e.Destination == destination })
	if i < 0 {
		return Entry{}, false
	}
	return o.Entries[i], true
}

// encodingVersion is the first byte of an encoded Origin.
const encodingVersion = 1

// Encode packs an Origin as deflated JSON: about 200 bytes a destination with twelve months.
func (o Origin) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte(encodingVersion)
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		err = json.NewEncoder(z).Encode(o.Entries)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("encode trends: %w", err)
	}
	return b.Bytes(), nil
}

// maxDecoded bounds what a stored Origin may unpack to.
const maxDecoded = 16 << 20

// Decode unpacks what Encode packed.
func Decode(data []byte) (Origin, error) {
	if len(data) == 0 || data[0] != encodingVersion {
		return Origin{}, fmt.Errorf("decode trends: unknown format")
	}
	var o Origin
	z := flate.NewReader(bytes.NewReader(data[1:]))
	if err := json.NewDecoder(io.LimitReader(z, maxDecoded)).Decode(&o.Entries); err != nil {
		return Origin{}, fmt.Errorf("decode trends: %w", err)
	}
	return o, nil
}

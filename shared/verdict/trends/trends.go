// Package trends computes price trends of the routes from a city. For each route it holds its
// popularity, its cheapest live fare, and how that fare compares with last week's and with earlier
// fares. The package does no I/O.
//
// The store holds one Origin per city, with an Entry per route. So an answer reads one item,
// whatever the number of destinations.
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

// Live is a fare that was available on the day of the refresh. Amounts are in EUR cents.
type Live struct {
	Depart fare.Day   `json:"d"`
	Price  fare.Cents `json:"p"`
	Found  int64      `json:"f"` // Unix seconds
	// The verdict on the fare while it is fresh, with the published names of package verdict.
	// Entries of earlier versions have no Level. A fare without a verdict has no Certainty.
	Level      string `json:"v,omitempty"`
	Certainty  string `json:"c,omitempty"`
	Percentile int    `json:"q,omitempty"`
}

// Month holds the prices of the observed fares that depart in a calendar month of any year.
type Month struct {
	Month   int        `json:"m"` // 1 to 12
	Median  fare.Cents `json:"p"`
	Minimum fare.Cents `json:"l"`
	Sample  int        `json:"n"`
}

// Entry holds the trends of the route to one destination. Amounts are in EUR cents.
type Entry struct {
	Destination  fare.City  `json:"to"`
	AsOf         fare.Day   `json:"on"` // the day of the refresh that built it
	Newest       int64      `json:"at"` // newest observation, Unix seconds
	Observations int        `json:"n"`
	Median       fare.Cents `json:"p"` // of the cheapest fares of past days
	Minimum      fare.Cents `json:"l"`
	Sample       int        `json:"s"`           // number of these past days
	Previous     fare.Cents `json:"b,omitempty"` // cheapest fare one cycle before AsOf; 0: none
	Live         []Live     `json:"live"`        // the first that has not departed is the cheapest
	Months       []Month    `json:"months"`      // cheapest first
}

// Cycle is the number of days after AsOf for which the live fares (found in the last 7 days) of an
// entry may be shown.
const Cycle = 7

// Cheapest returns the cheapest live fare (found in the last 7 days) that departs today or later.
// It returns false if there is none.
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

// Origin holds all routes from a city, the route with the most observations first. Each observation
// is a search by a traveller. So the number of observations is the best available measure of
// popularity.
type Origin struct {
	Entries []Entry
}

// Merge replaces entries by the fresh entries to the same destinations and sorts all entries again.
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

// Entry returns the entry of a destination. It returns false if there is none.
func (o Origin) Entry(destination fare.City) (Entry, bool) {
	i := slices.IndexFunc(o.Entries, func(e Entry) bool { return e.Destination == destination })
	if i < 0 {
		return Entry{}, false
	}
	return o.Entries[i], true
}

// encodingVersion is the first byte of an encoded Origin.
const encodingVersion = 1

// Encode packs an Origin as deflated JSON, about 200 bytes per destination with 12 months.
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

// maxDecoded limits the unpacked size of a stored Origin.
const maxDecoded = 16 << 20

// Decode parses the bytes that Encode returned.
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

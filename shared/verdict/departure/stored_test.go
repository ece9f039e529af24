package departure

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
)

// small returns a state of two departures, refreshed on begin+2.
func small() *Learner {
	var s Learner
	s.Convert(fare.EUR, 1)
	s.Stops = AllNonStop
	s.Facts = []byte{7}
	p := Start(begin)
	s.Advance(begin+2, p, []Live{
		{Depart: begin + 20, Price: 4999, Found: begin.Time().Unix() + 3600, Stops: fare.NonStop},
		{Depart: begin + 20, Price: 4499, Found: (begin + 1).Time().Unix(), Stops: fare.NonStop, DayOnly: true},
		{Depart: begin + 27, Price: 8999, Found: (begin + 1).Time().Unix() + 60, Stops: fare.NonStop},
	}, new(Statistics))
	return &s
}

// TestStoredBytes: packed states equal the bytes that stores already hold. A change here makes
// states unreadable; it needs a new format byte and a reader for both formats. Compressed questions
// are compared after decoding.
func TestStoredBytes(t *testing.T) {
	const (
		sheet    = "01c4b8020080808080808080f83f0201073001c0b8020316084541bf7c414000000000000000000000000000000000000000000000000000013a830201488302000003c0b80216084541bf7c4140023a83020e830203c0b80216084541bf7c4140023a83020e830203c0b80282cf3941bf7c4140013a860402c0b8025566f8405fbe0040013a83021201c4b8029323942302cb0801001dac030002029323942312000601070204c4c50a"
		learning = "01629466643eb083e9c50ea63ebf0bac664c0ccfd91fb23230f0ad700b606760626400040000ffff"
	)
	s := small()
	if got := hex.EncodeToString(s.Encode()); got != sheet {
		t.Errorf("packed as %s, want %s", got, sheet)
	}
	data, err := hex.DecodeString(sheet)
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeState(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Live, read.Live); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.Minima, read.Minima, cmp.AllowUnexported(Route{}, mean{}, bar{}, term{}),
		cmpopts.EquateApprox(0, massUnit)); diff != "" || string(read.Facts) != "\a" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.Pasts, read.Pasts, private); diff != "" {
		t.Error(diff)
	}
	if data, err = hex.DecodeString(learning); err != nil {
		t.Fatal(err)
	}
	open, err := DecodeLearning(data)
	if diff := cmp.Diff(Learning{All: s.Questions, NonStop: Questions{}}, open, private); diff != "" || err != nil {
		t.Errorf("%v %s; now packed as %x", err, diff, Learning{All: s.Questions}.Encode())
	}
}

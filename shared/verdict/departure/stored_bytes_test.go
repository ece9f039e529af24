package departure

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
)

func small() *Learner {
	var s Learner
	s.Convert(fare.EUR, 1)
	s.Stops = AllNonStop
	s.Facts = []byte{7}
	p := Start(begin)
	p.curve[0].weight = 1
	s.Advance(begin+2, p, []Live{
		{Depart: begin + 20, Price: 4999, Found: begin.Time().Unix() + 3600, Stops: fare.NonStop},
		{Depart: begin + 20, Price: 4499, Found: (begin + 1).Time().Unix(), Stops: fare.NonStop, DayOnly: true},
		{Depart: begin + 27, Price: 8999, Found: (begin + 1).Time().Unix() + 60, Stops: fare.NonStop},
	}, new(Statistics))
	return &s
}

func TestNoCurveIsRenewed(t *testing.T) {
	all, p := days(15, 20, begin, 60), Start(begin)
	var got, want Learner
	var early, left, wantLeft Statistics
	got.Advance(begin+40, p, until(all, begin+40), &early)
	if early.residuals != [bins]int64{} {
		t.Error("residuals without a curve are contributed")
	}
	p.Fold(begin, &early)
	want.Advance(begin+40, p, until(all, begin+40), &wantLeft)
	if !p.MustRenew(&got.State) || p.MustRenew(&want.State) {
		t.Fatal("the wrong state must be renewed")
	}
	got.Advance(begin+59, p, all, &left)
	want.Advance(begin+59, p, all, &wantLeft)
	near := cmp.Comparer(func(a, b term) bool { return math.Abs(a.value-b.value) < .2 })
	if diff := cmp.Diff(want.State, got.State, cmp.AllowUnexported(State{}, Route{}, mean{}, bar{}, Past{}, dayPrice{}),
		cmpopts.EquateEmpty(), near); diff != "" {
		t.Error(diff)
	}
	if left.residuals != wantLeft.residuals {
		t.Error("other residuals are contributed")
	}
}

// A changed encoding needs another format byte, so that stored states count as absent.
func TestStoredBytes(t *testing.T) {
	const (
		sheet    = "05c4b8020080808080808080f83f0201073003c0b8020619525141ce524d4000000000000000000000000000000000000000000000000000013a860201488602000003c0b80219525141ce524d40023a86020e860203c0b80219525141ce524d40023a86020e860203c0b802f1124541ce524d40013a8c0402c0b802e2d4014167a90640013a86021201c4b8029323942302cb0801001dac03000202932394230100000102040000000001000600000000010012000101070200c4c50a81b8c8b7"
		learning = "02629266623eb083e9c50ea63ebf063d332686e7ec1cfa0c0c7c2bdc1aac189898181800010000ffff"
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
	if diff := cmp.Diff(s.departures(), read.departures(), private); diff != "" {
		t.Error(diff)
	}
	if data, err = hex.DecodeString(learning); err != nil {
		t.Fatal(err)
	}
	open, err := DecodeLearning(data)
	if diff := cmp.Diff(Learning{All: s.Questions}, open, private, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("%v %s; now packed as %x", err, diff, Learning{All: s.Questions}.Encode())
	}
}

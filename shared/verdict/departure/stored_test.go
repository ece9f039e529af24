package departure

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
)

// small returns a state of two departures whose last refresh was on the day begin+2.
func small() *Learner {
	var s Learner
	s.Convert(fare.EUR, 1)
	s.Stops = AllNonStop
	s.Facts = []byte{7}
	p := Start(begin)
	p.curve[0].weight = 1 // the lead-time curve is known
	s.Advance(begin+2, p, []Live{
		{Depart: begin + 20, Price: 4999, Found: begin.Time().Unix() + 3600, Stops: fare.NonStop},
		{Depart: begin + 20, Price: 4499, Found: (begin + 1).Time().Unix(), Stops: fare.NonStop, DayOnly: true},
		{Depart: begin + 27, Price: 8999, Found: (begin + 1).Time().Unix() + 60, Stops: fare.NonStop},
	}, new(Statistics))
	return &s
}

// firstRuleStored is the state that small returns, as the first version of the rule encoded it.
const firstRuleStored = "01c4b8020080808080808080f83f0201073001c0b8020316084541bf7c414000000000000000000000000000000000000000000000000000013a830201488302000003c0b80216084541bf7c4140023a83020e830203c0b80216084541bf7c4140023a83020e830203c0b80282cf3941bf7c4140013a860402c0b8025566f8405fbe0040013a83021201c4b8029323942302cb0801001dac030002029323942312000601070204c4c50a"

// TestFirstRuleIsRead: a state that the first version of the rule stored decodes to the state of
// small. Only the mean and the residuals (distances from the usual price) differ: their weights are
// smaller by the ratio of the half-lives.
func TestFirstRuleIsRead(t *testing.T) {
	data, err := hex.DecodeString(firstRuleStored)
	if err != nil {
		t.Fatal(err)
	}
	want := small()
	read, err := DecodeState(data)
	if err != nil || !read.FirstRule {
		t.Fatalf("of the first rule: %v, %v", read, err)
	}
	if diff := cmp.Diff(want.Live, read.Live); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Pasts, read.Pasts, private); diff != "" {
		t.Error(diff)
	}
	// On the day of the state, one of its 3 fares is two days old and two fares are one day old.
	on := read.Route.Day(Start(begin).View(read.AsOf), nil)
	weight, mean := levelHalfLife/60*(math.Exp2(-2./60)+2*math.Exp2(-1./60)), 4.1
	if math.Abs(on.level.weight-weight) > 1e-6 || math.Abs(on.average(none)-mean) > .1 {
		t.Errorf("a mean of %v with a weight of %v, want %v", on.average(none), on.level.weight, weight)
	}
	if again, err := DecodeState(read.Encode()); err != nil || again.FirstRule {
		t.Errorf("packed again: %v, %v", again, err)
	}
}

// TestFirstRuleIsRenewed: a refresh replaces a state of the first version of the rule. The new
// state equals the state that the present rule builds from the same fares.
func TestFirstRuleIsRenewed(t *testing.T) {
	all, p := days(15, 20, begin, 60), Start(begin)
	var want Learner
	want.Advance(begin+40, p, until(all, begin+40), new(Statistics))
	stored := want.Encode()
	stored[0] = firstRuleSheet // the layout is the same
	read, err := DecodeState(stored)
	if err != nil {
		t.Fatal(err)
	}
	got := Learner{State: *read, Questions: want.Clone().Questions}
	var left, wantLeft Statistics
	got.Advance(begin+59, p, all, &left)
	want.Advance(begin+59, p, all, &wantLeft)
	// The state of the first rule stored the route's terms with less precision, so compare them
	// with a tolerance.
	near := cmp.Comparer(func(a, b term) bool {
		return math.Abs(a.value-b.value) < 1e-6 && math.Abs(a.information-b.information) < 1e-4 &&
			math.Abs(a.cases-b.cases) < 1e-3
	})
	if diff := cmp.Diff(want.State, got.State, cmp.AllowUnexported(Route{}, mean{}, bar{}, Past{}, dayPrice{}),
		cmpopts.EquateEmpty(), near); diff != "" {
		t.Error(diff)
	}
	if left.residuals != wantLeft.residuals || left.curve != wantLeft.curve {
		t.Error("other statistics are left for the cycle")
	}
}

// TestFourTermsAreRead: testdata holds pooled statistics (sums over all routes), statistics and
// questions that commit 03d5f380 stored, before the chance of a fall had its fifth term (the
// cheapest other departure on sale). They are read as if the fifth term had learned nothing, and
// keep all their other values.
func TestFourTermsAreRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "fourterms.json"))
	if err != nil {
		t.Fatal(err)
	}
	var stored struct{ Pooled, Statistics, Questions []byte }
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	pooled, err := DecodePooled(stored.Pooled)
	if err != nil {
		t.Fatal(err)
	}
	for h, table := range pooled.tables {
		if slices.Equal(table.cells[:besideFirst], initial[h].cells[:besideFirst]) ||
			!slices.Equal(table.cells[besideFirst:], initial[h].cells[besideFirst:]) ||
			slices.Max(table.informations[besideFirst:]) != 0 {
			t.Errorf("pooled: %+v", table)
		}
	}
	statistics, err := DecodeStatistics(stored.Statistics)
	if err != nil {
		t.Fatal(err)
	}
	if l := statistics.learned[Week]; l.intercept == (amounts{}) || l.cells[lowFirst] != l.intercept ||
		l.cells[besideFirst] != (amounts{}) {
		t.Errorf("statistics: %+v", l)
	}
	questions, err := DecodeQuestions(stored.Questions)
	if err != nil || len(questions) != 40 {
		t.Fatalf("%d questions, %v", len(questions), err)
	}
	for _, q := range questions {
		if q.cells[4] != besideUnknown || q.cells[3] < lowFirst || q.cells[3] >= besideFirst || q.depart < q.day {
			t.Errorf("question %+v", q)
		}
	}
	again, err := DecodePooled(pooled.Encode())
	if err != nil || !slices.Equal(again.Encode(), pooled.Encode()) {
		t.Errorf("packed again: %v", err)
	}
}

// TestNoCurveIsStored: a state that was built while the lead-time curve was unknown is stored as
// such. This includes its state for ranges of dates.
func TestNoCurveIsStored(t *testing.T) {
	var s Learner
	s.Convert(fare.EUR, 1)
	s.Advance(begin+40, Start(begin), days(15, 20, begin, 39), new(Statistics))
	read, err := DecodeState(s.Encode())
	if err != nil {
		t.Fatal(err)
	}
	routes := append([]Route{s.Route, read.Route}, append(s.Minima[:], read.Minima[:]...)...)
	for i, r := range routes {
		if r.count == 0 || !r.noCurve {
			t.Errorf("%d: %d fares, noCurve %v", i, r.count, r.noCurve)
		}
	}
}

// TestNoCurveIsRenewed: a whole history is added while the lead-time curve is unknown. When the curve
// is known, the next refresh rebuilds the state. Then it equals a state that was built with the
// curve, and the residuals are contributed once.
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
	if diff := cmp.Diff(want.State, got.State, cmp.AllowUnexported(Route{}, mean{}, bar{}, Past{}, dayPrice{}),
		cmpopts.EquateEmpty(), near); diff != "" {
		t.Error(diff)
	}
	if left.residuals != wantLeft.residuals {
		t.Error("other residuals are contributed")
	}
}

// TestStoredBytes: packed states equal the bytes that stores already hold. If this test fails,
// stored states are no longer readable. A new encoding needs a new format byte and a reader for
// both formats. Compressed questions are compared after decoding.
func TestStoredBytes(t *testing.T) {
	const (
		sheet    = "02c4b8020080808080808080f83f0201073001c0b8020319525141ce524d4000000000000000000000000000000000000000000000000000013a860201488602000003c0b80219525141ce524d40023a86020e860203c0b80219525141ce524d40023a86020e860203c0b802f1124541ce524d40013a8c0402c0b802e2d4014167a90640013a86021201c4b8029323942302cb0801001dac030002029323942312000601070204c4c50a"
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

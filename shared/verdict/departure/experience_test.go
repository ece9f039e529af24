package departure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestExperienceIsKept(t *testing.T) {
	e := &Experience{Doubted: [3]bool{true, false, true}, WeeksOut: 3}
	for i := range e.Curves[1] {
		e.Curves[1][i] = StepMiddle(i) * StepMiddle(i)
	}
	e.Bands[0] = make([]Band, len(RecordEdges)-1)
	for i := range e.Bands[0] {
		e.Bands[0][i] = Band{From: RecordEdges[i], To: RecordEdges[i+1], Panels: 1}
	}
	e.Bands[0][2] = Band{From: .1, To: .2, Cases: 812, Fell: .125, Rose: .25, Mean: -.5, Low: -.75, High: .0625,
		Dearer: .375, Panels: 1}
	c := Cycle{Day: 16802, Pooled: Start(16800)}
	if read, err := DecodeCycle(c.Encode()); err != nil || read.Pooled.Experience != nil {
		t.Errorf("without an experience: %+v, %v", read.Pooled.Experience, err)
	}
	c.Pooled.Experience = e
	data := c.Encode()
	read, err := DecodeCycle(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, read.Pooled.Experience, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Error(diff)
	}
	if len(data) > 2<<10 {
		t.Errorf("%d bytes", len(data))
	}
	for n := range len(data) {
		if _, err := DecodeCycle(data[:n]); err == nil {
			t.Fatalf("cut at %d it is read", n)
		}
	}
}

func TestBand_WithoutCases(t *testing.T) {
	e := &Experience{}
	for i := range e.Curves[0] {
		e.Curves[0][i] = StepMiddle(i)
	}
	e.Bands[0] = make([]Band, len(RecordEdges)-1)
	counted := Band{Cases: 812, Fell: .125}
	e.Bands[0][place(.15, RecordEdges[1:len(RecordEdges)-1])] = counted
	if got := e.Band(0, .15); got != counted {
		t.Errorf("%+v, want the service's own %+v", got, counted)
	}
	if got, want := e.Band(0, .95), Recorded().Band(0, .95); got != want {
		t.Errorf("%+v without a case, want the record's %+v", got, want)
	}
}

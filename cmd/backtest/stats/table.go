package stats

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

type Tables struct {
	out  io.Writer
	rows *tabwriter.Writer
}

func NewTables(out io.Writer) Tables {
	return Tables{out, tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

func (t Tables) Line(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }

func (t Tables) LeftOut(dropped map[string]int, notes []string) {
	for _, why := range slices.Sorted(maps.Keys(dropped)) {
		t.Line("left out: %d rows: %s", dropped[why], why)
	}
	for _, note := range notes {
		t.Line("note: %s", note)
	}
}

func (t Tables) Title(format string, args ...any) {
	t.rows.Flush()
	t.Line("\n"+format, args...)
}

func (t Tables) Row(format string, args ...any) { fmt.Fprintf(t.rows, format+"\t\n", args...) }

func (t Tables) End(missing []string) {
	t.rows.Flush()
	for i, m := range missing {
		if i == 0 {
			t.Line("")
		}
		t.Line("not measured: %s", m)
	}
}

func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func (r *Range) Percent() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.1f, %.1f]", 100*r.Low, 100*r.High)
}

func (r *Range) Plain() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.3f, %.3f]", r.Low, r.High)
}

package stats

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Tables writes tables, each with a title.
type Tables struct {
	out  io.Writer
	rows *tabwriter.Writer
}

// NewTables returns Tables that write to out.
func NewTables(out io.Writer) Tables {
	return Tables{out, tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

// Line writes a line of text before the first table.
func (t Tables) Line(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }

// LeftOut writes why rows of a file were dropped, and then the notes.
func (t Tables) LeftOut(dropped map[string]int, notes []string) {
	for _, why := range slices.Sorted(maps.Keys(dropped)) {
		t.Line("left out: %d rows: %s", dropped[why], why)
	}
	for _, note := range notes {
		t.Line("note: %s", note)
	}
}

// Title ends the current table and starts the next.
func (t Tables) Title(format string, args ...any) {
	t.rows.Flush()
	t.Line("\n"+format, args...)
}

// Row writes a row, with cells separated by tabs.
func (t Tables) Row(format string, args ...any) { fmt.Fprintf(t.rows, format+"\t\n", args...) }

// End ends the last table and lists the results that could not be measured.
func (t Tables) End(missing []string) {
	t.rows.Flush()
	for i, m := range missing {
		if i == 0 {
			t.Line("")
		}
		t.Line("not measured: %s", m)
	}
}

// Percent returns a share in percent.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Percent returns an interval in percent, or "" for nil.
func (r *Range) Percent() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.1f, %.1f]", 100*r.Low, 100*r.High)
}

// Plain returns an interval with three digits, or "" for nil.
func (r *Range) Plain() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("[%.3f, %.3f]", r.Low, r.High)
}

package csvfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

type Report struct {
	Rows          int // lines read after the header, without blank lines
	Fares         int
	Returns       int
	First, Last   fare.Day
	Duplicates    int
	Dropped       map[upstream.Reason]int // includes unreadable rows
	Bad           []BadRow
	BadTotal      int
	Fault         error
	OneWayColumns []string // columns whose names suggest one-way fares, without the requested column
	Readings      []string
}

type BadRow struct {
	Line int
	Why  string
}

func (b BadRow) String() string { return fmt.Sprintf("line %d: %s", b.Line, b.Why) }

const (
	FewFields  upstream.Reason = "fewer fields than the header names"
	ManyFields upstream.Reason = "more fields than the header names"
	StrayQuote upstream.Reason = "a quotation mark out of place"
	LongLine   upstream.Reason = "a line too long for a row"
	BadCode    upstream.Reason = "a code that is not three letters"
	BadDate    upstream.Reason = "a date that cannot be read"
	BadNumber  upstream.Reason = "a price that is no decimal number"
	BadStops   upstream.Reason = "stops that are no number"
)

type fault struct {
	reason upstream.Reason
	detail string
	// undecided means that the rest of the file may show how to read the row.
	undecided bool
}

func (f fault) Error() string { return f.detail }

func (r Report) Partly() bool { return r.BadTotal > 0 || r.Fault != nil }

var ErrNothing = errors.New("nothing usable")

func (r Report) Usable() error {
	switch {
	case r.Fares > 0:
		return nil
	case r.Rows == 0 && r.Fault != nil:
		return fmt.Errorf("%w: %w", ErrNothing, r.Fault)
	case r.Rows == 0:
		return fmt.Errorf("%w: there is only a header; add rows", ErrNothing)
	}
	return fmt.Errorf("%w: mend the rows for the reasons above, or %s", ErrNothing, r.anotherColumn())
}

func (r Report) UsableAt(now time.Time, days fare.Day) error {
	today := fare.DayOf(now)
	if r.Fares > 0 && (r.First > today || r.Last <= today-days) {
		return fmt.Errorf("%w on %s: the fares were found from %s to %s, and those of the last %d days count; set the clock to a day among them, as in -now %s",
			ErrNothing, today, r.First, r.Last, days, r.Last)
	}
	return r.Usable()
}

func (r Report) UsableOneWay() error {
	if r.Fares > 0 && r.Fares == r.Returns {
		return fmt.Errorf("%w: all fares are returns, and one-way fares are wanted; %s", ErrNothing, r.anotherColumn())
	}
	return r.Usable()
}

func (r Report) anotherColumn() string {
	if len(r.OneWayColumns) == 0 {
		return "name a column of one-way fares with -price"
	}
	return "take the one-way fare from another column: -price " + strings.Join(r.OneWayColumns, " or -price ")
}

func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "panel         %d rows, %d fares", r.Rows, r.Fares)
	if r.Returns > 0 {
		fmt.Fprintf(w, " (%d of them returns)", r.Returns)
	}
	if r.Duplicates > 0 {
		fmt.Fprintf(w, ", %d repeated", r.Duplicates)
	}
	fmt.Fprintln(w)
	for _, reading := range r.Readings {
		fmt.Fprintf(w, "  read        %s\n", reading)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Dropped)) {
		fmt.Fprintf(w, "  left out    %d: %s\n", r.Dropped[reason], reason)
	}
	for _, bad := range r.Bad {
		fmt.Fprintf(w, "  bad row     %s\n", bad)
	}
	if r.BadTotal > len(r.Bad) {
		fmt.Fprintf(w, "  and %d more bad rows\n", r.BadTotal-len(r.Bad))
	}
	if r.Fault != nil {
		fmt.Fprintf(w, "  fault       %v; the rows before it are loaded\n", r.Fault)
	}
}

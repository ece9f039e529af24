package refresh

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

type Report struct {
	Origins        int                     `json:"origins"`
	Answered       int                     `json:"asked"`
	Empty          int                     `json:"empty"`
	Failed         int                     `json:"failed"`
	New            int                     `json:"new"`
	Duplicate      int                     `json:"duplicate"`
	Dropped        map[upstream.Reason]int `json:"dropped,omitempty"`
	RoutesSeen     int                     `json:"routesSeen"`
	RoutesChanged  int                     `json:"routesChanged"`
	ReturnsSeen    int                     `json:"returnsSeen,omitempty"`
	ReturnsChanged int                     `json:"returnsChanged,omitempty"`
	Notifications  int                     `json:"woken,omitempty"`
	Faults         []string                `json:"faults,omitempty"`

	Again   []fare.City `json:"-"` // failed origins; nil also if a retry must ask for all origins
	Refused bool        `json:"-"`
}

var ErrPartly = errors.New("the refresh is incomplete")

func (r Report) Failure() error {
	if r.Failed == 0 {
		return checkClock(r.Dropped, r.New+r.Duplicate)
	}
	return failure(r.Answered, r.Failed, "cities", r.Faults[0], r.Refused)
}

func failure(answered, failed int, what, first string, refused bool) error {
	err := fmt.Errorf("%d of %d %s failed, at first %s", failed, answered+failed, what, first)
	if answered > 0 {
		err = fmt.Errorf("%w: %w", ErrPartly, err)
	}
	if refused {
		err = fmt.Errorf("%w: %w", upstream.ErrRefused, err)
	}
	return err
}

func checkClock(dropped map[upstream.Reason]int, taken int) error {
	if n := dropped[upstream.FromFuture]; n > taken {
		return fmt.Errorf("the source found %d fares after the time of this service's clock; set the clock right", n)
	}
	return nil
}

const maxFaults = 20

func addFault(to *[]string, name string, err error) {
	if len(*to) < maxFaults {
		*to = append(*to, fmt.Sprintf("%s: %v", name, err))
	}
}

func (r *Report) add(o Outcome) {
	if o.Err != nil {
		r.Failed++
		addFault(&r.Faults, string(o.Origin), o.Err)
		r.Again = append(r.Again, o.Origin)
		r.Refused = r.Refused || errors.Is(o.Err, upstream.ErrRefused)
	} else {
		r.Answered++
		if o.Fares == 0 {
			r.Empty++
		}
	}
	r.New += o.New
	r.Duplicate += o.Duplicate
	r.RoutesSeen += o.Routes.Seen
	r.RoutesChanged += o.Routes.Changed
	r.ReturnsSeen += o.Returns.Seen
	r.ReturnsChanged += o.Returns.Changed
	r.Notifications += o.Notifications
	addDropped(&r.Dropped, o.Dropped)
}

func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "origins       %d: %d asked (%d of them empty), %d failed\n", r.Origins, r.Answered, r.Empty, r.Failed)
	fmt.Fprintf(w, "observations  %d new, %d already known\n", r.New, r.Duplicate)
	printDropped(w, r.Dropped)
	fmt.Fprintf(w, "routes        %d seen, %d changed\n", r.RoutesSeen, r.RoutesChanged)
	if r.ReturnsSeen > 0 {
		fmt.Fprintf(w, "returns       %d seen, %d changed, by route and length of stay; ask with notti\n",
			r.ReturnsSeen, r.ReturnsChanged)
	}
	if r.Notifications > 0 {
		fmt.Fprintf(w, "watched       %d routes with something new to tell\n", r.Notifications)
	}
	printFaults(w, r.Faults, r.Failed)
}

func printDropped(w io.Writer, dropped map[upstream.Reason]int) {
	for _, reason := range slices.Sorted(maps.Keys(dropped)) {
		fmt.Fprintf(w, "  left out    %d: %s\n", dropped[reason], reason)
	}
}

func printFaults(w io.Writer, faults []string, all int) {
	for _, f := range faults {
		fmt.Fprintf(w, "  fault       %s\n", f)
	}
	if all > len(faults) {
		fmt.Fprintf(w, "  and %d more\n", all-len(faults))
	}
}

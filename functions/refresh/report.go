package refresh

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"verdetto/shared/upstream"
)

type Report struct {
	Origins        int                     `json:"origins"`
	Answered       int                     `json:"asked"` // answered and completely stored
	Empty          int                     `json:"empty"` // asked, but without fares
	Failed         int                     `json:"failed"`
	New            int                     `json:"new"`
	Duplicate      int                     `json:"duplicate"`
	Dropped        map[upstream.Reason]int `json:"dropped,omitempty"`
	RoutesSeen     int                     `json:"routesSeen"`
	RoutesChanged  int                     `json:"routesChanged"`
	ReturnsSeen    int                     `json:"returnsSeen,omitempty"` // by route and stay
	ReturnsChanged int                     `json:"returnsChanged,omitempty"`
	Notifications  int                     `json:"woken,omitempty"`
	Faults         []string                `json:"faults,omitempty"` // the first few, for people
}

// maxFaults limits the listed faults, so that a report stays readable if every origin fails.
const maxFaults = 20

func addFault(to *[]string, of string, err error) {
	if len(*to) < maxFaults {
		*to = append(*to, fmt.Sprintf("%s: %v", of, err))
	}
}

func (r *Report) add(o Outcome) {
	if o.Err != nil {
		r.Failed++
		addFault(&r.Faults, string(o.Origin), o.Err)
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

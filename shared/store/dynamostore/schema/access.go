package schema

import "slices"

// Access is which functions touch the partitions of a name. A function may do to
// the table what stands here and nothing else, so that whoever finds a hole in one
// of them finds behind it what it works with, and no more.
type Access struct {
	Partition string   // as in the table of keys of package store; a * is any text
	Read      []string // folders in functions/
	Write     []string
}

var (
	everyHTTP = []string{"alerts", "analisi", "compat", "pricetrends", "pro", "x402"}
	readers   = []string{"analisi", "compat", "pricetrends", "x402"}
	refresh   = []string{"refresh"}
	alerts    = []string{"alerts"}
	told      = []string{"alerts", "refresh"} // refresh sends what alerts has taken on
	pro       = []string{"pro"}
	paid      = []string{"x402"}
)

// Accesses lists all that functions touch. The deployment makes their permissions
// of it; e2e/access holds it against what they do: nothing is missing, and
// nothing stands here that none of them needs.
var Accesses = []Access{
	{Partition: "ROUTE#*", Read: []string{"analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "ORIGIN#*", Read: []string{"analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "COVERED", Read: []string{"analisi", "refresh"}, Write: refresh},
	{Partition: "INTO#*", Read: []string{"analisi", "refresh"}, Write: refresh},
	{Partition: "FARES", Read: []string{"analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "LEFT#*", Read: refresh, Write: refresh},
	{Partition: "SCORE", Read: []string{"analisi", "refresh"}, Write: refresh},
	{Partition: "DEMANDED", Read: refresh, Write: []string{"analisi", "compat", "x402"}},
	{Partition: "WANTED", Read: refresh, Write: readers},
	{Partition: "SEEN#*", Read: refresh, Write: refresh},
	{Partition: "WAKES", Read: refresh, Write: refresh},
	{Partition: "ALERTS#*", Read: told, Write: told},
	{Partition: "SUBSCRIBER#*", Read: told, Write: told},
	{Partition: "WATCHED#*", Read: refresh, Write: told},
	{Partition: "DIGESTS#*", Read: told, Write: told},
	{Partition: "DIGESTS", Read: told, Write: told},
	{Partition: "PENDING#*", Read: alerts, Write: alerts},
	{Partition: "STOPPED#*", Read: told, Write: told},
	{Partition: "MAILBOX#*", Read: []string{"alerts", "pro"}, Write: []string{"alerts", "pro"}},
	{Partition: "LEASE#*", Read: refresh, Write: refresh},
	{Partition: "OUTBOX#alerts*", Read: alerts, Write: alerts},
	{Partition: "OUTBOX#push", Read: alerts, Write: told},
	{Partition: "WEBHOOK#*", Read: told, Write: told},
	{Partition: "DELIVERIES", Read: alerts, Write: told},
	{Partition: "OUTBOX#pro*", Read: pro, Write: pro},
	{Partition: "OFFER#*", Read: pro, Write: pro},
	{Partition: "NOTE#*", Read: pro, Write: pro},
	{Partition: "CUSTOMER#*", Read: []string{"analisi", "compat", "pricetrends", "pro"}, Write: pro},
	{Partition: "SUBSCRIPTION#*", Read: pro, Write: pro},
	{Partition: "CASHED#*", Read: pro, Write: pro},
	{Partition: "PAID#*", Read: paid, Write: paid},
	{Partition: "CREDIT#*", Read: paid, Write: paid},
	{Partition: "FEES#*", Read: paid, Write: paid},
	// as they start: which pepper the table was made with
	{Partition: "SERVICE", Read: []string{"alerts", "pro", "refresh"}, Write: []string{"alerts", "pro", "refresh"}},
	{Partition: "LIMIT#*", Read: []string{"analisi", "pro"}, Write: everyHTTP},
	// of the day's calls to the source; what callers may do it cannot count
	{Partition: "LIMIT#calls#*", Write: refresh},
}

// ReadBy and WrittenBy are the partitions that a function reads and writes.
func ReadBy(function string) []string {
	return of(function, func(a Access) []string { return a.Read })
}

// WrittenBy: see ReadBy.
func WrittenBy(function string) []string {
	return of(function, func(a Access) []string { return a.Write })
}

func of(function string, who func(Access) []string) (partitions []string) {
	for _, a := range Accesses {
		if slices.Contains(who(a), function) {
			partitions = append(partitions, a.Partition)
		}
	}
	return partitions
}

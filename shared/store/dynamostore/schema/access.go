package schema

import "slices"

// Access lists which Lambda functions read and write a group of partitions. Each function has access
// only to the partitions that it needs, so an attacker who takes it over reaches no other data.
type Access struct {
	Partition string   // as in the table of keys of package store; * is any text
	Read      []string // folders in functions/
	Write     []string
}

var (
	everyHTTP        = []string{"alerts", "analisi", "compat", "pricetrends", "pro", "x402"}
	readers          = []string{"analisi", "compat", "pricetrends", "x402"}
	refresh          = []string{"refresh"}
	alerts           = []string{"alerts"}
	alertsAndRefresh = []string{"alerts", "refresh"} // alerts stores alerts, refresh sends their messages
	pro              = []string{"pro"}
	perCall          = []string{"x402"}
)

// Accesses lists all accesses of the Lambda functions to stored data. The deployment derives their
// permissions from it. The scripts of e2e fail if the list lacks an access or has an unused one.
var Accesses = []Access{
	{Partition: "ROUTE#*", Read: []string{"alerts", "analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "ORIGIN#*", Read: []string{"analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "COVERED", Read: []string{"analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "INTO#*", Read: []string{"analisi", "refresh"}, Write: refresh},
	{Partition: "FARES", Read: []string{"alerts", "analisi", "compat", "pricetrends", "refresh", "x402"}, Write: refresh},
	{Partition: "LEFT#*", Read: refresh, Write: refresh},
	{Partition: "SCORE", Read: []string{"analisi", "refresh"}, Write: refresh},
	{Partition: "DEMANDED", Read: refresh, Write: readers},
	{Partition: "WANTED", Read: refresh, Write: readers},
	{Partition: "SEEN#*", Read: refresh, Write: refresh},
	{Partition: "WAKES", Read: refresh, Write: refresh},
	{Partition: "ALERTS#*", Read: alertsAndRefresh, Write: alertsAndRefresh},
	{Partition: "SUBSCRIBER#*", Read: alertsAndRefresh, Write: alertsAndRefresh},
	{Partition: "WATCHED#*", Read: refresh, Write: alertsAndRefresh},
	{Partition: "DIGESTS#*", Read: alertsAndRefresh, Write: alertsAndRefresh},
	{Partition: "DIGESTS", Read: alertsAndRefresh, Write: alertsAndRefresh},
	{Partition: "PENDING#*", Read: alerts, Write: alerts},
	{Partition: "STOPPED#*", Read: alertsAndRefresh, Write: alertsAndRefresh},
	{Partition: "MAILBOX#*", Read: []string{"alerts", "pro"}, Write: []string{"alerts", "pro"}},
	{Partition: "NETWORKS", Read: alerts, Write: alerts},
	{Partition: "LEASE#*", Read: refresh, Write: refresh},
	{Partition: "OUTBOX#alerts*", Read: alerts, Write: alerts},
	{Partition: "OUTBOX#push", Read: alerts, Write: alertsAndRefresh},
	{Partition: "WEBHOOK#*", Read: alertsAndRefresh, Write: alertsAndRefresh},
	{Partition: "DELIVERIES", Read: alerts, Write: alertsAndRefresh},
	{Partition: "OUTBOX#pro*", Read: pro, Write: pro},
	{Partition: "OFFER#*", Read: pro, Write: pro},
	{Partition: "NOTE#*", Read: pro, Write: pro},
	{Partition: "CUSTOMER#*", Read: []string{"analisi", "compat", "pricetrends", "pro"}, Write: pro},
	{Partition: "SUBSCRIPTION#*", Read: pro, Write: pro},
	{Partition: "CASHED#*", Read: pro, Write: pro},
	{Partition: "PAID#*", Read: perCall, Write: perCall},
	{Partition: "CREDIT#*", Read: perCall, Write: perCall},
	{Partition: "FEES#*", Read: perCall, Write: perCall},
	// Read and written at start, to check the pepper of the table.
	{Partition: "SERVICE", Read: []string{"alerts", "pro", "refresh"}, Write: []string{"alerts", "pro", "refresh"}},
	{Partition: "LIMIT#*", Read: []string{"analisi", "pro"}, Write: everyHTTP},
	// Counts the daily calls to the fare source. The function refresh may not write the limits of
	// callers (LIMIT#*).
	{Partition: "LIMIT#calls#*", Write: refresh},
}

func ReadBy(function string) []string {
	return partitionsOf(function, func(a Access) []string { return a.Read })
}

func WrittenBy(function string) []string {
	return partitionsOf(function, func(a Access) []string { return a.Write })
}

func partitionsOf(function string, who func(Access) []string) (partitions []string) {
	for _, a := range Accesses {
		if slices.Contains(who(a), function) {
			partitions = append(partitions, a.Partition)
		}
	}
	return partitions
}

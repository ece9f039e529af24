package schema

import "slices"

// An attacker who takes over a function must reach no data that the function does not need.
type Access struct {
	Partition string
	Read      []string
	Write     []string
}

var (
	everyHTTP        = []string{"alerts", "analisi", "compat", "pricetrends", "pro", "x402"}
	readers          = []string{"analisi", "compat", "pricetrends", "x402"}
	refresh          = []string{"refresh"}
	alerts           = []string{"alerts"}
	alertsAndRefresh = []string{"alerts", "refresh"}
	pro              = []string{"pro"}
	perCall          = []string{"x402"}
)

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
	// CheckPepper reads and writes this partition.
	{Partition: "SERVICE", Read: []string{"alerts", "pro", "refresh"}, Write: []string{"alerts", "pro", "refresh"}},
	{Partition: "LIMIT#*", Read: []string{"analisi", "pro"}, Write: everyHTTP},
	// The function refresh counts calls to the fare source, but must not write other limits.
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

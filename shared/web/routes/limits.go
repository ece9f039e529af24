package routes

import (
	"fmt"
	"slices"
	"strings"
)

// OwnLimits names the limits that neither Table nor Others nor Cached holds.
var OwnLimits = []string{
	"alerts-address", "alerts-seen", "alerts-server", "alerts-server-network", "alerts-service", "mailbox", "pro-card-network", "pro-card-service",
	"pro-chain-network", "pro-chain-service", "pro-indirizzo-plan", "pro-ruota-key",
	"webhook-tests", "x402-again", "x402-failed-day", "x402-failed-hour", "x402-fees-day", "x402-guarded-day",
}

func LimitNames() []string {
	names := slices.Clone(OwnLimits)
	for _, r := range append(slices.Clone(Table), Others, Cached) {
		if r.Free != (Cap{}) {
			names = append(names, r.Name+"-free", r.Name+"-network")
		}
		if r.Pro != (Cap{}) {
			names = append(names, r.Name+"-pro")
		}
	}
	slices.Sort(names)
	return names
}

func UnknownLimit(name string) string {
	names := LimitNames()
	if slices.Contains(names, name) {
		return ""
	}
	endpoint := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "-free"), "-pro"), "-network")
	names = slices.DeleteFunc(names, func(known string) bool { return !strings.HasPrefix(known, endpoint+"-") })
	if len(names) == 0 {
		return fmt.Sprintf("%q is not the name of a quota; the header RateLimit-Policy states it", name)
	}
	return fmt.Sprintf("%q is not the name of a quota; choose one of %s", name, strings.Join(names, ", "))
}

package routes

import (
	"fmt"
	"strings"
	"time"
)

// sold returns an endpoint whose answers are paid per call. The parameter price is in millionths of a
// USDC.
func sold(name, path string, price, callsAMinute int64) Route {
	return Route{
		Name: name, Path: path, Price: price, NoHEAD: true,
		Free: Cap{callsAMinute, time.Minute},
	}
}

func (r Route) Sold() (twin Route, ok bool) {
	for _, t := range Table {
		if t.Price > 0 && t.Path == "/x402"+r.Path {
			return t, true
		}
	}
	return Route{}, false
}

func (r Route) PriceText() string {
	text := strings.TrimRight(fmt.Sprintf("%d.%06d", r.Price/1_000_000, r.Price%1_000_000), "0")
	return strings.TrimSuffix(text, ".")
}

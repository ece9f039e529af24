package routes

import (
	"fmt"
	"strings"
	"time"
)

// sold is an endpoint whose answers are paid one by one, each for so many millionths of a USDC.
// Previews of links do not pay for it.
func sold(name, path string, price, callsAMinute int64) Route {
	return Route{
		Name: name, Method: "GET", Path: path, Function: "x402", Price: price, NoHEAD: true,
		Free: Cap{callsAMinute, time.Minute},
	}
}

// Sold is the endpoint that sells the answers of this one; false where none does.
func (r Route) Sold() (twin Route, ok bool) {
	for _, t := range Table {
		if t.Price > 0 && t.Path == "/x402"+r.Path {
			return t, true
		}
	}
	return Route{}, false
}

// PriceText is the price of one call, in USDC.
func (r Route) PriceText() string {
	text := strings.TrimRight(fmt.Sprintf("%d.%06d", r.Price/1_000_000, r.Price%1_000_000), "0")
	return strings.TrimSuffix(text, ".")
}

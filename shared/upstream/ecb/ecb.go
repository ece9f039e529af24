// Package ecb gives euro foreign exchange reference rates of the European
// Central Bank: a committed history, one entry a month, for converting fares
// that were found in the past, and the daily feed for today's.
//
// It promises that every answer says of which day it is, and that rates are
// always to be had: where the feed cannot be read, the newest committed entry
// stands in, with its own date. Beside the Bank's currencies it knows those
// whose value is tied to the euro. See LICENSES.md for the source of the rates.
package ecb

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"sort"
	"strconv"
	"strings"
	"sync"

	"verdetto/shared/fare"
)

//go:generate go run ./generate

//go:embed rates.csv
var committed []byte

// tied are currencies that the Bank does not publish and that hold to the euro.
// A rate that the Bank does publish for a day goes before the one here.
var tied = map[string]float64{
	"BAM": 1.95583,    // Bosnia and Herzegovina: currency board
	"XOF": 655.957,    // CFA franc, West Africa: peg guaranteed by France
	"XAF": 655.957,    // CFA franc, Central Africa: likewise
	"KMF": 491.96775,  // Comoros: likewise
	"XPF": 119.331742, // CFP franc: 1000 francs are 8.38 euro by decree
	"CVE": 110.265,    // Cape Verde: peg by agreement with Portugal
	"STN": 24.5,       // Sao Tome and Principe: likewise, 24,500 old dobras
	"MKD": 61.5,       // North Macedonia: held there by its central bank, within half a per cent for many years

	// Replaced by the euro at these rates for good, since 2015, 2023 and 2026;
	// prices are still quoted in them for a while.
	"LTL": 3.45280,
	"HRK": 7.53450,
	"BGN": 1.95583,
}

// History is reference rates of many days. It does not change.
type History struct {
	rates []fare.Rates // in order of Date, at least one
}

// Table is the committed history: the last publication of every month from
// January 2014 on.
var Table = sync.OnceValue(func() *History {
	h, err := parseTable(committed)
	if err != nil {
		panic(fmt.Sprintf("ecb: the committed table is broken: %v", err))
	}
	return h
})

// On gives the newest rates of that day or before it; for days before the
// first entry, the first. The map in them is shared and not to be written to.
func (h *History) On(day fare.Day) fare.Rates {
	after := sort.Search(len(h.rates), func(i int) bool { return h.rates[i].Date > day })
	return h.rates[max(after-1, 0)]
}

// Newest gives the last entry.
func (h *History) Newest() fare.Rates { return h.rates[len(h.rates)-1] }

// parseTable reads rates by day: a header "date,USD,...", then a row for each
// day in rising order, empty where nothing was published.
func parseTable(data []byte) (*History, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	if len(rows) < 2 {
		return nil, errors.New("read rates: no entries")
	}
	header := rows[0]
	h := &History{}
	for _, row := range rows[1:] {
		day, err := fare.ParseDay(row[0])
		if err != nil {
			return nil, fmt.Errorf("read rates: %w", err)
		}
		if n := len(h.rates); n > 0 && h.rates[n-1].Date >= day {
			return nil, fmt.Errorf("read rates: %s is out of order", day)
		}
		rates := withTied(day)
		for i, cell := range row[1:] {
			if cell == "" {
				continue
			}
			if err := set(rates, header[i+1], cell); err != nil {
				return nil, fmt.Errorf("read rates of %s: %w", day, err)
			}
		}
		h.rates = append(h.rates, rates)
	}
	return h, nil
}

// withTied begins the rates of a day.
func withTied(day fare.Day) fare.Rates { return fare.Rates{Date: day, PerEuro: maps.Clone(tied)} }

// set adds one published rate.
func set(rates fare.Rates, currency, text string) error {
	if len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("currency %.10q: want three capitals", currency)
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		return fmt.Errorf("rate %.20q of %s: want a positive number", text, currency)
	}
	rates.PerEuro[currency] = rate
	return nil
}

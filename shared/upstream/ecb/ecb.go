// Package ecb provides the euro reference rates of the European Central Bank. A file in the
// repository has one entry per month, for past fares. The daily feed has today's rates.
//
// Every result states the day of its rates. If the feed cannot be read, the newest entry of the
// file replaces it, with its day. The rates include currencies that are pegged to the euro but not
// published by the Bank. See LICENSES.md for the source of the rates.
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

// tied holds the rates of currencies pegged to the euro that the Bank does not publish. A published
// rate takes precedence.
var tied = map[string]float64{
	"BAM": 1.95583,    // Bosnia and Herzegovina: currency board
	"XOF": 655.957,    // CFA franc, West Africa: peg guaranteed by France
	"XAF": 655.957,    // CFA franc, Central Africa: likewise
	"KMF": 491.96775,  // Comoros: likewise
	"XPF": 119.331742, // CFP franc: by decree, 1000 francs are 8.38 EUR
	"CVE": 110.265,    // Cape Verde: peg by agreement with Portugal
	"STN": 24.5,       // Sao Tome and Principe: likewise, 24,500 old dobras
	"MKD": 61.5,       // North Macedonia: its central bank keeps it within 0.5 %

	// The euro replaced these at these fixed rates in 2015, 2023 and 2026. Some prices still use
	// them for a while.
	"LTL": 3.45280,
	"HRK": 7.53450,
	"BGN": 1.95583,
}

// History holds the reference rates of many days. It is immutable.
type History struct {
	rates []fare.Rates // sorted by Date, at least one
}

// Table is the History in the repository: the last publication of each month since January 2014.
var Table = sync.OnceValue(func() *History {
	h, err := parseTable(committed)
	if err != nil {
		panic(fmt.Sprintf("ecb: the committed table is broken: %v", err))
	}
	return h
})

// RatesOn returns the newest rates of the day or earlier, or else the first entry. Callers must not
// change the map in the result, which is shared.
func (h *History) RatesOn(day fare.Day) fare.Rates {
	after := sort.Search(len(h.rates), func(i int) bool { return h.rates[i].Date > day })
	return h.rates[max(after-1, 0)]
}

func (h *History) Newest() fare.Rates { return h.rates[len(h.rates)-1] }

// parseTable parses a header "date,USD,...", then one row per day in rising order. An empty cell
// means that the Bank published no rate.
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

func withTied(day fare.Day) fare.Rates { return fare.Rates{Date: day, PerEuro: maps.Clone(tied)} }

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

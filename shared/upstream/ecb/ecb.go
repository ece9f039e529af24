// Package ecb provides the euro reference rates of the European Central Bank. For past fares, a
// file in the repository has one entry per month. The daily feed has the newest rates. See
// LICENSES.md for the source of the rates.
package ecb

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"verdetto/shared/fare"
)

//go:generate go run ./generate

//go:embed rates.csv
var committed []byte

//go:embed pegs.csv
var committedPegs []byte

// A peg is a fixed rate, used if the Bank publishes none. until is the last day of a currency that
// the euro replaced.
type peg struct {
	currency, base string
	rate           float64
	since, until   fare.Day
}

var pegs = sync.OnceValue(func() (all []peg) {
	rows, err := csv.NewReader(bytes.NewReader(committedPegs)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("ecb: the committed pegs are broken: %v", err))
	}
	for _, row := range rows[1:] {
		p := peg{currency: row[0], base: row[1]}
		p.rate, _ = strconv.ParseFloat(row[2], 64) // TestPegs parses every row
		p.since, _ = fare.ParseDay(row[3])
		p.until, _ = fare.ParseDay(row[4])
		all = append(all, p)
	}
	return all
})

func Pegged(currency string) bool {
	return slices.ContainsFunc(pegs(), func(p peg) bool { return p.currency == currency })
}

func addPegs(r fare.Rates) {
	for _, p := range pegs() {
		base, ok := r.Rate(p.base)
		if _, published := r.PerEuro[p.currency]; !published && ok && r.Date >= p.since {
			r.PerEuro[p.currency] = base * p.rate
		}
		if p.until != 0 && r.Date > p.until {
			r.Ended[p.currency] = p.until
		}
	}
}

// History is immutable.
type History struct {
	rates []fare.Rates
}

// Table has the last publication of each month since January 2014.
var Table = sync.OnceValue(func() *History {
	h, err := parseTable(committed)
	if err != nil {
		panic(fmt.Sprintf("ecb: the committed table is broken: %v", err))
	}
	return h
})

// RatesOn returns the newest rates of the day or earlier, or else the first entry. Callers must not
// change the maps in the result, which are shared.
func (h *History) RatesOn(day fare.Day) fare.Rates {
	after := sort.Search(len(h.rates), func(i int) bool { return h.rates[i].Date > day })
	return h.rates[max(after-1, 0)]
}

func (h *History) Newest() fare.Rates { return h.rates[len(h.rates)-1] }

// An empty cell means that the Bank published no rate.
func parseTable(data []byte) (*History, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	if len(rows) < 2 {
		return nil, errors.New("read rates: no entries")
	}
	header := rows[0]
	h, seen := &History{}, map[string]fare.Day{}
	for _, row := range rows[1:] {
		day, err := fare.ParseDay(row[0])
		if err != nil {
			return nil, fmt.Errorf("read rates: %w", err)
		}
		if n := len(h.rates); n > 0 && h.rates[n-1].Date >= day {
			return nil, fmt.Errorf("read rates: %s is out of order", day)
		}
		rates := fare.Rates{Date: day, PerEuro: map[string]float64{}, Ended: map[string]fare.Day{}}
		for i, cell := range row[1:] {
			switch last, published := seen[header[i+1]]; {
			case cell == "" && published:
				rates.Ended[header[i+1]] = last
			case cell != "":
				if err := set(rates, header[i+1], cell); err != nil {
					return nil, fmt.Errorf("read rates of %s: %w", day, err)
				}
				seen[header[i+1]] = day
			}
		}
		addPegs(rates)
		h.rates = append(h.rates, rates)
	}
	return h, nil
}

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

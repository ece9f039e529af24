package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

func awsDocument(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/aws.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDocumentCosts(t *testing.T) {
	doc := awsDocument(t)
	_, rest, _ := strings.Cut(doc, "| charged for |")
	table, _, _ := strings.Cut(rest, "\n\n")
	number := func(cell string) float64 {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil && cell != "" {
			t.Errorf("%q: %v", cell, err)
		}
		return v
	}
	rows := strings.Split(table, "\n")[2:]
	var sums [2]float64
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " *")
		}
		cells = append(cells, "", "")[:7] // put back empty last cells, whose bars Trim removed
		for i := range sums {
			quantity, cost := cells[3+2*i], cells[4+2*i]
			want := sums[i]
			if cells[0] != "together" {
				want = number(cells[2]) * number(quantity)
				sums[i] += want
			}
			if math.Abs(number(cost)-want) > 0.00501 {
				t.Errorf("%s costs %q, want %.4f", cells[0], cost, want)
			}
		}
	}
	if len(rows) < 10 || !strings.Contains(rows[len(rows)-1], "together") {
		t.Errorf("the table ends with %q after %d rows", rows[len(rows)-1], len(rows))
	}
	intro, _, _ := strings.Cut(doc, "```")
	for _, sum := range sums {
		if want := fmt.Sprintf("about %.0f dollars", sum); !strings.Contains(intro, want) {
			t.Errorf("the first paragraph does not say %q", want)
		}
	}
}

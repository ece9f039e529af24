package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBacktestRefuses: an unusable panel fails with a message that names the problem, without a
// report.
func TestBacktestRefuses(t *testing.T) {
	const header = "origin,destination,observed_date,depart_date,price,currency"
	days := func(n int, rest string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "MIL,BUH,2026-01-%02d,2026-03-01,%d,EUR%s\n", i+1, 50+i, rest)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, panel string
		flags       []string
		want        string
		partly      bool
	}{
		{"no file named", "", nil, "needs -fares", false},
		{"no columns", "a,b\n1,2\n", nil, "header lacks origin", false},
		{"no such price column", header + "\n" + days(20, ""), []string{"-price", "one_way"}, "header lacks one_way",
			false},
		{"round trips only", header + ",return_date\n" + days(20, ",2026-03-08"), nil,
			"nothing usable: all fares are returns", false},
		{"too few days", header + "\n" + days(8, ""), nil, "no route was observed on more than 8 days", false},
		{"no days asked for", header + "\n" + days(20, ""), []string{"-from", "2027-01-01"},
			"no day of the range", false},
		{"days the wrong way round", header + "\n" + days(20, ""), []string{"-from", "2026-02-01", "-to", "2026-01-01"},
			"is after", false},
		{"no cycle", header + "\n" + days(20, ""), []string{"-cycle", "0"}, "-cycle 0", false},
		{"an unknown question", header + "\n" + days(20, ""), []string{"-ask", "volo"},
			"-ask volo: want rotta or partenza", false},
		{"two panels", header + "\n" + days(20, ""), []string{"-fares", "other.csv"}, "give one panel, or -record",
			false},
		{"a record of routes", header + "\n" + days(20, ""), []string{"-record", "out.json"}, "use -ask partenza",
			false},
		{"a record of few fares", header + "\n" + days(20, ""), []string{"-record", "out.json", "-ask", "partenza"},
			"fewer than 500 cases", false},
		{"the first day of routes", header + "\n" + days(20, ""), []string{"-first-day"}, "use -ask partenza", false},
		{"departures without days", "origin,destination,price\n", []string{"-ask", "partenza"},
			"header lacks observed_date", false},
		{"departures that end at once", header + "\n" + days(1, ""), []string{"-ask", "partenza"},
			"no departure was seen again", false},
		{"a bad row", header + "\n" + days(20, "") + "MIL,BUH,2026-01-40,2026-03-01,50,EUR\n", []string{"-json"},
			"left out", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := c.flags
			if c.panel != "" {
				file := filepath.Join(t.TempDir(), "panel.csv")
				if err := os.WriteFile(file, []byte(c.panel), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append([]string{"-fares", file}, args...)
			}
			err := execute(t.Context(), append([]string{"backtest"}, args...))
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, errPartly) != c.partly {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestBacktestDepartures: the command backtest reports on the departures of a panel (observed
// fares), as tables and as JSON.
func TestBacktestDepartures(t *testing.T) {
	file := filepath.Join("backtest", "departures", "testdata", "panel.csv")
	for _, flags := range [][]string{{"-ask", "partenza"}, {"-ask", "partenza", "-cycle", "7"}} {
		for _, format := range [][]string{nil, {"-json"}} {
			out, err := os.Create(filepath.Join(t.TempDir(), "out"))
			if err != nil {
				t.Fatal(err)
			}
			stdout := os.Stdout
			os.Stdout = out
			err = execute(t.Context(), slices.Concat([]string{"backtest", "-fares", file}, flags, format))
			os.Stdout = stdout
			if err != nil {
				t.Fatalf("%v: %v", flags, err)
			}
			text, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			if format == nil {
				if !strings.Contains(string(text), "The rule and each rival") {
					t.Errorf("%v: %s", flags, text)
				}
				continue
			}
			var report struct {
				Asked   float64
				Methods []struct {
					Name string
					AUC  float64
				}
			}
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatal(err)
			}
			if report.Asked == 0 || len(report.Methods) == 0 || report.Methods[0].Name != "rule" ||
				report.Methods[0].AUC == 0 {
				t.Errorf("%v: %+v", flags, report)
			}
		}
	}
}

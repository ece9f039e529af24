package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const header = "origin,destination,observed_date,depart_date,price,currency"

func write(t *testing.T, header, rest string, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		fmt.Fprintf(&b, "MIL,BUH,2026-01-%02d,2026-03-01,%d,EUR%s\n", i+1, 50+i, rest)
	}
	file := filepath.Join(t.TempDir(), "panel.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRun_Refuses(t *testing.T) {
	good := write(t, header, "", 20)
	returns := write(t, header+",return_date", ",2026-03-08", 20)
	for want, args := range map[string]string{
		"needs -fares":                   "",
		"header lacks origin":            "-fares " + write(t, "a,b", "", 0),
		"header lacks one_way":           "-price one_way -fares " + good,
		"all fares are returns":          "-fares " + returns,
		"no route has 8 days of fares":   "-fares " + write(t, header, "", 8),
		"no day of the range":            "-from 2027-01-01 -fares " + good,
		"is after -to":                   "-from 2026-02-01 -to 2026-01-01 -fares " + good,
		"-cycle 0":                       "-cycle 0 -fares " + good,
		"-ask volo: want rotta or":       "-ask volo -fares " + good,
		"-o xml: want text or json":      "-o xml -fares " + good,
		"give one panel, or -record":     "-fares other.csv -fares " + good,
		"the record is about departures": "-record out.json -fares " + good,
		"fewer than 500 cases":           "-record out.json -ask partenza -fares " + good,
		"the first day is about":         "-first-day -fares " + good,
		`no argument "more"`:             "-fares " + good + " more",
		"header lacks observed_date":     "-ask partenza -fares " + write(t, "origin,destination,price", "", 0),
		"no departure was seen again":    "-ask partenza -fares " + write(t, header, "", 1),
		"round trip:20":                  "-ask partenza -fares " + returns,
	} {
		var out strings.Builder
		if err := run(strings.Fields(args), &out, io.Discard); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%s: %v, want %q; %s", args, err, want, &out)
		}
	}
}

func moving(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	first, prices := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), map[string]int{}
	var b strings.Builder
	b.WriteString(header + "\n")
	for day := range 300 {
		for _, route := range []string{"AAA,BBB", "DDD,CCC"} {
			for lead := 10; lead < 60; lead += 7 {
				depart := route + first.AddDate(0, 0, day+lead-day%7).Format(",2006-01-02")
				if prices[depart] == 0 || random.IntN(5) == 0 {
					prices[depart] = 40 + random.IntN(60)
				}
				fmt.Fprintf(&b, "%s,%s%s,%d,EUR\n", route, first.AddDate(0, 0, day).Format(time.DateOnly), depart[len(route):], prices[depart])
			}
		}
	}
	file := filepath.Join(t.TempDir(), "panel.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRun(t *testing.T) {
	file := moving(t)
	for args, title := range map[string]string{
		"":                             "What follows a level: the route's cheapest fare",
		"-from 2025-07-01":             "Levels by quarter of the verdict",
		"-ask partenza":                "The rule and each rival",
		"-ask partenza -cycle 7":       "The percentile by quarter of the question",
		"-ask partenza -to 2025-09-01": "The percentile by days before departure",
		"-ask partenza -first-day":     "AUC of the percentile",
	} {
		var text, data strings.Builder
		for form, out := range map[string]*strings.Builder{"text": &text, "json": &data} {
			if err := run(append(strings.Fields(args), "--fares", file, "-o", form), out, io.Discard); err != nil {
				t.Fatalf("%s -o %s: %v", args, form, err)
			}
		}
		if !strings.Contains(text.String(), title) {
			t.Errorf("%s: %s", args, &text)
		}
		var report map[string]any
		if err := json.Unmarshal([]byte(data.String()), &report); err != nil || report["to"] == "" {
			t.Errorf("%s: %v, %s", args, err, &data)
		}
	}
}

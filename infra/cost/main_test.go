package main

import (
	"flag"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tables into the document anew")

// TestDocument: the tables in docs/deploy.md are those that this command prints.
func TestDocument(t *testing.T) {
	for _, c := range []struct {
		file, begin, end string
		write            func(io.Writer)
	}{
		{"../../docs/deploy.md", "<!-- costs: go run ./infra/cost -->\n", "<!-- end of costs -->\n", tables},
		{"../../docs/scale.md", "<!-- floods: go run ./infra/cost -->\n", "<!-- end of floods -->\n", floodTable},
	} {
		data, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(data), c.begin)
		said, after, closed := strings.Cut(rest, c.end)
		if !ok || !closed {
			t.Fatalf("%s does not have the marks %q and %q", c.file, c.begin, c.end)
		}
		var b strings.Builder
		c.write(&b)
		if *update {
			if err := os.WriteFile(c.file, []byte(before+c.begin+b.String()+c.end+after), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(b.String(), said); diff != "" {
			t.Errorf("%s is behind; go test ./infra/cost -update writes it:\n%s", c.file, diff)
		}
	}
}

// TestFloodByHand: two days, computed on paper.
func TestFloodByHand(t *testing.T) {
	u := use{seconds: 0.01, memoryGB: 0.5, logBytes: 1000, answerBytes: 1000}
	// API Gateway, a call, 0.005 GB-seconds, 1 KB of logs.
	inside := 1e-6 + 0.2e-6 + 0.005*0.0000133334 + 0.5e-6
	f := flood{perSecond: 1000, addresses: 3}
	direct := attack{direct: true, a: u}
	if got, want := before.day(f, direct), 86400*1000*inside; math.Abs(got-want) > 1e-6 {
		t.Errorf("direct, before: %v, want %v", got, want)
	}
	if got := now.day(f, direct); got != 0 {
		t.Errorf("direct, now: %v", got)
	}
	// Three addresses pass 20 a second; the firewall looks at all 1,000.
	if got, want := now.day(f, attack{a: u}), 86400*(1000*0.6e-6+20*(1e-6+0.085e-6+inside)); math.Abs(got-want) > 1e-6 {
		t.Errorf("misses, now: %v, want %v", got, want)
	}
}

// TestFloodsAreBounded: no flood costs more than it did, and one machine no more
// than what the firewall takes for looking at it and the price of a coffee.
func TestFloodsAreBounded(t *testing.T) {
	for _, a := range attacks {
		for _, f := range floods {
			if now.day(f, a) > before.day(f, a) {
				t.Errorf("%s by %s costs %.0f a day, and cost %.0f", a.name, f.name, now.day(f, a), before.day(f, a))
			}
		}
		looking := secondsADay * floods[1].perSecond * prices.firewallRequest
		if usd := now.day(floods[1], a); !a.direct && usd > looking+10 {
			t.Errorf("%s by one machine costs %.2f a day, of which the firewall's is %.2f", a.name, usd, looking)
		}
	}
}

// TestByHand: one line, computed on paper.
func TestByHand(t *testing.T) {
	u := use{"", 0.5, 1, 0.01, 0.5, 1000, 1000, 1}
	// 0.0625 + 0.625; 0.20 + 5,000 GB-s; 1.00; 1.00 + 1 GB; 1 GB
	want := 0.6875 + (0.20 + 5000*0.0000133334) + 1.00 + 1.085 + 0.60 + 0.50
	if got := u.total(); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	u.reaches = 0 // all from the edge
	if got := u.total(); math.Abs(got-1.685) > 1e-9 {
		t.Errorf("from the edge alone: %v, want 1.685", got)
	}
}

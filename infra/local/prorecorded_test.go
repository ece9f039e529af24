package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/pay/paytest"
	"verdetto/shared/store/storetest"
)

// TestRecoveryTellsNothing asks for 200 addresses that have a plan and 200 that
// have none, by turns: status, headers and body are the same, and a rank test
// (Mann and Whitney's U) cannot tell their times apart. By chance alone it would
// once in a thousand runs.
func TestRecoveryTellsNothing(t *testing.T) {
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	const each = 200
	for n := range each {
		if a := s.verify(fmt.Sprintf("known%d@example.com", n), s.send(price, "")); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	clock.Add(time.Hour)
	var known, unknown []float64
	var first reply
	for n := range 2 * each {
		email, times := fmt.Sprintf("known%d@example.com", n/2), &known
		if n%2 == 1 {
			email, times = fmt.Sprintf("other%d@example.com", n/2), &unknown
		}
		begun := time.Now()
		a := s.recover(email)
		*times = append(*times, float64(time.Since(begun)))
		if n == 0 {
			first = a
		}
		a.header.Del("Date")
		if a.status != 202 || a.body != first.body || fmt.Sprint(a.header) != fmt.Sprint(first.header) {
			t.Fatalf("%s: %d %v %s", email, a.status, a.header, a.body)
		}
	}
	p := mannWhitney(known, unknown)
	t.Logf("p = %.3f", p)
	if p < 0.001 {
		t.Errorf("times tell who has a plan: p = %.5f", p)
	}
	for i := range unknown {
		unknown[i] *= 1.3
	}
	if p := mannWhitney(known, unknown); p > 0.001 {
		t.Errorf("the test would not notice 30 %% more time: p = %.5f", p)
	}
}

// mannWhitney is the two-sided p-value of the U test, by its normal approximation.
func mannWhitney(a, b []float64) float64 {
	u := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x < y:
				u++
			case x == y:
				u += 0.5
			}
		}
	}
	n, m := float64(len(a)), float64(len(b))
	z := (u - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}

// TestRecordedStripeObjects posts every recorded object, signed: events are taken, anything else is refused.
func TestRecordedStripeObjects(t *testing.T) {
	data := os.Getenv("VERDETTO_DATA")
	if data == "" {
		t.Skip("needs VERDETTO_DATA, a folder of recorded objects")
	}
	files, err := filepath.Glob(filepath.Join(data, "stripe", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	clock := storetest.NewClock()
	s := openShop(t, bolt(t, clock.Now), clock)
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var what struct{ Object json.RawMessage }
		if err := json.Unmarshal(payload, &what); err != nil {
			t.Fatal(err)
		}
		want, kind := 400, "no event"
		switch {
		case string(what.Object) == `"event"`:
			want, kind = 200, "event"
		case bytes.HasPrefix(what.Object, []byte("{")): // what an event is about, without the event around it
			_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "_")
			if strings.HasPrefix(name, "subscription.") {
				name = "customer." + name
			}
			want, kind = 200, "content of "+name
			payload = fmt.Appendf(nil, `{"id":"evt_1","object":"event","type":%q,"created":%d,"data":%s}`, name, clock.Now().Unix(), payload)
		}
		a := s.do("POST", "/api/v1/pro/webhook", string(payload), "Stripe-Signature", paytest.Sign(payload, clock.Now(), s.desk.stripe.Secret))
		t.Logf("%-60s %-45s %d", filepath.Base(file), kind, a.status)
		if a.status != want {
			t.Errorf("%s: %d %s, want %d", filepath.Base(file), a.status, a.body, want)
		}
	}
}

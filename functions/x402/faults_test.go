package x402_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestEveryStepFails(t *testing.T) {
	t.Parallel()
	type fault struct {
		name string
		arm  func(table *storetest.Faulty, chain func(string))
	}
	var faults []fault
	for call := range 12 {
		for _, side := range []storetest.Side{storetest.Before, storetest.After} {
			faults = append(faults, fault{fmt.Sprint("call ", call, " to the store, ", side),
				func(table *storetest.Faulty, _ func(string)) { table.DieAt(call, side) }})
		}
	}
	for _, step := range []string{"height", "send", "sent", "outcome"} {
		faults = append(faults, fault{"the chain at " + step,
			func(_ *storetest.Faulty, chain func(string)) { chain(step) }})
	}
	broken := 0
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			p, clock, table := open(t)
			if w := p.Ask(verdict, ""); w.Code != 402 { // warms the caches of the process
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			payment, answered := p.Payment("ada", price, 1), int64(0)
			f.arm(table, func(step string) {
				p.Chain.Fault = failing(pay.ErrUnavailable, step)
			})
			first := p.Ask(verdict, payment)
			table.Heal()
			p.Chain.Fault = nil
			switch first.Code {
			case 200:
				answered++
			case 500, 503:
				broken++
			default:
				t.Fatalf("%d %s", first.Code, first.Body)
			}
			clock.Add(5 * time.Minute)
			if w := p.Ask(another, p.Payment("ada", price, 2)); w.Code == 200 {
				answered++
			} else {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			// The answer may be recorded as returned although the caller did not receive it.
			if p.Chain.Got > answered*price {
				if w := p.Ask(verdict, payment); w.Code == 200 {
					answered++
				}
			}
			if p.Chain.Got > answered*price {
				t.Errorf("%d units for %d answers; first %d %s", p.Chain.Got, answered, first.Code, first.Body)
			}
		})
	}
	if broken < 10 {
		t.Errorf("only %d calls were broken off", broken)
	}
}

func TestHostilePayments(t *testing.T) {
	t.Parallel()
	p, clock, _ := open(t)
	good := p.Payment("ada", price, 1)
	expired := p.Payment("ada", price, 2)
	p.Chain.Expire()
	flipped := func(at int) string {
		b := []byte(good)
		b[at] ^= 1
		return string(b)
	}
	cases := map[string]struct{ target, payment string }{
		"its blockhash has expired": {verdict, expired},
		"less than the price":       {verdict, p.Payment("ada", price-1, 3)},
		"more than the price":       {verdict, p.Payment("ada", price+1, 4)},
		"the price of a verdict":    {calendar, p.Payment("ada", price, 5)},
		"the price of a calendar":   {verdict, p.Payment("ada", 2*price, 6)},
		"a payer who holds nothing": {verdict, p.Payment("pauper", price, 7)},
		"the wallet pays itself":    {verdict, p.Payment("wallet", price, 8)},
		"we pay ourselves":          {verdict, p.Payment("fees", price, 9)},
		"no base64":                 {verdict, "{}"},
		"a word":                    {verdict, "paid"},
		"a long header":             {verdict, strings.Repeat("A", 9000)},
		"JSON of nothing":           {verdict, "e30="},
		"a list":                    {verdict, "W10="},
		"half a payment":            {verdict, good[:len(good)/2/4*4]},
		"an unknown city and a payment": {"/x402/v1/analisi?origine=Atlantide&destinazione=Bucarest",
			p.Payment("ada", price, 10)},
	}
	for at := 40; at < len(good)-4 && len(cases) < 40; at += len(good) / 27 {
		cases[fmt.Sprint("character ", at, " is another")] = struct{ target, payment string }{verdict, flipped(at)}
	}
	if len(cases) < 40 {
		t.Fatalf("%d payments", len(cases))
	}
	lamports := p.Chain.Lamports
	for name, c := range cases {
		w := p.Ask(c.target, c.payment)
		if w.Code != 402 && w.Code != 400 && w.Code != 404 && w.Code != 429 ||
			w.Header().Get("PAYMENT-RESPONSE") != "" &&
				header[x402pay.Settlement](t, w, x402pay.ResponseHeader).Success {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if p.Chain.Got != 0 || p.Chain.Lamports != lamports {
			t.Fatalf("%s: %d units taken, %d lamports spent", name, p.Chain.Got, lamports-p.Chain.Lamports)
		}
	}
	clock.Add(time.Hour)

	p.Chain.Fails = true
	status := map[int]int{}
	for i := range 60 {
		w := p.Ask(verdict, p.Payment("ada", price, 100+i))
		status[w.Code]++
	}
	if spent := (lamports - p.Chain.Lamports) / 10_001; p.Chain.Got != 0 || spent != 5 || status[429] != 55 {
		t.Errorf("%d units, %d fees, %v", p.Chain.Got, spent, status)
	}
}

func storeOf(t store.Table) store.Payments { return store.Payments{Table: t} }

func address(payer string) string { return fixture.SolanaAddress(payer) }

// Payments that an earlier version of the service left open hold no slots.
func TestOpenPaymentsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]int{"sent": 200, "send": 503} {
		p, _, table := open(t)
		p.Chain.Fault = failing(pay.ErrUnavailable, step)
		payment := p.Payment("ada", price, 1)
		must(t, p.Ask(verdict, payment), 503, "")
		p.Chain.Fault = nil
		credits, err := storeOf(table).Credits(t.Context(), address("ada"), fixture.Today.Add(time.Hour))
		if err != nil || len(credits) != 1 {
			t.Fatalf("%+v %v", credits, err)
		}
		item, err := table.Get(t.Context(), store.Key{Partition: "PAID#" + credits[0].Name, Sort: "CALL"}, store.Strong)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(item.Data, &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"fees", "tries", "fee"} {
			if fields[name] == nil {
				t.Errorf("an open payment has no %s: %s", name, item.Data)
			}
			delete(fields, name)
		}
		if item.Data, err = json.Marshal(fields); err != nil {
			t.Fatal(err)
		}
		if err := table.Write(t.Context(), store.Op{Mode: store.Replace, Item: item}); err != nil {
			t.Fatal(err)
		}
		sent := p.Chain.Sent
		if w := p.Ask(verdict, payment); w.Code != want || p.Chain.Sent != sent {
			t.Errorf("%s: %d %s, sent %d times more", step, w.Code, w.Body, p.Chain.Sent-sent)
		}
		p.Chain.Expire()
		if w := p.Ask(verdict, payment); (w.Code == 200) != (want == 200) || (w.Code == 402) != (want == 503) {
			t.Errorf("%s, expired: %d %s", step, w.Code, w.Body)
		}
	}
}

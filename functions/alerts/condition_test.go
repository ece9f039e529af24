package alerts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

// TestConditions: valid conditions become an alert; others return the field at fault.
func TestConditions(t *testing.T) {
	today, _ := fare.ParseDay("2026-11-22")
	day := func(s string) fare.Day {
		d, err := fare.ParseDay(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	march := store.Trip{From: day("2027-03-01"), To: day("2027-03-31"), Month: true}
	for _, c := range []struct {
		fields string // JSON fields besides route and email
		want   store.Alert
		faults string // the fields at fault; "" for none
	}{
		{``, store.Alert{}, ""},
		{`"kind":"verdict"`, store.Alert{}, ""},
		{`"threshold":40`, store.Alert{Threshold: 4000}, ""},
		{`"threshold":40,"kind":"threshold"`, store.Alert{Threshold: 4000}, ""},
		{`"departure":null,"month":null,"nights":null,"nonstop":null,"kind":null,"days":null,"percent":null,"amount":null`, store.Alert{}, ""},
		{`"departure":"2027-03-20"`, store.Alert{Trip: store.Trip{From: day("2027-03-20"), To: day("2027-03-20")}}, ""},
		{`"departure":"2026-11-22"`, store.Alert{Trip: store.Trip{From: today, To: today}}, ""},
		{`"departure":"2026-11-20..2026-11-22"`, store.Alert{Trip: store.Trip{From: today - 2, To: today}}, ""},
		{`"departure":"2027-03-01..2027-03-31","threshold":40`,
			store.Alert{Threshold: 4000, Trip: store.Trip{From: march.From, To: march.To}}, ""},
		{`"month":"2027-03"`, store.Alert{Trip: march}, ""},
		{`"month":"2026-11"`, store.Alert{Trip: store.Trip{From: day("2026-11-01"), To: day("2026-11-30"),
			Month: true}}, ""},
		{`"nights":"15+","nonstop":true`, store.Alert{Trip: store.Trip{Nights: fare.Return15, Nonstop: true}}, ""},
		{`"nonstop":false`, store.Alert{}, ""},
		{`"kind":"low"`, store.Alert{Kind: store.Low, Days: 30}, ""},
		{`"kind":"low","days":365`, store.Alert{Kind: store.Low, Days: 365}, ""},
		{`"kind":"drop","percent":10`, store.Alert{Kind: store.Drop, Percent: 10}, ""},
		{`"kind":"drop","percent":10.0`, store.Alert{Kind: store.Drop, Percent: 10}, ""},
		{`"kind":"drop","amount":20.5`, store.Alert{Kind: store.Drop, Amount: 2050}, ""},
		{`"kind":"change","month":"2027-03"`, store.Alert{Kind: store.Change, Trip: march}, ""},

		{`"departure":"20 March"`, store.Alert{}, "departure"},
		{`"departure":"2027-02-30"`, store.Alert{}, "departure"},
		{`"departure":"2027-03-20..2027-03-19"`, store.Alert{}, "departure"},
		{`"departure":"2027-03-01..2027-04-01"`, store.Alert{}, "departure"},
		{`"departure":"2026-11-21"`, store.Alert{}, "departure"},
		{`"departure":"2027-11-23"`, store.Alert{}, "departure"},
		{`"departure":20270320`, store.Alert{}, "departure"},
		{`"month":"2026-10"`, store.Alert{}, "month"},
		{`"month":"2027-13"`, store.Alert{}, "month"},
		{`"month":"2028-01"`, store.Alert{}, "month"},
		{`"month":"2027-03","departure":"2027-03-20"`, store.Alert{}, "month"},
		{`"nights":"5"`, store.Alert{}, "nights"},
		{`"nonstop":"true"`, store.Alert{}, "nonstop"},
		{`"nonstop":1.5`, store.Alert{}, "nonstop"},
		{`"kind":"cheap"`, store.Alert{}, "kind"},
		{`"kind":"threshold"`, store.Alert{}, "threshold"},
		{`"kind":"verdict","threshold":40`, store.Alert{}, "threshold"},
		{`"kind":"drop"`, store.Alert{}, "kind"},
		{`"kind":"drop","percent":10,"amount":20`, store.Alert{}, "amount"},
		{`"kind":"drop","percent":91`, store.Alert{}, "percent"},
		{`"kind":"drop","percent":10.5`, store.Alert{}, "percent"},
		{`"kind":"drop","percent":"10"`, store.Alert{}, "percent"},
		{`"kind":"drop","amount":0`, store.Alert{}, "amount"},
		{`"kind":"low","days":6`, store.Alert{}, "days"},
		{`"kind":"low","days":30.5`, store.Alert{}, "days"},
		{`"days":30`, store.Alert{}, "days"},
		{`"percent":10,"amount":20`, store.Alert{}, "amount percent"},
	} {
		body := `{"route":"MIL-BUH","email":"ada@example.com"`
		if c.fields != "" {
			body += "," + c.fields
		}
		p, faults := parseRequest("application/json", []byte(body+"}"))
		if len(faults) == 0 {
			faults = sorted(p.check(today))
		}
		var names []string
		for i, f := range faults {
			names = append(names, f.field)
			for _, l := range i18n.Languages() {
				if line := messages(faults, l)[i]; strings.Contains(line, "no value") || strings.Contains(line, "{{") {
					t.Errorf("%s: %s", c.fields, line)
				}
			}
		}
		if got := strings.Join(names, " "); got != c.faults {
			t.Errorf("%s: at fault are %q, want %q", c.fields, got, c.faults)
			continue
		}
		if c.faults != "" {
			continue
		}
		a := store.Alert{Threshold: p.threshold}
		p.fill(&a, today)
		c.want.ID = c.want.NewID()
		if c.want.ID != "" {
			c.want.Since = today
		}
		if diff := cmp.Diff(c.want, a, cmpopts.IgnoreUnexported(store.Alert{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.fields, diff)
		}
	}
}

package alerts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func ask(t *testing.T, today fare.Day, route, fields string) (p request, at string) {
	t.Helper()
	body := `{"route":"` + route + `","email":"ada@example.com"`
	if fields != "" {
		body += "," + fields
	}
	p, faults := parseRequest("application/json", []byte(body+"}"))
	if len(faults) == 0 {
		faults = sorted(p.check(today))
	}
	if len(faults) == 0 {
		faults, _ = p.resolve()
	}
	var names []string
	for i, f := range faults {
		names = append(names, f.field)
		for _, l := range i18n.Languages() {
			if line := pageTexts(faults, l, false)[i]; strings.Contains(line, "no value") || strings.Contains(line, "{{") {
				t.Errorf("%s %s: %s", route, fields, line)
			}
		}
	}
	if at = strings.Join(names, " "); at != "" {
		at += ": " + faults[0].message()
	}
	return p, at
}

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
		fields string
		want   store.Alert
		faults string
	}{
		{``, store.Alert{}, ""},
		{`"kind":"verdict"`, store.Alert{}, ""},
		{`"threshold":40`, store.Alert{Threshold: 4000}, ""},
		{`"threshold":40,"kind":"threshold"`, store.Alert{Threshold: 4000}, ""},
		{`"departure":null,"month":null,"nights":null,"nonstop":null,"kind":null,"days":null,"percent":null,"amount":null`, store.Alert{}, ""},
		{`"departure":"2027-03-20"`, store.Alert{Trip: store.Trip{From: day("2027-03-20"), To: day("2027-03-20")}}, ""},
		{`"departure":"2026-11-24"`, store.Alert{Trip: store.Trip{From: today + 2, To: today + 2}}, ""},
		{`"departure":"2026-11-20..2026-11-24"`, store.Alert{Trip: store.Trip{From: today - 2, To: today + 2}}, ""},
		{`"departure":"2026-11-29","frequency":"weekly"`,
			store.Alert{Trip: store.Trip{From: today + 7, To: today + 7}}, ""},
		{`"paid":129.9,"departure":"2027-03-20"`, store.Alert{Kind: store.Paid, Threshold: 12990,
			Trip: store.Trip{From: day("2027-03-20"), To: day("2027-03-20")}}, ""},
		{`"kind":"paid","paid":80,"departure":"2027-03-20","nights":"4-7"`, store.Alert{Kind: store.Paid, Threshold: 8000,
			Trip: store.Trip{From: day("2027-03-20"), To: day("2027-03-20"), Nights: fare.Return4to7}}, ""},
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
		{`"departure":"2026-11-22"`, store.Alert{}, "departure"},
		{`"departure":"2026-11-23"`, store.Alert{}, "departure"},
		{`"departure":"2026-11-20..2026-11-23"`, store.Alert{}, "departure"},
		{`"departure":"2026-11-28","frequency":"weekly"`, store.Alert{}, "frequency"},
		{`"paid":129.9`, store.Alert{}, "departure"},
		{`"paid":129.9,"month":"2027-03"`, store.Alert{}, "departure"},
		{`"paid":0,"departure":"2027-03-20"`, store.Alert{}, "paid"},
		{`"kind":"paid","departure":"2027-03-20"`, store.Alert{}, "paid"},
		{`"kind":"drop","percent":10,"paid":80`, store.Alert{}, "paid"},
		{`"paid":80,"threshold":70,"departure":"2027-03-20"`, store.Alert{}, "threshold"},
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
		p, at := ask(t, today, "MIL-BUH", c.fields)
		if got, _, _ := strings.Cut(at, ":"); got != c.faults {
			t.Errorf("%s: at fault are %q, want %q", c.fields, at, c.faults)
			continue
		}
		if c.faults != "" {
			continue
		}
		a := p.alert(today, "")
		a.Route, a.Email, a.RequestDay, a.Digest = fare.Route{}, "", 0, false
		c.want.ID = c.want.NewID()
		if c.want.ID != "" {
			c.want.Since = today
		}
		if diff := cmp.Diff(c.want, a, cmpopts.IgnoreUnexported(store.Alert{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.fields, diff)
		}
	}
}

func TestTooSoon(t *testing.T) {
	today, _ := fare.ParseDay("2026-11-22")
	for fields, want := range map[string]string{
		`"departure":"2026-11-22"`: "departure leaves too early: the first message can come on 2026-11-23 " +
			"(UTC); choose a departure after that day.",
		`"departure":"2026-11-25","frequency":"weekly"`: "frequency cannot be weekly: the first weekly mail may come " +
			"as late as 2026-11-29 (UTC), after the departure; leave it out to be told at once.",
	} {
		p, faults := parseRequest("application/json", []byte(`{"route":"MIL-BUH","email":"ada@example.com",`+fields+`}`))
		if faults = append(faults, p.check(today)...); len(faults) != 1 {
			t.Fatalf("%s: %v", fields, faults)
		}
		if got := refusal(faults); got.Code != TooSoon.Code || got.Status != 400 || got.Detail != want {
			t.Errorf("%s: %d %s %q", fields, got.Status, got.Code, got.Detail)
		}
		for _, l := range i18n.Languages() {
			if line := pageTexts(faults, l, false)[0]; !strings.Contains(line, l.WeekdayDate(faults[0].fill[1].(fare.Day))) {
				t.Errorf("%s: %s", l.Code, line)
			}
		}
	}
}

func TestConditionsToAnywhere(t *testing.T) {
	today, _ := fare.ParseDay("2026-11-22")
	anywhere := fare.Route{Origin: "MIL", Destination: store.Anywhere}
	for _, c := range []struct {
		route, fields string
		want          store.Alert
		faults        string
	}{
		{"MIL-*", ``, store.Alert{}, ""},
		{"mil-*", `"level":"buono"`, store.Alert{}, ""},
		{"LIN-*", `"level":"ottimo"`, store.Alert{Level: string(verdict.Great)}, ""},
		{"MIL-*", `"threshold":60`, store.Alert{Threshold: 6000}, ""},
		{"MIL-*", `"threshold":60,"kind":"threshold","level":"ottimo"`,
			store.Alert{Threshold: 6000, Level: string(verdict.Great)}, ""},
		{"MIL-*", `"kind":"verdict"`, store.Alert{}, ""},
		{"MIL-*", `"nonstop":true`, store.Alert{Trip: store.Trip{Nonstop: true}}, ""},
		{"MIL-*", `"departure":null,"month":null,"nights":null,"nonstop":false,"days":null`, store.Alert{}, ""},

		{"MIL-*", `"area":"es"`, store.Alert{Area: "ES"}, ""},
		{"MIL-*", `"area":"150","level":"ottimo"`, store.Alert{Area: "150", Level: string(verdict.Great)}, ""},
		{"MIL-*", `"area":null`, store.Alert{}, ""},

		{"MIL-*", `"area":"QQ"`, store.Alert{}, "area: is not the code of a country"},
		{"MIL-BUH", `"area":"RO"`, store.Alert{}, "area: goes with a route to anywhere only"},
		{"MIL-*", `"departure":"2027-03-20"`, store.Alert{}, "departure: does not go with a route to anywhere"},
		{"MIL-*", `"month":"2027-03"`, store.Alert{Trip: store.Trip{From: today + 99, To: today + 129, Month: true}}, ""},
		{"MIL-*", `"month":"2026-10"`, store.Alert{}, "month: has to lie between today and a year from today"},
		{"MIL-*", `"nights":"4-7"`, store.Alert{}, "nights: does not go with a route to anywhere"},
		{"MIL-*", `"kind":"low"`, store.Alert{}, "kind: does not go with a route to anywhere"},
		{"MIL-*", `"kind":"drop","percent":10`, store.Alert{}, "kind percent: does not go with a route to anywhere"},
		{"MIL-*", `"kind":"drop","amount":10`, store.Alert{}, "amount kind: does not go with a route to anywhere"},
		{"MIL-*", `"kind":"change"`, store.Alert{}, "kind: does not go with a route to anywhere"},
		{"MIL-*", `"days":30`, store.Alert{}, "days: does not go with a route to anywhere"},
		{"MIL-*", `"kind":"threshold"`, store.Alert{}, "threshold: is missing"},
		{"MIL-*", `"kind":"verdict","threshold":60`, store.Alert{}, "threshold: goes with kind=threshold only"},
		{"MIL-*", `"level":"normale"`, store.Alert{}, "level: has to be buono or ottimo"},
		{"MIL-*", `"level":1`, store.Alert{}, "level: is not a text"},
		{"MIL-BUH", `"level":"buono"`, store.Alert{}, "level: goes with a route to anywhere only"},
		{"*-MIL", ``, store.Alert{}, "route: is not a route"},
		{"*-*", ``, store.Alert{}, "route: is not a route"},
		{"MIL-**", ``, store.Alert{}, "route: is not a route"},
		{"MIL-*-", ``, store.Alert{}, "route: is not a route"},
		{"MILA-*", ``, store.Alert{}, "route: is not a route"},
		{"QQQ-*", ``, store.Alert{}, "route: names QQQ"},
	} {
		p, got := ask(t, today, c.route, c.fields)
		if c.faults == "" && got != "" || !strings.HasPrefix(got, c.faults) {
			t.Errorf("%s %s: at fault are %q, want %q", c.route, c.fields, got, c.faults)
			continue
		}
		if c.faults != "" {
			continue
		}
		a := p.alert(today, "")
		a.Email, a.RequestDay = "", 0
		c.want.Route, c.want.Since = anywhere, today
		c.want.ID = c.want.NewID()
		if diff := cmp.Diff(c.want, a, cmpopts.IgnoreUnexported(store.Alert{})); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.route, c.fields, diff)
		}
	}
}

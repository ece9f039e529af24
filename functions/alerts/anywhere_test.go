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

func TestConditionsToAnywhere(t *testing.T) {
	today, _ := fare.ParseDay("2026-11-22")
	anywhere := fare.Route{Origin: "MIL", Destination: store.Anywhere}
	for _, c := range []struct {
		route, fields string
		want          store.Alert
		faults        string // the fields at fault, and the first text; "" for none
	}{
		{"MIL-*", ``, store.Alert{}, ""},
		{"mil-*", `"level":"buono"`, store.Alert{}, ""},
		{"LIN-*", `"level":"ottimo"`, store.Alert{Level: string(verdict.Great)}, ""}, // an airport of Milan
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
		body := `{"route":"` + c.route + `","email":"ada@example.com"`
		if c.fields != "" {
			body += "," + c.fields
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
				if line := pageTexts(faults, l)[i]; strings.Contains(line, "no value") || strings.Contains(line, "{{") {
					t.Errorf("%s %s: %s", c.route, c.fields, line)
				}
			}
		}
		got := strings.Join(names, " ")
		if len(faults) > 0 {
			got += ": " + faults[0].message()
		}
		if c.faults == "" && got != "" || !strings.HasPrefix(got, c.faults) {
			t.Errorf("%s %s: at fault are %q, want %q", c.route, c.fields, got, c.faults)
			continue
		}
		if c.faults != "" {
			continue
		}
		a := store.Alert{Route: p.route, Threshold: p.threshold, Area: p.area}
		p.fill(&a, today)
		c.want.Route, c.want.Since = anywhere, today
		c.want.ID = c.want.NewID()
		if diff := cmp.Diff(c.want, a, cmpopts.IgnoreUnexported(store.Alert{})); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.route, c.fields, diff)
		}
	}
}

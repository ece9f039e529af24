package page

import (
	"html/template"
	"strings"
	"testing"
	"time"
)

func TestProveWeeksWithoutTemplate(t *testing.T) {
	const most = 2500 * time.Microsecond / 20
	year := make(weeks, 53)
	for w := range year {
		for d := range year[w] {
			year[w][d] = calendarDay{Number: 1 + (7*w+d)%31, To: "/?da=MIL&a=NYC&parti=2026-09-14", Fare: "412 €",
				Class: "buono", Sub: "−12 %"}
		}
	}
	by := template.Must(template.New("").Parse(`{{range .}}<tr>{{range .}}<td class="{{.Class}}"><a href="{{.To}}"` +
		`{{if .Selected}} aria-current="date"{{end}}>{{.Number}}<b>{{.Fare}}</b><i>{{.Sub}}</i></a>{{end}}` + "\n{{end}}"))
	var out strings.Builder
	templated := func() {
		out.Reset()
		if err := by.Execute(&out, year); err != nil {
			t.Fatal(err)
		}
	}
	if templated(); out.String() != string(year.HTML()) {
		t.Fatalf("not the same:\n%.300s\n%.300s", &out, year.HTML())
	}
	const times = 200
	took := func(f func()) time.Duration {
		begun := time.Now()
		for range times {
			f()
		}
		return time.Since(begun) / times
	}
	own, other := took(func() { _ = year.HTML() }), took(templated)
	t.Logf("a year takes %v, with a template %v", own, other)
	if other-own < most {
		t.Errorf("a template costs only %v more", other-own)
	}
}

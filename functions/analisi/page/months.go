package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// monthsView has no amounts: figures over all fares of a month would mislead beside the lowest fare
// of one day.
type monthsView struct {
	Answer string
	Rows   []monthRow
}

type monthRow struct {
	Name, To, Apart string
	Bar             template.HTML
}

const leastMonths = 3

func (v *view) describeMonths(q question, a verdict.Judgement, linkOn func(trip) string) {
	l, all := v.T, slices.Clone(a.Months)
	if len(all) < leastMonths {
		return
	}
	var sum fare.Cents
	for _, m := range all {
		sum += m.Median
	}
	apart := func(m verdict.Month) float64 { return 100 * (float64(m.Median)*float64(len(all))/float64(sum) - 1) }
	percent := func(m verdict.Month, sign string) string {
		whole := int(math.Round(apart(m)))
		if whole == 0 {
			sign = "%d"
		}
		return l.Text("format.percent", "Percent", fmt.Sprintf(sign, whole))
	}
	view, most := &monthsView{}, 1.0
	view.Answer = l.Text("months.cheapest", "Month", l.Month(time.Month(all[0].Month)), "Known", len(all), "Percent",
		strings.TrimPrefix(percent(all[0], "%d"), "-"))
	for _, m := range all {
		most = max(most, math.Abs(apart(m)))
	}
	slices.SortFunc(all, func(a, b verdict.Month) int { return cmp.Compare(a.Month, b.Month) })
	for _, m := range all {
		month, wide := time.Month(m.Month), 50*apart(m)/most
		view.Rows = append(view.Rows, monthRow{l.Month(month),
			cmp.Or(v.departuresIn(month), linkOn(q.inMonth(nextMonth(v.today, month)))),
			strings.Replace(percent(m, "%+d"), "-", "−", 1),
			template.HTML(fmt.Sprintf(`<svg class="bar" aria-hidden="true"><rect x="%.0f%%" width="%.0f%%" height="100%%"/></svg>`,
				50+min(0, wide), math.Abs(wide)))})
	}
	v.Verdict.Months = view
}

func (v *view) departuresIn(m time.Month) string {
	if calendar := v.Verdict.Calendar; calendar != nil {
		id := calendarID(nextMonth(v.today, m))
		for _, month := range calendar.Months {
			if month.ID == id && month.Weeks != nil {
				return "#" + id
			}
		}
	}
	return ""
}

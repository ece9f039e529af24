package wording

import (
	"errors"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/text/i18n"
)

func CorrectAirlines(l *i18n.Language, list *string) (read []string) {
	all := strings.Split(*list, ",")
	for i, typed := range all {
		if name, ok := airlines.Correct(typed); ok {
			read = append(read, l.Text("ask.read_as", "Typed", strings.TrimSpace(typed), "Meant", name))
			all[i] = name
		}
	}
	*list = strings.Join(all, ",")
	return read
}

func Day(l *i18n.Language, typed string, day fare.Day) string {
	if typed == day.String() {
		return ""
	}
	return l.Text("ask.read_as", "Typed", typed, "Meant", l.WeekdayDate(day))
}

func DayFault(l *i18n.Language, typed string, err error) string {
	var other *daytext.OtherWeekday
	switch {
	case errors.As(err, &other):
		return l.Text("ask.fault.other_weekday", "Typed", typed, "Date", l.WeekdayDate(other.Day))
	case errors.Is(err, daytext.ErrNoSuchDay):
		return l.Text("ask.fault.no_day", "Typed", typed)
	case errors.Is(err, daytext.ErrSeveral):
		return l.Text("ask.fault.several_days", "Typed", typed)
	}
	return l.Text("ask.fault.day", "Typed", typed)
}

package compat

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
)

// parameters collects faults, so that one answer can report several of them.
type parameters struct {
	ctx    context.Context
	values url.Values
	path   string
	today  fare.Day
	unfit  kind // error for unknown places and currencies, and for two places in one city
	faults []fault
	err    error
}

func readParameters(r *http.Request, today fare.Day, unfit kind) *parameters {
	p := &parameters{ctx: r.Context(), path: r.URL.Path, today: today, unfit: unfit}
	var err error
	if p.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		p.refuse("", invalidFormat, "The query string cannot be read: a % must begin an escape of two "+
			"hexadecimal digits.")
	}
	return p
}

func (p *parameters) refuse(parameter string, k kind, detail string) {
	f := fault{Status: http.StatusBadRequest, kind: k, Detail: detail}
	if parameter != "" {
		f.Source = &source{parameter}
	}
	p.faults = append(p.faults, f)
}

// given is false if the parameter is missing or repeated.
func (p *parameters) text(name string) (text string, given bool) {
	all := p.values[name]
	switch {
	case len(all) == 0:
		return "", false
	case len(all) > 1:
		p.refuse(name, invalidFormat, fmt.Sprintf("%s is given %d times; give it once.", name, len(all)))
		return "", false
	}
	return all[0], true
}

var (
	threeLetters = regexp.MustCompile(`^[A-Za-z]{3}$`)
	isoDay       = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	naturalNo    = regexp.MustCompile(`^[0-9]{1,9}$`)
)

// The field code is the code of the city or of one of its airports.
type place struct {
	code string
	places.Place
}

// whole returns a warning if the caller named one of several airports of a city, but the answer is
// about the whole city.
func (c place) whole(about ...fare.Airport) []fault {
	if c.code == string(c.City) || len(c.Airports) < 2 || len(about) > 0 && about[0].String() == c.code {
		return nil
	}
	return []fault{warning(wholeCity, fmt.Sprintf(
		"These figures are of all airports of %s (%s), not of %s alone.", c.Name, c.City, c.code))}
}

func (p *parameters) place(name string) (c place) {
	given, ok := p.text(name)
	switch {
	case !ok && len(p.values[name]) > 1:
	case given == "":
		p.refuse(name, missing, name+" is missing: give the IATA code of a city or an airport, such as MAD.")
	case !threeLetters.MatchString(given):
		p.refuse(name, invalidFormat, name+" is no IATA code: give three letters, such as MAD.")
	default:
		c.code = strings.ToUpper(given)
		city, known := places.CityOf(c.code)
		if !known {
			p.refuse(name, p.unfit, name+": no city or airport with scheduled flights has the IATA code "+c.code+".")
			return c
		}
		c.Place, _ = places.Get(city)
		c.Name = places.Name(city, "en")
	}
	return c
}

func (p *parameters) ends(origin, destination string) (from, to place) {
	from, to = p.place(origin), p.place(destination)
	if from.City != "" && from.City == to.City {
		p.refuse(destination, p.unfit, fmt.Sprintf("%s and %s are both %s. Give two different cities.", origin,
			destination, from.Name))
	}
	return from, to
}

func question(from, to place) answer.Question {
	return answer.Question{From: named(from), To: named(to)}
}

func named(c place) answer.Named {
	if _, ok := places.Airport(c.code); ok {
		return answer.Code(c.code)
	}
	return answer.Code(string(c.City))
}

func (p *parameters) flag(name string) bool {
	text, given := p.text(name)
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
	default:
		if given {
			p.refuse(name, invalidFormat, name+" is neither true nor false.")
		}
	}
	return false
}

func (p *parameters) number(name string, least, most int) (n int, given bool) {
	text, given := p.text(name)
	if !given {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || !naturalNo.MatchString(text) || n < least || n > most {
		p.refuse(name, invalidFormat, fmt.Sprintf("%s is no whole number from %d to %d.", name, least, most))
		return 0, false
	}
	return n, true
}

func (p *parameters) oneOf(name, otherwise string, list ...string) string {
	text, given := p.text(name)
	if !given {
		return otherwise
	}
	if !slices.Contains(list, text) {
		p.refuse(name, invalidFormat, name+" is none of "+strings.Join(list, ", ")+".")
	}
	return text
}

func (p *parameters) day(name, text string, malformed kind) (d fare.Day, ok bool) {
	if !isoDay.MatchString(text) {
		p.refuse(name, invalidFormat, name+" is no date: give YYYY-MM-DD.")
		return 0, false
	}
	d, err := fare.ParseDay(text)
	if err != nil {
		p.refuse(name, malformed, name+" is no day of the calendar: give YYYY-MM-DD.")
		return 0, false
	}
	return d, true
}

type span struct{ from, to int }

func (s span) contains(n int) bool { return s.from <= n && n <= s.to }

func two(text string) (from, to string) {
	from, to, both := strings.Cut(text, ",")
	if !both {
		to = from
	}
	return from, to
}

func (p *parameters) days(name string, ahead int) span {
	all := span{int(p.today), int(p.today) + ahead}
	text, given := p.text(name)
	if !given {
		return all
	}
	first, last := two(text)
	from, ok := p.day(name, first, invalidDate)
	if !ok {
		return all
	}
	to, ok := p.day(name, last, invalidDate)
	switch {
	case !ok:
	case to < from:
		p.refuse(name, invalidDate, name+" ends before it begins.")
	case to < p.today:
		p.refuse(name, invalidData, fmt.Sprintf("%s is in the past: today is %s at the origin.", name, p.today))
	}
	return span{int(max(from, p.today)), int(to)}
}

func (p *parameters) nights(name string, oneWay bool) span {
	usual := span{1, 15}
	text, given := p.text(name)
	if !given {
		return usual
	}
	if oneWay {
		p.refuse(name, notTogether, name+" is given together with oneWay=true: give one of them.")
		return usual
	}
	first, last := two(text)
	if !naturalNo.MatchString(first) || !naturalNo.MatchString(last) {
		p.refuse(name, invalidFormat, name+" is no number of days, nor two with a comma between, such as 2,8.")
		return usual
	}
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	if from < 1 || to < from || to > fare.MaxNights {
		p.refuse(name, invalidData, fmt.Sprintf("%s is no range from 1 to %d days.", name, fare.MaxNights))
	}
	return span{from, to}
}

package counted

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

type statement struct {
	id       string
	literal  string // find is tried only on texts that contain literal
	find     *regexp.Regexp
	expected func(s *reading) map[string]want
}

type reading struct {
	*route
	w       *world
	l       *i18n.Language
	values  map[string]string
	subject float64 // the fare in euro cents that the text is about, or 0 for the cheapest fare of the route
}

type want struct {
	// kind is c for a count, x for an amount in cents, a for an amount in whole units, d for the
	// difference of two amounts in whole units, w for words, p for an upper limit of a
	// count, q for a lower limit of a count.
	kind   byte
	number float64
	from   float64 // if kind is d, the sentence states the difference between number and from
	words  []string
}

func count(n int) want         { return want{kind: 'c', number: float64(n)} }
func exact(cents float64) want { return want{kind: 'x', number: cents} }

func single(stated string, n int) want {
	return count(map[bool]int{true: 0, false: n - 1}[stated != ""])
}

// For a sentence without a number, check expects the number 0.
func isTrue(it bool) want { return count(map[bool]int{true: 0, false: -1}[it]) }

func about(cents float64) want            { return want{kind: 'a', number: cents} }
func words(all ...string) want            { return want{kind: 'w', words: all} }
func difference(price, from float64) want { return want{kind: 'd', number: price, from: from} }
func atMost(n float64) want               { return want{kind: 'p', number: n} }
func atLeast(n float64) want              { return want{kind: 'q', number: n} }
func whole(cents float64) float64         { return math.Floor(cents/100+.5) * 100 }
func apart(price, from float64) string {
	return [...]string{"less", "same", "more"}[sign(whole(price)-whole(from))+1]
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// Converted amounts are rounded, so an amount may differ by a cent.
func (w want) holds(value string) bool {
	n := number(value)
	switch w.kind {
	case 'c':
		return n == 100*w.number
	case 'x':
		return math.Abs(n-w.number) <= 1.001
	case 'a':
		return whole(w.number-1) <= n && n <= whole(w.number+1)
	case 'd':
		for _, price := range []float64{w.number - 1, w.number, w.number + 1} {
			for _, from := range []float64{w.from - 1, w.from, w.from + 1} {
				if n == math.Abs(whole(price)-whole(from)) {
					return true
				}
			}
		}
		return false
	case 'p':
		return n/100 <= math.Ceil(w.number)
	case 'q':
		return n/100 >= math.Floor(w.number)
	}
	return slices.ContainsFunc(w.words, func(one string) bool { return strings.EqualFold(plain(one), value) })
}

var (
	decimals  = regexp.MustCompile(`[.,]([0-9]{2})(?:[^0-9]*)$`)
	digits    = regexp.MustCompile(`[0-9]+`)
	sentinel  = regexp.MustCompile("\uE000(\\w+)\uE001")
	patterns  = map[byte]string{'#': `[0-9]+(?:[., ][0-9]{3})*`, '$': `(?:€[0-9]+(?:,[0-9]{3})*(?:\.[0-9]{2})?|[0-9]+(?:[., ][0-9]{3})*(?:[.,][0-9]{2})? (?:€|[A-Z]{3}\b))`}
	untagged  = strings.NewReplacer("<strong>", "", "</strong>", "")
	separator = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "’", "'")
)

func plain(text string) string { return separator.Replace(text) }

// number returns an amount or a count in hundredths.
func number(text string) float64 {
	cents := 0.
	if m := decimals.FindStringSubmatchIndex(text); m != nil {
		cents, _ = strconv.ParseFloat(text[m[2]:m[3]], 64)
		text = text[:m[0]]
	}
	n, err := strconv.ParseFloat(strings.Join(digits.FindAllString(text, -1), ""), 64)
	if err != nil {
		return math.NaN()
	}
	return 100*n + cents
}

// kinds says which placeholders are a count (#) or an amount ($).
var kinds = map[string]byte{"Days": '#', "Lower": '#', "Same": '#', "Low": '$', "High": '$', "Price": '$', "Amount": '$',
	"Usual": '$', "Median": '$', "Minimum": '$', "Maximum": '$', "By": '$', "Other": '$', "Fares": '#', "Percent": '#', "Weeks": '#',
	"Known": '#', "Count": '#', "Met": '#', "All": '#', "Before": '$', "LowShare": '#', "HighShare": '#', "First": '$', "Last": '$'}

func mark(name string) string { return "\uE000" + name + "\uE001" }

func pattern(l *i18n.Language, rendered string) *regexp.Regexp {
	seen := map[string]bool{}
	p := sentinel.ReplaceAllStringFunc(regexp.QuoteMeta(plain(rendered)), func(m string) string {
		name := sentinel.FindStringSubmatch(m)[1]
		pattern, ok := patterns[kinds[name]]
		if !ok {
			pattern = `[^\n;:]{1,90}?`
		}
		switch name {
		case "Level":
			pattern = levelPattern(l)
		case "Space":
			pattern = `\s+`
		case "Departure":
			pattern = `(?:[0-9-]{10}|[^\n;:]{4,60}?[0-9]{4})`
		case "Since", "Date":
			pattern = `[^\n;:]{4,60}?[0-9]{4}`
		}
		if seen[name] {
			return "(?:" + pattern + ")"
		}
		seen[name] = true
		return "(?P<" + name + ">" + pattern + ")"
	})
	first, size := utf8.DecodeRuneInString(p)
	if unicode.IsLower(first) { // the first letter may be a capital
		p = fmt.Sprintf("[%c%c]%s", first, unicode.ToUpper(first), p[size:])
	}
	return regexp.MustCompile(strings.ReplaceAll(p, "987654", "[0-9]+"))
}

func render(l *i18n.Language, id, names string) string {
	var fill []any
	begins := ""
	for _, name := range strings.Fields(names) {
		switch key, value, given := strings.Cut(name, "="); {
		case given:
			fill = append(fill, key, mark(value))
		case strings.Contains(name, "/"):
			key, begin, _ := strings.Cut(name, "/")
			fill = append(fill, key, begin+mark(key))
			begins = begin
		case strings.HasPrefix(name, "-"):
			fill = append(fill, name[1:], 0)
		case strings.HasSuffix(name, ":1"):
			fill = append(fill, strings.TrimSuffix(name, ":1"), 1)
		case kinds[name] == '#' && numbered[name] > 0:
			fill = append(fill, name, numbered[name])
		default:
			fill = append(fill, name, mark(name))
		}
	}
	text := strings.ReplaceAll(untagged.Replace(l.Text(id, fill...)), begins+"\uE000", "\uE000")
	for name, n := range numbered {
		text = strings.ReplaceAll(text, strconv.Itoa(n), mark(name))
	}
	return text
}

var numbered = map[string]int{"Days": 987001, "Lower": 987002, "Same": 987003}

// A sentence that contains another must come first, because check assigns each part of a text to
// the first statement that matches.
func statements(l *i18n.Language) (all []statement) {
	add := func(id, names string, expected func(s *reading) map[string]want) {
		for _, one := range strings.Split(names, "|") {
			all = append(all, newStatement(l, id, render(l, id, one), expected))
		}
	}
	subject := func(s *reading) float64 {
		if s.subject > 0 {
			return s.subject
		}
		return s.euro(float64(s.price))
	}
	date := func(s *reading) want {
		first, _ := fare.ParseDay(s.first)
		return words(l.Date(first))
	}
	half := func(s *reading) map[string]want {
		low, high := s.half()
		return map[string]want{"Low": about(s.euro(low)), "High": about(s.euro(high))}
	}
	add("verdict.lower", "Days Since Lower|Days Since Lower:1", func(s *reading) map[string]want {
		return map[string]want{"Days": count(len(s.lows)), "Since": date(s), "Lower": count(s.lower),
			"": single(s.values["Lower"], s.lower)}
	})
	add("verdict.missed", "Low=LowShare High=HighShare", func(s *reading) map[string]want {
		return map[string]want{"LowShare": atMost(s.share()), "HighShare": atLeast(s.share())}
	})
	add("verdict.never_lower", "Days Since -Same|Days Since Same|Days Since Same:1", func(s *reading) map[string]want {
		return map[string]want{"Days": count(len(s.lows)), "Since": date(s), "Same": count(s.equal), "": count(s.lower)}
	})
	add("verdict.observed", "Days Since", func(s *reading) map[string]want {
		return map[string]want{"Days": count(len(s.lows)), "Since": date(s)}
	})
	add("headline.market", "Level", func(s *reading) map[string]want {
		return map[string]want{"Level": words(l.Text("market." + s.level()))}
	})
	add("fare.lower", "Price Departure -Back When|Price Departure/sábado -Back When", func(s *reading) map[string]want {
		lowest := s.cheapest()
		return map[string]want{"Price": exact(s.euro(float64(lowest))), "Departure": s.departures(lowest)}
	})
	add("fare.route", "Price Departure -Back When|Price Departure/sábado -Back When", func(s *reading) map[string]want {
		var days []string
		for day := range s.departs {
			d, _ := fare.ParseDay(day)
			days = append(days, l.WeekdayDate(d))
		}
		return map[string]want{"Price": exact(s.euro(float64(s.price))), "Departure": words(days...)}
	})
	add("departure.half_route", "Low High|Low=Same High=Same", half)
	add("departure.range_route", "Price Low High Minimum Maximum", func(s *reading) map[string]want {
		got := half(s)
		got["Price"] = exact(subject(s))
		got["Minimum"], got["Maximum"] = about(s.euro(s.minimum())), about(s.euro(s.maximum()))
		return got
	})
	add("answer.half.days", "Low High", half)
	add("verdict.history", "Price", func(s *reading) map[string]want {
		return map[string]want{"Price": exact(subject(s))}
	})
	// The usual fare of a departure is an estimate, so it is taken from the sentence.
	for _, than := range []string{"less", "same", "more"} {
		add("usual."+than, "Usual Amount", func(s *reading) map[string]want {
			if s.subject == 0 {
				s.subject = s.euro(float64(s.price))
			}
			from := number(s.values["Usual"])
			got := map[string]want{"Amount": difference(s.subject, from)}
			if by := apart(s.subject, from); by != than && than != "same" && apart(s.subject-1, from) != than && apart(s.subject+1, from) != than {
				got[""] = count(-1)
			}
			return got
		})
	}
	add("cheap.lower", "When Price Day", func(s *reading) map[string]want {
		return map[string]want{"Price": exact(s.euro(float64(s.cheapest())))}
	})
	add("mail.alert.subject.market", "Route Level Price", func(s *reading) map[string]want {
		return map[string]want{"Price": exact(subject(s)), "Level": words(l.Text("market." + s.level()))}
	})
	add("mail.alert.picture", "Weeks Price", func(s *reading) map[string]want {
		return map[string]want{"Price": exact(subject(s))}
	})
	add("mail.alert.departing", "Date", func(s *reading) map[string]want { return map[string]want{"Date": s.departures(s.price)} })
	all = append(all, newStatement(l, "mail.digest", mark("From")+" – "+mark("To")+mark("Space")+mark("Price"),
		func(s *reading) map[string]want { return map[string]want{"Price": exact(subject(s))} }))
	for id, sign := range map[string]float64{"less": 1, "more": -1, "same": 0} {
		add("mail.digest."+id, "By Before", func(s *reading) map[string]want {
			by := sign * (s.mailed - subject(s))
			return map[string]want{"By": exact(by), "Before": exact(s.mailed), "": isTrue(by > -2 && (sign != 0 || math.Abs(s.mailed-subject(s)) < 2))}
		})
	}
	for id, met := range map[string]bool{"met": true, "unmet": false} {
		all = append(all, newStatement(l, "mail.digest."+id, untagged.Replace(l.Text("mail.digest."+id, "When", render(l, "when.threshold", "Amount"))),
			func(s *reading) map[string]want {
				return map[string]want{"Amount": exact(s.limit), "": isTrue(met == (subject(s) <= s.limit))}
			}))
	}
	add("mail.digest.subject_met", "Met All", func(s *reading) map[string]want {
		return map[string]want{"Met": count(1), "All": count(1), "": isTrue(subject(s) <= s.limit)}
	})
	all = append(all, newStatement(l, "mail.alert.sample", l.Text("mail.alert.sample")+mark("Space")+render(l, "mail.alert.sample_days", "Days"),
		func(s *reading) map[string]want { return map[string]want{"Days": count(len(s.lows))} }))
	add("feed.entry", "City Price Date Level", func(s *reading) map[string]want {
		return map[string]want{"Price": exact(subject(s)), "Date": s.departures(s.price)}
	})
	add("agents.month", "Month Median Fares", func(s *reading) map[string]want { return s.month(l) })
	if l.Code != "en" {
		return all
	}
	add("agents.route", "Route Days", func(s *reading) map[string]want { return map[string]want{"Days": count(len(s.lows))} })
	add("agents.destination", "City Price Departure Judged Change Median Days|City Price Departure Judged -Change Median Days",
		func(s *reading) map[string]want {
			return map[string]want{"Price": exact(subject(s)), "Median": exact(s.euro(s.quantile(.5))), "Days": count(len(s.lows))}
		})
	rendered := l.Count("agents.deal", 987654, "City", mark("City"), "Price", mark("Price"), "Departure", mark("Departure"),
		"Level", mark("Level"), "Usual", mark("Usual"), "Certainty", mark("Certainty"))
	all = append(all, newStatement(l, "agents.deal", rendered, func(s *reading) map[string]want {
		return map[string]want{"Price": exact(subject(s))}
	}))
	return all
}

func levelPattern(l *i18n.Language) string {
	var all []string
	for _, level := range []string{"ottimo", "buono", "normale", "caro"} {
		for _, group := range []string{"market.", "level."} {
			one := plain(l.Text(group + level))
			first, size := utf8.DecodeRuneInString(one)
			all = append(all, regexp.QuoteMeta(one), regexp.QuoteMeta(string(unicode.ToUpper(first))+one[size:]))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return strings.Join(all, "|")
}

func (s *reading) half() (low, high float64) {
	low, high = s.quantile(.2), s.quantile(.7)
	if s.level() == "caro" && high >= float64(s.price) {
		low = float64(s.lows[max(0, s.lower-(len(s.lows)+1)/2)].price)
		high = float64(s.lows[s.lower-1].price)
	}
	return low, high
}

func (s *reading) departures(price int64) want {
	var days []string
	for day, f := range s.live {
		d, _ := fare.ParseDay(day)
		if f.price == price || s.departs[day] && price == s.price {
			days = append(days, s.l.WeekdayDate(d))
		}
	}
	return words(days...)
}

func (s *reading) average() float64 {
	sum, n := 0., 0.
	for _, prices := range s.months() {
		if len(prices) >= 5 {
			sum, n = sum+quantile(prices, .5), n+1
		}
	}
	return sum / n
}

func (s *reading) month(l *i18n.Language) map[string]want {
	for month, prices := range s.months() {
		if strings.HasSuffix(strings.ToLower(s.values["Month"]), strings.ToLower(l.Month(time.Month(month)))) {
			return map[string]want{"Median": exact(s.euro(quantile(prices, .5))), "Fares": count(len(prices))}
		}
	}
	return map[string]want{"": count(-1)}
}

// Some statements are so short that other sentences contain them, so isIn restricts a statement to
// some kinds of documents.
func (st statement) isIn(kind string) bool {
	group, _, _ := strings.Cut(st.id, ".")
	switch {
	case kind == "digest":
		return strings.HasPrefix(st.id, "mail.digest") || st.id == "mail.alert.departing" || st.id == "headline.market" || group == "usual"
	case group == "mail":
		return kind == "mail" && !strings.HasPrefix(st.id, "mail.digest")
	case group == "feed":
		return kind == "feed"
	case group == "cheap":
		return kind == "deals"
	case st.id == "verdict.history", st.id == "answer.half.days":
		return kind == "page"
	}
	return kind != "mail" || group == "usual"
}

func newStatement(l *i18n.Language, id, rendered string, expected func(s *reading) map[string]want) statement {
	longest := ""
	for _, one := range strings.Split(sentinel.ReplaceAllString(plain(rendered), "\n"), "\n") {
		if _, size := utf8.DecodeRuneInString(one); size > 0 { // the first letter may be a capital
			one = one[size:]
		}
		if len(one) > len(longest) && !strings.Contains(one, "987654") {
			longest = one
		}
	}
	return statement{id, longest, pattern(l, rendered), expected}
}

type claim struct {
	id, field  string
	start, end int
	fault      string
}

var (
	attribute = regexp.MustCompile(`(?:alt|content|aria-label)="([^"]*)"`)
	weekRow   = regexp.MustCompile(`<tr><th scope="row">([^<]*)</th><td>([^<]*)</td></tr>`)
	monthRow  = regexp.MustCompile(`<tr><th scope="row"><a href="[^"]*">([^<]*)</a></th><td><svg.*?</svg></td><td>([+−]?[0-9]+)[^<]*</td></tr>`)
)

func readable(page string) string {
	var b strings.Builder
	for _, m := range attribute.FindAllStringSubmatch(page, -1) {
		b.WriteString(m[1] + "\n")
	}
	for page != "" {
		text, rest, _ := strings.Cut(page, "<")
		b.WriteString(text + "\n")
		_, page, _ = strings.Cut(rest, ">")
	}
	return plain(html.UnescapeString(b.String()))
}

// If r is nil, the text is about several routes from origin, and a statement that names none of the
// routes is skipped.
func (w *world) check(kind, text string, l *i18n.Language, r *route, origin string, subject float64) (claims []claim) {
	text = plain(text)
	masked := []byte(text)
	for _, st := range w.statements(l) {
		if !st.isIn(kind) || !strings.Contains(text, st.literal) {
			continue
		}
		for _, at := range st.find.FindAllSubmatchIndex(masked, -1) {
			s := &reading{route: r, w: w, l: l, values: map[string]string{}, subject: subject}
			for i, name := range st.find.SubexpNames() {
				if name != "" && at[2*i] >= 0 {
					s.values[name] = text[at[2*i]:at[2*i+1]]
				}
			}
			if city := s.values["City"]; r == nil {
				if s.route = w.to(origin, city, s.values["Route"], l); s.route == nil {
					continue
				}
			}
			for field, want := range st.expected(s) {
				if field == "" {
					if want.number != 0 {
						claims = append(claims, claim{st.id, "", at[0], at[1], fmt.Sprintf("%s: %q is false", st.id, text[at[0]:at[1]])})
					}
					continue
				}
				i := st.find.SubexpIndex(field)
				if i < 0 || at[2*i] < 0 {
					continue
				}
				c := claim{st.id, field, at[2*i], at[2*i+1], ""}
				if value := s.values[field]; !want.holds(value) {
					c.fault = fmt.Sprintf("%s: %s is %q, counted %v %v: %q", st.id, field, value, want.number, want.words, text[at[0]:at[1]])
				}
				claims = append(claims, c)
			}
			for i := at[0]; i < at[1]; i++ {
				masked[i] = 0
			}
		}
	}
	return claims
}

func (w *world) to(origin, city, ends string, l *i18n.Language) *route {
	for _, r := range w.routes {
		name := places.Name(fare.City(r.to), l.Code)
		if origin == r.from && city != "" && strings.HasSuffix(city, name) || ends != "" &&
			strings.HasSuffix(ends, l.Text("home.route", "From", places.Name(fare.City(r.from), l.Code), "To", name)) {
			return r
		}
	}
	return nil
}

func checkTables(page string, l *i18n.Language, r *route) (rows int, faults []string) {
	s := &reading{route: r, l: l}
	days := map[string]string{}
	for _, low := range r.lows {
		d, _ := fare.ParseDay(low.day)
		monday := d - fare.Day((int(d.Time().Weekday())+6)%7)
		days[plain(l.Date(monday))] = monday.String()
	}
	fold := func(id string) string {
		_, table, _ := strings.Cut(page, `<details class="fold" id="`+id+`">`)
		table, _, _ = strings.Cut(table, "</details>")
		return plain(html.UnescapeString(table))
	}
	for _, m := range weekRow.FindAllStringSubmatch(fold("past"), -1) {
		prices := r.week(days[m[1]])
		if len(prices) == 0 {
			faults = append(faults, "no fare in the week of "+m[1])
			continue
		}
		rows++
		if !exact(s.euro(float64(prices[0]))).holds(m[2]) {
			faults = append(faults, fmt.Sprintf("week %v, counted %v", m[1:], prices))
		}
	}
	for _, m := range monthRow.FindAllStringSubmatch(fold("months"), -1) {
		rows++
		stated, _ := strconv.Atoi(strings.NewReplacer("−", "-", "+", "").Replace(m[2]))
		percent := math.NaN()
		for month, prices := range s.months() {
			if strings.EqualFold(m[1], plain(l.Month(time.Month(month)))) {
				percent = 100 * (quantile(prices, .5)/s.average() - 1)
			}
		}
		if !(math.Abs(percent-float64(stated)) <= .51) {
			faults = append(faults, fmt.Sprintf("month %v, counted %v", m[1:], percent))
		}
	}
	return rows, faults
}

package contradictions

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/shared/published"
	"verdetto/shared/verdict"
)

// Every check is a function of a document, so that TestFaultsAreFound can pass it a broken one.

var (
	sentenceEnd = regexp.MustCompile(`[.;?!]\s+|\n\n|$`)
	amount      = regexp.MustCompile(`(usually )?€([0-9][0-9,]*(?:\.[0-9]{2})?)( less| more)?`)
	// question matches what a sentence about the usual fare says it is usual for.
	question = regexp.MustCompile(`(?:for|on) (?:this route|these days|that day|` +
		`[A-Z][a-z]+(?: [0-9]+ [A-Z][a-z]+| [0-9]{4})?)|this far ahead`)
)

// statement is what a sentence says about an amount: a level, or a comparison with the usual.
type statement struct{ of, level, direction, question string }

var directions = map[string]string{string(verdict.Great): "cheap", string(verdict.Good): "cheap", string(verdict.Expensive): "dear"}

// A sentence that names no amount is about subject.
func statementsIn(subject, text string) (all []statement) {
	for _, sentence := range sentenceEnd.Split(strings.ReplaceAll(text, "\u00a0", " "), -1) {
		said := statement{of: subject, question: question.FindString(sentence)}
		for _, m := range amount.FindAllStringSubmatch(sentence, -1) {
			if m[1] == "" && m[3] == "" {
				said.of = strings.TrimSuffix(m[2], ".00")
				break
			}
		}
		for _, level := range levelsIn(sentence) {
			one := said
			one.level, one.direction = level, directions[level]
			all = append(all, one)
		}
		for words, direction := range map[string]string{"less than usual": "cheap", "more than usual": "dear"} {
			if strings.Contains(sentence, words) {
				one := said
				one.direction = direction
				all = append(all, one)
			}
		}
	}
	return all
}

// checkText returns the faults of an English text: an amount with two levels, an amount that is
// cheap in one sentence and dear in another about the same question, and a difference from the
// usual fare that does not say which. subject is the amount that the text is about.
func checkText(subject, text string) (faults []string) {
	all := statementsIn(subject, text)
	for i, a := range all {
		for _, b := range all[:i] {
			if a.of != b.of || a.question != b.question && a.question != "" && b.question != "" {
				continue
			}
			if a.level != b.level && a.level != "" && b.level != "" {
				faults = append(faults, fmt.Sprintf("%q is %s and %s: %q", a.of, b.level, a.level, text))
			}
			if a.direction != b.direction && a.direction != "" && b.direction != "" {
				faults = append(faults, fmt.Sprintf("%q is %s and %s: %q", a.of, b.direction, a.direction, text))
			}
		}
	}
	for _, n := range comparison.FindAllStringSubmatch(text, -1) {
		if n[1] == "" {
			faults = append(faults, fmt.Sprintf("a comparison does not say with what: %q", text))
		}
	}
	return faults
}

// checkPage also returns the levels that the page gives to fares.
func checkPage(body string, a published.Analysis, dated bool) (claims, []string) {
	m := article.FindStringSubmatch(body)
	c, subject := claims{}, fmt.Sprintf("%s at %d", a.Prezzo.Partenza, (a.Prezzo.Cent+50)/100)
	c.add(subject, m[1])
	c.add(subject, a.Verdetto.Livello)
	days := calendar.FindString(body)
	answer := plain(strings.Replace(m[0], days, "", 1))
	head := html.UnescapeString(style.ReplaceAllString(body[:strings.Index(body, "</head>")], ""))
	said := levelsIn(answer)
	faults := checkText(fmt.Sprintf("%d.%02d", a.Prezzo.Cent/100, a.Prezzo.Cent%100), answer)
	if judged := a.Verdetto.Percentile != nil; len(said) != 1 && judged ||
		judged && len(levelsIn(heading.FindStringSubmatch(body)[1])) != 1 || !judged && len(said) > 0 {
		faults = append(faults, fmt.Sprintf("states the levels %v", said))
	}
	for _, level := range append(said, levelsIn(head)...) {
		c.add(subject, level)
	}
	for _, d := range cell.FindAllStringSubmatch(days, -1) {
		for _, level := range levelsIn(d[3]) {
			c.add(d[1]+" at "+d[2], level)
		}
	}
	faults = append(faults, checkRange(heading.FindStringSubmatch(body)[1], answer)...)
	if !dated {
		faults = append(faults, checkLowest(a.Prezzo, answer, days)...)
	}
	if len(levelsIn(plain(days))) > 0 {
		faults = append(faults, "its calendar states levels")
	}
	if days != "" && !strings.Contains(days, "the usual fare for that day") {
		faults = append(faults, "the calendar does not say what it compares with")
	}
	return c, faults
}

var (
	aboutUsual = regexp.MustCompile(`usually (?:costs )?about €([0-9,]+)` +
		`(?:; half of (?:the time it is|such flights cost) between €[0-9,]+ and €([0-9,]+))?`)
	latest = regexp.MustCompile(`Lowest of the latest fares: €([0-9,]+)(?:\.([0-9]{2}))?`)
)

// checkRange finds an expensive headline that does not say "rather" and "still within the usual
// range" of a fare inside the usual range on the page, or says so of another.
func checkRange(headline, answer string) (faults []string) {
	m, price := aboutUsual.FindStringSubmatch(answer), latest.FindStringSubmatch(answer)
	if m == nil || price == nil || !strings.Contains(strings.ToLower(headline), "expensive") {
		return nil
	}
	high, of := euros(cmp.Or(m[2], m[1]), ""), euros(price[1], price[2])
	explained := strings.Contains(headline, "still within the usual range")
	rather := strings.Contains(strings.ToLower(headline), "rather expensive")
	if inside := (of+50)/100*100 <= high; inside != explained || inside != rather {
		faults = append(faults, fmt.Sprintf("%q, %d, but %q", headline, of, m[0]))
	}
	return faults
}

func euros(whole, cents string) (c int) {
	fmt.Sscanf(strings.ReplaceAll(whole, ",", "")+(cents + "00")[:2], "%d", &c)
	return c
}

// checkLowest returns a fault if a route's calendar has a lower fare than the page is about, and
// the page does not name it.
func checkLowest(p published.Prezzo, answer, days string) []string {
	if !latest.MatchString(answer) || strings.Contains(answer, "Another day costs less: ") {
		return nil
	}
	for _, d := range cell.FindAllStringSubmatch(days, -1) {
		if euros(d[2], "") < int(p.Cent+50)/100*100 {
			return []string{fmt.Sprintf("%d is called the lowest, and %s costs %s", p.Cent, d[1], d[2])}
		}
	}
	return nil
}

func (c claims) contradicted() (fares []string) {
	for fare, levels := range c {
		if len(levels) > 1 {
			fares = append(fares, fare)
		}
	}
	slices.Sort(fares)
	return fares
}

func TestFaultsAreFound(t *testing.T) {
	percentile := 20
	a := published.Analysis{Verdetto: published.Verdetto{Livello: string(verdict.Good), Percentile: &percentile},
		Prezzo: published.Prezzo{Cent: 2199, Partenza: "2016-05-09"}}
	page := func(head, article string) string {
		return "<head><title>" + head + `</title></head><article class="verdict buono">` + article + "</article>"
	}
	const good = "<h1>Good: about €8 less than usual for this route.</h1>" +
		"<p>Lowest fare seen today: €21.99, Monday 9 May 2016.</p>"
	const days = `<section class="calendar usual">%s` +
		`<a href="/?quando=2016-05-09&lang=en">9<b>22</b><i>%s</i></a></section>`
	const more = "<p>€21.99 is about €5 more than usual for "
	const title = "€21.99: good"
	const latest = "<h1>Good: about €8 less than usual for this route.</h1><p>Lowest of the latest fares: €21.99.</p>"
	const dear = "<h1>%s: about €2 more than usual for this route.</h1><p>Lowest of the latest fares: €21.99." +
		"</p>On this route the lowest fare is usually about €20; half of the time it is between €19 and €%s."
	lower := strings.Replace(fmt.Sprintf(days, "the usual fare for that day", "-1"), "<b>22", "<b>21", 1)
	usual := fmt.Sprintf(days, "the usual fare for that day", "less than usual for that day")
	levels := fmt.Sprintf(days, "the usual fare for that day", "normal")
	for name, c := range map[string]struct {
		body  string
		dated bool
		found bool
	}{
		"a sound page":               {page(title, good+usual), false, false},
		"two levels for one fare":    {page(title, good+"<p>€21.99 is a normal fare.</p>"), false, true},
		"another level in the title": {page("€21.99: great", good), false, true},
		"cheap here and dear there":  {page(title, good+more+"this route.</p>"), false, true},
		"dear for another question":  {page(title, good+more+"Monday 9 May.</p>"), false, false},
		"usual for nothing":          {page(title, good+"<p>€30 is €2 more than usual.</p>"), false, true},
		"a calendar with levels":     {page(title, good+levels), false, true},
		"levels in a day's calendar": {page(title, good+levels), true, true},
		"a calendar that differs":    {page(title, good+fmt.Sprintf(days, "", "expensive")), true, true},
		"a lower fare below it":      {page(title, latest+lower), false, true},
		"a lower fare that is named": {page(title, latest+"Another day costs less: €20.99."+lower), false, false},
		"no level in the headline":   {page(title, "<h1>€8 less than usual for this route.</h1>It is good."), false, true},
	} {
		c1, faults := checkPage(c.body, a, c.dated)
		if found := append(faults, c1.contradicted()...); (len(found) > 0) != c.found {
			t.Errorf("%s: found %q", name, found)
		}
	}
	for name, c := range map[string]struct {
		headline, high string
		found          bool
	}{
		"above the range":                {"Expensive", "21", false},
		"inside the range":               {"Expensive", "22", true},
		"inside, and only rather dear":   {"Rather expensive", "22", true},
		"inside, and called expensive":   {"Expensive, but still within the usual range", "22", true},
		"inside, and explained":          {"Rather expensive, but still within the usual range", "22", false},
		"above, and called rather dear":  {"Rather expensive", "21", true},
		"above, and said to be in range": {"Rather expensive, but still within the usual range", "21", true},
	} {
		a := a
		a.Verdetto.Livello = string(verdict.Expensive)
		text := page("€21.99: expensive", fmt.Sprintf(dear, c.headline, c.high))
		text = strings.Replace(text, "verdict buono", "verdict caro", 1)
		if _, found := checkPage(text, a, false); (len(found) > 0) != c.found {
			t.Errorf("%s: found %q", name, found)
		}
	}
	const mail = "Milan – Bucharest\n€14.99: great\n\nAbout €38 less than usual: on this route, " +
		"the lowest fare of a day is usually €52.50.\n\n"
	for name, c := range map[string]struct {
		text  string
		found bool
	}{
		"a sound mail":              {mail, false},
		"two levels for one fare":   {mail + "€14.99: normal", true},
		"cheap here and dear there": {mail + "About €9 more than usual: on this route, it is usually €6.", true},
		"usual for nothing":         {mail + "That is less than usual.", true},
	} {
		if found := checkText("14.99", c.text); (len(found) > 0) != c.found {
			t.Errorf("mail, %s: found %q", name, found)
		}
	}
}

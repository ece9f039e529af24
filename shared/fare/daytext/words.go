package daytext

import (
	_ "embed"
	"maps"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"verdetto/shared/fare/places"
)

// Each line of a table has a language, a meaning such as weekday 0 (Sunday) or unit 7 (a week), and
// a text, separated by tabs.
//
//go:embed cldr.tsv
var cldr string

//go:embed everyday.tsv
var everyday string

type meaning map[string]int

var vocabulary = sync.OnceValue(func() map[string]map[string]meaning {
	all := map[string]map[string]meaning{}
	for line := range strings.Lines(cldr + everyday) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		kind, value, _ := strings.Cut(f[1], " ")
		if all[f[0]] == nil {
			all[f[0]] = map[string]meaning{}
		}
		for _, spelled := range []string{f[2], umlauts.Replace(f[2])} {
			text := strings.Join(token.FindAllString(fold(spelled), -1), " ")
			if all[f[0]][text] == nil {
				all[f[0]][text] = meaning{}
			}
			all[f[0]][text][kind] = atoi(value)
		}
	}
	return all
})

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue") // übermorgen is also typed as uebermorgen

func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// meaning also returns how many words the meaning covers, or 0 if the words are unknown.
func (r Reader) meaning(words []string) (meaning, int) {
	for n := len(words); n > 0; n-- {
		text := strings.Join(words[:n], " ")
		if m := known(r.Language, text); len(m) > 0 {
			return m, n
		}
		m := meaning{}
		for language := range vocabulary() {
			m.merge(known(language, text))
		}
		if len(text) < 3 { // "do" means Sunday in Spanish, but "of the" in Portuguese
			delete(m, "weekday")
		}
		if m = m.agreed(); len(m) > 0 {
			return m, n
		}
	}
	if m := misspelled(words[0]); m != nil && !r.exact {
		return m, 1
	}
	return nil, 0
}

const minMisspelled = 5

func misspelled(word string) meaning {
	if len(word) < minMisspelled {
		return nil
	}
	limit := 1
	if len(word) > minMisspelled+1 {
		limit = 2
	}
	m := meaning{}
	for _, words := range vocabulary() {
		for text, meant := range words {
			_, month := meant["month"]
			_, weekday := meant["weekday"]
			if _, day := meant["day"]; !month && !weekday && !day || len(text) < minMisspelled || text[0] != word[0] {
				continue
			}
			switch typos := places.Distance(word, text, limit); {
			case typos > limit:
			case typos < limit:
				limit, m = typos, maps.Clone(meant)
			default:
				m.merge(meant)
			}
		}
	}
	if m = m.agreed(); len(m) > 0 {
		return m
	}
	return nil
}

func known(language, text string) meaning {
	words, m := vocabulary()[language], meaning{}
	m.merge(words[text])
	for full, meant := range words {
		_, month := meant["month"]
		_, weekday := meant["weekday"]
		_, fixed := meant["number"]
		_, counted := meant["nth"]
		if len(text) >= 3 && (month || weekday) && !fixed && !counted && strings.HasPrefix(full, text) {
			m.merge(meant)
		}
	}
	return m.agreed()
}

const contradictory = -100

func (m meaning) merge(other meaning) {
	for kind, value := range other {
		if have, ok := m[kind]; ok && have != value {
			value = contradictory
		}
		m[kind] = value
	}
}

func (m meaning) agreed() meaning {
	maps.DeleteFunc(m, func(_ string, value int) bool { return value == contradictory })
	return m
}

package places

import (
	"slices"
	"strings"
	"unicode/utf8"

	"verdetto/shared/fare"
)

const maxSuggest = 40

// Suggest returns at most n names similar to a query that Find does not know. Find finds each
// returned name.
func Suggest(query string, n int) []string {
	if len(query) > maxQuery || n <= 0 {
		return nil
	}
	key := Fold(query)
	runes := []rune(key)
	if len(runes) == 0 || len(runes) > maxSuggest {
		return nil
	}
	if area, ok := FindArea(query); ok {
		return area.busiest(n)
	}
	if m := Read(query); m.Elsewhere != "" {
		return m.there(n)
	}
	found := withinReach(runes)
	if len(runes) >= 3 {
		found = append(found, withPrefix(key, entry.isShown)...)
	}
	found = append(found, prefixesOf(key)...)
	nearest(found)
	var out []string
	seen := map[fare.City]bool{}
	for _, c := range found {
		if len(out) == n {
			break
		}
		if e, ok := lookup(c.key); ok && e.city == c.city && !seen[c.city] {
			seen[c.city] = true
			out = append(out, c.written)
		}
	}
	if area, ok := SuggestArea(query); ok {
		for _, name := range area.busiest(n) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out[:min(len(out), n)]
}

func (m Match) there(n int) (out []string) {
	for _, name := range Suggest(m.Elsewhere, maxSuggest) {
		city := Read(name).City
		if len(out) < n && slices.ContainsFunc(m.in, func(a Area) bool { return a.HoldsCity(city) }) {
			out = append(out, name)
		}
	}
	return out
}

func prefixesOf(key string) []candidate {
	var found []candidate
	for end := len(key) - 1; end > 0; end-- {
		if !utf8.RuneStart(key[end]) || utf8.RuneCountInString(key[:end]) < 4 {
			continue
		}
		if e, ok := lookup(key[:end]); ok && e.isShown() {
			found = append(found, candidateOf(e, 2+len(found)))
		}
	}
	return found
}

func reach(runes int) int {
	switch {
	case runes < 3:
		return 0
	case runes < 6: // with two errors, Italy would become Itami, and Spain Split
		return 1
	case runes < 9:
		return 2
	default:
		return 3
	}
}

func withinReach(query []rune) []candidate {
	limit := reach(len(query))
	if limit == 0 {
		return nil
	}
	var m meter
	var found []candidate
	name := make([]rune, 0, maxSuggest)
	for i := 0; i < len(namesTable); {
		line := namesTable[i:]
		tab := strings.IndexByte(line, '\t')
		next := i + tab + strings.IndexByte(line[tab:], '\n') + 1
		// tab is the length of the name in bytes, so the name has between tab/4 and tab runes.
		if tab < len(query)-limit || tab > utf8.UTFMax*(len(query)+limit) || !isSuggested(line[tab+1]) {
			i = next
			continue
		}
		name = name[:0]
		for _, r := range line[:tab] {
			name = append(name, r)
		}
		if d := m.distance(query, name, limit); d <= limit {
			e, _ := entryAt(i)
			found = append(found, candidateOf(e, d))
		}
		i = next
	}
	return found
}

// Distance returns the number of typing errors between two folded names, or limit + 1 if there are
// more than limit.
func Distance(a, b string, limit int) int {
	var m meter
	return min(m.distance([]rune(a), []rune(b), limit), limit+1)
}

type meter struct{ rows [3][]int }

func (m *meter) distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	for i := range m.rows {
		m.rows[i] = slices.Grow(m.rows[i][:0], len(b)+1)[:len(b)+1]
	}
	before, last, row := m.rows[0], m.rows[1], m.rows[2]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		row[from-1] = limit + 1
		if from == 1 {
			row[0] = i
		}
		least := row[from-1]
		for j := from; j <= to; j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, row[j-1]+1)
			if j < i+limit || j == 0 {
				d = min(d, last[j]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

package places

import (
	"cmp"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

type candidate struct {
	entry
	distance int
	position int
}

func candidateOf(e entry, distance int) candidate {
	at, _ := position(string(e.city))
	return candidate{e, distance, at}
}

func nearest(found []candidate) {
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(a.distance, b.distance),
			cmp.Compare(a.position, b.position),
			cmp.Compare(a.kind, b.kind),
			cmp.Compare(len(a.key), len(b.key)),
		)
	})
}

func withPrefix(key string, inUse func(entry) bool) []candidate {
	var found []candidate
	for i := searchNames(key); i < len(namesTable); {
		e, next := entryAt(i)
		if !strings.HasPrefix(e.key, key) {
			break
		}
		if inUse(e) {
			distance := 1
			if e.key == key {
				distance = 0
			}
			found = append(found, candidateOf(e, distance))
		}
		i = next
	}
	return found
}

const minTypo = 4

// almostPrefix requires that the first letter is right, because too many names would match otherwise.
func almostPrefix(query []rune) []candidate {
	if len(query) < minTypo || len(query) > maxSuggest {
		return nil
	}
	var m meter
	var found []candidate
	first := string(query[:1])
	for i := searchNames(first); i < len(namesTable); {
		e, next := entryAt(i)
		if !strings.HasPrefix(e.key, first) {
			break
		}
		name := []rune(e.key)
		for end := len(query) - 1; e.isShown() && end <= min(len(query)+1, len(name)); end++ {
			if m.distance(query, name[:end], 1) <= 1 {
				found = append(found, candidateOf(e, 2))
				break
			}
		}
		i = next
	}
	return found
}

// Complete returns at most n places whose name in any language begins with prefix, or whose code is
// prefix. If no name begins with prefix, Complete may correct one typing error.
func Complete(prefix, lang string, n int) []Place {
	if len(prefix) > maxQuery || n <= 0 {
		return nil
	}
	key := Fold(prefix)
	if key == "" {
		return nil
	}
	found := withPrefix(key, entry.isShown)
	if len(found) == 0 {
		found = withPrefix(key, entry.isFull)
	}
	if _, area := CompleteArea(prefix, lang); len(found) == 0 && !area {
		found = almostPrefix([]rune(key))
	}
	nearest(found)
	var out []Place
	placeOf, native := map[fare.City]bool{}, map[fare.City]bool{}
	for _, e := range found {
		native[e.city] = native[e.city] || e.kind == KindPlace && e.isUsedIn(lang)
	}
	offer := func(p Place) {
		same := func(q Place) bool { return q.City == p.City && q.Name == p.Name }
		if len(out) < n && !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	for _, e := range found {
		if len(out) == n {
			break
		}
		c, _ := cityAt(e.position)
		switch {
		case e.kind == KindName:
			offer(c.place(c.name(lang)))
		case e.kind == KindAirport:
			offer(c.place(AirportName(e.airport, lang)))
		case e.kind == KindFull:
			offer(c.place(e.written))
		case !placeOf[e.city] && (e.isUsedIn(lang) || !native[e.city]):
			placeOf[e.city] = true
			offer(c.place(e.written))
		}
	}
	if at, ok := position(strings.ToUpper(strings.TrimSpace(prefix))); ok {
		c, _ := cityAt(at)
		offer(c.place(c.name(lang)))
	}
	return out
}

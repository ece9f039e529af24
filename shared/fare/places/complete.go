package places

import (
	"cmp"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// candidate is a name that may be offered, and how near it is to what was typed.
type candidate struct {
	entry
	distance int
	position int
}

// nearest sorts candidates: nearest first, the busiest city among equals, its own name before other places'.
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

// withPrefix lists the names on offer that begin with a key, exact ones at distance 0, others at 1.
func withPrefix(key string) []candidate {
	var found []candidate
	for i := searchNames(key); i < len(namesTable); {
		e, next := entryAt(i)
		if !strings.HasPrefix(e.key, key) {
			break
		}
		if e.offered() {
			distance := 1
			if e.key == key {
				distance = 0
			}
			at, _ := position(string(e.city))
			found = append(found, candidate{e, distance, at})
		}
		i = next
	}
	return found
}

// Complete offers at most n places whose name in any of the languages begins
// with prefix, busiest first, a name typed in full before those that only begin
// so. Cities are named in lang, one of those of Name; other places that a city's
// airports serve, and everyday names, as they are, in lang rather than in another
// language. A code typed in full is completed to its city.
func Complete(prefix, lang string, n int) []Place {
	if len(prefix) > maxQuery || n <= 0 {
		return nil
	}
	key := Fold(prefix)
	if key == "" {
		return nil
	}
	found := withPrefix(key)
	nearest(found)
	var out []Place
	placeOf, native := map[fare.City]bool{}, map[fare.City]bool{}
	for _, e := range found {
		native[e.city] = native[e.city] || e.kind == kindPlace && e.saidIn(lang)
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
		case e.kind == kindName:
			offer(c.place(c.name(lang)))
		case !placeOf[e.city] && (e.saidIn(lang) || !native[e.city]): // one is enough: Sicilia, not Sicily too
			placeOf[e.city] = true
			offer(c.place(e.written))
		}
	}
	if at, ok := positionTyped(prefix); ok {
		c, _ := cityAt(at)
		offer(c.place(c.name(lang)))
	}
	return out
}

package places

import (
	"slices"
	"strings"
)

// Ends splits a text that names both ends of a trip, such as "da Roma a Londra". Ends returns false if
// the text is one place, or if an end is unknown. An end may be an area.
func Ends(text string) (from, to string, ok bool) {
	if len(text) > maxQuery || known(text, true) {
		return "", "", false
	}
	words := slices.Compact(strings.Fields(arrows.Replace(text)))           // two arrows, as in >>, are one
	if len(words) == 1 && len(text) == 6 && strings.ToUpper(text) == text { // as in MILLIS, from MIL to LIS
		words = []string{text[:3], text[3:]}
	}
	for len(words) > 0 && slices.Contains(tripWords, Fold(words[0])) {
		words = words[1:]
	}
	for last := len(words) - 1; last > 0 && slices.Contains(slices.Concat(dayPrepositions, tripWords), Fold(words[last])); last-- {
		words = words[:last]
	}
	if len(words) > maxTripWords {
		return "", "", false
	}
	both := func(left, right []string) bool {
		from, to = end(left, fromWords), end(right, toWords)
		return from != "" && to != "" && known(from, true) && known(to, true)
	}
	for i, w := range words {
		key := Fold(w)
		switch inside := 0 < i && i < len(words)-1; {
		case inside && slices.Contains(andWords, key) && slices.Contains(betweenWords, Fold(words[0])) &&
			both(words[1:i], words[i+1:]):
			return from, to, true
		case inside && (key == "" || slices.Contains(toWords, key)) && both(words[:i], words[i+1:]):
			return from, to, true
		case inside && (slices.Contains(fromWords, key) && slices.Contains(toWords, Fold(words[0])) ||
			slices.Contains(fromAfter, key)) && both(words[i:], words[:i]):
			return from, to, true
		}
	}
	for i := 1; i < len(words)-2; i++ { // as in "I want to fly from Rome to London"
		if slices.Contains(fromWords, Fold(words[i])) && Read(strings.Join(words[:i], " ")).City == "" {
			return Ends(strings.Join(words[i:], " "))
		}
	}
	text = strings.Join(words, " ")
	for i, r := range text {
		if r == '-' && both(strings.Fields(text[:i]), strings.Fields(text[i+1:])) {
			return from, to, true
		}
	}
	for i := 1; i < len(words); i++ {
		comma := strings.HasSuffix(words[i-1], ",")
		if (comma || !strings.Contains(text, ",")) && both(words[:i], words[i:]) && known(from, false) && known(to, false) &&
			(!comma || !isElsewhere(to)) && !strings.HasPrefix(words[i], "(") &&
			(isPlain(from) && isPlain(to) || len(from) == 3 && len(to) == 3 && !slices.Contains(toWords, Fold(from))) {
			return from, to, true
		}
	}
	return "", "", false
}

// After a comma, a name for which isElsewhere is true may qualify the name before:
// "Paris, Ontario" is one place, but "Milan, Lisbon" are two.
func isElsewhere(name string) bool {
	city := Read(name).City
	return slices.ContainsFunc(areasCalled(name), func(a Area) bool { return !a.IsRegion() || !a.HoldsCity(city) })
}

func isPlain(name string) bool { return isClear(name) || Read(name).Reading == AsTyped }

const maxTripWords = 20

func known(query string, orArea bool) bool {
	if readName(query).City != "" {
		return true
	}
	_, area := findArea(query)
	return area && orArea
}

// end keeps a word that begins a name, as in La Paz and De Aar.
func end(words, prepositions []string) string {
	contracted := len(words) > 1 && slices.Contains(contractions, Fold(words[0]))
	trimmed := false
	for len(words) > 1 && !known(strings.Join(words, " "), true) {
		first, last := Fold(words[0]), Fold(words[len(words)-1])
		isTrip := func(word string) bool { // the e in "andata e ritorno" is a word of the trip, the e in "Milano e Roma" is not
			return slices.Contains(tripWords, word) && (trimmed || !slices.Contains(andWords, word))
		}
		switch {
		case slices.Contains(prepositions, first):
			words = words[1:]
			continue
		case isTrip(first):
			words, trimmed = words[1:], true
			continue
		case isTrip(last):
			words, trimmed = words[:len(words)-1], true
			continue
		}
		break
	}
	name := strings.Trim(strings.Join(words, " "), " ,;:?!\"“”«»<=")
	elided, ok := cutElision(name)
	for _, other := range []string{elided, "Le " + name, "L'" + elided} { // "au Caire" has the article of "Le Caire"
		if !known(name, true) && (ok || contracted) && known(other, true) {
			return other
		}
	}
	return name
}

var arrows = func() *strings.Replacer {
	pairs := []string{"\uFE0F", "", "_", " ", "–", " – ", "—", " — ", "/", " / ", "|", " / "}
	for sign := range strings.FieldsSeq("<-> --> ==> => <> -> >> > → ⇒ ➡ ➔ ⟶ ↔ ⇄ » ✈ … ...") {
		pairs = append(pairs, sign, " → ")
	}
	return strings.NewReplacer(pairs...)
}()

var (
	fromAfter       = wordList("from behind")
	fromWords       = wordList("from")
	toWords         = wordList("to")
	contractions    = wordList("contraction")
	betweenWords    = wordList("between")
	andWords        = wordList("and")
	tripWords       = wordList("trip")
	dayPrepositions = wordList("day")
)

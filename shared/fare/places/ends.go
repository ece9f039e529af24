package places

import (
	"slices"
	"strings"
)

// Ends splits a text that names both ends of a trip, in six languages: new york to tokio, da Roma a
// Londra, nach Wien von Köln, Milan-Lisbon. It returns false if the text is one place, or if an end
// is unknown. The destination may be an area.
func Ends(text string) (from, to string, ok bool) {
	if len(text) > maxQuery || known(text, true) {
		return "", "", false
	}
	words := strings.Fields(arrows.Replace(text))
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
		return from != "" && to != "" && known(from, false) && known(to, true)
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
	for i := 1; i < len(words)-2; i++ { // I want to fly from Rome to London
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
		_, qualifies := FindArea(strings.Join(words[i:], " ")) // Paris, Ontario is one place
		comma := strings.HasSuffix(words[i-1], ",")
		if !(comma && qualifies) && both(words[:i], words[i:]) && known(to, false) &&
			(isPlain(from) && isPlain(to) || len(from) == 3 && len(to) == 3 && !slices.Contains(toWords, Fold(from))) {
			return from, to, true
		}
	}
	return "", "", false
}

// isPlain reports whether a name is no word of another meaning that happens to be a code.
func isPlain(name string) bool { return isClear(name) || Read(name).Reading == AsTyped }

// maxTripWords bounds the ways to split a text.
const maxTripWords = 20

func known(query string, orArea bool) bool {
	if Read(query).City != "" {
		return true
	}
	_, area := FindArea(query)
	return area && orArea
}

// end joins the words of one end of a trip without the prepositions before them. A preposition that
// begins a name, as in La Paz and De Aar, stays.
func end(words, prepositions []string) string {
	contracted := len(words) > 1 && Fold(words[0]) == "au"
	for range 2 {
		if len(words) > 1 && slices.Contains(prepositions, Fold(words[0])) && !known(strings.Join(words, " "), true) {
			words = words[1:]
		}
	}
	name := strings.Trim(strings.Join(words, " "), " ,;:?!\"“”«»<=")
	elided, ok := cutElision(name)
	for _, other := range []string{elided, "Le " + name, "L'" + elided} { // Le Caire is in au Caire, L'Aquila in dall'Aquila
		if !known(name, true) && (ok || contracted) && known(other, true) {
			return other
		}
	}
	return name
}

var arrows = strings.NewReplacer("\uFE0F", "", "<->", " → ", "=>", " → ", "<>", " → ", "➡", " → ", "_", " ", "→", " → ", "->", " → ", "–", " – ", "—", " — ", ">", " → ", "»", " → ", "⇒", " → ",
	"✈", " → ", "/", " / ")

var (
	fromAfter = []string{"from", "ab", "von", "depuis", "desde"} // London from Rome
	fromWords = []string{"from", "da", "dal", "dalla", "dallo", "dall", "de", "du", "des", "depuis", "von", "ab", "aus",
		"desde", "do", "dos", "das", "d"}
	toWords = []string{"to", "a", "ad", "al", "alla", "allo", "all", "ai", "per", "verso", "in", "au", "aux", "vers", "pour",
		"nach", "bis", "zum", "zur", "hacia", "hasta", "para", "ate", "ao", "la", "into"}
	betweenWords = []string{"between", "tra", "fra", "zwischen", "entre"}
	andWords     = []string{"and", "e", "und", "et", "y"}
	tripWords    = []string{"flight", "flights", "fly", "flying", "volo", "voli", "volare", "vol", "vols", "flug", "fluge", "fliegen",
		"vuelo", "vuelos", "volar", "voo", "voos", "cheap", "trip", "fares", "fare", "return", "one", "way", "oneway", "nonstop", "direct", "andata", "ritorno",
		"e", "solo", "diretto", "economici", "gunstige", "billige", "hin", "und", "zuruck", "aller", "retour", "simple", "ida",
		"y", "vuelta", "baratos", "volta", "passagem", "passagens", "aereas"}
	dayPrepositions = []string{"on", "il", "le", "am", "el", "em", "no", "the", "den", "dia", "im", "in", "a", "nel"}
)

package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// synonyms pairs the Italian and the English name of each parameter. An endpoint describes one of
// them and accepts both. The names of new parameters are Italian, as in GET /v1/analisi.
var synonyms = [][2]string{
	{"origine", "origin"}, {"destinazione", "destination"}, {"destinazioni", "destinations"},
	{"partenza", "departure"}, {"partenze", "departures"}, {"ritorno", "return"}, {"flessibile", "flexible"},
	{"mese", "month"}, {"mesi", "months"}, {"notti", "nights"}, {"diretto", "nonstop"}, {"prezzo", "price"},
	{"valuta", "currency"}, {"livello", "level"}, {"massimo", "maximum"}, {"formato", "format"},
	{"pagina", "page"}, {"campi", "fields"}, {"lingua", "lang"}, {"vettore", "airline"},
	{"senzaVettore", "withoutAirline"},
}

// synonym returns the other name of a parameter, or "".
func synonym(name string) string {
	for _, pair := range synonyms {
		switch name {
		case pair[0]:
			return pair[1]
		case pair[1]:
			return pair[0]
		}
	}
	return ""
}

func withSynonyms(names []string) []string {
	all := slices.Clone(names)
	for _, name := range names {
		if other := synonym(name); other != "" && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

// renamed returns a request whose parameters have the names that the operation describes. A
// parameter under both names is a fault.
func renamed(op *huma.Operation, r *http.Request) (*http.Request, []Fault) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return r, nil // checkParameters explains it
	}
	var faults []Fault
	changed := false
	names := parameterNames(op)
	for _, name := range names {
		other := synonym(name)
		given, ok := values[other]
		if !ok || slices.Contains(names, other) {
			continue
		}
		if values.Has(name) {
			faults = append(faults, Fault{other, "means the same as " + name + ": send one of them"})
		} else {
			values[name] = given
		}
		delete(values, other)
		changed = true
	}
	if !changed {
		return r, nil
	}
	r = r.WithContext(r.Context())
	at := *r.URL
	at.RawQuery, r.URL = values.Encode(), &at
	return r, faults
}

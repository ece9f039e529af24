package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/runtime/config"
)

// synonyms pairs the Italian and the English names of parameters. Typed endpoints accept both. New
// parameters have Italian names.
var synonyms = [][2]string{
	{"origine", "origin"}, {"destinazione", "destination"}, {"destinazioni", "destinations"},
	{"partenza", "departure"}, {"partenze", "departures"}, {"ritorno", "return"}, {"flessibile", "flexible"},
	{"mese", "month"}, {"mesi", "months"}, {"notti", "nights"}, {"diretto", "nonstop"}, {"prezzo", "price"},
	{"valuta", "currency"}, {"livello", "level"}, {"massimo", "maximum"}, {"formato", "format"},
	{"pagina", "page"}, {"campi", "fields"}, {"lingua", "lang"}, {"vettore", "airline"},
	{"senzaVettore", "withoutAirline"},
}

// meant maps names that other APIs use to our names.
var meant = map[string]string{"from": "origin", "da": "origin", "to": "destination", "a": "destination",
	"date": "departure", "data": "departure", "departdate": "departure", "depart_date": "departure", "max": "maximum",
	"direct": "nonstop", "directonly": "nonstop", "direct_only": "nonstop", "locale": "lang",
	"origincity": "origin", "origin_city": "origin", "destinationcity": "destination", "destination_city": "destination"}

func nearest(given string, names []string) string {
	given, names = strings.ToLower(given), withSynonyms(names)
	if name := meant[given]; slices.Contains(names, name) {
		return name
	}
	return config.Nearest(given, names, max(2, len(given)/3))
}

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

func Names(name string) []string {
	all := withSynonyms([]string{name})
	if other := meant[strings.ToLower(name)]; other != "" {
		all = append(all, withSynonyms([]string{other})...)
	}
	return all
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

var answers = map[string]bool{"true": true, "yes": true, "1": true, "si": true, "sì": true, "ja": true, "oui": true, "sí": true,
	"sim": true, "false": false, "no": false, "0": false, "nein": false, "non": false, "não": false}

func ReadAnswer(text string) (yes, known bool) {
	yes, known = answers[strings.ToLower(strings.TrimSpace(text))]
	return yes, known
}

func renamed(op *huma.Operation, r *http.Request) (*http.Request, []Fault) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return r, nil
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
	for _, p := range op.Parameters {
		if given := values[p.Name]; len(given) == 1 && p.Schema != nil && p.Schema.Type == huma.TypeBoolean {
			if yes, known := ReadAnswer(given[0]); known {
				values.Set(p.Name, strconv.FormatBool(yes))
				changed = true
			}
		}
	}
	if !changed {
		return r, nil
	}
	r = r.WithContext(r.Context())
	at := *r.URL
	at.RawQuery, r.URL = values.Encode(), &at
	return r, faults
}

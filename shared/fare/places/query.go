package places

import (
	"strings"

	"verdetto/shared/fare"
)

func (p Place) NameIn(lang string) string {
	if p.Airport != "" {
		return AirportName(p.Airport, lang)
	}
	for _, c := range Complete(p.Name, lang, 20) {
		if c.City == p.City {
			if same, ok := Find(c.Name); ok && same.City == p.City {
				return c.Name
			}
			break
		}
	}
	return p.Name
}

// Query returns a query for which Find returns the city: name if possible, or else a query with the
// city's code.
func Query(city fare.City, name string) string {
	if found, ok := Find(name); ok && found.City == city {
		return name
	}
	if isAbbreviation(string(city)) {
		return Name(city, "en") + " (" + string(city) + ")"
	}
	return string(city)
}

func (p Place) Query() string {
	switch a, ok := Airport(p.Name); {
	case p.Airport == "":
		return Query(p.City, p.Name)
	case ok && a.String() == p.Airport:
		return p.Name
	}
	return p.Airport
}

// List splits names at semicolons, or at commas if there is no semicolon, but keeps "Lisbon, Portugal"
// together.
func List(names string) (all []string) {
	if strings.Contains(names, ";") {
		return strings.Split(names, ";")
	}
	for part := range strings.SplitSeq(names, ",") {
		last := len(all) - 1
		if last >= 0 && strings.TrimSpace(all[last]) != "" && len(areasCalled(strings.TrimSpace(part))) > 0 {
			joined := all[last] + "," + part
			if alone := Read(part).City; alone == "" || alone == Read(joined).City {
				all[last] = joined
				continue
			}
		}
		all = append(all, part)
	}
	return all
}

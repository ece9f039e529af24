package places

import "verdetto/shared/fare"

// NameIn returns what a city is called in a language, unless it was asked for by an
// everyday name, as Bali is. Find finds the city by it.
func (p Place) NameIn(lang string) string {
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

// Query returns a query that finds a city: its name, or its code if the name finds another.
func Query(city fare.City, name string) string {
	if found, ok := Find(name); !ok || found.City != city {
		return string(city)
	}
	return name
}

package places

import "testing"

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		query, name string
		within      bool
	}{
		{"Milano", "", false},
		{"milan", "", false},
		{"MIL", "", false},
		{"mil", "", false},
		{"BGY", "BGY", true},
		{" bgy ", "BGY", true},
		{"bergamo", "Bergamo", true},
		{"Gatwick", "Gatwick", true},
		{"Creta", "", false},
		{"Algarve", "Algarve", true},
		{"Bali", "", false},
		{"NAP", "", false}, // the airport and the city share the code
		{"KRK", "", false}, // Cracow, not the island
		{"Krk", "Krk", true},
		{"Atlantis", "", false},
		{"", "", false},
	} {
		t.Run(c.query, func(t *testing.T) {
			m := Read(c.query)
			name, within := m.Part, m.Part != ""
			if within != c.within || within && name != c.name {
				t.Errorf("%q %v, want %q %v", name, within, c.name, c.within)
			}
		})
	}
}

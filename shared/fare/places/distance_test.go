package places

import "testing"

func TestKm(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"BGY", "MXP", 76}, {"MXP", "BGY", 76}, {"MIL", "TRN", 124}, {"LHR", "JFK", 5540}, {"SYD", "EZE", 11766},
		{"BGY", "BGY", 0},
	} {
		got, ok := Km(c.from, c.to)
		if off := got - c.want; !ok || off > 1+c.want/500 || -off > 1+c.want/500 {
			t.Errorf("Km(%s, %s) = %d %v, want about %d", c.from, c.to, got, ok, c.want)
		}
	}
	for _, code := range []string{"", "QQQ", "mil", "MILAN"} {
		if km, ok := Km("MIL", code); ok || km != 0 {
			t.Errorf("Km(MIL, %q) = %d", code, km)
		}
	}
}

func TestCoordinates(t *testing.T) {
	for i := 0; i < len(codesTable); i += codeLine {
		code, city := codesTable[i:i+3], codesTable[i+4:i+7]
		if km, ok := Km(code, city); !ok || km > 300 {
			t.Errorf("%s is %d km from its city %s", code, km, city)
		}
	}
}

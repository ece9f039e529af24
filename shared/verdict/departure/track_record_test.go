package departure

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRecord(t *testing.T) {
	r := Recorded()
	for h := range horizons {
		for _, c := range []struct{ chance, from float64 }{{0, 0}, {.049, 0}, {.05, .05}, {.1, .1}, {.25, .2},
			{.39, .3}, {.4, .4}, {.99, .4}, {1, .4}} {
			b := r.Band(h, c.chance)
			if b.From != c.from || !(b.Low <= b.Mean && b.Mean <= b.High) || b.Cases < 500 || b.Panels < 2 ||
				b.Fell < 0 || b.Rose < 0 || b.Fell > 1 || b.Rose > 1 || b.Dearer < 0 || b.Dearer > 1 {
				t.Errorf("%d days, chance %v: %+v", h.Days(), c.chance, b)
			}
		}
	}
}

func TestRecordIsOfItsPanels(t *testing.T) {
	r := Recorded()
	if len(r.Panels) < 2 {
		t.Fatalf("%d panels", len(r.Panels))
	}
	for h, horizon := range r.Horizons {
		for _, b := range horizon.Bands {
			want, heard := Band{}, 0
			for i, p := range r.Panels {
				for _, band := range p.Horizons[h].Bands {
					if band.From != b.From || band.Panels == 0 {
						continue
					}
					if i == 0 {
						want = band
					}
					want.Low, want.High = min(want.Low, band.Low), max(want.High, band.High)
					heard++
				}
			}
			if want.Panels = heard; b != want {
				t.Errorf("%d days: %+v, want %+v", horizon.Days, b, want)
			}
		}
	}
}

func TestWaitingIsNotAdvised(t *testing.T) {
	for _, horizon := range Recorded().Horizons {
		for _, b := range horizon.Bands {
			if b.Pays() {
				t.Errorf("waiting %d days at %v: %+v: docs/evidence.md says that the service never advises to wait",
					horizon.Days, b.From, b)
			}
		}
	}
	if !(Band{Low: -.05, High: -.001}).Pays() || (Band{Low: -.05, High: 0}).Pays() {
		t.Error("waiting pays where all of the interval lies below nothing, and only there")
	}
}

func TestRecordIsRefused(t *testing.T) {
	whole, err := json.Marshal(Recorded())
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Record){
		"a horizon lacks":      func(r *Record) { r.Horizons = r.Horizons[:1] },
		"another horizon":      func(r *Record) { r.Horizons[1].Days = 10 },
		"a band lacks":         func(r *Record) { r.Horizons[0].Bands = r.Horizons[0].Bands[1:] },
		"bands out of order":   func(r *Record) { b := r.Horizons[0].Bands; b[0], b[1] = b[1], b[0] },
		"a band without cases": func(r *Record) { r.Horizons[1].Bands[3].Cases = 0 },
		"not a record":         nil,
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte("[")
			if spoil != nil {
				var r Record
				if err := json.Unmarshal(whole, &r); err != nil {
					t.Fatal(err)
				}
				spoil(&r)
				if data, err = json.Marshal(r); err != nil {
					t.Fatal(err)
				}
			}
			defer func() {
				if why, _ := recover().(string); !strings.HasPrefix(why, "read record.json") {
					t.Errorf("it was read: %v", why)
				}
			}()
			mustReadRecord(data)
		})
	}
}

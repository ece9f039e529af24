package departure

import (
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

// Stored data begin with a format byte. Data with another format byte count as absent. Weights are
// stored relative to the epoch, so that rounding does not keep small weights from decreasing.
const (
	pooledFormat     = 2
	routeFormat      = 3
	statisticsFormat = 3
	departuresFormat = 1
	questionsFormat  = 2

	massUnit = 1. / 256
)

func (p *Pooled) Encode() []byte {
	w := packed.NewWriter(pooledFormat, 1100)
	w.Int(int64(p.epoch))
	for _, c := range p.curve {
		w.Float32(c.sum, c.weight)
	}
	w.Float32(p.residuals[:]...)
	for h := range p.tables {
		t := &p.tables[h]
		w.Float32(t.intercept, t.information)
		w.Float32(t.cells[:]...)
		w.Float32(t.informations[:]...)
	}
	return w
}

func DecodePooled(data []byte) (*Pooled, error) {
	r := packed.NewReader(data, pooledFormat)
	p := &Pooled{epoch: readDay(&r), tables: initial}
	weights := func(into []float64) {
		for i := range into {
			into[i] = readWeight(&r)
		}
	}
	for i := range p.curve {
		p.curve[i].sum, p.curve[i].weight = r.Float32(), readWeight(&r)
	}
	weights(p.residuals[:])
	for h := range p.tables {
		t := &p.tables[h]
		t.intercept, t.information = r.Float32(), readWeight(&r)
		for i := range t.cells {
			t.cells[i] = r.Float32()
		}
		weights(t.informations[:])
	}
	return p, r.ErrIn("pooled part")
}

func readDay(r *packed.Reader) fare.Day {
	day := r.Int()
	if day < -1<<24 || day > 1<<24 {
		r.Fail(packed.ErrRange)
		return 0
	}
	return fare.Day(day)
}

func readWeight(r *packed.Reader) float64 {
	v := r.Float32()
	if v < 0 {
		r.Fail(packed.ErrRange)
		return 0
	}
	return v
}

func (r *Route) Encode() []byte {
	w := packed.NewWriter(routeFormat, 800)
	w.Int(int64(r.epoch))
	w.Uint(uint64(r.count)<<1 | packed.Bit(r.noCurve))
	w.Float32(r.level.sum, r.level.weight)
	for _, t := range r.terms {
		w.Float32(t.value, t.information, t.cases)
	}
	for _, bars := range r.residuals {
		encodeBars(&w, bars)
	}
	return w
}

func encodeBars(w *packed.Writer, bars []bar) {
	var kept []bar
	for _, b := range bars {
		if math.Round(b.mass/massUnit) > 0 {
			kept = append(kept, b)
		}
	}
	w.Uint(uint64(len(kept)))
	before := uint8(0)
	for _, b := range kept {
		w.Uint(uint64(b.bin - before))
		w.Uint(uint64(math.Round(b.mass / massUnit)))
		before = b.bin
	}
}

func DecodeRoute(data []byte) (*Route, error) {
	r := packed.NewReader(data, routeFormat)
	route := &Route{epoch: readDay(&r)}
	count := r.UintTo(math.MaxInt32)
	route.count, route.noCurve = int(count>>1), count&1 == 1
	route.level.sum, route.level.weight = r.Float32(), readWeight(&r)
	for h := range route.terms {
		route.terms[h] = term{r.Float32(), readWeight(&r), readWeight(&r)}
	}
	for g := range route.residuals {
		route.residuals[g] = decodeBars(&r)
	}
	return route, r.ErrIn("route")
}

func decodeBars(r *packed.Reader) (bars []bar) {
	n := r.Count(int64(min(r.Uint(), bins)))
	if n > 0 {
		bars = make([]bar, 0, n)
	}
	bin := uint64(0)
	for i := range n {
		gap, mass := r.Uint(), r.Uint()
		if bin += min(gap, bins); bin >= bins || gap == 0 && i > 0 || mass > 1<<40 {
			r.Fail(packed.ErrRange)
			return nil
		}
		bars = append(bars, bar{uint8(bin), float64(mass) * massUnit})
	}
	return bars
}

// encode packs only the first group of lead times, and no terms.
func (m *Minima) encode(w *packed.Writer) {
	for s := range m {
		r := &m[s]
		w.Uint(uint64(r.count))
		if r.count > 0 {
			w.Int(int64(r.epoch))
			w.Float32(r.level.sum, r.level.weight)
			encodeBars(w, r.residuals[0])
		}
	}
}

func (m *Minima) decode(r *packed.Reader) {
	for s := range m {
		route := m.route(Span(s))
		route.count = int(min(r.Uint(), math.MaxInt32))
		if route.count == 0 {
			continue
		}
		route.epoch = readDay(r)
		route.level.sum, route.level.weight = r.Float32(), readWeight(r)
		route.residuals[0] = decodeBars(r)
	}
}

func (s *Statistics) Encode() []byte {
	w := packed.NewWriter(statisticsFormat, 600)
	s.each(func(v *int64) { w.Int(*v) })
	return w
}

func DecodeStatistics(data []byte) (*Statistics, error) {
	r := packed.NewReader(data, statisticsFormat)
	s := new(Statistics)
	s.each(func(v *int64) { *v = r.Int() })
	return s, r.ErrIn("statistics")
}

func (s *Statistics) each(do func(*int64)) {
	both := func(a *amounts) { do(&a.sum); do(&a.weight) }
	for i := range s.curve {
		both(&s.curve[i])
	}
	for i := range s.residuals {
		do(&s.residuals[i])
	}
	for h := range s.learned {
		both(&s.learned[h].intercept)
		for i := range s.learned[h].cells {
			both(&s.learned[h].cells[i])
		}
	}
}

package scorecard

import (
	"math"

	"verdetto/shared/verdict/score"
)

func partenzeOf(days int, h *score.HorizonCounts) VotoPartenze {
	v := VotoPartenze{
		Giorni: days, Dichiarate: int(h.Stated()), Confrontate: int(h.Compared()), NonConfrontabili: missedOf(h.Missed),
		Fasce: []Fascia{}, Anticipi: []VotoAnticipo{}, Eta: groupsOf([]string{"0", "1-2"}, h.Ages[:]),
		Affidabilita: groupsOf(score.SureNames[:], h.Sures[:]),
	}
	n := h.Compared()
	var fell, rose, stated int64
	apart := 0.
	for i, b := range h.Bands {
		if b.N == 0 {
			continue
		}
		fell, rose, stated = fell+b.Fell, rose+b.Rose, stated+b.Stated
		f := Fascia{
			Da: float64(5*i) / 100, A: float64(5*i+5) / 100, Casi: int(b.N), Detto: share(float64(b.Stated)/100, b.N),
			Calate: share(b.Fell, b.N),
			Salite: share(b.Rose, b.N), PiuCare: share(b.Dearer, b.N), Variazione: share(float64(b.Change)/1e4, b.N),
		}
		off := math.Abs(float64(b.Stated)/100 - float64(b.Fell))
		if i == score.Bands-1 {
			f.A = 1
			// A chance in the last band is stated as a minimum, so more falls than stated are no error.
			off = max(0, float64(b.Stated)/100-float64(b.Fell))
		}
		apart += off
		v.Fasce = append(v.Fasce, f)
	}
	v.Calate, v.Detto, v.Errore = share(fell, n), share(float64(stated)/100, n), share(apart, n)
	apart = 0
	for i := 0; i < score.Steps; i += 2 {
		apart += math.Abs(h.Own[i].OwnStated() + h.Own[i+1].OwnStated() - float64(h.Own[i].Fell+h.Own[i+1].Fell))
	}
	v.ErroreRegola = share(apart, n)
	v.Livelli = levelsOf(h, share(float64(fell+rose)/2, n))
	v.Anticipi = append(v.Anticipi, leadsOf(h)...)
	return v
}

// The parameter walk is the share of fares that would fall if prices moved at random.
func levelsOf(h *score.HorizonCounts, walk float64) (all []VotoLivello) {
	for l, spans := range h.Levels {
		var sum score.Cell
		for _, c := range spans {
			sum.N += c.N
			sum.Fell += c.Fell
			sum.Rose += c.Rose
			sum.Shuffled += c.Shuffled
		}
		all = append(all, VotoLivello{
			Livello: string(score.LevelNames[l]), Casi: int(sum.N), Calate: share(sum.Fell, sum.N),
			Salite:      share(sum.Rose, sum.N),
			Passeggiata: walk, Mescolate: share(float64(sum.Shuffled)/100, sum.N),
			Comuni: int(h.Both[l].N), CalateComuni: share(h.Both[l].Fell, h.Both[l].N),
			Rivale: int(h.Rival[l].N), CalateRivale: share(h.Rival[l].Fell, h.Rival[l].N),
		})
	}
	return all
}

func leadsOf(h *score.HorizonCounts) (all []VotoAnticipo) {
	for s := range score.Spans {
		a := VotoAnticipo{}
		a.DaGiorni, a.AGiorni = daysAhead(s)
		any := int64(0)
		for l := range h.Levels {
			c := h.Levels[l][s]
			a.Casi, a.Calate = append(a.Casi, int(c.N)), append(a.Calate, share(c.Fell, c.N))
			any += c.N
		}
		if any > 0 {
			all = append(all, a)
		}
	}
	return all
}

func groupsOf[T ~string](names []T, cases []score.Case) (all []VotoGruppo) {
	for i, c := range cases {
		all = append(all, VotoGruppo{string(names[i]), int(c.N), share(float64(c.Stated)/100, c.N), share(c.Fell, c.N)})
	}
	return all
}

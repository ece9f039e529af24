package scorecard

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"

	"verdetto/shared/verdict/score"
)

func (p Pagella) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"settimana", "giorni", "tabella", "riga", "misura", "valore"})
	csvRows{w, ""}.score(p.Somma)
	csvRows{w, ""}.misses(p.Scarti)
	for _, week := range p.PerSettimana {
		csvRows{w, week.Lunedi}.score(week.Voto)
	}
	w.Flush() // writing to a buffer never fails
	return b.Bytes()
}

type measure struct {
	name  string
	value any
}

func measures(report any) (all []measure) {
	v := reflect.ValueOf(report)
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() || f.CanFloat() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			all = append(all, measure{name, f.Interface()})
		}
	}
	return all
}

type csvRows struct {
	*csv.Writer
	week string
}

func (r csvRows) write(days int, table, row string, numbers []measure) {
	horizon := ""
	if days > 0 {
		horizon = fmt.Sprint(days)
	}
	for _, n := range numbers {
		r.Write([]string{r.week, horizon, table, row, n.name, fmt.Sprint(n.value)})
	}
}

func (r csvRows) score(v Voto) {
	r.write(0, "rilevazioni", "", []measure{{"casi", v.Rilevazioni}})
	for _, d := range v.Partenze {
		r.departures(d)
	}
	for _, c := range v.Percentili {
		r.write(0, "percentili", c.Affidabilita, measures(c))
	}
	r.write(0, "rotte", "", measures(v.Rotte))
	r.write(0, "rotte", "nonConfrontabili", measures(v.Rotte.NonConfrontabili))
	for _, l := range v.Rotte.Livelli {
		r.write(0, "rotte", l.Livello, measures(l))
	}
}

func (r csvRows) misses(s Scarti) {
	r.write(0, "scarti", "partenze", measures(s.Partenze))
	for _, q := range s.Trimestri {
		r.write(0, "scarti", q.Trimestre+"-partenze", measures(q.Partenze))
	}
	for _, a := range s.Anticipi {
		r.write(0, "scarti", fmt.Sprint(a.DaGiorni), measures(a.Scarto))
	}
}

func (r csvRows) departures(d VotoPartenze) {
	days, all := d.Giorni, measures(d)
	r.write(days, "partenze", "", all[1:3])
	r.write(days, "partenze", "nonConfrontabili", measures(d.NonConfrontabili))
	r.write(days, "partenze", "", all[3:])
	for _, f := range d.Fasce {
		r.write(days, "fasce", fmt.Sprintf("%v-%v", f.Da, f.A), measures(f)[2:])
	}
	for _, l := range d.Livelli {
		r.write(days, "livelli", l.Livello, measures(l))
	}
	for _, a := range d.Anticipi {
		for i, level := range score.LevelNames {
			r.write(days, "anticipi", fmt.Sprintf("%d-%s", a.DaGiorni, level),
				[]measure{{"casi", a.Casi[i]}, {"calate", a.Calate[i]}})
		}
	}
	for _, g := range d.Eta {
		r.write(days, "eta", g.Gruppo, measures(g))
	}
	for _, g := range d.Affidabilita {
		r.write(days, "affidabilita", g.Gruppo, measures(g))
	}
}

package scorecard

import (
	"bytes"
	"encoding/csv"
	"fmt"

	"verdetto/shared/verdict/score"
)

// CSV returns the score with a row for each number: the week (empty in the sum), the
// days of a statement, the table, its row, the name of the number, and the number.
func (p Pagella) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"settimana", "giorni", "tabella", "riga", "misura", "valore"})
	csvRows{w, ""}.score(p.Somma)
	for _, week := range p.PerSettimana {
		csvRows{w, week.Lunedi}.score(week.Voto)
	}
	w.Flush() // a buffer takes everything
	return b.Bytes()
}

// measure is a number by its name.
type measure struct {
	name  string
	value any
}

// csvRows writes the rows of a week.
type csvRows struct {
	*csv.Writer
	week string
}

func (r csvRows) write(days int, table, row string, numbers ...measure) {
	horizon := ""
	if days > 0 {
		horizon = fmt.Sprint(days)
	}
	for _, n := range numbers {
		r.Write([]string{r.week, horizon, table, row, n.name, fmt.Sprint(n.value)})
	}
}

func (r csvRows) score(v Voto) {
	r.write(0, "rilevazioni", "", measure{"casi", v.Rilevazioni})
	for _, d := range v.Partenze {
		r.departures(d)
	}
	for _, c := range v.Percentili {
		r.write(0, "percentili", c.Affidabilita, measure{"casi", c.Casi}, measure{"meta", c.Meta}, measure{"noveDecimi", c.NoveDecimi})
	}
	r.compared(0, "rotte", v.Rotte.Dichiarate, v.Rotte.Confrontate, v.Rotte.NonConfrontabili)
	for _, l := range v.Rotte.Livelli {
		r.write(0, "rotte", l.Livello, measure{"casi", l.Casi}, measure{"calate", l.Calate}, measure{"salite", l.Salite}, measure{"variazione", l.Variazione})
	}
	for _, h := range v.Rotte.Intervalli {
		r.write(0, "intervalli", h.Affidabilita, measure{"casi", h.Casi}, measure{"tenuti", h.Tenuti})
	}
}

// compared writes how many statements were compared, and why the others were not.
func (r csvRows) compared(days int, table string, stated, compared int, m NonConfrontabili) {
	r.write(days, table, "", measure{"dichiarate", stated}, measure{"confrontate", compared})
	r.write(days, table, "nonConfrontabili", measure{"partita", m.Partita}, measure{"nonRivista", m.NonRivista}, measure{"vecchia", m.Vecchia},
		measure{"altraRegola", m.AltraRegola}, measure{"altraValuta", m.AltraValuta})
}

func (r csvRows) departures(d VotoPartenze) {
	days := d.Giorni
	r.compared(days, "partenze", d.Dichiarate, d.Confrontate, d.NonConfrontabili)
	r.write(days, "partenze", "", measure{"calate", d.Calate}, measure{"detto", d.Detto}, measure{"errore", d.Errore}, measure{"erroreRegola", d.ErroreRegola})
	for _, f := range d.Fasce {
		r.write(days, "fasce", fmt.Sprintf("%v-%v", f.Da, f.A), measure{"casi", f.Casi}, measure{"detto", f.Detto}, measure{"calate", f.Calate},
			measure{"salite", f.Salite}, measure{"piuCare", f.PiuCare}, measure{"variazione", f.Variazione})
	}
	for _, l := range d.Livelli {
		r.write(days, "livelli", l.Livello, measure{"casi", l.Casi}, measure{"calate", l.Calate}, measure{"salite", l.Salite},
			measure{"passeggiata", l.Passeggiata}, measure{"mescolate", l.Mescolate}, measure{"comuni", l.Comuni},
			measure{"calateComuni", l.CalateComuni}, measure{"rivale", l.Rivale}, measure{"calateRivale", l.CalateRivale})
	}
	for _, a := range d.Anticipi {
		for i, level := range score.LevelNames {
			r.write(days, "anticipi", fmt.Sprintf("%d-%s", a.DaGiorni, level), measure{"casi", a.Casi[i]}, measure{"calate", a.Calate[i]})
		}
	}
	r.groups(days, "eta", d.Eta)
	r.groups(days, "affidabilita", d.Affidabilita)
}

func (r csvRows) groups(days int, table string, all []VotoGruppo) {
	for _, g := range all {
		r.write(days, table, g.Gruppo, measure{"casi", g.Casi}, measure{"detto", g.Detto}, measure{"calate", g.Calate})
	}
}

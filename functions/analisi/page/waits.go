package page

import "verdetto/shared/text/wording"

// waits is the table of how often a fare fell or rose in the past while travellers waited. Each
// column is for a number of days to wait.
type waits struct {
	Advice string
	Heads  []string
	Rows   []waitRow
}

type waitRow struct {
	Name  string
	Cells []string
}

func waitsOf(said wording.Verdict) *waits {
	advice := said.Waiting()
	if advice == "" {
		return nil
	}
	l, a := said.Language, said.Of
	w := &waits{Advice: advice}
	if len(a.Previsione) == 0 {
		return w
	}
	w.Rows = []waitRow{{Name: l.Text("waits.fall")}, {Name: l.Text("waits.rise")}, {Name: l.Text("waits.mean")},
		{Name: l.Text("waits.between")}, {Name: l.Text("waits.dearer")}}
	for _, f := range a.Previsione {
		w.Heads = append(w.Heads, l.Text("waits.within", "Days", f.Giorni))
		for i, cell := range []string{
			wording.Fall(l, f), wording.Percent(l, f.Rialzo5), wording.Change(l, f.Attesa.MediaCent),
			l.Text("waits.from_to", "From", wording.Change(l, f.Attesa.DaCent), "To",
				wording.Change(l, f.Attesa.ACent)), wording.Percent(l, f.Attesa.PiuCaro),
		} {
			w.Rows[i].Cells = append(w.Rows[i].Cells, cell)
		}
	}
	return w
}

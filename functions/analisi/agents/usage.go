package agents

import (
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/published"
)

func (s sentences) usage(u published.Consumo) string {
	var until any
	if u.PianoFinoAl != nil {
		until = u.PianoFinoAl.Format(time.DateOnly)
	}
	listed := make([]string, len(u.Limiti))
	for i, l := range u.Limiti {
		listed[i] = s.Text("agents.usage_limit", "Path", l.Percorso, "Left", l.Restano, "Calls", l.Chiamate, "Reset",
			l.Ricomincia.UTC().Format(time.DateTime))
	}
	text := s.Text("agents.usage", "Until", until, "Listed", strings.Join(listed, "; "))
	for _, l := range u.Limiti {
		if l.Restano == 0 && l.APagamento != nil {
			text += " " + s.Text("agents.paid", "Path", l.APagamento.Path, "Price", l.APagamento.Price)
		}
	}
	return text
}

func (s sentences) pages(v Verdict, first fare.Day, telegram bool) string {
	return s.Text("agents.pages", "Page", v.Pagina, "Alert", v.Avviso, "Telegram", telegram, "First", first.String())
}

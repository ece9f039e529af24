package agents

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/published"
)

// usageInput is a question about the caller's own calls.
type usageInput struct{ Asker }

// addUsage offers what the caller has left, and gives the tool's name.
func (s *Service) addUsage(server *mcp.Server) string {
	return addTool(s, server, tool[usageInput, published.Consumo]{
		name: "usage", title: "How many calls are left?", quota: "consumo",
		description: "The caller's own caps: of each endpoint how many calls a window has, how many were used, how many are left and when it begins again; with a key also until when the plan lasts and what it rests on. Tools count under the endpoint that gives the same answer: flight_price_verdict, compare_trips, cheapest_months and when_to_book under /v1/analisi, fare_calendar under /v1/calendario, cheap_now under /v1/occasioni, departure_history under /v1/storico, watched_routes under /v1/rotte, price_trends under /v1/price-trends. This tool uses up nothing of those. Ask it when somebody wants to know, or before many calls; not before each.",
		answer: func(ctx context.Context, in *usageInput) (published.Consumo, string, error) {
			u, err := published.UsageOf(ctx)
			return u, in.say().usage(u), err
		},
	})
}

// usage says what is left of each cap.
func (s sentences) usage(u published.Consumo) string {
	var until any
	if u.PianoFinoAl != nil {
		until = u.PianoFinoAl.Format(time.DateOnly)
	}
	listed := make([]string, len(u.Limiti))
	for i, l := range u.Limiti {
		listed[i] = s.Text("agents.usage_limit", "Path", l.Percorso, "Left", l.Restano, "Calls", l.Chiamate, "Reset", l.Ricomincia.UTC().Format(time.DateTime))
	}
	text := s.Text("agents.usage", "Until", until, "Listed", strings.Join(listed, "; "))
	for _, l := range u.Limiti {
		if l.Restano == 0 && l.APagamento != nil {
			text += " " + s.Text("agents.paid", "Path", l.APagamento.Path, "Price", l.APagamento.Price)
		}
	}
	return text
}

package published

import (
	"context"
	"time"

	"verdetto/shared/web/httpapi"
)

// Consumo is the published answer about the caller's own calls.
type Consumo struct {
	Piano       string      `json:"piano" enum:"free,pro" doc:"pro where the call was made with a key that is in force"`
	ContatoPer  string      `json:"contatoPer" enum:"indirizzo,chiave" doc:"What calls are counted by: the address they come from (of IPv6 its /64), which others may share, or the key"`
	PianoFinoAl *time.Time  `json:"pianoFinoAl,omitempty" doc:"When the plan ends unless it is renewed, UTC; absent without a key"`
	Pagamenti   []Pagamento `json:"pagamenti" nullable:"false" doc:"What the plan rests on, the latest end first; empty without a key. How much was paid is not kept here: the card processor and the chain have it"`
	Limiti      []Limite    `json:"limiti" nullable:"false" doc:"The caps, and what was used of them. What an agent asks over /mcp is counted under the endpoint that gives the same answer; questions on the page have a cap of their own. The call that asks this is counted under a cap of its own, and under none of a verdict"`
}

// Pagamento is one payment of a plan.
type Pagamento struct {
	Mezzo  string    `json:"mezzo" enum:"card,usdc,operator" doc:"How it was paid; operator: given by who runs the service"`
	FinoAl time.Time `json:"finoAl" doc:"What it pays up to, UTC; by card 3 days of grace included"`
}

// Limite is a quota and its use.
type Limite struct {
	Percorso   string    `json:"percorso" doc:"Path of the endpoint" example:"/v1/analisi"`
	Chiamate   int64     `json:"chiamate" minimum:"0" doc:"Calls that a window has" example:"30"`
	Secondi    int64     `json:"secondi" minimum:"1" doc:"Length of a window: 86400 is a day (UTC), 60 a minute" example:"86400"`
	Usate      int64     `json:"usate" minimum:"0" doc:"Calls of the window that runs" example:"3"`
	Restano    int64     `json:"restano" minimum:"0" doc:"Calls that it still has" example:"27"`
	Ricomincia time.Time `json:"ricomincia" doc:"When the next window begins, UTC"`
	UsateOggi  int64     `json:"usateOggi" minimum:"0" doc:"Calls of this day (UTC)" example:"3"`
	// APagamento is the same as in the problem of a used-up quota.
	APagamento *httpapi.Paid `json:"aPagamento,omitempty" doc:"Without a key, where the service sells the same answers one by one: where, and for how much. Such a call uses up none of this cap"`
}

// UsageOf returns what the caller has used of its quotas and what remains.
func UsageOf(ctx context.Context) (Consumo, error) {
	u := Consumo{Piano: "free", ContatoPer: "indirizzo", Pagamenti: []Pagamento{}, Limiti: []Limite{}}
	if c, ok := httpapi.Holder(ctx); ok {
		until := c.Plan().Until.UTC()
		u.Piano, u.ContatoPer, u.PianoFinoAl = "pro", "chiave", &until
		for _, r := range c.Sources() {
			u.Pagamenti = append(u.Pagamenti, Pagamento{r.Source, r.Until.UTC()})
		}
	}
	used, err := httpapi.UsedByCaller(ctx)
	for _, one := range used {
		u.Limiti = append(u.Limiti, Limite{
			Percorso: one.Route.Path, Chiamate: one.Cap.Calls, Secondi: int64(one.Cap.Per.Seconds()),
			Usate: one.Window, Restano: one.Remaining(), Ricomincia: one.Reset, UsateOggi: one.Today,
			APagamento: one.Paid,
		})
	}
	return u, err
}

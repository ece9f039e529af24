package published

import (
	"context"
	"time"

	"verdetto/shared/web/httpapi"
)

type Consumo struct {
	Piano       string      `json:"piano" enum:"free,pro" doc:"pro: the call was made with a valid key"`
	ContatoPer  string      `json:"contatoPer" enum:"indirizzo,chiave" doc:"What calls count by: the key, or the IP address (for IPv6 its /64), which others may share"`
	PianoFinoAl *time.Time  `json:"pianoFinoAl,omitempty" doc:"End of the plan unless it is renewed, UTC. Absent without a key"`
	Pagamenti   []Pagamento `json:"pagamenti" nullable:"false" doc:"The payments for the plan, the latest end first. Empty without a key. Amounts are not kept here: the card processor and the chain have them"`
	Limiti      []Limite    `json:"limiti" nullable:"false" doc:"Without a key, your quotas on answers about fares; with a key, all its quotas. A tool of /mcp counts under the endpoint with the same answer; questions on the page have their own quota, as has this call"`
}

type Pagamento struct {
	Mezzo  string    `json:"mezzo" enum:"card,usdc,operator" doc:"How it was paid. operator: granted by the operator"`
	FinoAl time.Time `json:"finoAl" doc:"End of the paid time, UTC. By card, it includes 3 days of grace"`
}

type Limite struct {
	Percorso   string        `json:"percorso" doc:"Path of the endpoint" example:"/v1/analisi"`
	Chiamate   int64         `json:"chiamate" minimum:"0" doc:"Calls that a window allows" example:"30"`
	Secondi    int64         `json:"secondi" minimum:"1" doc:"Length of a window in seconds: 86400 is a day (UTC), 60 a minute" example:"86400"`
	Usate      int64         `json:"usate" minimum:"0" doc:"Calls made in this window" example:"3"`
	Restano    int64         `json:"restano" minimum:"0" doc:"Calls left in this window" example:"27"`
	Ricomincia time.Time     `json:"ricomincia" doc:"Start of the next window, UTC"`
	UsateOggi  int64         `json:"usateOggi" minimum:"0" doc:"Calls made today (UTC)" example:"3"`
	APagamento *httpapi.Paid `json:"aPagamento,omitempty" doc:"Where the same answer is sold for a single payment, outside this quota. Absent with a key, or if it is not sold"`
}

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

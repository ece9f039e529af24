package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Problem is an error response: an RFC 9457 problem document. Code is for programs and never
// changes.
type Problem struct {
	Type        string    `json:"type" format:"uri-reference" doc:"Identifies the kind of problem" example:"/v1/docs#citta-sconosciuta"`
	Title       string    `json:"title" doc:"Short summary of the kind of problem"`
	Status      int       `json:"status" doc:"HTTP status code" example:"404"`
	Code        string    `json:"code" doc:"Stable code of the kind of problem" example:"citta-sconosciuta"`
	Detail      string    `json:"detail" doc:"What happened, and what to do next"`
	Errors      []Fault   `json:"errors,omitempty" doc:"The parameters or fields at fault"`
	Suggestions []string  `json:"suggestions,omitempty" doc:"Values to send instead: those that may have been meant, or nearby departures with a fare"`
	Usage       string    `json:"usage,omitempty" doc:"If a quota is used up: the path that shows what is left of each" example:"/v1/consumo"`
	Raccolta    *Raccolta `json:"raccolta,omitempty" doc:"How far a service without any fare is from its first verdict"`
	Paid        *Paid     `json:"paid,omitempty" doc:"If a quota is used up: where the same answer is sold for a single payment, and its price"`

	header     http.Header
	translated func(*i18n.Language) string
	collection *verdict.Collection
}

type Raccolta struct {
	DaGiorni      int    `json:"daGiorni" minimum:"0" doc:"Past days with a known cheapest fare"`
	DiGiorni      int    `json:"diGiorni" minimum:"8" doc:"Such days that a verdict needs" example:"8"`
	Dal           string `json:"dal,omitempty" format:"date" doc:"The first of these days, UTC. Before there is one, the day on which the collection began. Absent if unknown"`
	PrimoVerdetto string `json:"primoVerdetto" format:"date" doc:"Earliest day of the first verdict, UTC: each day until then must have a fare"`
}

func RaccoltaOf(c *verdict.Collection) *Raccolta {
	if c == nil {
		return nil
	}
	r := Raccolta{DaGiorni: c.Days, DiGiorni: verdict.MinSample, PrimoVerdetto: c.First.String()}
	if c.Since != 0 {
		r.Dal = c.Since.String()
	}
	return &r
}

type Fault struct {
	Name   string `json:"name" doc:"Name of the parameter or field" example:"origine"`
	Detail string `json:"detail" doc:"The fault, as a continuation of name" example:"is missing"`
}

type Paid struct {
	Path     string `json:"path" doc:"Path to call with the same parameters and a payment" example:"/x402/v1/analisi"`
	Price    string `json:"price" doc:"Price of one answer" example:"0.01"`
	Currency string `json:"currency" enum:"USDC"`
	Protocol string `json:"protocol" enum:"x402" doc:"x402 version 2, scheme exact, on Solana. A request without a payment returns the amount to pay"`
}

type ProblemType struct {
	Status int
	Code   string
	Title  string
	Wait   bool
}

var (
	BadRequest  = ProblemType{Status: http.StatusBadRequest, Code: "richiesta-non-valida", Title: "The request is not valid"}
	NotShown    = ProblemType{Status: http.StatusForbidden, Code: "tariffe-non-mostrate", Title: "Single past fares are not shown here"}
	Forbidden   = ProblemType{Status: http.StatusForbidden, Code: "accesso-diretto", Title: "Not the public address"}
	UnknownPath = ProblemType{Status: http.StatusNotFound, Code: "percorso-sconosciuto", Title: "Unknown path"}
	WrongMethod = ProblemType{Status: http.StatusMethodNotAllowed, Code: "metodo-non-ammesso", Title: "Method not allowed at this path"}
	Internal    = ProblemType{Status: http.StatusInternalServerError, Code: "errore-interno", Title: "The service failed"}
	Unavailable = ProblemType{Status: http.StatusServiceUnavailable, Code: "servizio-non-disponibile", Title: "The service cannot answer right now", Wait: true}
	byStatus    = map[int]ProblemType{
		http.StatusNotFound:            UnknownPath,
		http.StatusMethodNotAllowed:    WrongMethod,
		http.StatusInternalServerError: Internal,
		http.StatusServiceUnavailable:  Unavailable,
	}
)

var (
	UnknownCity     = ProblemType{Status: http.StatusNotFound, Code: "citta-sconosciuta", Title: "No city with scheduled flights has that name"}
	SameCity        = ProblemType{Status: http.StatusBadRequest, Code: "stessa-citta", Title: "Origin and destination are the same city"}
	NotCovered      = ProblemType{Status: http.StatusNotFound, Code: "rotta-non-coperta", Title: "The route is not covered"}
	UnknownCurrency = ProblemType{Status: http.StatusBadRequest, Code: "valuta-sconosciuta", Title: "No reference rate for that currency"}
)

func (t ProblemType) Problem(detail string) *Problem {
	return &Problem{Type: "/v1/docs#" + t.Code, Title: t.Title, Status: t.Status, Code: t.Code, Detail: detail}
}

func (p *Problem) Collecting(c *verdict.Collection) *Problem {
	p.Raccolta, p.collection = RaccoltaOf(c), c
	return p
}

func (p *Problem) Collection() *verdict.Collection { return p.collection }

func (p *Problem) With(name, value string) *Problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
	return p
}

// longestFaults, in bytes, limits the faults in an error response, which contains each fault twice.
const longestFaults = 1500

func Invalid(faults ...Fault) *Problem {
	var texts []string
	var listed []Fault
	length := 0
	for _, f := range faults {
		f = Fault{beginning(f.Name, 100), beginning(f.Detail, longestFaults/2)}
		if length += len(f.Name) + len(f.Detail); length > longestFaults {
			break
		}
		texts, listed = append(texts, f.Name+" "+f.Detail), append(listed, f)
	}
	p := BadRequest.Problem(strings.Join(texts, "; ") + ".")
	p.Errors = listed
	return p
}

func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

func (p *Problem) GetStatus() int { return p.Status }

func (p *Problem) GetHeaders() http.Header { return p.header }

func (p *Problem) ContentType(string) string { return "application/problem+json" }

// Write sends the error response without Huma, in the error format of the path (see MountForeign).
func (p *Problem) Write(w http.ResponseWriter, r *http.Request) {
	if at := callOf(r.Context()).resource; at != nil && at.writeProblem != nil {
		at.writeProblem(w, r, p)
		return
	}
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_ = json.NewEncoder(w).Encode(p.In(callOf(r.Context()).language))
	}
}

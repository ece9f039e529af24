// Package compat answers programs that were written for the Amadeus Self-Service
// API, which closed on 2026-07-17: its SDKs work here with another host. They trade
// a Pro key, or the word free, for a token, and ask for the price metrics of a
// departure, the cheapest dates of a route, and the cheapest destinations of a city.
//
// Paths, parameters, answers and errors are as they were published there, and
// described in docs/from-amadeus.md with where each number comes from: all of them
// are what package answer says and package deals holds. What is bookable does not
// exist here, and is answered with 501. Nothing else in this service has this form.
//
// A call is counted under the cap of the endpoint of ours that answers the same. It costs one read
// beside that of the customer; the dates of returns cost one for each length of stay, four at most.
package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

// Service answers in that form.
type Service struct {
	*answer.Reader
	BaseURL string // where the service is reached, without a slash at the end: links begin so
}

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	handlers := map[string]http.Handler{
		"compat-token":        tokens(api),
		"compat-metrics":      s.answers(api, "analisi", invalidOption, s.metrics),
		"compat-dates":        s.answers(api, "calendario", invalidData, s.dates),
		"compat-destinations": s.answers(api, "occasioni", invalidData, s.destinations),
	}
	for _, r := range routes.Table {
		if r.Function != "compat" {
			continue
		}
		h := handlers[r.Name]
		if h == nil {
			h = http.HandlerFunc(bookable)
		}
		api.MountForeign(h, writeProblem, r.Name)
	}
}

// asked answers a question that was well formed. An error is a *refusal, or is told as any of the service's.
type asked func(ctx context.Context) (any, error)

// answers has a question read, counted under the cap of an endpoint of ours, and
// answered. What is malformed is refused before, each parameter by its name.
func (s *Service) answers(api *httpapi.API, counted string, unfit kind, read func(*parameters) asked) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := readParameters(r, fare.DayOf(s.Now()), unfit)
		answer := read(p)
		if len(p.faults) > 0 {
			writeErrors(w, r, p.faults...)
			return
		}
		ctx, err := r.Context(), p.err
		if err == nil {
			err = api.ConsumeQuota(ctx, counted)
		}
		if err != nil {
			writeProblem(w, r, api.ProblemFor(ctx, counted, err))
			return
		}
		document, err := answer(ctx)
		if refused, ok := err.(*refusal); ok {
			writeErrors(w, r, refused.fault)
			return
		}
		if err != nil {
			writeProblem(w, r, api.ProblemFor(ctx, counted, err))
			return
		}
		write(w, r, http.StatusOK, mediaType, document)
	})
}

// mediaType is that of answers and errors. The SDKs want it to the letter, without a charset.
const mediaType = "application/vnd.amadeus+json"

// write answers with a document, which belongs to one caller.
func write(w http.ResponseWriter, r *http.Request, status int, kind string, document any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		panic("compat: an answer cannot be written: " + err.Error()) // it is made of texts and numbers
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // the caller has gone: nobody is left to tell
	}
}

// bookable answers what there cannot be here.
func bookable(w http.ResponseWriter, r *http.Request) {
	writeErrors(w, r, fault{Status: http.StatusNotImplemented, kind: notFound,
		Detail: "Nothing is sold here: this service has observed fares, and no offers, orders, seats or anything " +
			"else that can be booked. It answers " + has() + "."})
}

// has lists what is answered.
func has() (list string) {
	names := []string{"compat-metrics", "compat-dates", "compat-destinations"}
	for i, name := range names {
		list += map[bool]string{true: "", false: ", "}[i == 0] + "GET " + routes.Named(name).Path
	}
	return list
}

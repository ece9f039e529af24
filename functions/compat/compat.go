// Package compat answers programs written for the Amadeus Self-Service API. docs/from-amadeus.md
// describes the answers, and where their numbers come from. Start reading at Service.Register.
package compat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

type Service struct {
	*answer.Reader
	BaseURL string // public URL of the service, without a trailing slash
}

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

type answerFunc func(ctx context.Context) (any, error)

// counted is the name of the endpoint whose quota is used. A malformed question is refused before it
// is counted.
func (s *Service) answers(api *httpapi.API, counted string, unfit kind,
	read func(*parameters) answerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := cmp.Or(r.FormValue("origin"), r.FormValue("originIataCode"))
		p := readParameters(r, answer.Today(places.Read(origin).Place, s.Now()), unfit)
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
		if refused := (*refusal)(nil); errors.As(err, &refused) {
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

const mediaType = "application/vnd.amadeus+json"

func write(w http.ResponseWriter, r *http.Request, status int, kind string, document any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		panic("compat: an answer cannot be written: " + err.Error())
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes())
	}
}

func bookable(w http.ResponseWriter, r *http.Request) {
	writeErrors(w, r, fault{Status: http.StatusNotImplemented, kind: notFound,
		Detail: "Nothing is sold here: this service has observed fares, and no offers, orders, seats or anything " +
			"else that can be booked. It answers " + has() + "."})
}

func has() (list string) {
	names := []string{"compat-metrics", "compat-dates", "compat-destinations"}
	for i, name := range names {
		list += map[bool]string{true: "", false: ", "}[i == 0] + "GET " + routes.Named(name).Path
	}
	return list
}

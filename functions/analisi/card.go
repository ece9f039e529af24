package analisi

import (
	"context"
	"errors"
	"strings"

	"verdetto/shared/chart"
	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// NoCard is for a picture that there is none of.
var NoCard = httpapi.UnknownPath

type cardInput struct {
	File string `path:"file" doc:"ORIGIN-DESTINATION-LANGUAGE.png" example:"MIL-BUH-it.png"`
}

type cardOutput struct {
	ContentType string `header:"Content-Type"`
	Sniff       string `header:"X-Content-Type-Options"`
	Body        []byte
}

func (s *Service) registerCard(api *httpapi.API) {
	httpapi.JSON(api, "card", httpapi.JSONDoc{
		Summary:     "Picture of a verdict",
		Description: "What is shown where a verdict's page is linked to: a PNG of 1200 by 630.",
		Problems:    []httpapi.ProblemType{NoCard},
	}, func(_ context.Context, in *cardInput) error {
		_, _, err := cardOf(in.File)
		return err
	}, s.card)
}

// cardOf reads the name of a card.
func cardOf(file string) (fare.Route, *words, error) {
	name, ok := strings.CutSuffix(file, ".png")
	at := strings.LastIndexByte(name, '-')
	if ok && at > 0 {
		route, err := fare.ParseRoute(name[:at])
		w, known := languages[name[at+1:]]
		if err == nil && known && route.String() == name[:at] &&
			places.Name(route.Origin, "en") != "" && places.Name(route.Destination, "en") != "" {
			return route, w, nil
		}
	}
	return fare.Route{}, nil, NoCard.Problem("Cards are named as in MIL-BUH-it.png: two city codes and it or en.")
}

func (s *Service) card(ctx context.Context, in *cardInput) (*cardOutput, error) {
	route, w, err := cardOf(in.File)
	if err != nil {
		return nil, err
	}
	today := fare.DayOf(s.Now())
	c := chart.Card{
		Route:   w.route(places.Name(route.Origin, w.Lang), places.Name(route.Destination, w.Lang)),
		Verdict: w.Claim,
		Foot:    w.asOf(w.date(today)),
	}
	if httpapi.Data(ctx) == "sample" {
		c.Foot += " · " + w.Invented
	}
	sheet, err := s.read(ctx, route)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if t, known := verdict.StandingOf(sheet, today); known {
		a, _ := verdict.Judge(sheet, today)
		scale := scaleOf(w, t)
		c.Level, c.Scale = a.Verdetto.Livello, &scale
		c.Verdict = w.brief(t.Price, a.Verdetto)
		c.Detail = w.dearer(t.Size-t.Below-t.Equal, t.Equal, t.Size) + " " + w.Sure[a.Verdetto.Affidabilita] + "."
	}
	png, err := c.PNG()
	if err != nil {
		return nil, err
	}
	return &cardOutput{"image/png", "nosniff", png}, nil
}

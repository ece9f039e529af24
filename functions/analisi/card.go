package analisi

import (
	"context"
	"errors"
	"strings"

	"verdetto/shared/chart"
	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// NoCard is the problem of a picture that does not exist.
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

// cardOf parses the file name of a card.
func cardOf(file string) (fare.Route, *i18n.Language, error) {
	name, ok := strings.CutSuffix(file, ".png")
	at := strings.LastIndexByte(name, '-')
	if ok && at > 0 {
		route, err := fare.ParseRoute(name[:at])
		l, known := i18n.Find(name[at+1:])
		if err == nil && known && route.String() == name[:at] &&
			places.Name(route.Origin, l.Code) != "" && places.Name(route.Destination, l.Code) != "" {
			return route, l, nil
		}
	}
	return fare.Route{}, nil, NoCard.Problem("Cards are named as in MIL-BUH-it.png: two city codes and " + strings.Join(i18n.Codes(), " or ") + ".")
}

func (s *Service) card(ctx context.Context, in *cardInput) (*cardOutput, error) {
	route, l, err := cardOf(in.File)
	if err != nil {
		return nil, err
	}
	today := fare.DayOf(s.Now())
	c := chart.Card{
		Route:   routeName(l, places.Name(route.Origin, l.Code), places.Name(route.Destination, l.Code)),
		Verdict: l.Text("home.claim"),
		Foot:    l.Text("verdict.as_of", "Date", l.Date(today)),
	}
	if httpapi.Data(ctx) == "sample" {
		c.Foot += " · " + l.Text("home.invented")
	}
	summary, err := s.Read(ctx, fare.Series{Route: route})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if t, known := verdict.StandingOf(summary, today); known {
		a, _ := verdict.Judge(summary, s.Now())
		scale := scaleOf(l, t)
		c.Level, c.Scale = a.Verdetto.Livello, &scale
		c.Verdict = brief(l, t.Price, a.Verdetto)
		c.Detail = dearer(l, t) + " " + l.Text("certainty."+a.Verdetto.Affidabilita) + "."
	}
	png, err := c.PNG()
	if err != nil {
		return nil, err
	}
	return &cardOutput{"image/png", "nosniff", png}, nil
}

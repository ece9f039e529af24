package page

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

var NoCard = httpapi.UnknownPath

type cardInput struct {
	File string `path:"file" doc:"ORIGIN-DESTINATION[-TRIP]-LANGUAGE.png, or with .svg the history of the route or of the departures in a month: a trip is its month or day of departure, the day of the way back, diretto for non-stop, visto with a price seen in cents, and the currency of a .png, as far as they were asked for" example:"MIL-BUH-it.png"`
}

type cardOutput struct {
	ContentType string `header:"Content-Type"`
	Sniff       string `header:"X-Content-Type-Options"`
	Policy      string `header:"Content-Security-Policy"`
	Body        []byte
}

func (s *Service) registerCard(api *httpapi.API) {
	httpapi.JSON(api, "card", httpapi.JSONDoc{
		Summary: "Picture of a verdict",
		Description: "A PNG of 1200 by 630 pixels for links to a verdict's page. With .svg instead of " +
			".png, as in MIL-BUH-it.svg and MIL-BUH-2027-03-it.svg: the weeks behind the verdict, 720 by " +
			"400 pixels.",
		Problems: []httpapi.ProblemType{NoCard, published.NoLiveFare, published.StopsUnknown,
			httpapi.NotCovered, httpapi.NotShown},
	}, func(_ context.Context, in *cardInput) error {
		_, err := cardOf(in.File)
		return err
	}, s.card)
}

type cardSubject struct {
	route    fare.Route
	trip     trip
	language *i18n.Language
	currency string
	picture  bool
}

func cardName(route fare.Route, t trip, l *i18n.Language, currency string) string {
	name := route.String()
	for _, part := range []string{t.Month, t.Date, t.Back} {
		if part != "" {
			name += "-" + part
		}
	}
	if t.Around != "" {
		name += "-flessibile" + t.Around
	}
	if t.NonStop != "" {
		name += "-diretto"
	}
	if cents, ok := t.seenEuro(); ok {
		name += fmt.Sprintf("-visto%d", cents)
	}
	if currency != "" {
		name += "-" + currency
	}
	return name + "-" + l.Code + ".png"
}

var cardFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Z]{3}-[A-Z]{3})(?:-([0-9]{4}-[0-9]{2})|` +
		`-([0-9]{4}-[0-9]{2}-[0-9]{2})(?:-([0-9]{4}-[0-9]{2}-[0-9]{2}))?(?:-flessibile([137]))?)?(-diretto)?` +
		`(?:-visto([1-9][0-9]{0,8}))?(?:-([A-Z]{3}))?-([a-z]+)[.](png|svg)$`)
})

func cardOf(file string) (c cardSubject, err error) {
	no := NoCard.Problem("Cards are named as in MIL-BUH-it.png: two city codes and " + i18n.SpokenCodes() +
		". Those of trips are named as in MIL-BUH-2027-03-it.png or MIL-BUH-2027-03-20-diretto-it.png, pictures of a " +
		"history as in MIL-BUH-it.svg or MIL-BUH-2027-03-it.svg.")
	m := cardFile().FindStringSubmatch(file)
	if m == nil {
		return c, no
	}
	route, err := fare.ParseRoute(m[1])
	l, known := i18n.Find(m[9])
	if err != nil || !known || places.Name(route.Origin, l.Code) == "" || places.Name(route.Destination, l.Code) == "" {
		return c, no
	}
	c = cardSubject{route, trip{Month: m[2], Date: m[3], Back: m[4], Around: m[5]}, l, m[8], m[10] == "svg"}
	if c.picture && m[3]+m[7]+m[8] != "" { // a picture is of a route or a month, without a price or currency
		return c, no
	}
	if m[6] != "" {
		c.trip.NonStop = "si"
	}
	if cents, err := strconv.Atoi(m[7]); err == nil {
		c.trip.OwnPrice = fare.Money{Amount: fare.Cents(cents)}.Decimal()
	}
	c.trip.readDays(l, 0)
	if _, wrong := c.trip.read(l, ""); len(wrong) > 0 {
		return c, no
	}
	return c, nil
}

func (s *Service) card(ctx context.Context, in *cardInput) (*cardOutput, error) {
	subject, err := cardOf(in.File)
	if err != nil {
		return nil, err
	}
	if subject.picture {
		return s.picture(ctx, subject)
	}
	convert, err := s.Amounts(ctx, answer.Currency{Code: subject.currency})
	if err != nil {
		return nil, published.Problem(err)
	}
	l, today := subject.language, fare.DayOf(s.Now())
	if convert != nil {
		l = l.InCurrency(subject.currency, convert)
	}
	c := chart.Card{
		Route:   routeName(l, places.Name(subject.route.Origin, l.Code), places.Name(subject.route.Destination, l.Code)),
		Verdict: l.Text("home.claim"),
		Foot:    l.Text("verdict.as_of", "Date", l.Date(today)),
	}
	if httpapi.Data(ctx) == "sample" {
		c.Foot += " · " + l.Text("home.invented")
	}
	asked, _ := subject.trip.read(l, "")
	asked.From, asked.To = answer.Code(string(subject.route.Origin)), answer.Code(string(subject.route.Destination))
	a, err := s.Answer(ctx, asked)
	if text := subject.trip.judgedFor(a.Judgement.Fare).text(l); text != "" {
		c.Route += " · " + text
	}
	switch {
	case err != nil && errors.Is(published.Problem(err), err):
		return nil, err
	case err == nil:
		s.drawVerdict(&c, l, asked, a)
	}
	png, err := c.PNG()
	if err != nil {
		return nil, err
	}
	return &cardOutput{"image/png", "nosniff", "", png}, nil
}

func (s *Service) drawVerdict(c *chart.Card, l *i18n.Language, asked answer.Question, a answer.Answer) {
	verdict := (&view{T: l, today: fare.DayOf(s.Now())}).sayingOf(asked, a.Judgement)
	if !verdict.Judged() {
		return
	}
	certainty, _ := verdict.Certainty()
	c.Level, c.Verdict, c.Price = string(verdict.LevelName()), verdict.Headline(), l.Money(a.Judgement.Fare.Price)
	c.Detail = strings.Join(nonEmpty(verdict.Usual(), certainty+"."), " ")
	scale := rangeOf(verdict.Scale())
	c.Scale = &scale
}

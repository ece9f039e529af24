package page

import (
	"context"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// picturePolicy is for a picture that a browser opens as a page.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

func (s *Service) picture(ctx context.Context, subject cardSubject) (*cardOutput, error) {
	if !httpapi.AllFares(ctx) {
		return nil, httpapi.FaresNotShown()
	}
	l, today := subject.language, fare.DayOf(s.Now())
	asked, _ := subject.trip.read(l, "")
	asked.From, asked.To = answer.Code(string(subject.route.Origin)), answer.Code(string(subject.route.Destination))
	if err := s.Check(ctx, answer.Question{From: asked.From, When: asked.When}); err != nil {
		return nil, err
	}
	f, moves, err := s.History(ctx, asked)
	if err != nil {
		return nil, published.Problem(err)
	}
	p := chart.Picture{
		Title: routeName(l, places.Name(subject.route.Origin, l.Code), places.Name(subject.route.Destination, l.Code)),
		Foot: []string{"Verdetto · " + l.Text("verdict.as_of", "Date", l.Date(today)) + " · " +
			l.Text("picture.foot")}, Style: page.ChartStyle(),
		History: chart.History{Today: today, Money: l.Money, Month: l.MonthShort},
	}
	p.Label = l.Text("picture.label", "Route", p.Title)
	if text := subject.trip.text(l); text != "" {
		p.Title += " · " + text
	}
	if httpapi.Data(ctx) == "sample" {
		p.Foot = append(p.Foot, l.Text("home.invented"))
	}
	if asked.When != nil {
		p.Weeks = verdict.Since(f.Summary.WeeksOf(moves), today, published.FreeWeeks)
	} else {
		p.Weeks = verdict.Since(verdict.Weeks(f.Summary), today, published.FreeWeeks)
		if a, ok := verdict.Judge(f.Summary, s.Now()); ok && a.Verdict.Judged() {
			p.History.Price = a.Fare.Price
		}
	}
	if len(p.Weeks) == 0 {
		return nil, published.NoLiveFare.Problem("Nothing was found in the last 26 weeks that could be drawn.")
	}
	return &cardOutput{"image/svg+xml", "nosniff", picturePolicy, p.SVG()}, nil
}

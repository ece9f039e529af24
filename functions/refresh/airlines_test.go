package refresh_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/deals"
)

func TestDealsOfAirlines(t *testing.T) {
	const days = 20
	source := dailyFares(days)
	codes := []string{"FR", "W6", "", "U2"}
	for i := range source.fares {
		f := &source.fares[i]
		f.Flight.Airline, _ = fare.ParseAirline(codes[(int(f.Depart)+len(f.Route.Destination))%len(codes)])
	}
	s := openDays(t)
	s.days(t, source, days)
	r := answer.NewUnrecorded(store.Fares{Table: s}, func() time.Time { return s.now }, slog.New(slog.DiscardHandler))
	compared := 0
	for _, e := range storedDeals(t, store.Fares{Table: s}, "MIL", fare.OneWay).Entries {
		for _, filter := range []fare.Airlines{"FR", "W6.U2", "!FR", "!FR.U2.W6", "LH"} {
			for _, nonStop := range []bool{false, true} {
				deal, ok := e.Cheapest(e.AsOf, deals.Filter{NonStop: nonStop, Airlines: filter})
				a, err := r.Answer(t.Context(), answer.Question{From: answer.Name("", "MIL"),
					To: answer.Name("", string(e.Destination)), NonStop: nonStop, Airlines: filter})
				var none *answer.NoLiveFare
				var stops *answer.StopsUnknown
				if !ok && (errors.As(err, &none) || errors.As(err, &stops)) {
					continue
				}
				if err != nil || !ok {
					t.Fatalf("%s %s: a deal: %v, %v", e.Destination, filter, ok, err)
				}
				answered := &a.Judgement.Verdict // a deal does not keep these
				answered.Minimum, answered.Interval, answered.Days = 0, nil, nil
				if diff := cmp.Diff(a.Judgement.Judged, deal.Aged(s.now)); diff != "" {
					t.Errorf("%s %s (-answered +deal): %s", e.Destination, filter, diff)
				}
				if !filter.Include(deal.Fare.Flight.Airline) {
					t.Errorf("%s: %s is of %s", filter, e.Destination, deal.Fare.Flight.Airline)
				}
				compared++
			}
		}
	}
	if compared < 8 {
		t.Errorf("%d deals were compared", compared)
	}
}

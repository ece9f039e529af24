package x402

import (
	"testing"
	"time"

	"verdetto/shared/web/limit"
)

func TestSlotsOfOperator(t *testing.T) {
	usual := &Service{Limiter: limit.New(nil, time.Now)}
	set := &Service{Limiter: limit.New(nil, time.Now).With(map[string]int64{"x402-fees-day": 7})}
	for _, c := range []struct {
		service *Service
		most    int
	}{{usual, 500}, {set, 7}} {
		got := c.service.slotsOf(feesDay, allPayers, "DAY")
		if got.Most != c.most || got.Subject != "all" || got.Name != "DAY" || got.Per != day || !got.Fees {
			t.Errorf("%+v, want at most %d", got, c.most)
		}
	}
	if got := set.failureSlots("payer-x"); got.Most != 20 || got.Per != time.Hour || got.Fees {
		t.Errorf("%+v", got)
	}
}

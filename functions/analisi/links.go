package analisi

import (
	"fmt"
	"math"

	"verdetto/shared/answer"
	"verdetto/shared/departure"
	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/verdict"
)

// maxThreshold is how many digits before the point an alert's threshold has at most.
const maxThreshold = 5

// PagesOf are the addresses of the page that shows a verdict, and of the form for
// an alert on it, filled in but for the e-mail address. Both are empty where the
// service does not know its own address, and for what no page shows: some days
// either side, and returns by their nights. The page takes prices in euro alone.
func (s *Service) PagesOf(a verdict.Analysis, q answer.Question, l *i18n.Language) (page, alert string) {
	t, whole := tripOf(q)
	if s.BaseURL == "" || !whole {
		return "", ""
	}
	address := s.BaseURL + pageAddress(a.OrigineIata, a.DestinazioneIata, t, l.Code)
	if p := q.Price; p != nil && p.Currency == fare.EUR.String() {
		t.Seen = fmt.Sprintf("%.2f", math.Round(100*p.Amount)/100)
		return s.BaseURL + pageAddress(a.OrigineIata, a.DestinazioneIata, t, l.Code), address + "&soglia=" + t.Seen + "#alert-title"
	}
	return address, address + "#alert-title"
}

// tripOf is the trip of a question as the page asks for it; false where the page cannot ask for all of it.
func tripOf(q answer.Question) (t trip, whole bool) {
	w := q.When
	whole = q.Trip == fare.OneWay || w != nil && w.Back != 0
	if q.NonStop {
		t.NonStop = "si"
	}
	switch {
	case w == nil:
	case w.Span != nil && *w.Span == departure.Month:
		t.Month = w.Date.String()[:len("2006-01")]
	default:
		t.Date = w.Date.String()
		if w.Back != 0 {
			t.Back = w.Back.String()
		}
		whole = whole && w.Span == nil
	}
	return t, whole
}

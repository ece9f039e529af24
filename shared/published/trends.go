package published

import (
	"cmp"
	"context"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

func NoteAirports(ctx context.Context, t *view.Trends, from, to answer.Named) {
	l := cmp.Or(httpapi.Language(ctx), i18n.English())
	about := [2]string{}
	if a := t.Airports; a != nil {
		a.Note = strings.Join(wording.Places(l, a.Pair()), " ")
		about = [2]string{a.Origin, a.Destination}
	}
	for i, end := range []answer.Named{from, to} {
		m := end.Means
		if m.City == "" || m.Part == "" || about[i] != "" {
			continue
		}
		t.WholeCities = append(t.WholeCities, view.WholeCity{Parameter: end.Parameter, Asked: m.Part,
			City: string(m.City), Note: strings.Join(wording.Places(l, verdict.Pair{}, m), " ")})
	}
}

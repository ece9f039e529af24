package httpapi

import (
	"testing"

	"verdetto/shared/web/routes"
)

func TestQuotas(t *testing.T) {
	q := Quotas{Page: 7, Free: 3}
	for _, r := range routes.Table {
		want := r.Free.Calls
		switch r.Path {
		case "/":
			want = 7
		case "/v1/analisi", "/v1/calendario", "/v1/vicini", "/v1/occasioni":
			want = 3
		}
		if got := q.Capped(r).Free.Calls; got != want {
			t.Errorf("%s: %d, want %d", r.Name, got, want)
		}
		if got := (Quotas{}).Capped(r).Free; got != r.Free {
			t.Errorf("%s without own quotas: %v", r.Name, got)
		}
	}
}

package setup

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream"
)

func accept(context.Context, string) error { return nil }

func TestOnlyThisMachine(t *testing.T) {
	for from, want := range map[string]int{
		"127.0.0.1:5000": http.StatusSeeOther, "127.8.8.8:5000": http.StatusSeeOther, "[::1]:5000": http.StatusSeeOther,
		"[::ffff:127.0.0.1]:5000": http.StatusSeeOther,
		"192.168.1.7:5000":        http.StatusForbidden, "[2001:db8::1]:5000": http.StatusForbidden,
		"": http.StatusForbidden,
	} {
		p := NewPage(New("verdetto.toml", "bolt:verdetto.db", accept), "127.0.0.1:8000", "http://127.0.0.1:8080")
		r := httptest.NewRequest("GET", p.Address(), nil)
		r.RemoteAddr = from
		r.Header.Set("X-Forwarded-For", "127.0.0.1")
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("from %q: %d, want %d", from, w.Code, want)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:8080": true, "[::1]:80": true, "localhost:80": true,
		":8080": false, "0.0.0.0:8080": false, "192.168.1.7:80": false, "verdetto.example:80": false, "8080": false} {
		if got := IsLoopback(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestEveryStepInEveryLanguage(t *testing.T) {
	for _, l := range i18n.Languages() {
		s := New("verdetto.toml", "bolt:verdetto.db", accept)
		s.File = t.TempDir() + "/verdetto.toml"
		p := NewPage(s, "127.0.0.1:8000", "http://127.0.0.1:8080")
		shows := func(id string, fill ...any) {
			t.Helper()
			r := httptest.NewRequest("GET", "http://127.0.0.1:8000"+p.session+"?lang="+l.Code, nil)
			r.RemoteAddr = "127.0.0.1:5000"
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			if want := l.Text(id, fill...); !strings.Contains(html.UnescapeString(w.Body.String()), want) {
				t.Errorf("%s: want %q in %s", l.Code, want, w.Body)
			}
		}
		shows("setup.sample_lede")
		if fault := s.SetToken(t.Context(), "token"); fault != nil {
			t.Fatal(fault.Text(l))
		}
		shows("setup.cities_lede")
		if _, fault := s.AddCities("Milano"); fault != nil {
			t.Fatal(fault.Text(l))
		}
		if fault := s.Start(); fault != nil {
			t.Fatal(fault.Text(l))
		}
		s.Refreshed(1, 2, refresh.Outcome{New: 1234, Routes: refresh.Counts{Seen: 56}})
		shows("setup.of", "Done", "1", "Total", "2")
		shows("setup.progress", "Routes", "56", "Fares", l.Number(1234))
		s.Failed(upstream.ErrRefused)
		shows("setup.fault.token_refused")
		shows("setup.retry")
		s.Ended(nil)
		shows("setup.none_lede")
		shows("setup.over_done")
	}
}

func TestMinutes(t *testing.T) {
	now := time.Unix(0, 0)
	s := New("verdetto.toml", "bolt:verdetto.db", accept)
	s.Now = func() time.Time { return now }
	s.Resume()
	for _, c := range []struct {
		spent time.Duration
		done  int
		want  int
	}{{30 * time.Second, 1, 5}, {time.Minute, 2, 4}, {2 * time.Minute, 9, 1}, {3 * time.Minute, 10, 0}} {
		now = time.Unix(0, 0).Add(c.spent)
		s.Refreshed(c.done, 10, refresh.Outcome{})
		if got := s.State().Progress.Minutes; got != c.want {
			t.Errorf("%d cities in %v: %d minutes remain, want %d", c.done, c.spent, got, c.want)
		}
	}
}

func TestTokenIsNotShown(t *testing.T) {
	s := New("verdetto.toml", "bolt:verdetto.db",
		func(context.Context, string) error { return errors.New("secret-token") })
	fault := s.SetToken(t.Context(), "secret-token")
	if fault == nil || strings.Contains(fault.Text(i18n.English()), "secret") {
		t.Error(fault)
	}
}

func TestMisspelt(t *testing.T) {
	s := New("verdetto.toml", "bolt:verdetto.db", accept)
	if fault := s.SetToken(t.Context(), "token"); fault != nil {
		t.Fatal(fault)
	}
	for code, want := range map[string]string{"it": "Milano", "en": "Milan", "pt": "Milão"} {
		rest, fault := s.AddCities("Milnao; Roma")
		if fault == nil || !strings.Contains(fault.Text(i18n.ForCode(code)), want) || rest != "Milnao, Roma" {
			t.Errorf("%s: %v, and %q remains", code, fault, rest)
		}
	}
	if cities := s.State().Cities; len(cities) != 0 {
		t.Errorf("added: %s", cities)
	}
}

func TestCompleteCity(t *testing.T) {
	for line, want := range map[string]string{"Mil": "Milan", "Paris,Rom": "Paris, Rome", "Paris, -Rom": "Paris, -Rome", "": "",
		"-": "-", "Paris,": "Paris,",
		"Qqqq": "Qqqq"} {
		if got, at, ok := CompleteCity(line, len(line), '\t'); !ok || got != want || at != len(want) {
			t.Errorf("%q: %q %d %v", line, got, at, ok)
		}
	}
	if _, _, ok := CompleteCity("Mil", 3, 'a'); ok {
		t.Error("a letter completes a name")
	}
}

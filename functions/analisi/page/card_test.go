package page_test

import (
	"encoding/xml"
	"image/png"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
)

func TestCards(t *testing.T) {
	s := openSite("", "")
	for _, c := range []struct {
		name, file string
		status     int
	}{
		{"verdict", "MIL-BUH-it.png", 200},
		{"in English", "MIL-BUH-en.png", 200},
		{"not covered", "BUH-MIL-it.png", 200},
		{"no live fare", "MIL-ROM-it.png", 200},
		{"storage is down", "MIL-PAR-it.png", 503},
		{"in Portuguese", "MIL-BUH-pt.png", 200},
		{"no such language", "MIL-BUH-nl.png", 404},
		{"no such city", "MIL-QQQ-it.png", 404},
		{"same city", "MIL-MIL-it.png", 404},
		{"lower case", "mil-buh-it.png", 404},
		{"no language", "MIL-BUH.png", 404},
		{"no picture", "MIL-BUH-it.gif", 404},
		{"nonsense", "-.png", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.visit("/card/" + c.file)
			if w.Code != c.status {
				t.Fatalf("%d %.200s", w.Code, w.Body)
			}
			if c.status != 200 {
				if w.Header().Get("Content-Type") != "application/problem+json" ||
					w.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("headers %v", w.Header())
				}
				return
			}
			if w.Header().Get("Content-Type") != "image/png" ||
				w.Header().Get("Cache-Control") != "public, s-maxage=21600" {
				t.Errorf("headers %v", w.Header())
			}
			if _, err := png.Decode(w.Body); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCardsOfTrips(t *testing.T) {
	s := openSite("", "")
	drawn := map[string]string{}
	for _, c := range []struct {
		trip   string
		status int
	}{
		{"", 200}, {"-2016-04", 200}, {"-2016-04-12", 200}, {"-2016-04-12-2016-04-17", 200},
		{"-2016-04-12-diretto", 200}, {"-2016-04-12-flessibile3", 200},
		{"-2016-04-12-2016-04-17-flessibile7", 200}, {"-visto4500", 200},
		{"-2016-04-12-visto9900", 200}, {"-2016-04-12-diretto-visto4500", 200},
		{"-2016-01-12", 200}, // a past day: links outlive their trips
		{"-2016-13", 404}, {"-2016-04-31", 404}, {"-2016-04-2016-05-01", 404}, {"-diretto-2016-04", 404},
		{"-2016-04-flessibile3", 404}, {"-2016-04-12-flessibile2", 404}, {"-flessibile3", 404}, {"-visto0", 404},
		{"-visto", 404}, {"-visto45,00", 404}, {"-2016", 404},
	} {
		w := s.visit("/card/MIL-BUH" + c.trip + "-it.png")
		if w.Code != c.status {
			t.Errorf("%q: %d", c.trip, w.Code)
		}
		if w.Code != 200 {
			continue
		}
		if same, ok := drawn[w.Body.String()]; ok {
			t.Errorf("%q and %q are the same picture", c.trip, same)
		}
		drawn[w.Body.String()] = c.trip
	}
}

// A picture is one standalone SVG file, and exists only if the service may show these fares.
func TestPictures(t *testing.T) {
	for _, c := range []struct {
		file   string
		all    bool
		status int
		says   []string
		lacks  string
	}{
		{"MIL-BUH-it.svg", true, 200, []string{"Da Milano a Bucarest", "class=\"today", "--ottimo:",
			"1º marzo 2016"}, "var(--raised"},
		{"MIL-BUH-en.svg", true, 200, []string{"Milan to Bucharest", "1 March 2016"}, ""},
		{"MIL-BUH-2016-04-it.svg", true, 200, []string{"aprile 2016", "class=\"low\""}, "class=\"today"},
		{"MIL-BUH-it.svg", false, 403, []string{"tariffe-non-mostrate"}, ""},
		{"MIL-BUH-it.png", false, 200, nil, ""},
		{"MIL-BUH-2016-04-09-it.svg", true, 404, []string{"percorso-sconosciuto"}, ""},
		{"MIL-BUH-visto4500-it.svg", true, 404, nil, ""},
		{"MIL-BUH-2016-01-it.svg", true, 400, []string{"is past"}, ""},
		{"MIL-BUH-2016-12-it.svg", true, 404, []string{"nessuna-tariffa"}, ""},
		{"MIL-BUH-diretto-it.svg", true, 404, []string{"soste-sconosciute"}, ""},
		{"MIL-LON-it.svg", true, 404, []string{"rotta-non-coperta"}, ""},
		{"MIL-BUH-xx.svg", true, 404, nil, ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			h, _ := crawled(publicBase, !c.all)
			w := analisitest.Get(t, h, "/card/"+c.file)
			if w.Code != c.status {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			for _, part := range c.says {
				if !strings.Contains(w.Body.String(), part) {
					t.Errorf("%s is not in %s", part, w.Body)
				}
			}
			if c.lacks != "" && strings.Contains(w.Body.String(), c.lacks) {
				t.Errorf("%s is in it", c.lacks)
			}
			if c.status != 200 || strings.HasSuffix(c.file, "png") {
				return
			}
			if err := xml.Unmarshal(w.Body.Bytes(), new(struct{})); err != nil {
				t.Error(err)
			}
			if h := w.Header(); h.Get("Content-Type") != "image/svg+xml" ||
				h.Get("Cache-Control") != "public, s-maxage=21600" ||
				!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%v", h)
			}
		})
	}
}

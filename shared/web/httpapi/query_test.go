package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"verdetto/shared/web/httpapi"
)

func TestUnknownParameters(t *testing.T) {
	api, c, _ := open(t, httpapi.Config{})
	for _, v := range []struct{ query, detail string }{
		{"&origina=x", "origina is not a parameter of this endpoint: the nearest name is origine"},
		{"&Destinazione=x", "Destinazione is not a parameter of this endpoint: the nearest name is destinazione"},
		{"&adulti=4", "adulti is not a parameter of this endpoint, which takes origine, destinazione."},
		{"&adulti=4&origne=x", "adulti is not a parameter of this endpoint, which takes origine, destinazione; " +
			"origne is not a parameter of this endpoint: the nearest name is origine"},
		{"&from=x", "from is not a parameter of this endpoint: the nearest name is origin"},
		{"&to=x", "to is not a parameter of this endpoint: the nearest name is destination"},
		{"&" + strings.Repeat("x", 99) + "=1", strings.Repeat("x", 40) + " is not a parameter"},
		{"&%01%ff=1", "\ufffd\ufffd is not a parameter"},
		{"&origine=c", "origine is given 2 times; give it once."},
		{"&utm_source=x&fbclid=y&gclid=z", ""},
	} {
		w, subjects := call(api, c, func(r *http.Request) { r.URL.RawQuery += v.query })
		var p httpapi.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 200, false: 400}[v.detail == ""]; w.Code != want ||
			!strings.HasPrefix(p.Detail, v.detail) || (len(subjects) > 0) != (want == 200) {
			t.Errorf("%s: %d %s, counted %d times", v.query, w.Code, p.Detail, len(subjects))
		}
	}
	w, _ := call(api, c, func(r *http.Request) { r.URL.RawQuery += manyNames(500) })
	if n := strings.Count(w.Body.String(), "is not a parameter"); n != 20 { // each of 10 names is both in the detail and in errors
		t.Errorf("of 500 unknown parameters the answer names %d", n/2)
	}
}

func TestSynonyms(t *testing.T) {
	api, c, _ := open(t, httpapi.Config{})
	for query, want := range map[string]string{
		"origin=a&destination=b":           "",
		"origin=a&destinazione=b":          "",
		"origin=a&destination=a":           "destinazione is the same",
		"origin=a&origine=a&destination=b": "origin means the same as origine: send one of them.",
		"origin=a&origin=b&destination=b":  "origine is given 2 times; give it once.",
		"origin=a&destinatin=b": "destinatin is not a parameter of this endpoint: the nearest name is " +
			"destination",
	} {
		w, _ := call(api, c, func(r *http.Request) { r.URL.RawQuery = query })
		var p httpapi.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if w.Code != map[bool]int{true: 200, false: 400}[want == ""] || !strings.HasPrefix(p.Detail, want) {
			t.Errorf("%s: %d %s", query, w.Code, p.Detail)
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("&x" + strings.Repeat("y", i) + "=1")
	}
	return b.String()
}

package httpapi_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

type dayOf struct {
	Partenza string `json:"partenza"`
	Cent     int    `json:"cent,omitempty"`
}

type daysOf struct {
	Valuta string  `json:"valuta"`
	Giorni []dayOf `json:"giorni"`
}

type chosenInput struct {
	httpapi.FieldsInput
	httpapi.LanguageInput
}

func chosen() *httpapi.API {
	api := httpapi.New(httpapi.Config{Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limiter: limit.New(&counters{}, time.Now)})
	whole := daysOf{"EUR", []dayOf{{"2027-03-20", 4500}, {"2027-03-21", 5200}}}
	httpapi.JSON(api, "agenti", httpapi.JSONDoc{}, nil,
		func(context.Context, *chosenInput) (*struct{ Body daysOf }, error) {
			return &struct{ Body daysOf }{whole}, nil
		})
	httpapi.JSON(api, "pagella", httpapi.JSONDoc{Answer: daysOf{}}, nil,
		func(ctx context.Context, _ *chosenInput) (*httpapi.Tagged, error) {
			return httpapi.TagJSON(ctx, "", whole, nil)
		})
	for _, name := range []string{"index", "docs"} {
		httpapi.JSON(api, name, httpapi.JSONDoc{Answer: daysOf{}}, nil,
			func(context.Context, *chosenInput) (*httpapi.Tagged, error) {
				return nil, httpapi.SameCity.Problem("Two names of one city.")
			})
	}
	return api
}

func TestChosenFields(t *testing.T) {
	for _, c := range []struct{ fields, want string }{
		{"", `{"valuta":"EUR","giorni":[{"partenza":"2027-03-20","cent":4500},{"partenza":"2027-03-21","cent":5200}]}`},
		{"valuta", `{"valuta":"EUR"}`},
		{"giorni.cent", `{"giorni":[{"cent":4500},{"cent":5200}]}`},
		{"valuta,giorni.partenza", `{"giorni":[{"partenza":"2027-03-20"},{"partenza":"2027-03-21"}],"valuta":"EUR"}`},
		{"giorni.cent,giorni", `{"giorni":[{"cent":4500,"partenza":"2027-03-20"},{"cent":5200,"partenza":"2027-03-21"}]}`},
		{"giorni,giorni.cent", `{"giorni":[{"cent":4500,"partenza":"2027-03-20"},{"cent":5200,"partenza":"2027-03-21"}]}`},
		{"giorni.cents", "names giorni.cents, which is not a field of this answer: the nearest name is giorni.cent"},
		{"valuta.cent", "names valuta.cent, which is not a field"},
		{"nothing", "which has giorni, valuta"},
		{"giorni;cent", "is not names of fields such as"},
		{strings.Repeat("a", 501), "is longer than 500 characters"},
	} {
		for _, path := range []string{"/v1/agenti?campi=", "/v1/pagella?fields="} {
			w := httptest.NewRecorder()
			chosen().ServeHTTP(w, httptest.NewRequest("GET", path+url.QueryEscape(c.fields), nil))
			if got := strings.TrimSpace(w.Body.String()); got != c.want &&
				(c.want[0] == '{' || w.Code != 400 || !strings.Contains(got, c.want)) {
				t.Errorf("%s%.40s: %d %s, want %s", path, c.fields, w.Code, got, c.want)
			}
		}
	}
}

func TestLanguageOfProblems(t *testing.T) {
	const english, italian, german = "Two names of one city.", "stessa città", "dieselbe Stadt"
	for _, c := range []struct{ target, header, want string }{
		{"/v1/docs", "", english}, {"/v1/docs", "sv, *", english}, {"/v1/docs", "en", english},
		{"/v1/docs", "it", italian}, {"/v1/docs", "sv,de-AT;q=0.5", german}, {"/v1/docs?lang=de", "it", german},
		{"/v1/docs?lingua=it", "", italian}, {"/v1", "it", english}, {"/v1?lang=it", "de", italian},
		{"/v1/docs?lang=xx", "de", "Einzelheiten"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", c.target, nil)
		r.Header.Set("Accept-Language", c.header)
		chosen().ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s in %q: %s, want %s", c.target, c.header, w.Body, c.want)
		}
	}
}

func TestLongFaults(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"repeated fields": "campi=" + strings.Repeat("valuta,", 60) + "valuta", "unknown fields": "campi=" + strings.Repeat("x,", 200) + "x",
		"a long name": strings.Repeat("%C3%A8", 9000) + "=1",
	} {
		w := httptest.NewRecorder()
		chosen().ServeHTTP(w, httptest.NewRequest("GET", "/v1/agenti?"+query, nil))
		if w.Code != 400 || w.Body.Len() > 4096 || strings.Count(w.Body.String(), `"name"`) > 3 {
			t.Errorf("%s: %d, %d bytes: %s", name, w.Code, w.Body.Len(), w.Body)
		}
	}
}

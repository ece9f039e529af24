package travelpayouts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/testenv"
	"verdetto/shared/upstream"
)

func day(t *testing.T, s string) fare.Day {
	t.Helper()
	d, err := fare.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDecodeRow(t *testing.T) {
	found := time.Date(2026, 11, 20, 8, 0, 5, 0, time.UTC)
	plain := offer{Row: upstream.Row{Origin: "MIL", Destination: "BUH", Depart: day(t, "2026-12-01"), Found: found, Price: 29, Currency: "EUR"}}
	with := func(change func(*offer)) offer {
		o := plain
		change(&o)
		return o
	}
	const places = `"origin":"MIL","destination":"BUH"`
	const when = `"depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05Z"`
	tests := []struct {
		name, row string
		want      offer
	}{
		{"v2", `{` + places + `,` + when + `,"value":29,"return_date":"","trip_class":0,"actual":true,"show_to_affiliates":true,"distance":-1,"duration":null,"number_of_changes":0}`, plain},
		{"v3", `{` + places + `,"departure_at":"2026-12-01T23:50:00+02:00","found_at":"2026-11-20T08:00:05Z","price":29,"return_at":"","flight_number":"7703","link":"/search"}`, plain},
		{"departure without a time", `{` + places + `,"departure_at":"2026-12-01","found_at":"2026-11-20T08:00:05Z","price":29}`, plain},
		{"local day of a departure after midnight", `{` + places + `,"departure_at":"2026-12-01T00:20:00+09:00","found_at":"2026-11-20T08:00:05Z","price":29}`, plain},
		{"depart_date with a time", `{` + places + `,"depart_date":"2026-12-01T13:05:00+03:00","found_at":"2026-11-20T08:00:05Z","price":29}`, plain},
		{"found with an offset", `{` + places + `,"depart_date":"2026-12-01","found_at":"2026-11-20T12:00:05+04:00","value":29}`, plain},
		{"found without a zone is UTC", `{` + places + `,"depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05","value":29}`, plain},
		{"found with a blank and fractions", `{` + places + `,"depart_date":"2026-12-01","found_at":"2026-11-20 08:00:05.000","value":29}`, plain},
		{"numbers as strings", `{` + places + `,` + when + `,"value":"29","trip_class":"0"}`, plain},
		{"a float", `{` + places + `,` + when + `,"value":29.0}`, plain},
		{"value goes before price", `{` + places + `,` + when + `,"value":29,"price":31}`, plain},
		{"a value of null is none", `{` + places + `,` + when + `,"value":null,"price":29}`, plain},
		{"nulls where there is nothing to say", `{` + places + `,` + when + `,"value":29,"return_date":null,"trip_class":null,"actual":null,"show_to_affiliates":null}`, plain},
		{"round trip", `{` + places + `,` + when + `,"value":29,"return_date":"2026-12-08"}`, with(func(o *offer) { o.RoundTrip = true })},
		{"round trip in v3", `{` + places + `,` + when + `,"value":29,"return_at":"2026-12-08T10:00:00Z"}`, with(func(o *offer) { o.RoundTrip = true })},
		{"business class", `{` + places + `,` + when + `,"value":29,"trip_class":1}`, with(func(o *offer) { o.OtherCabin = true })},
		{"not actual", `{` + places + `,` + when + `,"value":29,"actual":false}`, with(func(o *offer) { o.NotActual = true })},
		{"not for affiliates", `{` + places + `,` + when + `,"value":29,"show_to_affiliates":false}`, with(func(o *offer) { o.notForAffiliates = true })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := decodeRow(json.RawMessage(test.row), "EUR")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(offer{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, bad := range []string{
		`null`, `7`, `{}`, `{` + places + `,` + when + `}`, `{` + when + `,"value":29}`,
		`{` + places + `,"depart_date":"2026-02-30","found_at":"2026-11-20T08:00:05Z","value":29}`,
		`{` + places + `,"depart_date":"2026-12-01","value":29}`,
		`{` + places + `,` + when + `,"value":"cheap"}`,
		`{` + places + `,` + when + `,"value":"NaN"}`,
		`{` + places + `,` + when + `,"value":[29]}`,
		`{"origin":{},"destination":"BUH",` + when + `,"value":29}`,
	} {
		if got, err := decodeRow(json.RawMessage(bad), "EUR"); err == nil {
			t.Errorf("%s: read as %v", bad, got)
		}
	}
}

func TestDecodePage(t *testing.T) {
	const good = `{"origin":"MIL","destination":"BUH","depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05Z","value":29}`
	tests := []struct {
		name, body                    string
		rows, malformed               int
		currency, unreadable, refusal string
	}{
		{name: "rows", body: `{"success":true,"data":[` + good + `],"currency":"eur","error":null}`, rows: 1, currency: "EUR"},
		{name: "another currency than asked", body: `{"success":true,"data":[` + good + `],"currency":"rub"}`, rows: 1, currency: "RUB"},
		{name: "no echo of the currency", body: `{"success":true,"data":[` + good + `]}`, rows: 1, currency: "EUR"},
		{name: "one bad row among good ones", body: `{"success":true,"data":[` + good + `,{"value":3}]}`, rows: 2, malformed: 1, currency: "EUR"},
		{name: "none", body: `{"success":true,"data":[]}`},
		{name: "none, as null", body: `{"success":true,"data":null}`},
		{name: "none, as an object", body: `{"success":true,"data":{}}`},
		{name: "only bad rows", body: `{"success":true,"data":[{"fare":3},{"fare":4}]}`, unreadable: "none of 2"},
		{name: "an object of rows", body: `{"success":true,"data":{"BUH":` + good + `}}`, unreadable: "not a list"},
		{name: "null without success", body: `{"data":null}`, unreadable: "not a list"},
		{name: "no envelope", body: `[` + good + `]`, unreadable: "envelope"},
		{name: "empty", body: ``, unreadable: "envelope"},
		{name: "cut", body: `{"success":true,"data":[` + good, unreadable: "envelope"},
		{name: "no, with an object", body: `{"success":false,"data":{},"error":"bad origin"}`, refusal: "bad origin"},
		{name: "no, with null and a message", body: `{"success":false,"data":null,"message":"Unauthorized"}`, refusal: "Unauthorized"},
		{name: "no, with rows all the same", body: `{"success":false,"data":[` + good + `],"error":{"code":4}}`, refusal: `{"code":4}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := decodePage([]byte(test.body))
			switch {
			case test.refusal != "":
				if r, ok := err.(refusal); !ok || r.text != test.refusal {
					t.Errorf("error %v, want a refusal %q", err, test.refusal)
				}
			case test.unreadable != "":
				if err == nil || !strings.Contains(err.Error(), test.unreadable) {
					t.Errorf("error %v, want %q", err, test.unreadable)
				}
			case err != nil:
				t.Error(err)
			case p.rows != test.rows || p.malformed != test.malformed || len(p.offers) != test.rows-test.malformed:
				t.Errorf("%d rows, %d malformed, %d offers", p.rows, p.malformed, len(p.offers))
			case test.currency != "" && p.offers[0].Currency != test.currency:
				t.Errorf("currency %s, want %s", p.offers[0].Currency, test.currency)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	good := offer{Row: upstream.Row{Origin: "MIL", Destination: "BUH", Depart: day(t, "2026-12-01"), Found: noon.Add(-time.Hour), Price: 29, Currency: "EUR"}}
	with := func(change func(*offer)) offer {
		o := good
		change(&o)
		return o
	}
	client := &Client{comparable: upstream.Comparable{
		CityOf: func(code string) (fare.City, bool) { return fare.City(code), code != "QQQ" },
		Rates:  func(fare.Day) fare.Rates { return fare.Rates{} },
	}}
	p := page{malformed: 2, offers: []offer{
		good,
		with(func(o *offer) { o.RoundTrip = true }),
		with(func(o *offer) { o.OtherCabin = true }),
		with(func(o *offer) { o.NotActual = true }),
		with(func(o *offer) { o.notForAffiliates = true }),
		with(func(o *offer) { o.Origin = "ROM" }),
		with(func(o *offer) { o.Destination = "QQQ" }),
		with(func(o *offer) { o.Destination = "MIL" }),
		with(func(o *offer) { o.Depart -= 30 }),
		with(func(o *offer) { o.Found = noon.Add(time.Second) }),
		with(func(o *offer) { o.Price = 0 }),
		with(func(o *offer) { o.Currency = "XTS" }),
		with(func(o *offer) { o.Found = noon.Add(-48 * time.Hour) }), // outside the question
	}}
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	client.judge(&answer, p, "MIL", noon.Add(-24*time.Hour), noon)
	want := upstream.Answer{
		Fares: []fare.Fare{{
			Route:       fare.Route{Origin: "MIL", Destination: "BUH"},
			Observation: fare.Observation{Found: good.Found.Unix(), Depart: good.Depart, Price: 2900},
		}},
		Dropped: map[upstream.Reason]int{
			upstream.Malformed: 2, upstream.RoundTrip: 1, upstream.OtherCabin: 1, upstream.NotActual: 1, NotForAffiliates: 1, OtherOrigin: 1,
			upstream.UnknownPlace: 1, upstream.SamePlace: 1, upstream.Departed: 1, upstream.FromFuture: 1, upstream.BadPrice: 1, upstream.NoRate: 1,
		},
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Error(diff)
	}
}

// Bodies that the API has sent, with what is known of each.
func TestRecordedBodies(t *testing.T) {
	folder := testenv.Data(t)
	tests := []struct {
		file       string
		rows       int
		roundTrips int
		currency   string
		refusal    string
		unreadable bool
	}{
		{file: "abame_tickets_latest_prices.json", rows: 5, roundTrips: 5, currency: "USD"},
		{file: "abame_tickets_month_matrix.json", rows: 30, currency: "USD"},
		{file: "abame_tickets_week_matrix.json", rows: 19, roundTrips: 19, currency: "USD"},
		{file: "devua_LatestSuccess.json", rows: 1, roundTrips: 1, currency: "EUR"},
		{file: "devua_MonthMatrixSuccess.json", rows: 1, currency: "EUR"},
		{file: "devua_Unauthorized.json", refusal: "Unauthorized"},
		{file: "abame_tickets_cheap.json", unreadable: true},              // an object by destination
		{file: "v3_prices_for_dates_gyd_ist_2022.json", unreadable: true}, // rows without found_at
		{file: "partimo_v3_prices_for_dates_mil_lon_2026_11.json", unreadable: true},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join(folder, "travelpayouts", test.file))
			if err != nil {
				t.Fatal(err)
			}
			p, err := decodePage(body)
			if test.refusal != "" {
				if diff := cmp.Diff(error(refusal{test.refusal}), err, cmpopts.EquateErrors()); diff != "" {
					t.Error(diff)
				}
				return
			}
			if (err != nil) != test.unreadable {
				t.Fatalf("error %v", err)
			}
			trips := 0
			for _, o := range p.offers {
				if o.RoundTrip {
					trips++
				}
				if o.Currency != test.currency {
					t.Fatalf("currency %s, want %s", o.Currency, test.currency)
				}
			}
			if p.rows != test.rows || p.malformed != 0 || trips != test.roundTrips {
				t.Errorf("%d rows, %d malformed, %d round trips; want %d, 0, %d", p.rows, p.malformed, trips, test.rows, test.roundTrips)
			}
		})
	}
}

func FuzzDecodePage(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"success":true,"data":[]}`, `{"success":false,"data":{},"error":"no"}`,
		`{"success":true,"data":[{"origin":"MIL","destination":"BUH","depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05","value":"29"}],"currency":"eur"}`,
		`{"success":true,"data":[{"origin":"MIL","destination":"BUH","departure_at":"2026-12-01T10:00:00Z","found_at":"2026-11-20T08:00:05+04:00","price":1e400}]}`,
		`{"success":true,"data":[1,null,{"value":""}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := decodePage(bytes.Clone(body))
		if err != nil {
			return
		}
		if p.malformed+len(p.offers) != p.rows || (p.rows > 0 && p.malformed == p.rows) {
			t.Errorf("%d rows, %d malformed, %d offers", p.rows, p.malformed, len(p.offers))
		}
		for _, o := range p.offers {
			if o.Origin == "" || o.Destination == "" || o.Found.Location() != time.UTC || o.Currency != strings.ToUpper(o.Currency) {
				t.Errorf("offer %+v", o)
			}
		}
	})
}

package travelpayouts

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
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
	plain := offer{Row: upstream.Row{Origin: "MIL", Destination: "BUH", Depart: day(t, "2026-12-01"), Found: found,
		Price: 29, Currency: "EUR"}}
	with := func(change func(*offer)) offer {
		o := plain
		change(&o)
		return o
	}
	nonStop := with(func(o *offer) { o.Stops = fare.NonStop })
	const places = `"origin":"MIL","destination":"BUH"`
	const when = `"depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05Z"`
	const value = places + `,` + when + `,"value":29`
	const found805 = `"found_at":"2026-11-20T08:00:05Z"`
	back := with(func(o *offer) { o.Return = day(t, "2026-12-08") })
	trip := with(func(o *offer) { o.RoundTrip = true })
	dayOnly := with(func(o *offer) { o.Found, o.DayOnly = day(t, "2026-11-20").Time(), true })
	tests := []struct {
		name, row string
		want      offer
	}{
		{"v2", value +
			`,"return_date":"","trip_class":0,"actual":true,"show_to_affiliates":true,"distance":-1,"duration":null,"number_of_changes":0`, nonStop},
		{"v3", places + `,"departure_at":"2026-12-01T23:50:00+02:00",` + found805 +
			`,"price":29,"return_at":"","flight_number":"7703","transfers":0,"return_transfers":0`, nonStop},
		{"v3 without found_at", places + `,"departure_at":"2026-12-01T23:50:00+02:00","price":29` +
			`,"link":"/search/MIL?t=XX_1&search_date=20112026&expected_price=29"`, dayOnly},
		{"found_at goes before the link", value + `,"link":"/search?search_date=01012020"`, plain},
		{"a link that is odd elsewhere", places +
			`,"depart_date":"2026-12-01","value":29,"link":"%zz?a=%zz;b&search_date=20112026&=&&c=%"`, dayOnly},
		{"departure without a time", places + `,"departure_at":"2026-12-01",` + found805 + `,"price":29`, plain},
		{"local day of a departure after midnight",
			places + `,"departure_at":"2026-12-01T00:20:00+09:00",` + found805 + `,"price":29`, plain},
		{"depart_date with a time", places + `,"depart_date":"2026-12-01T13:05:00+03:00",` + found805 + `,"price":29`,
			plain},
		{"found with an offset",
			places + `,"depart_date":"2026-12-01","found_at":"2026-11-20T12:00:05+04:00","value":29`, plain},
		{"found without a zone is UTC", places +
			`,"depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05","value":29`, plain},
		{"found with a blank and fractions", places +
			`,"depart_date":"2026-12-01","found_at":"2026-11-20 08:00:05.000","value":29`, plain},
		{"numbers as strings", places + `,` + when + `,"value":"29","trip_class":"0"`, plain},
		{"a float", value + `.0`, plain},
		{"value goes before price", value + `,"price":31`, plain},
		{"a value of null is none", places + `,` + when + `,"value":null,"price":29`, plain},
		{"nulls where there is nothing to say",
			value + `,"return_date":null,"trip_class":null,"actual":null,"show_to_affiliates":null`, plain},
		{"a return", value + `,"return_date":"2026-12-08"`, back},
		{"a return in v3", value + `,"return_at":"2026-12-08T00:10:00+02:00"`, back},
		{"a return on no day", value + `,"return_date":"0000-00-00"`, trip},
		{"a return at the beginning of time", value + `,"return_date":"1970-01-01"`, trip},
		{"one stop", value + `,"number_of_changes":1`, with(func(o *offer) { o.Stops = fare.OneStop })},
		{"many stops", value + `,"number_of_changes":1e300`, with(func(o *offer) { o.Stops = fare.MoreStops })},
		{"stops below zero", value + `,"number_of_changes":-1`, plain},
		{"half a stop", value + `,"number_of_changes":0.5`, plain},
		{"stops of null", value + `,"number_of_changes":null`, plain},
		{"the more of both ways", value + `,"return_at":"2026-12-08","transfers":0,"return_transfers":2`,
			with(func(o *offer) { o.Return, o.Stops = day(t, "2026-12-08"), fare.MoreStops })},
		{"non-stop out, the way back untold", value + `,"return_at":"2026-12-08","transfers":0`, back},
		{"business class", value + `,"trip_class":1`, with(func(o *offer) { o.OtherCabin = true })},
		{"not actual", value + `,"actual":false`, with(func(o *offer) { o.NotActual = true })},
		{"not for affiliates", value + `,"show_to_affiliates":false`,
			with(func(o *offer) { o.notForAffiliates = true })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := decodeRow(json.RawMessage("{"+test.row+"}"), "EUR")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(offer{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, link := range []string{``, `/search`, `/search?t=1`, `/search?search_date=`,
		`/search?search_date=2026-11-20`, `/search?search_date=20261120`, `/search?search_date=31022026`, `search_date=20112026`} {
		row := `{` + places + `,"depart_date":"2026-12-01","value":29,"link":"` + link + `"}`
		if got, err := decodeRow(json.RawMessage(row), "EUR"); !errors.Is(err, errUndated) {
			t.Errorf("%s: read as %v, error %v", row, got, err)
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"success":true,"data":[]}`, `{"success":false,"data":{},"error":"no"}`,
		`{"success":true,"data":[{"origin":"MIL","destination":"BUH","depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05","value":"29"}],"currency":"eur"}`,
		`{"success":true,"data":[{"origin":"MIL","destination":"BUH","departure_at":"2026-12-01T10:00:00Z","found_at":"2026-11-20T08:00:05+04:00","price":1e400}]}`,
		`{"success":true,"data":[1,null,{"value":""}]}`,
		`{"success":true,"data":{"2026-12-01":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-01T10:00:00+01:00","return_at":"2026-12-08T10:00:00Z","price":29,"transfers":0,"return_transfers":1,"link":"/search?search_date=20112026"}},"currency":"eur"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := decodePage(bytes.Clone(body), "EUR")
		if err != nil {
			return
		}
		if p.unread[upstream.Malformed]+p.unread[Undated]+len(p.offers) != p.rows ||
			(p.rows > 0 && len(p.offers) == 0) {
			t.Errorf("%d rows, unread %v, %d offers", p.rows, p.unread, len(p.offers))
		}
		for _, o := range p.offers {
			if o.Stops > fare.MoreStops || o.RoundTrip && o.Return != 0 || o.DayOnly &&
				o.Found != fare.DayOf(o.Found).Time() {
				t.Errorf("offer %+v", o)
			}
			if o.Origin == "" || o.Destination == "" || o.Found.Location() != time.UTC ||
				o.Currency != strings.ToUpper(o.Currency) {
				t.Errorf("offer %+v", o)
			}
		}
	})
}

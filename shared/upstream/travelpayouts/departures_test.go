package travelpayouts_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

var milBuh = fare.Route{Origin: "MIL", Destination: "BUH"}

func asking(trip fare.Trip, nonStop bool) upstream.Question {
	return upstream.Question{Series: fare.Series{Route: milBuh, Trip: trip}, NonStop: nonStop}
}

func TestDeparturesAsks(t *testing.T) {
	const always = "destination=BUH&direct=false&group_by=departure_at"
	tests := []struct {
		q    upstream.Question
		want string
	}{
		{asking(fare.OneWay, false), "currency=eur&" + always + "&origin=MIL"},
		{asking(fare.OneWay, true), "currency=eur&destination=BUH&direct=true&group_by=departure_at&origin=MIL"},
		{asking(fare.Return1to3, false), "currency=eur&" + always +
			"&max_trip_duration=3&min_trip_duration=1&origin=MIL"},
		{asking(fare.Return8to14, false), "currency=eur&" + always +
			"&max_trip_duration=14&min_trip_duration=8&origin=MIL"},
		{asking(fare.Return15, false), "currency=eur&" + always + "&min_trip_duration=15&origin=MIL"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			server, client, _ := set(t, nil, nil)
			answer, err := client.Departures(t.Context(), test.q, noon)
			if err != nil || len(answer.Fares) > 0 || len(answer.Dropped) > 0 {
				t.Fatalf("of an empty source: %v, error %v", answer, err)
			}
			call := server.Calls()[0]
			if diff := cmp.Diff([]string{"/aviasales/v3/grouped_prices", test.want},
				[]string{call.Path, call.Query}); diff != "" || len(server.Calls()) != 1 {
				t.Error(diff)
			}
		})
	}
}

func TestDepartures(t *testing.T) {
	with := func(r upstream.Row, stops fare.Stops, nights fare.Day) upstream.Row {
		r.Stops = stops
		if nights > 0 {
			r.Return = r.Depart + nights
		}
		return r
	}
	var (
		direct  = with(row("BUH", 40, 10, time.Hour), fare.NonStop, 0)
		cheaper = with(row("BUH", 25, 10, 2*time.Hour), fare.OneStop, 0)
		later   = with(row("BUH", 31, 300, 50*time.Hour), fare.MoreStops, 0)
		short   = with(row("BUH", 60, 20, 3*time.Hour), fare.NonStop, 2)
		week    = with(row("BUH", 80, 20, 4*time.Hour), fare.NonStop, 7)
		dearer  = with(row("BUH", 90, 20, 4*time.Hour), fare.NonStop, 5)
		month   = with(row("BUH", 120, 20, 4*time.Hour), fare.OneStop, 30)
		old     = with(row("BUH", 1, 30, 8*24*time.Hour), fare.NonStop, 0)
		rome    = with(row("ROM", 2, 10, time.Hour), fare.NonStop, 0)
	)
	_, client, _ := set(t, []upstream.Row{direct, cheaper, later, short, week, dearer, month, old, rome}, nil)
	tests := []struct {
		name string
		q    upstream.Question
		want []upstream.Row
	}{
		{"one-way", asking(fare.OneWay, false), []upstream.Row{cheaper, later}},
		{"one-way, non-stop", asking(fare.OneWay, true), []upstream.Row{direct}},
		{"away for 1 to 3 nights", asking(fare.Return1to3, false), []upstream.Row{short}},
		{"away for 4 to 7 nights", asking(fare.Return4to7, false), []upstream.Row{week}},
		{"away for 8 to 14 nights", asking(fare.Return8to14, false), nil},
		{"away for longer", asking(fare.Return15, false), []upstream.Row{month}},
		{"away for longer, non-stop", asking(fare.Return15, true), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, err := client.Departures(t.Context(), test.q, noon)
			if err != nil || len(answer.Dropped) > 0 {
				t.Fatalf("dropped %v, error %v", answer.Dropped, err)
			}
			var want []fare.Fare
			for _, r := range test.want {
				r.DayOnly = true
				r.OriginAirport, r.DestinationAirport, r.Airline, r.Minutes = r.Origin, r.Destination, "XX", 120
				want = append(want, fareOf(r))
			}
			if diff := cmp.Diff(want, answer.Fares); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDeparturesOfAnotherQuestion(t *testing.T) {
	const link = `"link":"/search/x?search_date=19112026"`
	body := `{"success":true,"currency":"eur","data":{
		"1":{"origin":"MXP","destination":"OTP","departure_at":"2026-12-01T10:00:00+01:00","price":29,"transfers":0,"return_transfers":0,` + link + `},
		"2":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-02T10:00:00+01:00","price":28,"transfers":1,` + link + `},
		"3":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-03T10:00:00+01:00","return_at":"2026-12-08T10:00:00Z","price":70,"transfers":0,"return_transfers":0,` + link + `},
		"4":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-04T10:00:00+01:00","return_at":"2026-12-24T10:00:00Z","price":90,"transfers":0,"return_transfers":0,` + link + `},
		"5":{"origin":"MIL","destination":"ROM","departure_at":"2026-12-05T10:00:00+01:00","price":27,"transfers":0,` + link + `},
		"6":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-06T10:00:00+01:00","price":26,` + link + `}}}`
	tests := []struct {
		name    string
		q       upstream.Question
		departs []string
		dropped map[upstream.Reason]int
	}{
		{"one-way", asking(fare.OneWay, false), []string{"2026-12-01", "2026-12-02", "2026-12-06"},
			map[upstream.Reason]int{travelpayouts.OtherTrip: 2, travelpayouts.OtherRoute: 1}},
		{"one-way, non-stop", asking(fare.OneWay, true), []string{"2026-12-01", "2026-12-06"},
			map[upstream.Reason]int{travelpayouts.OtherTrip: 2, travelpayouts.OtherRoute: 1,
				travelpayouts.WithStops: 1}},
		{"return", asking(fare.Return4to7, false), []string{"2026-12-03"},
			map[upstream.Reason]int{travelpayouts.OtherTrip: 4, travelpayouts.OtherRoute: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client, _ := set(t, nil, nil)
			server.Fail(upstreamtest.Garbled(body))
			answer, err := client.Departures(t.Context(), test.q, noon)
			if err != nil {
				t.Fatal(err)
			}
			var departs []string
			for _, f := range answer.Fares {
				departs = append(departs, f.Depart.String())
			}
			if diff := cmp.Diff(test.departs, departs); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.dropped, answer.Dropped); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDeparturesRefused(t *testing.T) {
	answer := func(status int, body string) upstreamtest.Fault {
		return upstreamtest.Fault{Status: status, Body: body}
	}
	tests := []struct {
		name  string
		fault upstreamtest.Fault
		want  error
		words string
	}{
		{"a question it does not accept", answer(400, `{"success":false,"data":{},"error":"destination: unknown code"}`),
			upstream.ErrUnavailable,
			"MIL-BUH#4-7: the fare source could not be asked: status 400, answered success:false: \"destination: " +
				"unknown code\""},
		{"a question it has no words for", upstreamtest.Broken(404), upstream.ErrUnavailable,
			"MIL-BUH#4-7: the fare source could not be asked: status 404"},
		{"no, with status 200", upstreamtest.Unwilling("bad origin", "{}"), upstream.ErrUnavailable, "bad origin"},
		{"a bad token", answer(401, `{"success":false}`), upstream.ErrRefused, "status 401"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client, _ := set(t, nil, nil)
			server.Fail(test.fault)
			answer, err := client.Departures(t.Context(), asking(fare.Return4to7, false), noon)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.words) || answer.Fares != nil ||
				len(server.Calls()) != 1 {
				t.Errorf("error %v after %d calls, fares %v", err, len(server.Calls()), answer.Fares)
			}
		})
	}
}

func TestBadRows(t *testing.T) {
	const (
		place  = `"origin":"MIL","destination":"BUH",`
		depart = `"departure_at":"2026-12-01T10:00:00+01:00",`
		price  = `"price":29,"transfers":0,`
		link   = `"link":"/search/x?search_date=19112026"`
		good   = `{` + place + depart + price + link + `}`
	)
	bad := []struct {
		name, row string
		want      upstream.Reason
	}{
		{"null", `null`, upstream.Malformed},
		{"a number", `7`, upstream.Malformed},
		{"a list", `[` + good + `]`, upstream.Malformed},
		{"an empty object", `{}`, upstream.Malformed},
		{"no departure", `{` + place + price + link + `}`, upstream.Malformed},
		{"a departure on no day", `{` + place + `"departure_at":"2026-02-30T10:00:00Z",` + price + link + `}`,
			upstream.Malformed},
		{"a departure as a number", `{` + place + `"departure_at":20261201,` + price + link + `}`, upstream.Malformed},
		{"no origin", `{"destination":"BUH",` + depart + price + link + `}`, upstream.Malformed},
		{"no price", `{` + place + depart + link + `}`, upstream.Malformed},
		{"a price in words", `{` + place + depart + `"price":"cheap",` + link + `}`, upstream.Malformed},
		{"a price beyond numbers", `{` + place + depart + `"price":1e999,` + link + `}`, upstream.Malformed},
		{"stops in words", `{` + place + depart + `"price":29,"transfers":"none",` + link + `}`, upstream.Malformed},
		{"a link that is a list", `{` + place + depart + price + `"link":["?search_date=19112026"]}`,
			upstream.Malformed},
		{"found in words", `{` + place + depart + price + `"found_at":"yesterday",` + link + `}`, upstream.Malformed},
		{"no link", `{` + place + depart + `"price":29}`, travelpayouts.Undated},
		{"a link without a day", `{` + place + depart + price + `"link":"/search/x?t=1"}`, travelpayouts.Undated},
		{"a link with a day that is none", `{` + place + depart + price + `"link":"/search/x?search_date=99999999"}`,
			travelpayouts.Undated},
		{"a link with the day the other way round",
			`{` + place + depart + price + `"link":"/search/x?search_date=20261119"}`, travelpayouts.Undated},
		{"searched for tomorrow", `{` + place + depart + price + `"link":"/search/x?search_date=21112026"}`,
			upstream.FromFuture},
		{"searched for after the departure", `{` + place + `"departure_at":"2026-11-01",` + price + link + `}`,
			upstream.Departed},
		{"departure in ten years", `{` + place + `"departure_at":"2036-12-01",` + price + link + `}`,
			upstream.TooFarAhead},
		{"a return on no day", `{` + place + depart + `"return_at":"soon",` + price + link + `}`, upstream.RoundTrip},
		{"a return before the departure", `{` + place + depart + `"return_at":"2026-11-30",` + price + link + `}`,
			upstream.BadReturn},
		{"a return after a year", `{` + place + depart + `"return_at":"2027-12-01",` + price + link + `}`,
			upstream.LongStay},
		{"an unknown place", `{"origin":"MIL","destination":"???",` + depart + price + link + `}`,
			upstream.UnknownPlace},
		{"from and to the same city", `{"origin":"MXP","destination":"LIN",` + depart + price + link + `}`,
			upstream.SamePlace},
		{"for nothing", `{` + place + depart + `"price":0,` + link + `}`, upstream.BadPrice},
		{"for less than nothing", `{` + place + depart + `"price":-29,` + link + `}`, upstream.BadPrice},
		{"for a fortune", `{` + place + depart + `"price":1e12,` + link + `}`, upstream.BadPrice},
		{"business class", `{` + place + depart + `"trip_class":1,` + price + link + `}`, upstream.OtherCabin},
		{"not actual", `{` + place + depart + `"actual":false,` + price + link + `}`, upstream.NotActual},
		{"not for affiliates", `{` + place + depart + `"show_to_affiliates":false,` + price + link + `}`,
			travelpayouts.NotForAffiliates},
	}
	for _, grouped := range []bool{false, true} {
		answerOf := func(t *testing.T, rows ...string) upstream.Answer {
			t.Helper()
			server, client, _ := set(t, nil, nil)
			data := `[` + strings.Join(rows, ",") + `]`
			if grouped {
				data = ""
				for i, row := range rows {
					data += fmt.Sprintf(`,"%02d":%s`, i, row)
				}
				data = `{` + data[1:] + `}`
			}
			server.Fail(upstreamtest.Garbled(`{"success":true,"currency":"eur","data":` + data + `}`))
			var answer upstream.Answer
			var err error
			if grouped {
				answer, err = client.Departures(t.Context(), asking(fare.OneWay, false), noon)
			} else {
				answer, err = client.Fares(t.Context(), "MIL", time.Time{}, noon)
			}
			if err != nil || len(answer.Fares) != 1 {
				t.Fatalf("%d fares, error %v", len(answer.Fares), err)
			}
			return answer
		}
		elsewhere := travelpayouts.OtherOrigin
		if grouped {
			elsewhere = travelpayouts.OtherRoute
		}
		strange := `{"origin":"ROM","destination":"BUH",` + depart + price + link + `}`
		all, want := []string{strange, good}, map[upstream.Reason]int{elsewhere: 1}
		for _, b := range bad {
			t.Run(fmt.Sprintf("grouped %v, %s", grouped, b.name), func(t *testing.T) {
				if diff := cmp.Diff(map[upstream.Reason]int{b.want: 1}, answerOf(t, b.row, good).Dropped); diff != "" {
					t.Error(diff)
				}
			})
			all = append(all, b.row)
			want[b.want]++
		}
		if diff := cmp.Diff(want, answerOf(t, all...).Dropped); diff != "" {
			t.Errorf("grouped %v, all of them: %s", grouped, diff)
		}
	}
}

func TestBadBodies(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":                       ``,
		"blanks":                        "  \n",
		"a proxy's page":                `<html><body>502</body></html>`,
		"a word":                        `ok`,
		"null":                          `null`,
		"null without success":          `{"data":null}`,
		"a number":                      `42`,
		"a list of rows":                `[{"origin":"MIL"}]`,
		"no envelope":                   `{"prices":[],"errors":{}}`,
		"half":                          `{"success":true,"data":{"2026-12-01":{"origin"`,
		"two":                           `{"success":true,"data":[]}{"success":true}`,
		"success in words":              `{"success":"yes","data":[]}`,
		"data in words":                 `{"success":true,"data":"soon"}`,
		"data as a number":              `{"success":true,"data":0}`,
		"rows that are numbers":         `{"success":true,"data":[1,2,3]}`,
		"rows that are null":            `{"success":true,"data":{"2026-12-01":null}}`,
		"rows by destination and stops": `{"success":true,"data":{"BUH":{"0":{"price":29}}}}`,
		"empty rows by destination":     `{"success":true,"data":{"BUH":{}}}`,
		"rows without a link":           `{"success":true,"data":{"2026-12-01":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-01","price":29}}}`,
		"a currency that is a number":   `{"success":true,"data":{},"currency":978}`,
		"binary":                        "\x1f\x8b\x08\x00\x00",
		"no, in words":                  `{"success":false,"data":{},"error":"bad destination"}`,
		"no, without a word":            `{"success":false}`,
		"no, with rows all the same":    `{"success":false,"data":[{"origin":"MIL","destination":"BUH","depart_date":"2026-12-01","found_at":"2026-11-20T08:00:05Z","value":29}],"error":{"code":4}}`,
	} {
		t.Run(name, func(t *testing.T) {
			server, client, _ := set(t, nil, nil)
			for range 10 {
				server.Fail(upstreamtest.Garbled(body))
			}
			if answer, err := client.Departures(t.Context(), asking(fare.OneWay, false), noon); !errors.Is(err,
				upstream.ErrUnavailable) || answer.Fares != nil {
				t.Errorf("departures: %v, error %v", answer, err)
			}
			if answer, err := client.Fares(t.Context(), "MIL", time.Time{}, noon); !errors.Is(err,
				upstream.ErrUnavailable) || answer.Fares != nil {
				t.Errorf("fares: %v, error %v", answer, err)
			}
		})
	}
	for name, body := range map[string]string{
		"an empty object": `{"success":true,"data":{},"currency":"eur"}`, "an empty list": `{"success":true,"data":[]}`,
		"null": `{"success":true,"data":null,"error":null}`,
	} {
		t.Run("nothing there: "+name, func(t *testing.T) {
			server, client, _ := set(t, nil, nil)
			server.Fail(upstreamtest.Garbled(body))
			if answer, err := client.Departures(t.Context(), asking(fare.OneWay, false), noon); err != nil ||
				len(answer.Fares)+len(answer.Dropped) > 0 {
				t.Errorf("%v, error %v", answer, err)
			}
		})
	}
}

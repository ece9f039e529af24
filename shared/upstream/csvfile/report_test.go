package csvfile_test

import (
	"errors"
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
)

func TestUsableAt(t *testing.T) {
	r := read(t, header+
		"MIL,BUH,2016-02-25,2016-03-20,30,EUR\nROM,BUH,2016-01-25,2016-03-20,30,EUR\nROM,BUH,2016-02-01,2016-03-20,30,EUR\n").Report()
	for _, c := range []struct {
		day    string
		usable bool
	}{{"2016-01-24", false}, {"2016-01-25", true}, {"2016-02-25", true}, {"2016-03-05", true}, {"2016-03-06", false}} {
		day, err := fare.ParseDay(c.day)
		if err != nil {
			t.Fatal(err)
		}
		err = r.UsableAt(day.Time(), 10)
		if (err == nil) != c.usable {
			t.Errorf("%s: error %v", c.day, err)
		}
		if err != nil && (!errors.Is(err, csvfile.ErrNothing) ||
			!strings.Contains(err.Error(), "from 2016-01-25 to 2016-02-25") ||
			!strings.Contains(err.Error(), "-now 2016-02-25")) {
			t.Errorf("error %v", err)
		}
	}
}

func TestNothingUsable(t *testing.T) {
	const bad = "MIL,BUH,2026-01-02,2026-02-03,?,EUR\n"
	for _, c := range []struct{ name, text, want string }{
		{"a header alone", header, "there is only a header; add rows"},
		{"bad rows alone", header + bad,
			"mend the rows for the reasons above, or name a column of one-way fares with -price"},
		{"another column", strings.Replace(header, "\n", ",outbound_price,Fare,inbound_price\n", 1) + bad,
			"-price outbound_price or -price fare"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := read(t, c.text).Report().Usable()
			if !errors.Is(err, csvfile.ErrNothing) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want it to speak of %q", err, c.want)
			}
		})
	}
}

package cli

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

func TestNewcomers(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Env = []string{"TERM=xterm"}
	d.Write("panel.csv", fixture.Panel([]string{"MIL,LIS", "ROM,PAR"}, 58, 6)+"MIL,LIS,2016-01-2x,2016-03-20,30.00,EUR\n")
	d.Write("wrong.toml", "VERDETTO_LISTN = \"127.0.0.1:1\"\nVERDETTO_LOG = \"loud\"\nVERDETTO_MONEY = real\n")
	d.Write("good.toml", `VERDETTO_STORE = "bolt:kept.db"`)

	service := d.InTerminal(t, nil, "serve", "-listen", "127.0.0.1:0", "-store", "bolt:kept.db", "-upstream",
		"csv:good.csv",
		"-now", "2016-03-01")
	service.Expect("origins 1: 1 asked", "answering on http://", "stop with Ctrl-C")
	url := "http://" + strings.Fields(strings.SplitN(service.Text(), "answering on http://", 2)[1])[0]
	url = strings.TrimRight(url, ";")
	for _, c := range []struct {
		task, typed string
		code        int
		shows       []string
	}{
		{"help", "--help", 0, []string{"The service:", "ask", "serve", "Its store:"}},
		{"the version", "--version", 0, []string{"verdetto version"}},
		{"ask", "ask Milano Bucarest -depart 2016-03-22 -paid 60 -url " + url, 0,
			[]string{"Milan to Bucharest", "Your price: €60.", "€29.99"}},
		{"ask with a typo", "ask Milano Bucarst -url " + url, 2, []string{"Perhaps you meant: Bucarest"}},
		{"a wrong setting", "check -config wrong.toml", 1, []string{"wrong.toml, line 3", "VERDETTO_LOG", "loud",
			"was VERDETTO_LISTEN meant?", "settings are wrong"}},
		{"the status", "status -config good.toml", 0, []string{"well yes, since", "disk"}},
		{"a key while the service runs", "key create -config good.toml -email ada@example.com -now 2016-03-01", 0,
			[]string{"The plan lasts until 2016-03-31", "Z. The new key is shown only now:", "vd_"}},
		{"a second key for the same address", "key create -config good.toml -email ada@example.com -now 2016-03-01", 0,
			[]string{"The earlier key of this address no longer works.", "vd_"}},
		{"a refresh while the service runs", "refresh -config good.toml -upstream csv:good.csv -now 2016-03-01", 0,
			[]string{"1 origins in", "observations 0 new, 2 already known"}},
		{"recorded fares with a bad row", "import panel.csv -config good.toml -now 2016-03-01", 3,
			[]string{"1: a date that cannot be read", "696 new fares of 2 routes", "part of the input was left out"}},
		{"ask about what was imported", "ask Rom Paris -lang de -url " + url, 0, []string{"Rom – Paris", "●",
			"Verlässlichkeit"}},
		{"a backup while the service runs", "backup -config good.toml -to copy.db", 0,
			[]string{"to use it: verdetto restore -from copy.db -store bolt:kept.db"}},
		{"its way back", "restore -from copy.db -store bolt:again.db", 0,
			[]string{"restored from copy.db", "fares 3 routes", "keys 0 in force"}},
		{"completion", "completion bash", 0, []string{"bash completion V2 for verdetto"}},
		{"completion of a command", "__complete refr", 0, []string{"refresh"}},
	} {
		w := d.InTerminal(t, nil, strings.Fields(c.typed)...)
		t.Logf("%s: verdetto %s", c.task, c.typed)
		w.Expect(c.shows...)
		w.Ends(c.code)
	}
	service.Type("\x03")
	service.Ends(0)
	for name := range d.Files() {
		if strings.Contains(name, ".part-") || strings.Contains(name, ".import") {
			t.Errorf("left: %s", name)
		}
	}
}

func TestAskColours(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("panel.csv", fixture.Panel([]string{"MIL,LIS"}, 58, 6))
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:panel.csv", "-now", "2016-02-28")
	args := []string{"ask", "MIL", "LIS", "-paid", "900", "-url", s.URL}
	red, plain := "\033[1;31mAn expensive fare", "Milan to Lisbon"
	for environment, coloured := range map[string]bool{"TERM=xterm": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		w := d.InTerminal(t, []string{environment}, args...)
		w.Expect(plain, "●", "Fares are for all Milan airports")
		w.Ends(0)
		if strings.Contains(w.Text(), red) != coloured || strings.Contains(w.Text(), "\033") != coloured {
			t.Errorf("%s: %q", environment, w.Text())
		}
	}
	if got := d.Want(0, plain, args...); strings.Contains(got.Stdout, "\033") {
		t.Errorf("colours in a file: %q", got.Stdout)
	}
	s.End(t)
}

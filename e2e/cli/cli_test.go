// Package cli holds end-to-end tests that run the command verdetto as users do.
package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/boltstore"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	var listed string
	for _, args := range [][]string{{"help"}, {"-help"}, {"--help"}, {"-h"}} {
		got := d.Run(args...)
		if got.Code != 0 || got.Stderr != "" {
			t.Errorf("%v: exit code %d, and on stderr %q", args, got.Code, got.Stderr)
		}
		if listed == "" {
			listed = got.Stdout
		}
		if got.Stdout != listed {
			t.Errorf("%v says\n%s\nand help says\n%s", args, got.Stdout, listed)
		}
	}
	for _, command := range []string{"serve", "refresh", "key create"} {
		t.Run(command, func(t *testing.T) {
			names := strings.Fields(command)
			fixture.Has(t, "help", listed, "\n  "+names[0]+" ")
			for _, help := range []string{"-help", "--help", "-h"} {
				got := d.Want(0, "", append(names, help)...)
				fixture.Has(t, "help", got.Stdout, "verdetto "+command+" [flags]", "\n      --")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("empty.csv", "")
	d.Write("headless.csv", "MIL,BUH,2016-02-25,2016-03-20,30.00,EUR\n")
	d.Write("narrow.csv", "origin,destination,price\nMIL,BUH,30.00\n")
	d.Write("twice.csv", "origin,"+fixture.CSVHeader)
	d.Write("cut.csv.gz", gzipped(t, fixture.CSVHeader)[:15])
	d.Write("no.csv.gz", "\x1f\x8b\x09\x00\x00\x00\x00\x00\x00\x03")
	d.Write("returns.csv", returns)
	d.Write("dear.csv", strings.ReplaceAll(returns, ",164,", ",dear,"))
	d.Write("unused.csv", fixture.CSVHeader)
	d.Write("text.db", "These are my notes, not a store.\n")
	held, err := boltstore.Open(filepath.Join(d.Dir, "held.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	d.Want(0, "", "refresh", "-store", "bolt:of-panel.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	before := d.Files()
	for _, c := range []struct {
		name string
		args string
		code int
		says []string
	}{
		{"no command", "", 2, []string{"Usage:", "serve", "refresh"}},
		{"unknown command", "fetch", 2, []string{`unknown command "fetch"`, "Usage:", "refresh"}},
		{"command that is mistyped", "refrsh", 2, []string{"Did you mean this?\n\trefresh"}},
		{"command of a command left out", "pepper", 2, []string{"verdetto pepper needs a command", "export"}},
		{"unknown flag", "refresh -nosuch", 2, []string{"-nosuch", "-upstream"}},
		{"unknown flag of two dashes", "refresh --nosuch", 2, []string{"--nosuch", "-upstream"}},
		{"flag of another type", "key create -days many", 2, []string{"-days", "many"}},
		{"flags of two dashes", "refresh --store=bolt:new.db --upstream amadeus", 1, []string{`"amadeus"`}},
		{"argument left over", "refresh -store bolt:new.db more", 2, []string{`"more"`, "-help"}},
		{"argument left over for serve", "serve more", 2, []string{`"more"`, "-help"}},
		{"no store", "refresh", 1, []string{"-store"}},
		{"unknown store", "refresh -store mysql:new", 1, []string{`"mysql:new"`, "bolt:FILE", "dynamodb:TABLE"}},
		{"store without a name", "refresh -store bolt:", 1, []string{`"bolt:"`, "bolt:FILE"}},
		{"store in no folder", "refresh -store bolt:nowhere/new.db", 1,
			[]string{"nowhere/new.db", "no such file or directory"}},
		{"folder as a store", "refresh -store bolt:.", 1, []string{"is a directory"}},
		{"text as a store", "refresh -store bolt:text.db", 1,
			[]string{"text.db", "not a store", "nothing was changed"}},
		{"store in use", "refresh -store bolt:held.db", 1, []string{"held.db", "another process"}},
		{"store of another source", "refresh -store bolt:of-panel.db -upstream sample -now 2016-03-01", 1,
			[]string{`"csv"`, `"sample"`, "use another store"}},
		{"store of another source to serve", "serve -listen 127.0.0.1:0 -store bolt:of-panel.db -upstream sample -now 2016-03-01", 1,
			[]string{"the store holds fares of another source"}},
		{"unknown source", "refresh -store bolt:new.db -upstream amadeus", 1,
			[]string{`"amadeus"`, "sample", "csv:FILE", "travelpayouts"}},
		{"panel without a name", "refresh -store bolt:new.db -upstream csv:", 1, []string{"csv:FILE"}},
		{"real source without a token", "refresh -store bolt:new.db -upstream travelpayouts", 1,
			[]string{"TRAVELPAYOUTS_TOKEN"}},
		{"no such panel", "refresh -store bolt:new.db -upstream csv:nowhere.csv", 1,
			[]string{"nowhere.csv", "no such file"}},
		{"folder as a panel", "refresh -store bolt:new.db -upstream csv:.", 1, []string{"is a directory"}},
		{"empty panel", "refresh -store bolt:new.db -upstream csv:empty.csv", 1,
			[]string{"empty.csv", "empty file", "want a header with origin"}},
		{"panel without a header", "refresh -store bolt:new.db -upstream csv:headless.csv", 1,
			[]string{"headless.csv", "header lacks origin"}},
		{"panel without columns", "refresh -store bolt:new.db -upstream csv:narrow.csv", 1,
			[]string{"header lacks observed_date, depart_date, currency: want origin"}},
		{"panel with a column twice", "refresh -store bolt:new.db -upstream csv:twice.csv", 1,
			[]string{"names origin twice"}},
		{"archive cut in the panel's header", "refresh -store bolt:new.db -upstream csv:cut.csv.gz", 3,
			[]string{"cut.csv.gz", "the gzip archive is damaged: it ends too early; fetch the file again"}},
		{"archive with a damaged header", "serve -listen 127.0.0.1:0 -store bolt:new.db -upstream csv:no.csv.gz", 3,
			[]string{"no.csv.gz", "the gzip archive is damaged: its header"}},
		{"nothing usable to refresh", "refresh -store bolt:new.db -upstream csv:dear.csv", 3,
			[]string{"dear.csv: nothing usable", "-price outbound_price"}},
		{"a header alone", "refresh -store bolt:new.db -upstream csv:unused.csv", 3,
			[]string{"unused.csv: nothing usable", "only a header"}},
		{"fares of another time", "refresh -store bolt:new.db -upstream csv:good.csv -now 2026-03-01", 3,
			[]string{"nothing usable on 2026-03-01", "from 2016-02-25 to 2016-02-27", "-now 2016-02-27"}},
		{"no such column", "refresh -store bolt:new.db -upstream csv:returns.csv -price fare", 1,
			[]string{"header lacks fare", "-price outbound_price"}},
		{"a column of no panel", "refresh -store bolt:new.db -upstream sample -price fare", 1,
			[]string{"-price fare", "csv:FILE"}},
		{"clock that is none", "refresh -store bolt:new.db -now yesterday", 1,
			[]string{`"yesterday"`, "RFC 3339", "2016-03-01"}},
		{"unknown origin", "refresh -store bolt:new.db -origins MIL,QQQ", 1, []string{`"QQQ"`, "IATA code"}},
		{"city name as an origin", "refresh -store bolt:new.db -origins Milano", 1, []string{`"Milano"`, "IATA code"}},
		{"address that is none", "serve -listen nowhere", 1, []string{"nowhere", "-listen"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := d.Run(strings.Fields(c.args)...)
			if got.Code != c.code {
				t.Errorf("exit code %d, want %d; stdout:\n%s", got.Code, c.code, got.Stdout)
			}
			fixture.Has(t, "stderr", got.Stderr, c.says...)
			if strings.Contains(got.Stderr, "panic") || strings.Contains(got.Stderr, "goroutine") {
				t.Errorf("a stack is shown: %s", got.Stderr)
			}
			for name, content := range d.Files() {
				if before[name] != content {
					t.Errorf("%s was made or changed", name)
				}
			}
		})
	}
	d.Want(1, "the store holds fares of another source", "init", "-store", "bolt:of-panel.db")
}

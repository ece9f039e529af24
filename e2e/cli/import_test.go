package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/boltstore"
)

func TestImport(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("panel.csv", fixture.Panel([]string{"MIL,LIS", "ROM,PAR"}, 58, 6)+
		"MIL,LIS,2016-01-2x,2016-03-20,30.00,EUR\nMIL,LIS,2016-01-20,2016-03-20,dear,EUR\nMIL,LIS\n"+
		"MIL,QQQ,2016-01-20,2016-03-20,30.00,EUR\n")
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	args := []string{"import", "panel.csv", "-store", "bolt:kept.db", "-now", "2016-03-01"}
	got := d.Want(3, "part of the input was left out", args...)
	fixture.Has(t, "stdout", got.Stdout, "700 rows, 696 fares", "1: a date that cannot be read",
		"1: a price that is no decimal number", "1: fewer fields", "1: place without a city we know",
		"line 698: observed_date", "line 700: 2 fields", "import        696 new fares of 2 routes, 0 already stored",
		"days          61 folded again, 2016-01-01 to 2016-03-01")
	if info, err := os.Stat(filepath.Join(d.Dir, "kept.db.socket")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may write to the store: %v %v", info, err)
	}
	for route, insufficient := range map[string]bool{"MIL&destinazione=BUH": true, "MIL&destinazione=LIS": false,
		"ROM&destinazione=PAR": false} {
		status, _, body := get(t, s.URL+"/v1/analisi?origine="+route)
		is := strings.Contains(body, `"livello":"dati-insufficienti"`)
		if status != http.StatusOK || is != insufficient {
			t.Errorf("%s: %d %s", route, status, body)
		}
	}
	got = d.Want(3, "", args...)
	fixture.Has(t, "stdout", got.Stdout, "0 new fares of 0 routes, 696 already stored", "nothing was changed")
	s.End(t)
	for name := range d.Files() {
		if strings.Contains(name, ".import") || strings.HasPrefix(name, ".s") {
			t.Errorf("left: %s", name)
		}
	}
}

func TestImportRefused(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("empty.csv", "")
	d.Write("unused.csv", fixture.CSVHeader)
	d.Write("dear.csv", fixture.CSVHeader+"MIL,BUH,2016-02-25,2016-03-20,dear,EUR\n")
	zipped := gzipped(t, fixture.CSVHeader+strings.Repeat("MIL,BUH,2016-02-25,2016-03-20,30.00,EUR\n", 3000))
	d.Write("half.csv.gz", zipped[:len(zipped)-20])
	d.Want(0, "", "refresh", "-store", "bolt:invented.db", "-now", "2016-03-01", "-origins", "MIL")
	held, err := boltstore.Open(filepath.Join(d.Dir, "held.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	before := d.Files()
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"-store bolt:new.db", 2, "verdetto import needs one panel"},
		{"good.csv good.csv -store bolt:new.db", 2, "verdetto import needs one panel"},
		{"good.csv", 1, "import needs -store"},
		{"nowhere.csv -store bolt:new.db", 1, "no such file"},
		{"empty.csv -store bolt:new.db", 1, "empty file: want a header with origin"},
		{"unused.csv -store bolt:new.db", 3, "nothing usable: there is only a header"},
		{"dear.csv -store bolt:new.db", 3, "nothing usable: mend the rows"},
		{"half.csv.gz -store bolt:new.db", 3, "it ends too early; fetch the file again; nothing was imported"},
		{"good.csv -store bolt:new.db -now 2016-01-01", 3, "found after 2016-01-01; set the clock with -now"},
		{"good.csv -store bolt:held.db", 1, "another process has it open"},
		{"good.csv -store bolt:invented.db -now 2016-03-01", 1, "invented ones; recorded fares need another store"},
		{"good.csv -store verdetto.db", 1, "is not bolt:FILE or dynamodb:TABLE"},
	} {
		d.Want(c.code, c.says, append([]string{"import"}, strings.Fields(c.args)...)...)
		for name, content := range d.Files() {
			if before[name] != content {
				t.Errorf("import %s: %s was made or changed", c.args, name)
			}
		}
	}
}

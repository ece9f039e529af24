package cli

import (
	"bytes"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

var update = flag.Bool("update", false, "write the golden files anew")

type transcript struct {
	d    fixture.Shell
	hide *strings.Replacer
	text bytes.Buffer
}

// Words in a line are separated by spaces. In a word, _ stands for a space.
func (r *transcript) run(line string) {
	r.d.T.Helper()
	args := strings.Fields(line)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "_", " ")
	}
	got := r.d.Run(args...)
	stderr, _, _ := strings.Cut(got.Stderr, "\nUsage:") // help has a golden file of its own
	fmt.Fprintf(&r.text, "$ verdetto %s\n%s%sexit code %d\n\n", r.hide.Replace(line), r.hide.Replace(got.Stdout),
		r.hide.Replace(stderr), got.Code)
}

func TestAsk(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	s := d.Serve("-store", "bolt:kept.db", "-now", "2026-11-23T12:00:00Z")
	d.Env = []string{"VERDETTO_URL=" + s.URL}
	r := transcript{d: d, hide: strings.NewReplacer(s.URL, "URL")}
	for _, line := range []string{
		"ask Milano Lisbona -depart 2027-01-13 -paid 89",
		"ask Milano Lisbona --depart 2027-01-13 --paid 15.50",
		"ask Milan New_York",
		"ask MIL LIS -nonstop -lang de",
		"ask MIL Lisbna -lang fr",
		"ask MIL LIS -month 2027-02 -lang it -currency USD",
		"ask MIL LIS -depart 2027-01-13 -return 2027-01-20",
		"ask MIL LIS -depart 2027-07-13",
		"ask MIL Lisbna",
		"ask Milano Linate",
		"ask MIL LIS -depart 2026-01-13",
		"ask MIL LIS -month 2027-01 -depart 2027-01-13",
		"ask MIL LIS -paid cheap -month soon",
		"ask MIL LIS -currency XYZ -o json",
		"ask MIL",
		"ask MIL LIS -lang nl",
		"ask MIL LIS -o yaml",
		"ask MIL LIS -url verdetto.example",
		"ask MIL LIS -url " + s.URL + "/pro",
		"ask MIL LIS -url http://127.0.0.1:1",
	} {
		r.run(line)
	}
	fixture.Golden(t, "testdata/ask.txt", r.text.Bytes(), *update)
	got := d.Want(0, "", "ask", "MIL", "LIS", "-o", "json")
	fixture.Has(t, "the answer", got.Stdout, `"origineIata": "MIL"`, `"verdetto": {`)

	// Without -url and VERDETTO_URL, ask calls the service that verdetto.toml describes.
	d.Env = nil
	d.Write("verdetto.toml", `VERDETTO_LISTEN = "`+strings.TrimPrefix(s.URL, "http://127.0.0.1")+`"`)
	d.Want(0, "Milan to Lisbon", "ask", "Milano", "Lisbona")
	s.End(t)
}

func TestMessages(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("one.toml", "VERDETTO_LOG = \"loud\"\nVERDETTO_STORE = \"bolt:kept.db\"\n")
	d.Write("many.toml", "VERDETTO_LOG = \"loud\"\nVERDETTO_LISTN = \"127.0.0.1:1\"\nVERDETTO_MONEY = real\n"+
		"VERDETTO_STORE = \"bolt:kept.db\nVERDETTO_NOW = \"tomorrow\"\n")
	d.Write("good.toml", "VERDETTO_STORE = \"bolt:kept.db\"\nVERDETTO_MAIL = \"mail\"\n")
	d.Write("cut.db", "half a backup")
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	r := transcript{d: d, hide: strings.NewReplacer(s.URL, "URL", d.Dir, "DIR")}
	for _, line := range []string{
		"fetch",
		"refrsh",
		"key",
		"refresh -nosuch",
		"check -config one.toml",
		"check -config many.toml",
		"check -config many.toml -o json",
		"check -config good.toml -o json",
		"serve -config many.toml",
		"status",
		"refresh -upstream csv:good.csv -now 2016-03-01 -store bolt:kept.db -o json",
		"import good.csv -now 2016-03-01 -store bolt:kept.db -o json",
		"refresh -upstream sample -store bolt:kept.db",
		"key create -store bolt:kept.db -email nowhere",
		"key create -store bolt:other.db -email ada@example.com",
		"pepper import -store bolt:kept.db -from cut.db",
		"verify -store bolt:kept.db",
		"restore -from cut.db -store bolt:kept.db",
		"restore -from cut.db -store bolt:new.db",
		"serve -listen 127.0.0.1:0 -upstream csv:good.csv -now 2016-03-01 -store bolt:kept.db",
	} {
		r.run(line)
	}
	s.End(t)
	r.run("refresh -upstream csv:good.csv -now 2016-03-01 -store bolt:fresh.db -log json")
	text := times.ReplaceAll(seconds.ReplaceAll(r.text.Bytes(), []byte(" in … s")), []byte(`"time":"…"`))
	fixture.Golden(t, "testdata/messages.txt", text, *update)
}

var seconds, times = regexp.MustCompile(` in [0-9.]+ s\b`), regexp.MustCompile(`"time":"[^"]+"`)

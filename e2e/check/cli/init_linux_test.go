package cli

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/upstream/upstreamtest"
)

func TestInit(t *testing.T) {
	t.Parallel()
	d, source := fixture.NewShell(t), fixture.Upstream(t)
	environment := []string{"TRAVELPAYOUTS_URL=" + source.URL, "TERM=xterm"}
	w := d.InTerminal(t, environment, "init")
	w.Expect("Travelpayouts token:")
	for _, c := range []struct {
		typed, says string
		answer      *upstreamtest.Fault
	}{
		{strings.Repeat("x", 201), fault("token_long"), nil},
		{"two words", fault("token_form"), nil},
		{"wrong-token", fault("token_refused"), nil},
		{upstreamtest.Token, fault("token_refused"), &upstreamtest.Fault{Status: 403}},
		{upstreamtest.Token, fault("limited"), new(upstreamtest.TooMany("", ""))},
		{upstreamtest.Token, fault("source"), new(upstreamtest.Broken(500))},
		{upstreamtest.Token, fault("source"), new(upstreamtest.Garbled("<html>Sign in to this network</html>"))},
	} {
		if c.answer != nil {
			source.Fail(*c.answer)
		}
		w.Type(c.typed + "\r")
		w.Expect(c.says, "Travelpayouts token:")
	}
	w.Type(upstreamtest.Token + "\r")
	w.Expect("The token is right.", "Tab completes a name.", "City:")
	for typed, says := range map[string]string{"\r": fault("city_none"),
		"Qqqqqqqqqq\r": fault("city_unknown", "Name", "Qqqqqqqqqq"), "Milna\r": "Did you mean"} {
		w.Type(typed)
		w.Expect(says, "City:")
	}
	w.Type("Mil\t\r")
	w.Expect("Milan", "City:")
	w.Type("LIN\r")
	w.Expect("is on the list already", "City:")
	w.Type("Paris, Rom\t\r")
	w.Expect("Milan, Paris and Rome", "City:")
	w.Type("-Par\t\r")
	w.Expect("Milan and Rome", "City:")
	w.Type("-Oslo\r")
	w.Expect("Oslo is not on the list.", "City:")
	w.Type("-Milna\r")
	w.Expect("Did you mean", "City:")
	w.Type("-MXP, -Rome\r")
	w.Expect("No city is chosen.", "City:")
	w.Type("Milan, Paris, Oslo, -Oslo, Rome\r")
	w.Expect("Milan, Paris and Rome", "City:")
	w.Type("\r")
	w.Expect("Your settings are in", "3 origins in", "observations",
		"now run verdetto serve and open http://127.0.0.1:8080/?a=")
	w.Ends(0)
	if strings.Contains(w.Text(), upstreamtest.Token) || strings.Contains(w.Text(), "wrong-token") {
		t.Error("the terminal shows a token")
	}
	if !regexp.MustCompile(`\] 2/3 origins, [0-9,]+ routes, [0-9,]+ fares, [0-9.]+ a second, [0-9a-z]+ left`).MatchString(w.Text()) {
		t.Errorf("no progress is shown:\n%s", w.Text())
	}
	fixture.Has(t, "the settings", d.Files()["verdetto.toml"], `VERDETTO_ORIGINS = ["MIL", "PAR", "ROM"]`)

	calls := len(source.Calls())
	again := d.InTerminal(t, environment, "init")
	again.Expect("exists: the set-up goes on with it", "now run verdetto serve and open")
	again.Ends(0)
	if n := len(source.Calls()) - calls; n != 0 {
		t.Errorf("a second init made %d calls", n)
	}
	d.Write("other.toml", `VERDETTO_LOG = "text"`)
	d.Want(1, "names no real source", "init", "-config", "other.toml")
	d.Want(1, "init needs a terminal", "init", "-config", "new.toml")
}

func TestInitStopped(t *testing.T) {
	t.Parallel()
	d, source := fixture.NewShell(t), fixture.Upstream(t)
	environment := []string{"TRAVELPAYOUTS_URL=" + source.URL}
	asked, until := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(asked) })
	source.Choose = func(r *http.Request) upstreamtest.Fault {
		if r.URL.Query().Get("limit") != "1000" {
			return upstreamtest.Fault{} // the request that checks the token succeeds
		}
		first()
		return upstreamtest.Slow(until)
	}
	w := d.InTerminal(t, environment, "init")
	w.Expect("Travelpayouts token:")
	w.Type(upstreamtest.Token + "\r")
	w.Expect("City:")
	w.Type("Milan\r\x03")
	w.Expect("stopped; nothing was stored")
	w.Ends(1)
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
	w = d.InTerminal(t, environment, "init")
	w.Expect("Travelpayouts token:")
	w.Type(upstreamtest.Token + "\r")
	w.Expect("City:")
	w.Type("Milan\r\r")
	w.Expect("Your settings are in " + filepath.Join(d.Dir, "verdetto.toml"))
	<-asked
	w.Type("\x03")
	w.Expect("stopped; verdetto init goes on from here")
	w.Ends(1)
	close(until)
	w = d.InTerminal(t, environment, "init")
	w.Expect("exists: the set-up goes on with it", "now run verdetto serve")
	w.Ends(0)
}

func TestInitWithoutAToken(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	w := d.InTerminal(t, nil, "init")
	w.Expect("Travelpayouts token:")
	w.Type("\r")
	w.Expect("These fares are made up", "now run verdetto serve -upstream sample and open")
	w.Ends(0)
	d.LeftNothing()
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
}

func TestInitFaults(t *testing.T) {
	t.Parallel()
	t.Run("no network", func(t *testing.T) {
		w := fixture.NewShell(t).InTerminal(t, []string{"TRAVELPAYOUTS_URL=http://127.0.0.1:1"}, "init")
		w.Expect("Travelpayouts token:")
		w.Type(upstreamtest.Token + "\r")
		w.Expect(fault("network"), "Travelpayouts token:")
		w.Type("\x04")
		w.Expect("stopped; nothing was stored")
		w.Ends(1)
	})
	t.Run("a full disk", func(t *testing.T) {
		d, source := fixture.NewShell(t), fixture.Upstream(t)
		d.Dir = smallDisk(t)
		w := d.InTerminal(t, []string{"TRAVELPAYOUTS_URL=" + source.URL}, "init")
		w.Expect("Travelpayouts token:")
		w.Type(upstreamtest.Token + "\r")
		w.Expect("City:")
		fill(t, d.Dir)
		w.Type("Milan\r\r")
		w.Expect(fault("disk"), "City:")
		d.Remove("ballast")
		w.Type("\r")
		w.Expect("Your settings are in", "error: "+fault("disk")+" verdetto init goes on from here.")
		w.Ends(1)
		larger(t, d.Dir)
		again := d.InTerminal(t, []string{"TRAVELPAYOUTS_URL=" + source.URL}, "init")
		again.Expect("exists: the set-up goes on with it", "now run verdetto serve")
		again.Ends(0)
	})
	t.Run("a disk without room for a store", func(t *testing.T) {
		d, source := fixture.NewShell(t), fixture.Upstream(t)
		d.Dir = smallDisk(t)
		w := d.InTerminal(t, []string{"TRAVELPAYOUTS_URL=" + source.URL}, "init")
		w.Expect("Travelpayouts token:")
		w.Type(upstreamtest.Token + "\r")
		w.Expect("City:")
		if out, err := exec.Command("mount", "-o", "remount,size=20k", d.Dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		w.Type("Milan\r\r")
		w.Expect("Your settings are in", "no space left on device; free some space on the disk, then start again")
		w.Ends(1)
		larger(t, d.Dir)
		again := d.InTerminal(t, []string{"TRAVELPAYOUTS_URL=" + source.URL}, "init")
		again.Expect("exists: the set-up goes on with it", "now run verdetto serve")
		again.Ends(0)
	})
	t.Run("a service that refreshes", func(t *testing.T) {
		o := firstRun(t, fixture.NewShell(t))
		o.open()
		o.send("", "token", "token", upstreamtest.Token)
		asked, until := make(chan struct{}), make(chan struct{})
		first := sync.OnceFunc(func() { close(asked) })
		o.source.Choose = func(*http.Request) upstreamtest.Fault {
			first()
			return upstreamtest.Slow(until)
		}
		o.send("", "start", "city", "Milano")
		o.server.Answers(t)
		<-asked
		w := o.shell.InTerminal(t, []string{"TRAVELPAYOUTS_URL=" + o.source.URL}, "init")
		w.Expect("the running service is collecting the fares; verdetto status")
		w.Ends(1)
		o.shell.Want(0, "day 0 of 8, collecting since", "status", "-config", "verdetto.toml")
		close(until)
		o.server.End(t)
	})
	t.Run("settings that cannot be read", func(t *testing.T) {
		d := fixture.NewShell(t)
		if err := os.Mkdir(filepath.Join(d.Dir, "verdetto.toml"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"init", "serve"} {
			d.Want(1, "is a directory; give the file with the settings", command)
		}
	})
}

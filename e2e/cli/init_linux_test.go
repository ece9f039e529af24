package cli

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/upstream/upstreamtest"
)

// inTerminal starts verdetto in a terminal.
func inTerminal(t *testing.T, d fixture.Shell, environment []string, args ...string) *fixture.Terminal {
	t.Helper()
	command := d.Command(t.Context(), args...)
	command.Env = append(command.Env, environment...)
	return fixture.InTerminal(t, command)
}

// TestInit sets the service up in a terminal, past every kind of wrong input. It never shows the
// token.
func TestInit(t *testing.T) {
	t.Parallel()
	d, source := fixture.NewShell(t), fixture.Upstream(t)
	environment := []string{"TRAVELPAYOUTS_URL=" + source.URL, "TERM=xterm"}
	w := inTerminal(t, d, environment, "init")
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
	has(t, "the settings", d.Files()["verdetto.toml"], `VERDETTO_ORIGINS = ["MIL", "PAR", "ROM"]`)

	calls := len(source.Calls())
	again := inTerminal(t, d, environment, "init")
	again.Expect("exists: the set-up goes on with it", "now run verdetto serve and open")
	again.Ends(0)
	if n := len(source.Calls()) - calls; n != 0 {
		t.Errorf("a second init made %d calls", n)
	}
	d.Write("other.toml", `VERDETTO_LOG = "text"`)
	run(t, d, 1, "names no real source", "init", "-config", "other.toml")
	run(t, d, 1, "init needs a terminal", "init", "-config", "new.toml")
}

// TestInitStopped: Ctrl-C at a question stores nothing. Ctrl-C during the refresh keeps the
// settings, and the next init goes on.
func TestInitStopped(t *testing.T) {
	t.Parallel()
	d, source := fixture.NewShell(t), fixture.Upstream(t)
	environment := []string{"TRAVELPAYOUTS_URL=" + source.URL}
	asked, until := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(asked) })
	source.Choose = func(r *http.Request) upstreamtest.Fault {
		if r.URL.Query().Get("limit") != "1000" {
			return upstreamtest.Fault{} // the check of the token
		}
		first()
		return upstreamtest.Slow(until)
	}
	w := inTerminal(t, d, environment, "init")
	w.Expect("Travelpayouts token:")
	w.Type(upstreamtest.Token + "\r")
	w.Expect("City:")
	w.Type("Milan\r\x03")
	w.Expect("stopped; nothing was stored")
	w.Ends(1)
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
	w = inTerminal(t, d, environment, "init")
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
	w = inTerminal(t, d, environment, "init")
	w.Expect("exists: the set-up goes on with it", "now run verdetto serve")
	w.Ends(0)
}

// TestInitWithoutAToken: Enter alone shows a verdict about invented fares and stores nothing.
func TestInitWithoutAToken(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	w := inTerminal(t, d, nil, "init")
	w.Expect("Travelpayouts token:")
	w.Type("\r")
	w.Expect("These fares are made up", "now run verdetto serve -upstream sample and open")
	w.Ends(0)
	d.LeftNothing()
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
}

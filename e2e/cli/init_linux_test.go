package cli

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"verdetto/e2e/fixture"
	"verdetto/shared/upstream/upstreamtest"
)

// terminal is a command in a pseudo-terminal.
type terminal struct {
	t       *testing.T
	command *exec.Cmd
	control *os.File

	mu   sync.Mutex
	text string
	read int // end of the text that expect has found
	more *sync.Cond
	gone bool
}

// inTerminal starts a command in a pseudo-terminal.
func inTerminal(t *testing.T, d fixture.Shell, environment []string, args ...string) *terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("open a pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { control.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, fault := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request,
			uintptr(unsafe.Pointer(value))); fault != 0 {
			t.Fatal(fault)
		}
	}
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer side.Close()
	w := &terminal{t: t, control: control, command: d.Command(t.Context(), args...)}
	w.more = sync.NewCond(&w.mu)
	w.command.Env = append(w.command.Env, environment...)
	w.command.Stdin, w.command.Stdout, w.command.Stderr = side, side, side
	w.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.command.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(5*time.Minute, func() { _ = w.command.Process.Kill() }) // for a command that hangs
	t.Cleanup(func() { limit.Stop() })
	go w.follow()
	return w
}

// follow reads what the terminal shows, until the command ends.
func (w *terminal) follow() {
	part := make([]byte, 4096)
	for {
		n, err := w.control.Read(part)
		w.mu.Lock()
		w.text += string(part[:n])
		w.gone = err != nil
		w.more.Broadcast()
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// expect waits until the terminal shows the texts, in this order.
func (w *terminal) expect(texts ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range texts {
		for {
			// a terminal breaks long lines, so breaks and spaces are equal
			shown := strings.Join(strings.Fields(w.text[w.read:]), " ")
			if strings.Contains(shown, text) {
				break
			}
			if w.gone {
				w.t.Fatalf("the terminal never shows %q:\n%s", text, w.text)
			}
			w.more.Wait()
		}
	}
	w.read = len(w.text)
}

func (w *terminal) types(keys string) {
	w.t.Helper()
	if _, err := w.control.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// ends fails the test unless the command ends with an exit code.
func (w *terminal) ends(code int) {
	w.t.Helper()
	_ = w.command.Wait() // the exit code reports failures
	if got := w.command.ProcessState.ExitCode(); got != code {
		w.t.Errorf("exit code %d, want %d:\n%s", got, code, w.text)
	}
}

// TestInit sets the service up in a terminal, past every kind of wrong input. It never shows the
// token.
func TestInit(t *testing.T) {
	t.Parallel()
	d, source := fixture.NewShell(t), fixture.Upstream(t)
	environment := []string{"TRAVELPAYOUTS_URL=" + source.URL, "TERM=xterm"}
	w := inTerminal(t, d, environment, "init")
	w.expect("Travelpayouts token:")
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
		w.types(c.typed + "\r")
		w.expect(c.says, "Travelpayouts token:")
	}
	w.types(upstreamtest.Token + "\r")
	w.expect("The token is right.", "Tab completes a name.", "City:")
	for typed, says := range map[string]string{"\r": fault("city_none"),
		"Qqqqqqqqqq\r": fault("city_unknown", "Name", "Qqqqqqqqqq"), "Milna\r": "Did you mean"} {
		w.types(typed)
		w.expect(says, "City:")
	}
	w.types("Mil\t\r")
	w.expect("Milan", "City:")
	w.types("LIN\r")
	w.expect("is on the list already", "City:")
	w.types("Paris, Rom\t\r")
	w.expect("Milan, Paris and Rome", "City:")
	w.types("\r")
	w.expect("Your settings are in", "3 origins in", "observations",
		"now run verdetto serve and open http://127.0.0.1:8080/?a=")
	w.ends(0)
	if strings.Contains(w.text, upstreamtest.Token) || strings.Contains(w.text, "wrong-token") {
		t.Error("the terminal shows a token")
	}
	if !regexp.MustCompile(`\] 2/3 origins, [0-9,]+ routes, [0-9,]+ fares, [0-9.]+ a second, [0-9a-z]+ left`).MatchString(w.text) {
		t.Errorf("no progress is shown:\n%s", w.text)
	}
	has(t, "the settings", d.Files()["verdetto.toml"], `VERDETTO_ORIGINS = ["MIL", "PAR", "ROM"]`)

	calls := len(source.Calls())
	again := inTerminal(t, d, environment, "init")
	again.expect("exists: the set-up goes on with it", "now run verdetto serve and open")
	again.ends(0)
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
	w.expect("Travelpayouts token:")
	w.types(upstreamtest.Token + "\r")
	w.expect("City:")
	w.types("Milan\r\x03")
	w.expect("stopped; nothing was stored")
	w.ends(1)
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
	w = inTerminal(t, d, environment, "init")
	w.expect("Travelpayouts token:")
	w.types(upstreamtest.Token + "\r")
	w.expect("City:")
	w.types("Milan\r\r")
	w.expect("Your settings are in " + filepath.Join(d.Dir, "verdetto.toml"))
	<-asked
	w.types("\x03")
	w.expect("stopped; verdetto init goes on from here")
	w.ends(1)
	close(until)
	w = inTerminal(t, d, environment, "init")
	w.expect("exists: the set-up goes on with it", "now run verdetto serve")
	w.ends(0)
}

// TestInitWithoutAToken: Enter alone shows a verdict about invented fares and stores nothing.
func TestInitWithoutAToken(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	w := inTerminal(t, d, nil, "init")
	w.expect("Travelpayouts token:")
	w.types("\r")
	w.expect("These fares are invented", "now run verdetto serve -upstream sample and open")
	w.ends(0)
	d.LeftNothing()
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
}

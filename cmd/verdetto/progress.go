package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"verdetto/cmd/verdetto/setup"
	"verdetto/functions/refresh"
	"verdetto/shared/text/i18n"
)

// progress returns a function that draws a progress bar on a terminal. If standard error is a
// file, it prints only the final total and duration.
func progress(summary string) func(done, total int, at string) {
	begun := time.Now()
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	return func(done, total int, at string) {
		const width = 30
		if terminal {
			full := width * done / total
			fmt.Fprintf(os.Stderr, "\r[%s%s] %d/%d %s\033[K", strings.Repeat("#", full), strings.Repeat(".", width-full),
				done, total, at)
		}
		if done == total {
			if terminal {
				fmt.Fprint(os.Stderr, "\r\033[K")
			}
			fmt.Fprintf(os.Stderr, "%d %s in %.1f s\n", total, summary, time.Since(begun).Seconds())
		}
	}
}

// originProgress returns a function that shows how many origins a refresh has finished. If first is
// not nil (the first run of the service), the function also shows the progress of the first run.
func originProgress(first *setup.Setup) func(done, total int, of refresh.Outcome) {
	show := progress("origins")
	return func(done, total int, of refresh.Outcome) {
		at := string(of.Origin)
		if first != nil {
			first.Refreshed(done, total, of)
			at = first.State().Progress.Text(i18n.English())
		}
		show(done, total, at)
	}
}

// logEvery is how often long work logs its progress if standard error is no terminal.
const logEvery = 10 * time.Second

// meter shows the progress of long work, with its rate and the time that is left: a bar on a
// terminal, elsewhere a log line each 10 seconds.
type meter struct {
	unit     string
	terminal io.Writer // nil: none
	log      *slog.Logger
	now      func() time.Time

	began, logged time.Time
	before        int // done before the first call
}

// newMeter returns a meter on standard error.
func newMeter(unit string, log *slog.Logger) *meter {
	m := &meter{unit: unit, log: log, now: time.Now}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		m.terminal = os.Stderr
	}
	return m
}

// show reports that a part of the work is done.
func (m *meter) show(done, total int, at string) {
	now := m.now()
	if m.began.IsZero() {
		m.began, m.logged, m.before = now, now, done
		return
	}
	rate := float64(done-m.before) / max(now.Sub(m.began).Seconds(), 0.001)
	left := "unknown"
	if rate > 0 {
		left = time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second).String()
	}
	switch {
	case m.terminal != nil && done < total:
		const width = 30
		full := width * done / total
		fmt.Fprintf(m.terminal, "\r\033[K[%s%s] %d/%d %s, %s, %.0f a second, %s left", strings.Repeat("#", full),
			strings.Repeat(".", width-full), done, total, m.unit, at, rate, left)
	case m.terminal != nil:
		fmt.Fprint(m.terminal, "\r\033[K")
	case now.Sub(m.logged) >= logEvery:
		m.logged = now
		m.log.Info("in progress", "done", done, "of", total, "unit", m.unit, "at", at,
			"perSecond", int(rate), "left", left)
	}
}

package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"verdetto/cmd/verdetto/setup"
	"verdetto/functions/refresh"
	"verdetto/shared/text/i18n"
)

func originProgress(first *setup.Setup, log *slog.Logger, form string) func(done, total int, origin refresh.Outcome) {
	bar := newMeter("origins", log).in(form)
	return func(done, total int, origin refresh.Outcome) {
		at := string(origin.Origin)
		if first != nil {
			first.Refreshed(done, total, origin)
			at = first.State().Progress.Found(i18n.English())
		}
		bar.show(done, total, at)
	}
}

func seriesProgress(log *slog.Logger, form string) func(done, total int, at string) {
	return newMeter("series of departures", log).in(form).show
}

const logEvery = 10 * time.Second

type meter struct {
	unit            string
	terminal, ended io.Writer
	log             *slog.Logger
	now             func() time.Time

	opened, began, logged time.Time
	before                int // the parameter done in the first call of show
}

func newMeter(unit string, log *slog.Logger) *meter {
	m := &meter{unit: unit, log: log, now: time.Now, ended: os.Stderr, opened: time.Now()}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		m.terminal = os.Stderr
	}
	if log == nil {
		m.log = slog.New(logTo(os.Stderr, ""))
	}
	return m
}

// If the log is JSON, programs read standard error, so the meter only logs.
func (m *meter) in(form string) *meter {
	if form == jsonLog {
		m.terminal, m.ended = nil, nil
	}
	return m
}

func (m *meter) show(done, total int, at string) {
	now := m.now()
	if m.began.IsZero() {
		m.began, m.logged, m.before = now, now, done
	}
	if done == total {
		m.clear()
		if m.ended != nil {
			fmt.Fprintf(m.ended, "%d %s in %.1f s\n", total, m.unit, now.Sub(m.opened).Seconds())
		}
		return
	}
	rate := float64(done-m.before) / max(now.Sub(m.began).Seconds(), 0.001)
	left := "unknown"
	if rate > 0 && total > 0 {
		left = time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second).String()
	}
	switch {
	case m.terminal != nil && total == 0:
		fmt.Fprintf(m.terminal, "\r\033[K%d %s, %s, %.0f a second", done, m.unit, at, rate)
	case m.terminal != nil && done > m.before:
		const width = 30
		full := width * done / total
		fmt.Fprintf(m.terminal, "\r\033[K[%s%s] %d/%d %s, %s, %.1f a second, %s left", strings.Repeat("#", full),
			strings.Repeat(".", width-full), done, total, m.unit, at, rate, left)
	case m.terminal == nil && now.Sub(m.logged) >= logEvery:
		m.logged = now
		m.log.Info("in progress", "done", done, "of", total, "unit", m.unit, "at", at,
			"perSecond", math.Round(10*rate)/10, "left", left)
	}
}

func (m *meter) clear() {
	if m.terminal != nil {
		fmt.Fprint(m.terminal, "\r\033[K")
	}
}

package main

import (
	"fmt"
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

// originProgress returns the progress bar of a refresh by city. It also counts for a first run,
// and then shows its progress.
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

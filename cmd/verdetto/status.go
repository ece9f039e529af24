package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdetto/cmd/verdetto/statuspage"
	"verdetto/shared/i18n"
)

// errBroken: the page was written, and says that the service does not work.
var errBroken = errors.New("the service does not work; the page says so")

// runStatus asks a service how it is and writes a page of it.
func runStatus(ctx context.Context, args []string) error {
	var url, to, code string
	flags := flag.NewFlagSet("status", flag.ContinueOnError)
	flags.StringVar(&url, "url", "", "`URL` of the service")
	flags.StringVar(&to, "to", "status.html", "the `file` to write")
	flags.StringVar(&code, "lang", i18n.Default().Code, "the page's `language`: "+strings.Join(i18n.Codes(), " or "))
	if err := parse(flags, args); err != nil {
		return err
	}
	language, ok := i18n.Find(code)
	if !ok {
		return fmt.Errorf("-lang %q: want %s", code, strings.Join(i18n.Codes(), " or "))
	}
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://127.0.0.1:") {
		return fmt.Errorf("-url %q: want an address such as https://verdetto.example", url)
	}
	status := statuspage.Ask(ctx, http.DefaultClient, strings.TrimSuffix(url, "/"), time.Now)
	if ctx.Err() != nil {
		return ctx.Err() // stopped: what was not asked says nothing
	}
	var page bytes.Buffer
	if err := status.Write(&page, language); err != nil {
		return err
	}
	// Whoever reads meanwhile sees the page before or the page after.
	part, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".part-*")
	if err != nil {
		return fmt.Errorf("write status page: %w", err)
	}
	_, err = part.Write(page.Bytes())
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err == nil {
		err = os.Rename(part.Name(), to)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write status page: %w", err), os.Remove(part.Name()))
	}
	if !status.Works() {
		return errBroken
	}
	return nil
}

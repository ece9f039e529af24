package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/statuspage"
	"verdetto/shared/text/i18n"
)

// errBroken: the page was written, and says that the service does not work.
var errBroken = errors.New("the service does not work; the page says so")

// runStatus says how a service is: of its store, or from outside, as a page.
func runStatus(ctx context.Context, args []string) error {
	var url, to, code string
	flags, store := storeFlags("status")
	asJSON := flags.Bool("json", false, "of a store, print the same as JSON")
	flags.StringVar(&url, "url", "", "`URL` of a service, to ask it from outside and write a page")
	flags.StringVar(&to, "to", "status.html", "the `file` to write")
	flags.StringVar(&code, "lang", i18n.Default().Code, "the page's `language`: "+i18n.SpokenCodes())
	if err := parse(flags, args); err != nil {
		return err
	}
	if url == "" {
		return statusOfStore(ctx, *store, *asJSON)
	}
	language, ok := i18n.Find(code)
	if !ok {
		return fmt.Errorf("-lang %q: want %s", code, i18n.SpokenCodes())
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

// statusOfStore says how the service is that a store belongs to.
func statusOfStore(ctx context.Context, store string, asJSON bool) error {
	if store == "" {
		return errors.New("status needs -store bolt:FILE, to look at it on its machine, or -url https://..., to ask from outside")
	}
	status, err := onemachine.StatusOf(ctx, store, time.Now)
	if err != nil {
		return err
	}
	if !asJSON {
		status.Print(os.Stdout)
		return nil
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(status); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	return nil
}

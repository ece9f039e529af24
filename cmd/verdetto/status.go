package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/statuspage"
	"verdetto/shared/text/i18n"
)

// errBroken reports that the checked service does not work. The status page was still written, and
// shows this.
var errBroken = errors.New("a part of the service does not work; the status page shows which")

func statusCommand() *cobra.Command {
	var store, url, to, language string
	var out output
	c := newCommand("status", "show the state of a store, or write a status page of a service",
		func(ctx context.Context) error {
			if url == "" {
				return statusOfStore(ctx, store, out)
			}
			return writeStatusPage(ctx, url, to, language, out)
		})
	takeSettings(c, map[string]*string{"store": &store})
	f := c.Flags()
	out.flagJSON(c)
	f.StringVar(&url, "url", "", "`URL` of a service, to call it and write a status page")
	f.StringVar(&to, "to", "status.html", "the `file` to write")
	f.StringVar(&language, "lang", i18n.Default().Code, "the page's `language`: "+i18n.SpokenCodes())
	return c
}

// writeStatusPage checks a service from outside and writes a status page. If the output is JSON, it also
// prints the status.
func writeStatusPage(ctx context.Context, url, to, code string, out output) error {
	language, ok := i18n.Find(code)
	if !ok {
		return fmt.Errorf("-lang %q: want %s", code, i18n.SpokenCodes())
	}
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://127.0.0.1:") {
		return fmt.Errorf("-url %q: want an address such as https://verdetto.example", url)
	}
	status := statuspage.Ask(ctx, http.DefaultClient, strings.TrimSuffix(url, "/"), time.Now)
	if ctx.Err() != nil {
		return ctx.Err() // interrupted: a part that was not checked proves nothing
	}
	var page bytes.Buffer
	if err := status.Write(&page, language); err != nil {
		return err
	}
	// Write a temporary file and rename it, so a reader never sees half a page.
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
	if out.json() {
		err = out.print(status, nil)
	}
	if !status.Works() {
		err = errors.Join(err, errBroken)
	}
	return err
}

// statusOfStore prints the status of the service that uses a store.
func statusOfStore(ctx context.Context, store string, out output) error {
	if store == "" {
		return errors.New("status needs -store bolt:FILE on the machine of the service, or -url https://... from elsewhere")
	}
	status, err := onemachine.StatusOf(ctx, store, time.Now)
	if err != nil {
		return err
	}
	return out.print(status, status.Print)
}

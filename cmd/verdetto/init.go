package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/cmd/verdetto/setup"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

func initCommand() *cobra.Command {
	var o serveOptions
	c := newCommand("init", "set the service up in this terminal, up to the first verdict", nil)
	file := settingsFile(c, o.flags(c))
	c.RunE = func(c *cobra.Command, _ []string) error {
		to := cmp.Or(*file, setUpFile)
		_, err := os.Stat(to)
		isNew := errors.Is(err, os.ErrNotExist)
		from := to
		if isNew {
			from = ""
		}
		taken, faults := settings.Take(c.Flags(), from)
		if err := settingsError(faults); err != nil {
			return err
		}
		if o.first, err = newSetup(to, o.store); err != nil {
			return err
		}
		if err := checkSetUp(c.Context(), o.first.Store); err != nil {
			return err
		}
		if isNew {
			if err := ask(c.Context(), o.first); err != nil {
				return err
			}
			if err := o.follow(c, o.first); err != nil {
				return err
			}
		} else {
			if o.upstream != "travelpayouts" {
				return fmt.Errorf("%s exists and names no real source; see its %d settings with verdetto check -config %[1]s",
					to, len(taken))
			}
			fmt.Printf("%s exists: the set-up goes on with it\n", to)
			o.first.Resume()
		}
		return o.refreshFirst(c.Context())
	}
	return c
}

func checkSetUp(ctx context.Context, name string) error {
	if isNew(name) {
		return nil
	}
	table, err := onemachine.ReadStore(ctx, name, time.Now)
	if err != nil {
		return err
	}
	defer table.Close()
	return checkSource(ctx, table, name, "travelpayouts")
}

var errStopped = errors.New("stopped; nothing was stored, and verdetto init begins again")

func ask(ctx context.Context, s *setup.Setup) error {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		return errors.New("init needs a terminal; without one write a settings file, see docs/configuration.md")
	}
	before, err := term.MakeRaw(in)
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer term.Restore(in, before)
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stdout}, "")
	t.AutoCompleteCallback = setup.CompleteCity
	answered := make(chan error, 1)
	go func() { answered <- s.Ask(ctx, t) }()
	select {
	case err = <-answered:
	case <-ctx.Done():
		err = io.EOF
	}
	if errors.Is(err, io.EOF) {
		return errStopped
	}
	return err
}

func (o *serveOptions) refreshFirst(ctx context.Context) error {
	s, err := o.service()
	if err != nil {
		return err
	}
	if _, err := o.options.open(ctx, &s, os.Stdout, onemachine.OpenShared); err != nil {
		return err
	}
	defer s.Table.Close()
	if o.first.State().Invented {
		s.Origins = []fare.City{"MIL"} // one city is enough to show a verdict about invented fares
	}
	err = s.RefreshDue(ctx, refreshesOf(s, o.log, o.first))
	if ctx.Err() != nil {
		return errors.New("stopped; verdetto init goes on from here")
	}
	l := i18n.English()
	if fault := o.first.State().Progress.Fault; err != nil && fault != nil {
		return errors.New(fault.Text(l) + " verdetto init goes on from here.")
	}
	if errors.Is(err, store.ErrHeld) {
		return fmt.Errorf("the running service is collecting the fares; verdetto status -config %s says how far it is",
			o.first.File)
	}
	if err != nil {
		return err
	}
	if err := endFirst(ctx, s, o.first, nil, true); err != nil {
		return err
	}
	at := "http://" + o.address()
	command := "verdetto serve"
	if o.first.State().Invented {
		fmt.Println(l.Text("setup.invented"))
		command += " -upstream sample"
	} else if here, err := filepath.Abs(setUpFile); err == nil && o.first.File != here {
		command += " -config " + o.first.File
	}
	path := "/"
	if first := o.first.State().Progress.First; first != nil {
		fmt.Printf("\n%s\n", first.Sentence(l))
		path = first.Path(l)
	} else {
		fmt.Printf("\n%s. %s\n", l.Text("setup.none"), l.Text("setup.none_lede"))
	}
	fmt.Printf("\nnow run %s and open %s%s\n", command, at, path)
	return nil
}

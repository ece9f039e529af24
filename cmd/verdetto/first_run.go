package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/cmd/verdetto/setup"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
)

const (
	setUpFile   = "verdetto.toml"
	serversFile = "/etc/verdetto/verdetto.toml"
	setUpStore  = "bolt:verdetto.db"
)

var notFirst = []string{"VERDETTO_UPSTREAM", "TRAVELPAYOUTS_TOKEN", "VERDETTO_ORIGINS", "VERDETTO_TLS",
	"VERDETTO_BEHIND", "VERDETTO_BASE_URL", "VERDETTO_NOW"}

func (o *serveOptions) isFirstRun(taken []settings.ValuedSetting, file string) bool {
	for _, t := range taken {
		if slices.Contains(notFirst, t.Name) {
			return false
		}
	}
	return file == "" && o.money != onemachine.RealMoney && setup.IsLoopback(o.address()) && isNew(cmp.Or(o.store, setUpStore))
}

func isNew(store string) bool {
	file, isFile := strings.CutPrefix(store, "bolt:")
	_, err := os.Stat(file)
	return isFile && errors.Is(err, os.ErrNotExist)
}

func newSetup(file, store string) (*setup.Setup, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("find the folder of the settings: %w", err)
	}
	store, err = filepath.Abs(strings.TrimPrefix(cmp.Or(store, setUpStore), "bolt:"))
	return setup.New(file, "bolt:"+store, checkToken), err
}

func checkToken(ctx context.Context, token string) error {
	client, err := travelpayouts.New(travelpayouts.Config{
		Token: token, BaseURL: os.Getenv("TRAVELPAYOUTS_URL"),
		Comparable: upstream.Comparable{CityOf: places.CityOf,
			Rates: func(fare.Day) fare.Rates { return fare.Rates{} }},
	})
	if err != nil {
		return err
	}
	return client.Check(ctx)
}

func (o *serveOptions) setUp(c *cobra.Command) (begins bool, err error) {
	if err := settingsError(o.faults()); err != nil {
		return false, err
	}
	taken, err := o.listenOn(o.address(), "-listen") // a busy port is reported before the questions
	if err != nil {
		return false, err
	}
	base := onemachine.LocalURL(taken.Addr())
	o.listen = taken.Addr().String()
	o.close()
	o.opened = nil
	s, err := newSetup(setUpFile, o.store)
	if err != nil {
		return false, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false, fmt.Errorf("listen for the set-up page: %w; set up in this terminal with verdetto init", err)
	}
	page := setup.NewPage(s, listener.Addr().String(), base)
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute}
	go server.Serve(listener)
	context.AfterFunc(c.Context(), func() { _ = server.Close() })
	if o.log == jsonLog {
		slog.New(logTo(os.Stdout, o.log)).InfoContext(c.Context(), "set up", "url", page.Address())
	} else {
		fmt.Printf("set up Verdetto in a browser on this machine; this address works once:\n\n  %s\n\n"+
			"or stop with Ctrl-C and set it up in the terminal: verdetto init\n", page.Address())
	}
	select {
	case <-c.Context().Done():
		return false, nil
	case <-s.Chosen():
	}
	o.first = s
	return true, o.follow(c, s)
}

func (o *serveOptions) follow(c *cobra.Command, s *setup.Setup) error {
	if s.State().Invented {
		o.upstream, o.store = "sample", "" // without a name, the store is temporary
		return nil
	}
	_, faults := settings.Take(c.Flags(), s.File)
	return settingsError(faults)
}

func endFirst(ctx context.Context, s onemachine.Options, first *setup.Setup, failed error, last bool) error {
	if first == nil || first.State().Step == setup.Done {
		return failed
	}
	if failed != nil && !errors.Is(failed, refresh.ErrPartly) {
		first.Failed(failed)
		return failed
	}
	d, found, err := s.FirstDeparture(ctx)
	switch {
	case err != nil:
		return err
	case found:
		first.Ended(&d)
	case last:
		first.Ended(nil)
	}
	return failed
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
)

func refreshCommand() *cobra.Command {
	var o options
	var out output
	var origins, mail, base string
	c := newCommand("refresh", "refresh a store once, also while it is served", func(ctx context.Context) error {
		return refreshOnce(ctx, o, origins, mail, base, out)
	})
	f := c.Flags()
	f.StringVar(&origins, "origins", "", "refresh only these `cities`: IATA codes with commas; default: all cities of the source")
	f.StringVar(&mail, "mail", "", "also send alerts, through this `carrier` (see serve); default: serve or a later refresh sends them")
	f.StringVar(&base, "base", "http://127.0.0.1:8080", "`URL` of the service, for links in mails")
	takeSettings(c, o.flags(c))
	out.flag(c)
	return c
}

func refreshOnce(ctx context.Context, o options, origins, mail, base string, out output) (err error) {
	s, err := o.service()
	if err != nil {
		return err
	}
	s.Mail, s.BaseURL = mail, strings.TrimRight(base, "/")
	if o.store == "" {
		return fmt.Errorf("refresh needs -store, the store to refresh")
	}
	only, err := cityList(origins)
	if err != nil {
		return err
	}
	notes := o.notes(s.Log, out.notes())
	defer func() { err = advised(err, "nothing is stored twice") }()
	partly, err := o.open(ctx, &s, notes, onemachine.OpenShared)
	if err != nil {
		return err
	}
	defer s.Table.Close()
	var report refreshed
	err = s.RefreshAlone(ctx, waiting(s.Log), func(ctx context.Context) (err error) {
		report.Report, err = s.Refresh(ctx, originProgress(nil, s.Log, o.log), only...)
		if err == nil && len(only) == 0 {
			report.Departures, err = s.Deepen(ctx, seriesProgress(s.Log, o.log))
		}
		return err
	})
	switch {
	case report.Origins == 0:
	case o.log == jsonLog && !out.json():
		logRefreshed(ctx, s.Log, report.Report)
		s.Log.InfoContext(ctx, "departures refreshed", "report", report.Departures)
	default:
		err = errors.Join(err, out.print(report, report.Print))
	}
	if err != nil {
		return err
	}
	if s.Mail != "" {
		if err := notify(ctx, s, notes); err != nil {
			return err
		}
	}
	if report.Failed > 0 {
		return fmt.Errorf("%d of %d origins failed; run it again to ask for them", report.Failed, report.Origins)
	}
	if partly {
		return errPartly
	}
	return nil
}

func logRefreshed(ctx context.Context, log *slog.Logger, r refresh.Report) {
	log.InfoContext(ctx, "refreshed", "origins", r.Origins, "asked", r.Answered, "failed", r.Failed, "new", r.New,
		"faults", r.Faults)
}

type refreshed struct {
	refresh.Report
	Departures refresh.DeepReport `json:"departures"`
}

func (r refreshed) Print(w io.Writer) {
	r.Report.Print(w)
	r.Departures.Print(w)
}

func waiting(log *slog.Logger) func() {
	return func() { log.Info("the service is refreshing; this command begins afterwards") }
}

func notify(ctx context.Context, s onemachine.Options, w io.Writer) (err error) {
	if s.Pepper, err = onemachine.Pepper(ctx, s.Table); err != nil {
		return err
	}
	carrier, err := onemachine.OpenCarrier(ctx, s.Mail, s.Now, nil)
	if err != nil {
		return err
	}
	sent, err := s.NewSender(carrier).Work(ctx)
	fmt.Fprintf(w, "mail          %d sent, %d refused for good\n", sent.Sent, sent.Refused)
	switch {
	case err != nil:
		return err
	case sent.Busy:
		return fmt.Errorf("another process sends notifications, or ended less than 3 minutes ago; try again in 3 minutes")
	case sent.More:
		return fmt.Errorf("not all notifications were sent; run this again")
	}
	return nil
}

func cityList(s string) ([]fare.City, error) {
	if s == "" {
		return nil, nil
	}
	var cities []fare.City
	for part := range strings.SplitSeq(s, ",") {
		city, ok := places.CityOf(strings.ToUpper(strings.TrimSpace(part)))
		if !ok {
			return nil, fmt.Errorf("-origins: %q is not the IATA code of a city or airport we know", part)
		}
		cities = append(cities, city)
	}
	return cities, nil
}

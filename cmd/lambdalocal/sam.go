package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/web/routes"
)

func runSAM(ctx context.Context, args []string) error {
	var f fares
	var config, function, event, listen string
	flags := flag.NewFlagSet("sam", flag.ContinueOnError)
	flags.StringVar(&config, "config", "infra/cdk/example.json", "the operator's choices: a JSON `file`")
	flags.StringVar(&function, "fn", "", "the `function` to run, as in functions/")
	flags.StringVar(&event, "event", "", "the event to hand it: a JSON `file`, as in events/")
	flags.StringVar(&listen, "listen", "", "answer on this `address` as the distribution would, in place of one event")
	f.register(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if (function == "" || event == "") == (listen == "") {
		return errors.New("sam needs either -fn and -event, or -listen; make sam-invoke FN=analisi EVENT=events/analisi.json and make sam-start-api give them")
	}
	var listener net.Listener
	if listen != "" {
		var err error
		if listener, err = samlocal.Listen(listen); err != nil {
			return err
		}
		defer listener.Close()
	}
	local, err := samlocal.Open(ctx, config, os.Stderr)
	if errors.Is(err, samlocal.ErrNoEngine) {
		fmt.Fprintln(os.Stderr, "no Docker engine answers: starting one for this command")
		return runWithin(ctx, listener, err)
	}
	if err != nil {
		return err
	}
	defer local.Close()
	s, err := f.setup(ctx)
	if err != nil {
		return err
	}
	s.CreateTable = local.CreateTable
	if listener != nil {
		s.LocalURL = onemachine.LocalURL(listener.Addr())
	}
	return withCloud(ctx, s, local, function != "refresh", func(environment []string, originSecret string) error {
		if listener != nil {
			return serveSAM(ctx, local, append(environment, "VERDETTO_BASE_URL="+s.LocalURL), originSecret, listener)
		}
		answer, err := local.Invoke(ctx, function, environment, event, os.Stderr)
		if err == nil {
			fmt.Println(string(answer))
		}
		return err
	})
}

func withCloud(ctx context.Context, s localcloud.Setup, local *samlocal.Local, fill bool,
	run func(environment []string, originSecret string) error) error {
	table, stop, err := dynamolocal.Start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	environment, done, err := s.Seed(ctx, table, fill)
	if err != nil {
		return err
	}
	defer done()
	aws, end, err := motolocal.Start()
	if err != nil {
		return err
	}
	defer end()
	cloud, err := localcloud.New(ctx, aws, local.Service(), environment)
	if err != nil {
		return err
	}
	return run(cloud.Environment, valueOf(environment, "VERDETTO_ORIGIN_SECRETS"))
}

func runWithin(ctx context.Context, listener net.Listener, without error) error {
	command, err := samlocal.Within(ctx, os.Args[0], os.Args[1:]...)
	if err != nil {
		return fmt.Errorf("%w; %w", without, err)
	}
	if err := samlocal.HandOn(command, listener); err != nil {
		return err
	}
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("with an engine of its own: %w", err)
	}
	return nil
}

// until drops output that is written after its context has ended.
type until struct {
	context.Context
	io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if u.Err() != nil {
		return len(p), nil //nolint:nilerr // dropped on purpose
	}
	return u.Writer.Write(p)
}

func serveSAM(ctx context.Context, local *samlocal.Local, environment []string, originSecret string,
	listener net.Listener) error {
	behind, stop, err := local.Start(ctx, "start-api", environment, until{ctx, os.Stderr})
	if err != nil {
		return err
	}
	defer stop()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: behind, Path: "/" + routes.ShareOf(r.In.URL.Path).Name})
		r.Out.Header.Set("X-Origin-Secret", originSecret)
		r.Out.Header.Set("CloudFront-Viewer-Address", r.In.RemoteAddr)
	}}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Printf("\nanswering on http://%s once SAM says that it runs; the first call of each function waits for its container\n\n"+
		"  curl 'http://%[1]s/v1/analisi?origine=Milano&destinazione=Bucarest'\n\nstop with Ctrl-C\n", listener.Addr())
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return server.Close()
	}
}

func valueOf(environment []string, name string) (value string) {
	for _, v := range environment {
		if found, ok := strings.CutPrefix(v, name+"="); ok {
			value = found
		}
	}
	return value
}

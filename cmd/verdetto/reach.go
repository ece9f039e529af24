package main

import (
	"cmp"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/onemachine"
)

// reach is how callers reach the service: directly, by TLS of its own, or through a proxy.
type reach struct {
	listen, plain, tls, acme, behind, forwarded string

	config edge.Config
	opened []net.Listener
}

func (r *reach) register(f *flag.FlagSet) {
	f.StringVar(&r.listen, "listen", "", "`address` to answer on; default: 127.0.0.1:8080, with -tls :443")
	f.StringVar(&r.tls, "tls", "", "speak TLS for these `domains`, parted by commas, with certificates from Let's Encrypt, to whose terms you agree; they are kept beside the store")
	f.StringVar(&r.acme, "acme", "", "with -tls: have certificates from the `directory` at this URL instead")
	f.StringVar(&r.plain, "http", ":80", "with -tls: `address` that answers who issues certificates, and sends everybody else to https")
	f.StringVar(&r.behind, "behind", "", "`addresses` or networks of your proxy, as 127.0.0.1,10.0.0.0/8: it is believed who calls it, and nobody else is")
	f.StringVar(&r.forwarded, "forwarded", edge.ForwardedFor, "with -behind: the `header` in which your proxy says who calls, X-Forwarded-For or Forwarded")
}

// open listens, and tells the service what it has to know of that.
func (r *reach) open(s *onemachine.Options, store string) (listener net.Listener, err error) {
	if r.config.Proxies, err = edge.ParseProxies(r.behind, r.forwarded); err != nil {
		return nil, err
	}
	if r.tls == "" {
		if listener, err = r.listenOn(cmp.Or(r.listen, "127.0.0.1:8080"), "-listen"); err != nil {
			return nil, err
		}
		s.LocalURL, s.Edge = onemachine.LocalURL(listener.Addr()), r.config
		return listener, nil
	}
	if r.config.Certificates, err = edge.NewCertificates(r.tls, certificatesFolder(store), r.acme); err != nil {
		return nil, err
	}
	if listener, err = r.listenOn(cmp.Or(r.listen, ":443"), "-listen"); err != nil {
		return nil, err
	}
	if r.config.Plain, err = r.listenOn(r.plain, "-http"); err != nil {
		r.close()
		return nil, err
	}
	s.Edge = r.config // without LocalURL: the stand-ins know no certificate, and pages ask them by themselves
	return listener, nil
}

func (r *reach) listenOn(address, name string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w; choose another with %s", err, name)
	}
	r.opened = append(r.opened, l)
	return l, nil
}

func (r *reach) close() {
	for _, l := range r.opened {
		_ = l.Close() // the server may have closed it
	}
}

// base is what links begin with, as far as that is said by flags or follows from them.
func (r *reach) base(given string) string {
	if given == "" && r.config.Certificates != nil {
		return cmp.Or(os.Getenv("VERDETTO_BASE_URL"), "https://"+r.config.Certificates.Domain())
	}
	return given
}

// url is where the service can be tried.
func (r *reach) url(at net.Addr) string {
	if r.config.Certificates == nil {
		return "http://" + at.String()
	}
	return "https://" + r.config.Certificates.Domain()
}

// certificatesFolder lies beside a store's file: what is moved or saved with it is
// still there when the machine is set up anew.
func certificatesFolder(store string) string {
	if file, ok := strings.CutPrefix(store, "bolt:"); ok {
		return filepath.Join(filepath.Dir(file), "certificates")
	}
	return "certificates"
}

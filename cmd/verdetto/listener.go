package main

import (
	"cmp"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/onemachine"
)

type reach struct {
	listen, plain, tls, acme, behind string

	config edge.Config
	opened []net.Listener
}

func (r *reach) flags() map[string]*string {
	return map[string]*string{"listen": &r.listen, "http": &r.plain, "tls": &r.tls, "acme": &r.acme,
		"behind": &r.behind}
}

func (r *reach) address() string {
	if r.tls != "" {
		return cmp.Or(r.listen, ":443")
	}
	return cmp.Or(r.listen, "127.0.0.1:8080")
}

func (r *reach) open(s *onemachine.Options, store string) (listener net.Listener, err error) {
	if r.config.Proxies, err = edge.ParseProxies(r.behind); err != nil {
		return nil, err
	}
	if r.tls != "" {
		if r.config.Certificates, err = edge.NewCertificates(r.tls, certificatesFolder(store), r.acme); err != nil {
			return nil, err
		}
	}
	if listener, err = r.listenOn(r.address(), "-listen"); err != nil {
		return nil, err
	}
	if r.tls == "" {
		s.LocalURL = onemachine.LocalURL(listener.Addr())
	} else if r.config.Plain, err = r.listenOn(r.plain, "-http"); err != nil {
		r.close()
		return nil, err
	}
	s.Edge = r.config
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
		_ = l.Close()
	}
}

func (r *reach) links(given string) string {
	if given == "" && r.config.Certificates != nil {
		return "https://" + r.config.Certificates.Domain()
	}
	return given
}

func (r *reach) url(at net.Addr) string {
	if r.config.Certificates == nil {
		return "http://" + at.String()
	}
	return "https://" + r.config.Certificates.Domain()
}

// If the store is a file, the certificates are beside it, so that an operator who backs up the folder
// includes the certificates.
func certificatesFolder(store string) string {
	if file, ok := strings.CutPrefix(store, "bolt:"); ok {
		return filepath.Join(filepath.Dir(file), "certificates")
	}
	return "certificates"
}

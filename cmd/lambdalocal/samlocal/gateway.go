package samlocal

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// gatewayName is the name of this machine inside containers.
const (
	gatewayName     = "host.docker.internal"
	certificateFile = "gateway.pem"
)

// The functions require https for addresses other than loopback, so gateway forwards TLS connections
// from containers to loopback.
type gateway struct {
	certificate []byte
	address     string
	pair        tls.Certificate

	mu      sync.Mutex
	doors   map[string]string
	servers []*http.Server
}

func openGateway(address string) (*gateway, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for the gateway: %w", err)
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), DNSNames: []string{gatewayName},
		// TLS uses the machine's clock, even if -now sets the clock of functions.
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for the gateway: %w", err)
	}
	return &gateway{
		certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		address:     address, pair: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		doors: map[string]string{},
	}, nil
}

// reach leaves the URL of a queue unchanged, because the URL only names the queue.
func (g *gateway) reach(value string) (string, error) {
	behind, err := url.Parse(value)
	if err != nil || behind.Scheme != "http" || behind.Hostname() != "127.0.0.1" || strings.Trim(behind.Path, "/") != "" {
		return value, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if door, ok := g.doors[behind.Host]; ok {
		return door, nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(g.address, "0"))
	if err != nil {
		return "", fmt.Errorf("open the gateway: %w", err)
	}
	server := &http.Server{
		Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) },
			ErrorLog: log.New(io.Discard, "", 0)},
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{g.pair}},
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	g.servers = append(g.servers, server)
	go server.ServeTLS(listener, "", "")
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "", fmt.Errorf("open the gateway: %w", err)
	}
	g.doors[behind.Host] = "https://" + net.JoinHostPort(gatewayName, port)
	return g.doors[behind.Host], nil
}

func (g *gateway) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, server := range g.servers {
		_ = server.Close()
	}
}

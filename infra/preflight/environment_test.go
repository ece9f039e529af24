package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/upstream/upstreamtest"
)

type world struct {
	t         *testing.T
	config    config
	at        addresses
	settings  aws.Config
	instead   map[string]string
	price     map[string]any
	hook      map[string]any
	node      map[string]any
	key       string
	forbidden string
	fares     *upstreamtest.Server
}

const (
	wallet = "6PCANXw778iMrBzLUVK4c9q6Xc2X9oRUCvLoa4tfsLWG"
	key    = "sk_live_0123456789abcdef"
	nodes  = "secret-of-the-node"
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t,
		config: config{
			Name: "verdetto", Account: "123456789012", Region: "eu-west-1", Domain: "verdetto.example.com",
			MailFrom: "Verdetto <mail@example.com>",
			MailRate: 1, StripePrice: "price_1", SolanaWallet: wallet, SolanaNetwork: "mainnet-beta", SolanaMint: usdc,
			PriceUSDC: "12.99", Workers: 2, OriginSecret: 1, Instances: 1000,
		},
		instead: map[string]string{
			"GET /v2/email/account":            `{"ProductionAccessEnabled":true,"SendingEnabled":true,"SendQuota":{"MaxSendRate":14}}`,
			"GET /2016-08-19/account-settings": `{"AccountLimit":{"ConcurrentExecutions":1000}}`,
		},
		price: map[string]any{"object": "price", "active": true, "currency": "usd", "unit_amount": 1299,
			"livemode": true, "recurring": map[string]any{"interval": "month", "interval_count": 1}},
		hook: map[string]any{"url": "https://verdetto.example.com/api/v1/pro/webhook", "status": "enabled",
			"enabled_events": events},
		node: map[string]any{
			"getGenesisHash":          genesis["mainnet-beta"],
			"getAccountInfo":          map[string]any{"value": map[string]any{"owner": "11111111111111111111111111111111"}},
			"getTokenAccountsByOwner": map[string]any{"value": []any{map[string]any{"pubkey": "an account"}}},
		},
		key: key, fares: upstreamtest.New(nil, time.Now),
	}
	t.Cleanup(w.fares.Close)
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	w.at = addresses{stripe: serve(w.stripe), fares: w.fares.URL}
	w.settings = aws.Config{
		Region: w.config.Region, BaseEndpoint: aws.String(motolocal.Endpoint(t)),
		HTTPClient:  &http.Client{Transport: w},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	origin := strings.Repeat("o", 24)
	for name, value := range map[string]string{
		"pepper": strings.Repeat("p", 32), "callers-pepper": strings.Repeat("c", 32), "origin-secrets": origin,
		"travelpayouts-token": upstreamtest.Token,
		"stripe-key":          key, "stripe-webhook-secrets": "whsec_1", "x402-fee-key": "off",
		"solana-nodes": serve(w.rpc) + "/" + nodes,
	} {
		w.put(w.config.parameter(name), value)
	}
	w.parameter("/cdk-bootstrap/hnb659fds/version", "27", types.ParameterTypeString)
	w.secret(`{"1":"` + origin + `"}`)
	w.parameterIn(edgeRegion, "/cdk-bootstrap/hnb659fds/version", "27", types.ParameterTypeString)
	w.config.Certificate = w.importCertificate(edgeRegion, w.config.Domain)
	w.config.Origin.Domain = "origin.verdetto.example.com"
	w.config.Origin.Certificate = w.importCertificate(w.config.Region, w.config.Origin.Domain)
	w.config.Origin.ClientCertificate = w.importCertificate(edgeRegion, "edge")
	return w
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Method + " " + r.URL.Path
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		asked = string(body)
	}
	for begins, answer := range w.instead {
		if strings.HasPrefix(asked, begins) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
				Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (w *world) put(name, value string) {
	w.t.Helper()
	w.parameter(name, value, types.ParameterTypeSecureString)
}

func (w *world) parameter(name, value string, kind types.ParameterType) {
	w.t.Helper()
	w.parameterIn(w.config.Region, name, value, kind)
}

func (w *world) parameterIn(region, name, value string, kind types.ParameterType) {
	w.t.Helper()
	client := ssm.NewFromConfig(w.in(region))
	_, _ = client.DeleteParameter(w.t.Context(), &ssm.DeleteParameterInput{Name: &name})
	if _, err := client.PutParameter(w.t.Context(), &ssm.PutParameterInput{Overwrite: aws.Bool(true), Name: &name,
		Value: &value, Type: kind}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) secret(value string) {
	w.t.Helper()
	client, name := secretsmanager.NewFromConfig(w.in(edgeRegion)), "verdetto/origin"
	_, _ = client.DeleteSecret(w.t.Context(), &secretsmanager.DeleteSecretInput{SecretId: &name,
		ForceDeleteWithoutRecovery: aws.Bool(true)})
	if value == "" {
		return
	}
	if _, err := client.CreateSecret(w.t.Context(), &secretsmanager.CreateSecretInput{Name: &name,
		SecretString: &value}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) in(region string) aws.Config {
	settings := w.settings.Copy()
	settings.Region = region
	return settings
}

func (w *world) importCertificate(region, domain string) string {
	w.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{domain},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		w.t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := acm.NewFromConfig(w.in(region)).ImportCertificate(w.t.Context(), &acm.ImportCertificateInput{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		PrivateKey:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return aws.ToString(out.CertificateArn)
}

func (w *world) stripe(out http.ResponseWriter, r *http.Request) {
	given, _, _ := r.BasicAuth()
	answer := any(nil)
	switch {
	case given != w.key:
		out.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == w.forbidden:
		out.WriteHeader(http.StatusForbidden)
	case slices.ContainsFunc(used, func(u permission) bool { return u.path == r.URL.Path }):
		answer = map[string]any{"object": "list", "data": []any{}}
	case r.URL.Path == "/v1/prices/price_1" && w.price != nil:
		answer = w.price
	case r.URL.Path == "/v1/webhook_endpoints":
		hooks := []any{map[string]any{"url": "https://shop.example.com/hook", "status": "enabled",
			"enabled_events": []string{"*"}}}
		if w.hook != nil {
			hooks = append(hooks, w.hook)
		}
		answer = map[string]any{"object": "list", "data": hooks}
	default:
		out.WriteHeader(http.StatusNotFound)
	}
	if answer == nil {
		answer = map[string]any{"error": map[string]any{"type": "invalid_request_error"}}
	}
	_ = json.NewEncoder(out).Encode(answer)
}

func (w *world) rpc(out http.ResponseWriter, r *http.Request) {
	var asked struct{ Method string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || w.node[asked.Method] == nil {
		fmt.Fprint(out, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
		return
	}
	_ = json.NewEncoder(out).Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "result": w.node[asked.Method]})
}

func (w *world) report() (text string, ready bool) {
	w.t.Helper()
	var out bytes.Buffer
	ready = newPreflight(w.config, w.settings, w.at).report(w.t.Context(), &out)
	return out.String(), ready
}

func (w *world) remove(name string) {
	w.t.Helper()
	w.removeIn(w.config.Region, name)
}

func (w *world) removeIn(region, name string) {
	w.t.Helper()
	if _, err := ssm.NewFromConfig(w.in(region)).DeleteParameter(w.t.Context(),
		&ssm.DeleteParameterInput{Name: &name}); err != nil {
		w.t.Fatal(err)
	}
}

// Package check compares the requests of package stripepay with Stripe's description of its API.
package check

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/stripepay"
)

// stripe-mock checks each request against Stripe's description of the API and answers with fixed
// data.
func stripeMock(t *testing.T) string {
	t.Helper()
	mock := exec.Command(testenv.Tool(t, "stripe-mock", "stripe-mock"), "-http-addr", "127.0.0.1:0", "-https-addr",
		"127.0.0.1:0")
	output, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	mock.Stderr = mock.Stdout
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = mock.Process.Kill()
		_ = mock.Wait()
	})
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "Listening for HTTP at address: "); found {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			if _, _, err := net.SplitHostPort(address); err != nil {
				t.Fatalf("stripe-mock listens at %q: %v", address, err)
			}
			return "http://" + address
		}
	}
	t.Fatalf("stripe-mock does not listen: %v", lines.Err())
	return ""
}

type statuses struct{ seen []int }

func (s *statuses) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		s.seen = append(s.seen, response.StatusCode)
	}
	return response, err
}

func TestStripeMock(t *testing.T) {
	address := stripeMock(t)
	watcher := &statuses{}
	checkout, err := stripepay.New(stripepay.Config{
		Key: playmoney.TestKey, Price: playmoney.TestPrice, WebhookSecrets: []string{playmoney.TestSecret}, URL: address,
		Client: &http.Client{Transport: watcher},
	})
	if err != nil {
		t.Fatal(err)
	}
	started, err := checkout.Start(t.Context(), pay.StartRequest{
		Email: "anna@example.com", IdempotencyKey: "key-1",
		SuccessURL: "https://verdetto.example/api/v1/pro/conferma?session_id={CHECKOUT_SESSION_ID}",
		CancelURL:  "https://verdetto.example/",
	})
	if err != nil {
		t.Errorf("start: %v", err)
	}
	if u, err := url.Parse(started); err != nil || u.Host == "" {
		t.Errorf("page %q, %v", started, err)
	}
	if got, err := checkout.Session(t.Context(), "cs_test_1234"); err != nil || got.ID != "cs_test_1234" {
		t.Errorf("session %+v, %v", got, err)
	}
	held, err := checkout.Subscription(t.Context(), "sub_1234")
	if err != nil || held.Customer == "" || held.PaidUntil.IsZero() {
		t.Errorf("subscription %+v, %v", held, err)
	}
	// stripe-mock may answer with a price that has no billing period.
	if _, err := checkout.Price(t.Context()); err != nil && !errors.Is(err, pay.ErrNoPrice) {
		t.Errorf("price: %v", err)
	}
	if url, err := checkout.Portal(t.Context(), "cus_1234", "https://verdetto.example/v1/pro"); err != nil ||
		url == "" {
		t.Errorf("portal %q, %v", url, err)
	}
	if err := checkout.Readdress(t.Context(), "cus_1234", "ada@example.com"); err != nil {
		t.Errorf("address: %v", err)
	}
	if err := checkout.Forget(t.Context(), "cus_1234"); err != nil {
		t.Errorf("deletion: %v", err)
	}
	for i, status := range watcher.seen {
		if status != http.StatusOK {
			t.Errorf("request %d was answered with %d", i+1, status)
		}
	}
	if len(watcher.seen) != 7 {
		t.Errorf("%d requests, want 7", len(watcher.seen))
	}
	// stripe-mock must refuse what the API does not describe, or this test would show nothing.
	response, err := http.PostForm(address+"/v1/checkout/sessions", url.Values{"mode": {"lottery"}})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		t.Error("stripe-mock accepts anything")
	}
}

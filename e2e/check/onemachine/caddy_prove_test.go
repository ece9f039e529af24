package onemachine

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func TestProveCaddy(t *testing.T) {
	caddy := testenv.Command(t, "caddy", "apt-get install caddy")
	text, err := os.ReadFile(fixture.Path(t, "infra", "onemachine", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	dir, port := t.TempDir(), testenv.Port(t)
	global := fmt.Sprintf("{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\thttp_port %s\n}\n",
		testenv.Port(t))
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, append([]byte(global), text...), 0o644); err != nil {
		t.Fatal(err)
	}
	d := fixture.NewShell(t)
	back := "127.0.0.1:" + testenv.Port(t)
	serve := func() fixture.Server {
		return d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01", "-listen", back)
	}
	s := serve()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var output bytes.Buffer
	command := exec.CommandContext(ctx, caddy, "run", "--config", file, "--adapter", "caddyfile")
	command.Dir, command.Stdout, command.Stderr = dir, &output, &output
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.Env = []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "PATH=" + os.Getenv("PATH"),
		"VERDETTO_DOMAIN=https://localhost:" + port, "VERDETTO_BACKEND=" + back}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("Caddy said:\n%s", &output)
		}
	}()
	pool := x509.NewCertPool()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
		DisableCompression: true}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	get := func(path string) (*http.Response, []byte, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost:"+port+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", "gzip")
		response, err := client.Do(request)
		if err != nil {
			return nil, nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response, body, err
	}
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if pem, err := os.ReadFile(filepath.Join(dir, "caddy", "pki", "authorities", "local",
			"root.crt")); err == nil && pool.AppendCertsFromPEM(pem) {
			if _, _, err := get("/healthz"); err == nil {
				break
			}
		}
		if time.Since(begun) > 10*time.Minute {
			t.Fatal("Caddy does not answer")
		}
	}
	response, _, err := get("/")
	if err != nil || response.StatusCode != 200 || response.ProtoMajor != 2 ||
		response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the page: %v %v", response, err)
	}
	if response, body, err := get("/readyz"); err != nil || response.StatusCode != 200 ||
		!strings.Contains(string(body), "pronto") {
		t.Errorf("/readyz: %v %s %v", response, body, err)
	}
	if response, _, err := get("/metrics"); err != nil || response.StatusCode != 404 {
		t.Errorf("/metrics: %v %v", response, err)
	}
	s.Kill(t)
	answered := make(chan error, 1)
	go func() {
		response, _, err := get(fixture.Question)
		if err == nil && response.StatusCode != 200 {
			err = fmt.Errorf("%s", response.Status)
		}
		answered <- err
	}()
	s = serve()
	if err := <-answered; err != nil {
		t.Errorf("asked while the service was started again: %v", err)
	}
	s.Stop(t)
}

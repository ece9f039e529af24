// Package eximlocal runs the mail server Exim of Debian for tests, configured like a mail provider.
// It delivers mail for example.com into a folder, refuses some mails, greylists grey@example.com,
// and answers slowly for slow@example.com.
package eximlocal

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"text/template"
	"time"

	"verdetto/shared/architecture/testenv"
)

//go:embed exim.conf.tmpl
var config string

const User = "verdetto"

type Server struct {
	Address            string
	StartTLS, Implicit int
	Certificate        tls.Certificate
	Password           string
}

func (s Server) Start(t testing.TB) (delivered string) {
	t.Helper()
	path := testenv.Command(t, "exim4", "apt-get install exim4-daemon-light")
	if os.Getuid() != 0 {
		testenv.Missing(t, "root, which Exim begins as", "run the test as root")
	}
	owner, err := user.Lookup("Debian-exim")
	if err != nil {
		testenv.Missing(t, "the user Debian-exim", "apt-get install exim4-daemon-light")
	}
	uid, _ := strconv.Atoi(owner.Uid)
	dir, err := os.MkdirTemp("/tmp", "eximlocal-*") // other users cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chown(dir, uid, -1)); err != nil {
		t.Fatal(err)
	}
	s.write(t, dir, uid)
	var text bytes.Buffer
	err = template.Must(template.New("").Parse(config)).Execute(&text, map[string]any{
		"Exim": path, "Dir": dir, "User": owner.Username, "Address": s.Address, "StartTLS": s.StartTLS,
		"Implicit": s.Implicit, "Password": s.Password,
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "exim.conf"), text.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, path, dir)
	return filepath.Join(dir, "mail", "new")
}

func (s Server) write(t testing.TB, dir string, uid int) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(s.Certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"certificate.pem": {Type: "CERTIFICATE",
		Bytes: s.Certificate.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key}} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(file, pem.EncodeToMemory(block), 0o600),
			os.Chown(file, uid, -1)); err != nil {
			t.Fatal(err)
		}
	}
}

func (s Server) run(t testing.TB, path, dir string) {
	t.Helper()
	var output bytes.Buffer
	server := exec.Command(path, "-C", filepath.Join(dir, "exim.conf"), "-bdf", "-q10m")
	server.Stdout, server.Stderr, server.Env = &output, &output, []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = server.Wait()
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "mainlog"))
			t.Logf("Exim said: %s\n%s", &output, log)
		}
	})
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", net.JoinHostPort(s.Address, strconv.Itoa(s.StartTLS)))
		if err == nil {
			c.Close()
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("Exim does not answer: %v\n%s", err, &output)
		}
	}
}

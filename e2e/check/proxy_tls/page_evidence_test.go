package proxytls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

// inside names the environment variable with the folder of a bare Debian.
const inside = "PAGE_INSIDE"

// The test runs the commands for the server in the section "From a bare Debian to a service" of
// docs/self-hosting.md.
func TestEvidencePage(t *testing.T) {
	if root := os.Getenv(inside); root != "" {
		follow(t, root)
		return
	}
	unshare := testenv.Command(t, "unshare", "apt-get install util-linux")
	testenv.Command(t, "ip", "apt-get install iproute2")
	testenv.Command(t, "exim4", "apt-get install exim4-daemon-light")
	testenv.Tool(t, "pebble", "pebble")
	image := testenv.Tool(t, "debian", "debian.tar")
	if os.Getuid() != 0 {
		testenv.Missing(t, "root, for a network of its own", "run the test as root")
	}
	dir, err := os.MkdirTemp("/tmp", "debian-*") // t.TempDir may lie in a folder that other users cannot enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	output(t, exec.Command("tar", "-C", dir, "-xf", image))
	output(t, exec.Command("cp", fixture.Package(t), filepath.Join(dir, "root/verdetto.deb")))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(unshare, "--net", "--mount", "--propagation", "private", self, "-test.run", "^TestEvidencePage$",
		"-test.v", "-test.timeout", "10m")
	c.Env = append(os.Environ(), inside+"="+dir)
	t.Logf("%s", output(t, c))
}

func output(t *testing.T, c *exec.Cmd) []byte {
	t.Helper()
	output, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, output)
	}
	return output
}

var fenced = regexp.MustCompile("(?s)\n```\n(.*?)\n```")

// The first block builds the package. The other blocks run on the server.
func blocks(t *testing.T) (commands []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(fixture.Path(t), "docs", "self-hosting.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## From a bare Debian to a service\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range fenced.FindAllStringSubmatch(section, -1) {
		commands = append(commands, m[1])
	}
	if len(commands) != 6 {
		t.Fatalf("the section has %d blocks of commands, and this test knows of 6", len(commands))
	}
	return commands
}

// systemctl replaces systemd, which would need a machine of its own.
const systemctl = `#!/bin/bash
set -euo pipefail
[ "$1" = enable ] || exit 0
unit=/usr/lib/systemd/system/verdetto.service
of() { cat "$unit" /etc/systemd/system/verdetto.service.d/*.conf | sed -n "s/^$1=//p" | tail -n 1; }
for u in "${@:3}"; do [ -f "/usr/lib/systemd/system/$u" ]; done
[ "$(of AmbientCapabilities)" = CAP_NET_BIND_SERVICE ] && [ "$(of CapabilityBoundingSet)" = CAP_NET_BIND_SERVICE ] && [ "$(of PrivateUsers)" = no ]
cd "$(of WorkingDirectory)"
as=(setpriv --reuid "$(of User)" --regid "$(of Group)" --init-groups --inh-caps=-all,+net_bind_service --ambient-caps=-all,+net_bind_service
  --bounding-set=-all,+net_bind_service --no-new-privs)
"${as[@]}" $(of ExecStartPre)
setsid "${as[@]}" $(of ExecStart) >/var/log/verdetto.log 2>&1 </dev/null &
`

func follow(t *testing.T, root string) {
	net := playInternet(t, root)
	if err := os.WriteFile(filepath.Join(root, "usr/local/bin/systemctl"), []byte(systemctl), 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(root, "var/log/verdetto.log")
	t.Cleanup(func() {
		// The service is no child of this process, so the service would outlive the test.
		_ = exec.Command("chroot", root, "bash", "-c",
			`for p in /proc/[0-9]*; do [ "$(readlink $p/exe)" = /usr/bin/verdetto ] && kill ${p#/proc/}; done`).Run()
		if log, err := os.ReadFile(log); err == nil && t.Failed() {
			t.Logf("the log of the service:\n%s", log)
		}
	})
	var last []byte
	for n, commands := range blocks(t)[1:] {
		c := exec.Command("ip", "netns", "exec", machine, "chroot", root, "bash", "-euo", "pipefail", "-c",
			filledIn(commands))
		c.Env = []string{"HOME=/root", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
		var output, faults bytes.Buffer
		c.Stdout, c.Stderr = &output, &faults
		if err := c.Run(); err != nil {
			t.Fatalf("block %d of the page: %v\n%s\n%s\n%s", n+2, err, commands, &output, &faults)
		}
		last = output.Bytes()
	}
	net.mail(t, "Verdetto: mail works")

	var answers []map[string]any
	for d := json.NewDecoder(bytes.NewReader(last)); ; {
		var a map[string]any
		if err := d.Decode(&a); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, last)
		}
		answers = append(answers, a)
	}
	if len(answers) != 4 || answers[1]["origineIata"] != "MIL" || answers[1]["verdetto"] == nil {
		t.Fatalf("the answers:\n%s", last)
	}
	if mode, err := os.Stat(filepath.Join(root, "etc/verdetto/verdetto.toml")); err != nil ||
		mode.Mode().Perm() != 0o640 {
		t.Errorf("the settings: %v, %v", mode.Mode(), err)
	}
	client := net.client()
	confirm := regexp.MustCompile(`https://verdetto\.example/v1/alerts/confirm\?id=[\w.-]+`).FindString(net.mail(t,
		"v1/alerts/confirm"))
	if _, status := post(t, client, confirm, url.Values{}); confirm == "" || status != 200 {
		t.Errorf("confirming the alert by %q: %d", confirm, status)
	}
	checkout, _ := answers[3]["url"].(string)
	page, status := post(t, client, checkout, url.Values{"do": {"pay"}})
	key := fixture.KeyPattern.FindString(html.UnescapeString(page))
	if status != 200 || key == "" {
		t.Fatalf("after paying at %q: %d\n%s", checkout, status, page)
	}
	w, _ := fixture.Call(t, client, "GET", "https://verdetto.example/v1/analisi?origine=Milano&destinazione=Lisbona",
		"", "X-Api-Key", key)
	if w.StatusCode != 200 || w.Header.Get("X-Plan") != "pro" || w.ProtoMajor != 2 {
		t.Errorf("with the key that was bought: %s %s %v", w.Proto, w.Status, w.Header)
	}
	t.Logf("the page was followed in %s", time.Since(net.began).Round(time.Second))
}

func post(t *testing.T, client *http.Client, to string, form url.Values) (page string, status int) {
	t.Helper()
	w, body := fixture.Call(t, client, "POST", to, form.Encode(), "Content-Type", fixture.Form, "Accept", "text/html")
	return fmt.Sprintf("%s\n%s", w.Request.URL, body), w.StatusCode
}

package release

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/upstream/upstreamtest"
)

const (
	settingsFile = "/etc/verdetto/verdetto.toml"
	storeFile    = "/var/lib/verdetto/verdetto.db"
	question     = "http://127.0.0.1:8080/v1/analisi?origine=Milano&destinazione=Lisbona"
)

// systemctl replaces systemd, which cannot run in a chroot.
const systemctl = `#!/bin/bash
set -euo pipefail
of() { sed -n "s/^$1=//p" /usr/lib/systemd/system/verdetto.service | tail -n 1; }
stop() { [ ! -f /run/verdetto.pid ] || { kill "$(cat /run/verdetto.pid)"; while kill -0 "$(cat /run/verdetto.pid)"; do sleep 0.05; done 2>/dev/null; rm /run/verdetto.pid; }; }
start() {
  cd "$(of WorkingDirectory)"
  as=(setpriv --reuid "$(of User)" --regid "$(of Group)" --init-groups --inh-caps=-all --bounding-set=-all --no-new-privs)
  "${as[@]}" $(of ExecStartPre)
  setsid "${as[@]}" $(of ExecStart) >>/var/log/verdetto.log 2>&1 </dev/null &
  echo $! >/run/verdetto.pid
}
case "$*" in
"enable --now verdetto.service verdetto-backup.timer") start ;;
"try-restart verdetto.service") [ ! -f /run/verdetto.pid ] || { stop; start; } ;;
"disable --now verdetto.service verdetto-backup.timer") stop ;;
daemon-reload) ;;
*) exit 1 ;;
esac
`

type debian struct {
	*testing.T
	root string
}

func (d debian) command(script string, environment ...string) *exec.Cmd {
	c := exec.Command("chroot", d.root, "bash", "-euo", "pipefail", "-c", script)
	c.Env = append([]string{"HOME=/root", "TERM=xterm", "DEBIAN_FRONTEND=noninteractive",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, environment...)
	return c
}

func (d debian) run(script string, environment ...string) string {
	d.Helper()
	return output(d.T, d.command(script, environment...))
}

// inside is the environment variable with the folder of a bare Debian.
const inside = "RELEASE_INSIDE"

// Removing the package keeps the settings and the store. A purge deletes both, and keeps the
// backups.
func TestEvidencePackage(t *testing.T) {
	if root := os.Getenv(inside); root != "" {
		d := debian{t, root}
		defer func() {
			_ = d.command(`[ ! -f /run/verdetto.pid ] || kill "$(cat /run/verdetto.pid)"`).Run()
			if log, err := os.ReadFile(filepath.Join(root, "var/log/verdetto.log")); err == nil && t.Failed() {
				t.Logf("the log of the service:\n%s", log)
			}
		}()
		d.live()
		return
	}
	unshare := testenv.Command(t, "unshare", "apt-get install util-linux")
	image := testenv.Tool(t, "debian", "debian.tar")
	if os.Getuid() != 0 {
		testenv.Missing(t, "root, for a network of its own", "run the test as root")
	}
	dir, err := os.MkdirTemp("/tmp", "debian-*") // other users cannot enter every temporary folder
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	output(t, exec.Command("tar", "-C", dir, "-xf", image))
	deb, old := fixture.Package(t), filepath.Join(dir, "old")
	output(t, exec.Command("cp", deb, filepath.Join(dir, "root/new.deb")))
	output(t, exec.Command("dpkg-deb", "--raw-extract", deb, old))
	output(t, exec.Command("sed", "-i", "s/^Version: .*/Version: 0.9.0/", filepath.Join(old, "DEBIAN/control")))
	output(t, exec.Command("dpkg-deb", "--build", "-Zgzip", "-z1", old, filepath.Join(dir, "root/old.deb")))
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(unshare, "--net", "--mount", "--propagation", "private", "bash", "-euo", "pipefail", "-c",
		`ip link set lo up; mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; exec "$@"`, dir,
		self, "-test.run", "^TestEvidencePackage$", "-test.v", "-test.timeout", "10m")
	c.Env = append(os.Environ(), inside+"="+dir)
	t.Log(output(t, c))
}

func (d debian) live() {
	if err := os.WriteFile(filepath.Join(d.root, "usr/local/bin/systemctl"), []byte(systemctl), 0o755); err != nil {
		d.Fatal(err)
	}
	source := fixture.Upstream(d.T)
	reach := "TRAVELPAYOUTS_URL=" + source.URL
	d.run("mkdir -p /run/systemd/system")
	begun := time.Now()
	if output := d.run("dpkg -i /root/old.deb"); !strings.Contains(output, "verdetto init -config "+settingsFile) {
		d.Errorf("the package does not say how to set it up:\n%s", output)
	}
	w := fixture.InTerminal(d.T, d.command("exec verdetto init -config "+settingsFile+" -store bolt:"+storeFile, reach))
	w.Expect("Travelpayouts token:")
	w.Type(upstreamtest.Token + "\r")
	w.Expect("City:")
	w.Type("Milan\r")
	w.Expect("City:")
	w.Type("\r")
	w.Expect("Your settings are in", "now run verdetto serve")
	w.Ends(0)
	const want = "root:verdetto 640\nverdetto:verdetto 600\n"
	if got := d.run("stat -c '%U:%G %a' " + settingsFile + " " + storeFile); got != want {
		d.Errorf("settings and store belong to %q, want %q", got, want)
	}
	d.run("systemctl enable --now verdetto.service verdetto-backup.timer", reach)
	if body := d.answer(question); !strings.Contains(body, `"livello"`) {
		d.Fatalf("no verdict: %s", body)
	}
	d.Logf("from nothing to the first verdict: %s", time.Since(begun).Round(time.Second/10))

	d.upgrade(reach)

	d.run("runuser -u verdetto -- verdetto backup -store bolt:" + storeFile + " -to /var/backups/verdetto/kept.db")
	d.downgrade(reach)
	d.run("dpkg --remove verdetto", reach)
	if _, err := http.Get(question); err == nil {
		d.Error("the service answers after the removal")
	}
	d.run("[ ! -e /usr/bin/verdetto ] && [ -s " + settingsFile + " ] && [ -s " + storeFile + " ]")
	d.run("dpkg -i /root/new.deb && verdetto status -store bolt:"+storeFile, reach)
	d.run("dpkg --purge verdetto", reach)
	d.run("[ ! -e /etc/verdetto ] && [ ! -e /var/lib/verdetto ] && [ -s /var/backups/verdetto/kept.db ]")
}

func (d debian) answer(url string) string {
	d.Helper()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		response, err := http.Get(url)
		if err == nil {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err == nil && response.StatusCode == http.StatusOK {
				return string(body)
			}
		}
		if time.Since(begun) > time.Minute {
			d.Fatalf("%s: %v %v", url, response, err)
		}
	}
}

func (d debian) upgrade(environment ...string) {
	var group sync.WaitGroup
	var mu sync.Mutex
	var calls, failed int
	var first, last time.Time // the start of the first failed call, and the end of the last failed call
	var wrong []string
	stop := make(chan struct{})
	for range 4 {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				began := time.Now()
				response, err := client.Get("http://127.0.0.1:8080/v1")
				mu.Lock()
				calls++
				if err != nil {
					failed++
					if first.IsZero() {
						first = began
					}
					last = time.Now()
				} else {
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
					if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusTooManyRequests {
						wrong = append(wrong, response.Status)
					}
				}
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Second)
	output := d.run("dpkg -i /root/new.deb; cat /run/verdetto.pid", environment...)
	d.answer(question)
	time.Sleep(time.Second)
	close(stop)
	group.Wait()
	if !strings.Contains(output, "over (0.9.0)") || len(wrong) > 0 || calls < 100 || last.Sub(first) > 10*time.Second {
		d.Errorf("%d calls, %d failed in %s, answers %q:\n%s", calls, failed, last.Sub(first), wrong, output)
	}
	d.Logf("upgrade under load: %d calls, %d failed, all in the %s of the restart", calls, failed,
		last.Sub(first).Round(time.Millisecond))
}

func (d debian) downgrade(environment ...string) {
	output := d.run("dpkg -i /root/old.deb && systemctl disable --now verdetto.service verdetto-backup.timer && "+
		"runuser -u verdetto -- verdetto restore -from /var/backups/verdetto/kept.db -store bolt:"+storeFile+" && "+
		"systemctl enable --now verdetto.service verdetto-backup.timer", environment...)
	if body := d.answer(question); !strings.Contains(output, "over (") || !strings.Contains(body, `"livello"`) {
		d.Errorf("no verdict after the downgrade: %s\n%s", body, output)
	}
	d.run("dpkg -i /root/new.deb", environment...)
	d.answer(question)
}

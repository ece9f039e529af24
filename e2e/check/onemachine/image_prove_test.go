package onemachine

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/web/httpapi"
)

func TestProveImage(t *testing.T) {
	compose := testenv.Command(t, "docker-compose", "apt-get install docker-compose")
	folder, err := os.MkdirTemp("", "verdetto-image-*") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	var engine *samlocal.Engine
	fixture.WithEngine(t, func() (err error) {
		engine, err = samlocal.OpenEngine(t.Context())
		return err
	}, func() {
		runImage(t, compose, folder, engine.Host)
	})
}

func runImage(t *testing.T, compose, folder, host string) {
	port := testenv.Port(t)
	run := func(code int, name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = filepath.Join(folder, "compose")
		command.Env = append(os.Environ(), "DOCKER_HOST="+host, "VERDETTO_PORT="+port,
			"VERDETTO_DOMAIN=verdetto.example", "COMPOSE_PROJECT_NAME=verdettotest")
		out, _ := command.CombinedOutput()
		if got := command.ProcessState.ExitCode(); got != code {
			t.Fatalf("%s %v: exit code %d, want %d\n%s", name, args, got, code, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.Mkdir(filepath.Join(folder, "compose"), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFiles(t, folder, map[string]string{
		fixture.Path(t, "infra/onemachine/compose.yaml"):     "compose/compose.yaml",
		fixture.Path(t, "infra/onemachine/compose.tls.yaml"): "compose/compose.tls.yaml",
		fixture.Path(t, "infra/onemachine/Caddyfile"):        "compose/Caddyfile",
	})
	layout, archive := filepath.Join(folder, "layout"), filepath.Join(folder, "image.tar")
	run(0, fixture.Executable(t, "infra/release/image"), "-executables",
		runtime.GOARCH+"="+fixture.Executable(t, "cmd/verdetto"), "-version", httpapi.Version, "-created", "1793880000",
		"-to", layout, "-load", archive)
	begun := time.Now()
	run(0, "docker", "load", "-i", archive)
	run(0, compose, "-f", "compose.yaml", "-f", "compose.tls.yaml", "config", "-q")
	run(0, compose, "-f", "compose.yaml", "config", "-q")
	defer func() {
		if t.Failed() {
			out, _ := exec.Command("docker", "-H", host, "logs", "verdettotest_verdetto_1").CombinedOutput()
			t.Logf("the container said:\n%s", out)
		}
		down := exec.Command(compose, "-f", "compose.yaml", "down", "-v", "-t", "20")
		down.Dir, down.Env = filepath.Join(folder, "compose"),
			append(os.Environ(), "DOCKER_HOST="+host, "VERDETTO_PORT="+port, "COMPOSE_PROJECT_NAME=verdettotest")
		if out, err := down.CombinedOutput(); err != nil {
			t.Errorf("down: %v %s", err, out)
		}
	}()
	run(0, compose, "-f", "compose.yaml", "up", "-d")
	name := run(0, "docker", "ps", "-q")
	healthy := func() {
		t.Helper()
		for begun := time.Now(); ; time.Sleep(200 * time.Millisecond) {
			state := run(0, "docker", "inspect", "--format", "{{.State.Health.Status}}", name)
			if state == "healthy" {
				return
			}
			if time.Since(begun) > 10*time.Minute {
				t.Fatalf("it is %s", state)
			}
		}
	}
	healthy()
	const question = "/v1/analisi?origine=Milano&destinazione=Lisbona"
	if response, body := fixture.Call(t, http.DefaultClient, "GET", "http://127.0.0.1:"+port+question,
		""); response.StatusCode != 200 || !strings.Contains(body, `"livello"`) {
		t.Errorf("the first verdict: %s %s", response.Status, body)
	}
	fmt.Println("from the image's archive to the first verdict:", time.Since(begun).Round(time.Second/10))
	if got := run(0, "docker", "inspect", "--format",
		"{{.HostConfig.ReadonlyRootfs}} {{.Config.User}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}}",
		name); got != "true 65532:65532 [ALL] [no-new-privileges:true]" {
		t.Errorf("it runs as %s", got)
	}
	address := run(0, "docker", "inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", name)
	for path, want := range map[string]string{":8080/readyz": "pronto", ":8080/v1/rotte": "rotte",
		":9464/metrics": "verdetto_ready 1"} {
		response, body := fixture.Call(t, http.DefaultClient, "GET", "http://"+address+path, "")
		if response.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %s, want %q", path, response.Status, want)
		}
	}
	// The test is not a trusted proxy, so X-Forwarded-For is ignored, and both calls count for one
	// address.
	for n, want := range []string{"28", "27"} {
		response, _ := fixture.Call(t, http.DefaultClient, "GET",
			"http://"+address+":8080"+question, "", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", n))
		if got := response.Header.Get("X-RateLimit-Remaining"); got != want {
			t.Errorf("%s: %q calls remain, want %s", response.Status, got, want)
		}
	}
	const store = "bolt:/data/verdetto.db"
	if out := run(1, "docker", "exec", name, "/verdetto", "backup", "-store", store, "-to",
		"/copy.db"); !strings.Contains(out, "read-only file system") {
		t.Errorf("it wrote beside its volume: %s", out)
	}
	run(0, "docker", "exec", name, "/verdetto", "backup", "-store", store, "-to", "/data/copy.db")
	if out := run(0, "docker", "exec", name, "/verdetto", "verify", "-store",
		"bolt:/data/copy.db"); !strings.Contains(out, "every page and item can be read") {
		t.Errorf("verify: %s", out)
	}
	before := run(0, "docker", "exec", name, "/verdetto", "key", "create", "-store", "bolt:/data/copy.db", "-email",
		"ada@example.com")
	if !strings.Contains(before, "vd_") {
		t.Errorf("key: %s", before)
	}
	run(0, compose, "-f", "compose.yaml", "restart", "-t", "20", "verdetto")
	healthy()
	if out := run(0, "docker", "exec", name, "/verdetto", "status", "-store",
		"bolt:/data/copy.db"); !strings.Contains(out, "1 in force") {
		t.Errorf("what was written is gone: %s", out)
	}
	fmt.Println("the image is", run(0, "docker", "image", "inspect", "--format", "{{.Size}}", "verdetto.example/verdetto:"+httpapi.Version), "bytes")
}

package release

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"verdetto/shared/architecture/testenv"
)

func emulated(t *testing.T, folder string) {
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		qemu = testenv.Command(t, "qemu-aarch64", "apt-get install qemu-user-static")
	}
	image := armImage(t, folder)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != "arm64" || config.Config.User == "" || strings.HasPrefix(config.Config.User, "0") ||
		len(config.Config.Entrypoint) == 0 || config.Config.Healthcheck == nil {
		t.Errorf("the image is set up as %+v", config.Config)
	}
	executable := filepath.Join(t.TempDir(), "verdetto")
	takeFile(t, image, config.Config.Entrypoint[0], executable)
	if got := platform(executable); got != "linux/arm64" {
		t.Errorf("the image holds an executable for %q", got)
	}
	at, panel := freeAddress(t), filepath.Join(t.TempDir(), "panel.csv")
	rows := "origin,destination,observed_date,depart_date,price,currency\n" // few fares, because emulation is slow
	for day := 10; day < 30; day++ {
		rows += fmt.Sprintf("MIL,BUH,2016-02-%d,2016-05-%d,%d.99,EUR\n", day, day, 30+day%7)
	}
	if err := os.WriteFile(panel, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	service := exec.Command(qemu, executable, "serve", "-upstream", "csv:"+panel, "-listen", at, "-now", "2016-03-01",
		"-store", "bolt:"+filepath.Join(t.TempDir(), "verdetto.db"), "-mail", t.TempDir())
	var output strings.Builder
	service.Stderr = &output
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = service.Process.Kill()
		_ = service.Wait()
	}()
	began := time.Now()
	for ; time.Since(began) < 5*time.Minute; time.Sleep(200 * time.Millisecond) {
		response, err := http.Get("http://" + at + "/v1/analisi?origine=Milano&destinazione=Bucarest")
		if err != nil {
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode == http.StatusOK && strings.Contains(string(body), `"livello"`) {
			t.Logf("the first verdict after %s", time.Since(began).Round(time.Second))
			return
		}
	}
	t.Errorf("no verdict within 5 minutes:\n%s", output.String())
}

func armImage(t *testing.T, folder string) v1.Image {
	t.Helper()
	index, err := layout.ImageIndexFromPath(folder)
	for err == nil {
		manifest, found := index.IndexManifest()
		if err = found; err != nil {
			break
		}
		for _, m := range manifest.Manifests {
			if m.Platform != nil && m.Platform.Architecture == "arm64" {
				image, err := index.Image(m.Digest)
				if err != nil {
					t.Fatal(err)
				}
				return image
			}
		}
		// The only entry of this layout is the index of the platforms.
		index, err = index.ImageIndex(manifest.Manifests[0].Digest)
	}
	t.Fatal(err)
	return nil
}

func takeFile(t *testing.T, image v1.Image, name, path string) {
	t.Helper()
	layers := mutate.Extract(image)
	defer layers.Close()
	for r := tar.NewReader(layers); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("the image has no %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimPrefix(header.Name, "/") != strings.TrimPrefix(name, "/") {
			continue
		}
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.WriteFile(path, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

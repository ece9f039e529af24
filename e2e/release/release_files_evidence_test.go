// Package release tests what a release holds: archives, packages, the image, signed checksums and
// lists of the linked modules. It installs, upgrades and removes the Debian package on a bare
// Debian.
package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/web/httpapi"
)

func output(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

func file(t *testing.T, folder, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, want one file", pattern, found)
	}
	return found[0]
}

func TestEvidenceReleaseFiles(t *testing.T) {
	cosign := testenv.Tool(t, "release", "cosign")
	make := exec.CommandContext(t.Context(), "make", "release-snapshot")
	make.Dir = fixture.Path(t)
	output(t, make)
	folder := fixture.Path(t, "dist", "release")
	for _, pattern := range []string{"verdetto_*_linux_amd64.tar.gz", "verdetto_*_linux_arm64.tar.gz",
		"verdetto_*_darwin_amd64.tar.gz", "verdetto_*_darwin_arm64.tar.gz", "verdetto_*_windows_amd64.zip",
		"verdetto_*_windows_arm64.zip", "verdetto_*_amd64.deb", "verdetto_*_arm64.deb",
		"verdetto_*_image_amd64.tar", "verdetto_*_aws.zip"} {
		info, err := os.Stat(file(t, folder, pattern))
		if err != nil || info.Size() < 10e6 || info.Size() > 60e6 {
			t.Errorf("%s: %v, %v", pattern, info, err)
		}
		t.Logf("%s: %.1f MB", pattern, float64(info.Size())/1e6)
	}
	t.Run("checksums", func(t *testing.T) { checksums(t, folder, cosign) })
	for _, target := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64",
		"windows/arm64"} {
		t.Run(target, func(t *testing.T) { archive(t, folder, target) })
	}
	t.Run("image on arm64", func(t *testing.T) { emulated(t, filepath.Join(folder, "image")) })
	t.Run("package", func(t *testing.T) { describePackage(t, file(t, folder, "verdetto_*_amd64.deb")) })
}

func checksums(t *testing.T, folder, cosign string) {
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = folder
	if lines := strings.Count(output(t, check), ": OK\n"); lines < 15 {
		t.Errorf("%d checksums, want those of 6 archives, 6 lists of modules, 2 packages and the file for AWS", lines)
	}
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "SHA256SUMS")
	for _, changed := range []bool{false, true} {
		if changed {
			sums[0] ^= 1
		}
		if err := os.WriteFile(copied, sums, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(cosign, "verify-blob", "--key", filepath.Join(filepath.Dir(cosign), "cosign.pub"),
			"--bundle", filepath.Join(folder, "SHA256SUMS.sigstore.json"), "--insecure-ignore-tlog=true",
			copied).CombinedOutput()
		if (err != nil) != changed {
			t.Errorf("changed: %t; %v\n%s", changed, err, out)
		}
	}
}

func describePackage(t *testing.T, deb string) {
	out := output(t, exec.Command("dpkg", "--info", deb))
	for _, want := range []string{"Package: verdetto\n", "Version: " + httpapi.Version, "Section: web\n",
		"Architecture: amd64\n", "Maintainer: Verdetto <", "Recommends: ca-certificates\n", "Homepage: https://",
		"Description: Says whether a flight fare is cheap\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("dpkg --info does not show %q:\n%s", want, out)
		}
	}
	lintian := testenv.Command(t, "lintian", "apt-get install lintian")
	t.Log(output(t, exec.Command(lintian, "--allow-root", "--fail-on", "error", deb)))
}

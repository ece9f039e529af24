package anac

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Open opens a file as ANAC publishes it: a CSV file, or a zip archive with one.
func Open(name string) (io.ReadCloser, error) {
	if !strings.EqualFold(filepath.Ext(name), ".zip") {
		return os.Open(name)
	}
	archive, err := zip.OpenReader(name)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%w; fetch the file again", err)
	}
	if err != nil {
		return nil, err
	}
	var inside []*zip.File
	for _, f := range archive.File {
		if strings.EqualFold(filepath.Ext(f.Name), ".csv") {
			inside = append(inside, f)
		}
	}
	if len(inside) != 1 {
		err := fmt.Errorf("the archive holds %d CSV files, want 1; unpack it and name the files", len(inside))
		return nil, errors.Join(err, archive.Close())
	}
	file, err := inside[0].Open()
	if err != nil {
		return nil, errors.Join(err, archive.Close())
	}
	return member{file, archive}, nil
}

// member is a file in an archive. Close closes both.
type member struct {
	io.ReadCloser
	archive io.Closer
}

// Read adds to the errors of a damaged archive what to do.
func (m member) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("the archive is damaged: %w; fetch the file again", err)
	}
	return n, err
}

// Close implements io.Closer.
func (m member) Close() error { return errors.Join(m.ReadCloser.Close(), m.archive.Close()) }

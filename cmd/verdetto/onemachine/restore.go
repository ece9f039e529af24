package onemachine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdetto/shared/store/boltstore"
)

func fileOf(name string) (string, error) {
	file, ok := strings.CutPrefix(name, "bolt:")
	if !ok || file == "" {
		return "", fmt.Errorf("-store %q: want bolt:FILE; a table of DynamoDB has point-in-time recovery", name)
	}
	return file, nil
}

func served(ctx context.Context, file string) error {
	c, err := new(net.Dialer).DialContext(ctx, "unix", socket(file))
	if err != nil {
		return nil //nolint:nilerr // no socket, or one that a killed process left
	}
	c.Close()
	return fmt.Errorf("%s is being served; stop the service first", file)
}

// Verify does not write to the file, and fails if a service has the file open. sealed reports whether the file ends
// with a checksum, as a backup does.
func Verify(ctx context.Context, name string, now func() time.Time, progress func(read int)) (status Status,
	sealed bool, err error) {
	file, err := fileOf(name)
	if err != nil {
		return status, false, err
	}
	if _, err := os.Stat(file); err != nil {
		return status, false, fmt.Errorf("verify store: %w", err)
	}
	if err := served(ctx, file); err != nil {
		return status, false, fmt.Errorf("verify store: %w, or take a backup and verify that", err)
	}
	s, sealed, err := boltstore.Read(file, beforeAll)
	if err != nil {
		return status, false, err
	}
	status, err = lookAt(ctx, Options{Table: s, Now: now}, progress)
	if err == nil && status.Items == 0 {
		err = fmt.Errorf("verify store: %s is empty; a store that was served is never empty", file)
	}
	return status, sealed, errors.Join(err, s.Close())
}

// Restore verifies the backup before it replaces the store's file. aside is the new name of the
// old file, or empty.
func Restore(ctx context.Context, from, name string, now func() time.Time) (status Status, aside string, err error) {
	file, err := fileOf(name)
	if err != nil {
		return status, "", err
	}
	fail := func(err error) (Status, string, error) {
		text := "restore store: %w; nothing was changed"
		if strings.Contains(err.Error(), "nothing was changed") {
			text = "restore store: %w"
		}
		return status, "", fmt.Errorf(text, err)
	}
	if err := served(ctx, file); err != nil {
		return fail(err)
	}
	copied, err := copyBeside(from, file)
	if err != nil {
		return fail(err)
	}
	part := copied.Name()
	defer copied.Close()
	defer os.Remove(part) // fails harmlessly after the rename
	if status, _, err = Verify(ctx, "bolt:"+part, now, nil); err != nil {
		return fail(copyError{err, part, from})
	}
	if _, err := os.Lstat(file); err == nil {
		// While this process has the old file open, no other process can open the file for writing.
		if s, _, err := boltstore.Read(file, beforeAll); err == nil {
			defer s.Close()
		} else if errors.Is(err, boltstore.ErrInUse) {
			return fail(err)
		}
		aside = file + ".before-" + now().UTC().Format("20060102T150405.000000Z")
		// Link does not overwrite an existing file.
		if err := os.Link(file, aside); err != nil {
			return fail(err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	if err := replace(part, file); err != nil {
		return fail(err)
	}
	return status, aside, nil
}

func copyBeside(from, file string) (*os.File, error) {
	source, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	part, err := newPart(file)
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(part, source); err == nil {
		err = part.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, part.Close(), os.Remove(part.Name()))
	}
	return part, nil
}

func replace(part, file string) error {
	owner := file
	if _, err := os.Stat(file); err != nil {
		owner = filepath.Dir(file)
	}
	if err := giveOwner(part, owner); err != nil {
		return err
	}
	if err := os.Rename(part, file); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

type copyError struct {
	error
	copied, file string
}

func (e copyError) Error() string { return strings.ReplaceAll(e.error.Error(), e.copied, e.file) }
func (e copyError) Unwrap() error { return e.error }

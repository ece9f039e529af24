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

// fileOf is the file of a store by its name.
func fileOf(name string) (string, error) {
	file, ok := strings.CutPrefix(name, "bolt:")
	if !ok || file == "" {
		return "", fmt.Errorf("-store %q: want bolt:FILE; a table of DynamoDB has point-in-time recovery", name)
	}
	return file, nil
}

// served refuses to touch a file that a process has open.
func served(ctx context.Context, file string) error {
	c, err := new(net.Dialer).DialContext(ctx, "unix", socket(file))
	if err != nil {
		return nil // no socket, or that of a process that was killed
	}
	c.Close()
	return fmt.Errorf("%s is being served; stop the service first", file)
}

// Verify reads every page and every item of a file that nobody has open, and writes
// nothing to it. It reports whether a checksum covers every byte, as that of a backup does.
func Verify(ctx context.Context, name string, now func() time.Time) (status Status, sealed bool, err error) {
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
	status, err = lookAt(ctx, s, now)
	if err == nil && status.Items == 0 {
		err = fmt.Errorf("verify store: %s holds nothing, which no store does that was served", file)
	}
	return status, sealed, errors.Join(err, s.Close())
}

// Restore puts a copy of a backup in the place of a store's file, once all of it was
// read. What was there is moved aside, and is said where.
func Restore(ctx context.Context, from, name string, now func() time.Time) (status Status, aside string, err error) {
	file, err := fileOf(name)
	if err != nil {
		return status, "", err
	}
	fail := func(err error) (Status, string, error) {
		return status, "", fmt.Errorf("restore store: %w; nothing was changed", err)
	}
	if err := served(ctx, file); err != nil {
		return fail(err)
	}
	part, err := copyBeside(from, file)
	if err != nil {
		return fail(err)
	}
	defer os.Remove(part) // where it is not needed any more
	if status, _, err = Verify(ctx, "bolt:"+part, now); err != nil {
		return fail(err)
	}
	if _, err := os.Lstat(file); err == nil {
		// Until it has been replaced nobody else opens it; one that is damaged nobody can.
		if s, _, err := boltstore.Read(file, beforeAll); err == nil {
			defer s.Close()
		} else if errors.Is(err, boltstore.ErrInUse) {
			return fail(err)
		}
		aside = file + ".before-" + now().UTC().Format("20060102T150405.000000Z")
		// A link is refused where that name has been taken.
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

// copyBeside copies a file to where another is to be, under a name of its own.
func copyBeside(from, file string) (string, error) {
	source, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer source.Close()
	part, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".part-*") // for the user alone
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(part, source); err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return "", errors.Join(err, os.Remove(part.Name()))
	}
	return part.Name(), nil
}

// replace puts a whole file in the place of another, durably, and gives it that one's owner.
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

// Compact puts in the place of a store's file one without what is free in it, and says how large both are.
func Compact(ctx context.Context, name string, now func() time.Time) (before, after int64, err error) {
	file, err := fileOf(name)
	if err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(file); err != nil {
		return 0, 0, fmt.Errorf("compact store: %w", err)
	}
	if err := served(ctx, file); err != nil {
		return 0, 0, fmt.Errorf("compact store: %w", err)
	}
	s, err := boltstore.Open(file, now)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }() // until then nobody else opens it
	part := file + ".part-compact"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that was killed
		return 0, 0, fmt.Errorf("compact store: %w", err)
	}
	defer os.Remove(part) // where it is not needed any more
	if err := s.Compact(part); err != nil {
		return 0, 0, err
	}
	if _, _, err := Verify(ctx, "bolt:"+part, now); err != nil {
		return 0, 0, err
	}
	sizes := [2]int64{}
	for i, path := range []string{file, part} {
		info, err := os.Stat(path)
		if err != nil {
			return 0, 0, fmt.Errorf("compact store: %w", err)
		}
		sizes[i] = info.Size()
	}
	if err := replace(part, file); err != nil {
		return 0, 0, fmt.Errorf("compact store: %w", err)
	}
	return sizes[0], sizes[1], nil
}

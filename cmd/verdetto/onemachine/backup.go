package onemachine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/socketstore"
)

// backupTime limits a copy, because meanwhile the store's file cannot reuse freed pages.
const backupTime = 30 * time.Minute

type copier interface {
	Copy(w io.Writer, size func(bytes int64)) error
}

func beforeAll() time.Time { return time.Time{} }

func socket(file string) string { return file + ".socket" }

// HandOutCopies serves a file store on a Unix socket until ctx ends. The socket has mode 0600,
// because a copy contains mail addresses.
func (o Options) HandOutCopies(ctx context.Context, name string) error {
	file, isFile := strings.CutPrefix(name, "bolt:")
	source, ok := o.Table.(copier)
	if !isFile || !ok {
		return nil
	}
	path := socket(file)
	// This process has locked the store's file, so an existing socket belongs to no living process.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open the socket of backups: %w", err)
	}
	listener, err := listenPrivately(path)
	if err != nil {
		return fmt.Errorf("open the socket of backups: %w; try a shorter path for the store", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc(statusPath, o.answerStatus)
	mux.Handle(socketstore.Path, socketstore.Handler(o.Table))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		// Content-Length lets the reader detect a partial copy.
		err := source.Copy(w, func(bytes int64) { w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10)) })
		if err != nil {
			o.Log.ErrorContext(ctx, "the copy of the store for verdetto backup broke off", "error", err)
		}
	})
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, WriteTimeout: backupTime, Handler: mux}
	go server.Serve(listener)
	context.AfterFunc(ctx, func() { _ = server.Close(); _ = os.Remove(path) })
	return nil
}

// RemoveSocket must be called before the process ends, because HandOutCopies does not always
// remove the socket in time.
func RemoveSocket(name string) {
	if file, ok := strings.CutPrefix(name, "bolt:"); ok {
		_ = os.Remove(socket(file))
	}
}

// listenPrivately makes the socket in a private folder, because other users could connect between
// Listen and Chmod.
func listenPrivately(path string) (net.Listener, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	private := filepath.Join(dir, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: private})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Rename(private, path)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// Backup works even while a service has the store open. The new file appears only after the copy
// has been read back without error.
func Backup(ctx context.Context, name, to string) (err error) {
	file, err := fileOf(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("back up store: %s exists already; choose another name", to)
	}
	sweepParts(filepath.Dir(file))
	part, err := newPart(to)
	if err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	defer func() {
		part.Close()
		if err != nil {
			_ = os.Remove(part.Name())
		}
	}()
	if err = boltstore.Seal(part, func(w io.Writer) error { return copyOf(ctx, file, w) }); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if err = part.Sync(); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if _, _, err = Verify(ctx, "bolt:"+part.Name(), time.Now, nil); err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	// Unlike Rename, Link does not overwrite a file that another process has created meanwhile.
	if err = os.Link(part.Name(), to); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	_ = os.Remove(part.Name())
	return nil
}

func newPart(file string) (*os.File, error) {
	sweepParts(filepath.Dir(file))
	part, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".verdetto.part-*")
	if err != nil {
		return nil, err
	}
	if err := lockPart(part); err != nil {
		return nil, errors.Join(err, part.Close(), os.Remove(part.Name()))
	}
	return part, nil
}

var errNotServing = errors.New("no process serves the store")

func askService(ctx context.Context, file, path string) (*http.Response, error) {
	client := &http.Client{Timeout: backupTime, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket(file))
		}}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://store"+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, errNotServing
	}
	return response, err
}

func copyOf(ctx context.Context, file string, w io.Writer) error {
	response, err := askService(ctx, file, "/")
	if errors.Is(err, errNotServing) {
		s, _, err := boltstore.Read(file, beforeAll)
		if err != nil {
			return err
		}
		return errors.Join(s.Copy(w, func(int64) {}), s.Close())
	}
	if err != nil {
		return fmt.Errorf("ask the running service: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.ContentLength < 0 {
		return fmt.Errorf("ask the running service: %s", response.Status)
	}
	if _, err := io.Copy(w, response.Body); err != nil {
		return fmt.Errorf("ask the running service: %w", err)
	}
	return nil
}

const backupName = "verdetto-20060102T150405Z.db"

func BackupIn(folder string, now time.Time) string {
	return filepath.Join(folder, now.UTC().Format(backupName))
}

func backups(folder string, give func(file string, made time.Time) error) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if made, bad := time.Parse(backupName, e.Name()); bad == nil {
			err = errors.Join(err, give(filepath.Join(folder, e.Name()), made))
		}
	}
	return err
}

func KeepBackups(folder string, from time.Time) error {
	return backups(folder, func(file string, made time.Time) error {
		if made.Before(from) {
			return os.Remove(file)
		}
		return nil
	})
}

func failedBackup(folder string) time.Time {
	info, err := os.Stat(filepath.Join(folder, "failed"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// lastBackup treats a missing folder as an empty folder, because the first backup creates the folder.
func lastBackup(folder string) (newest time.Time, known bool) {
	err := backups(folder, func(_ string, made time.Time) error { newest = made; return nil })
	return newest, folder != "" && (err == nil || errors.Is(err, os.ErrNotExist))
}

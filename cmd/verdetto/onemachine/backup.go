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

// backupTime limits a backup, because the store's file cannot reuse freed pages meanwhile and
// grows.
const backupTime = 30 * time.Minute

type copier interface {
	Copy(w io.Writer, size func(bytes int64)) error
}

// beforeAll is the clock for a store that is only read, such as a backup: no item has expired.
func beforeAll() time.Time { return time.Time{} }

// socket returns the path of the Unix socket through which other commands reach the process that has
// locked the store's file.
func socket(file string) string { return file + ".socket" }

// HandOutCopies serves copies, the status and the table of a file store until the context ends.
// Only root and the user that runs the service may connect to the socket next to the file. For
// tables that are not in a file, it does nothing.
func (o Options) HandOutCopies(ctx context.Context, name string) error {
	file, isFile := strings.CutPrefix(name, "bolt:")
	source, ok := o.Table.(copier)
	if !isFile || !ok {
		return nil
	}
	path := socket(file)
	// This process holds the file's lock, so an existing socket was left by a killed process.
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
		// The Content-Length lets the reader detect a partial copy.
		err := source.Copy(w, func(bytes int64) { w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10)) })
		if err != nil {
			o.Log.ErrorContext(ctx, "the copy of the store for verdetto backup broke off", "error", err)
		}
	})
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, WriteTimeout: backupTime, Handler: mux}
	go server.Serve(listener) // ends with the context
	context.AfterFunc(ctx, func() { _ = server.Close(); _ = os.Remove(path) })
	return nil
}

// RemoveSocket is called before the process ends, because the removal at the end of the context may
// come too late.
func RemoveSocket(name string) {
	if file, ok := strings.CutPrefix(name, "bolt:"); ok {
		_ = os.Remove(socket(file)) // it may be gone already
	}
}

// listenPrivately listens on a Unix socket with the permissions of a store's file. It makes the
// socket in a private folder, so that no other user can connect at any moment.
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
	listener.SetUnlinkOnClose(false) // it will have another name
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Rename(private, path)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// Backup copies a store's file to a new file, even while a service has the store open. The new file
// appears only after the whole copy has been written and read back without error.
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
		part.Close() // Sync has reported any error
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
	// Link fails if another process has created a file of that name meanwhile.
	if err = os.Link(part.Name(), to); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	_ = os.Remove(part.Name()) // only the temporary name goes; the link stays
	return nil
}

// newPart creates and locks a part file next to a file. First it deletes the part files of killed
// commands.
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

// copyOf copies a file through the process that serves it, if any.
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

// backupName is the layout of the name of a backup, which says when the backup was made (UTC).
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

// lastBackup returns the zero time if there is no backup, and false if the folder cannot be read; it may be
// missing, because the first backup creates it.
func lastBackup(folder string) (newest time.Time, known bool) {
	err := backups(folder, func(_ string, made time.Time) error { newest = made; return nil })
	return newest, folder != "" && (err == nil || errors.Is(err, os.ErrNotExist))
}

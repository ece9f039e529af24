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

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

// backupTime is how long a backup may take: meanwhile the file keeps what it has replaced.
const backupTime = 30 * time.Minute

// copier is a table that is one file.
type copier interface {
	Copy(w io.Writer, size func(bytes int64)) error
}

// beforeAll is the clock of a store that is only read: by it nothing has expired.
func beforeAll() time.Time { return time.Time{} }

// socket is where the process that has a file open hands out copies of it. The file
// itself is locked.
func socket(file string) string { return file + ".socket" }

// HandOutCopies hands out copies of a table that is a file, and how the service is, until
// the context ends. Only the user that the service runs as may connect to the socket
// beside the file. For any other table it does nothing.
func (o Options) HandOutCopies(ctx context.Context, name string) error {
	file, isFile := strings.CutPrefix(name, "bolt:")
	source, ok := o.Table.(copier)
	if !isFile || !ok {
		return nil
	}
	path := socket(file)
	// Whoever holds the lock of the file owns its socket: one that is there was left by a process that was killed.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open the socket of backups: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return fmt.Errorf("open the socket of backups: %w; a shorter path to the store may help", err)
	}
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second, WriteTimeout: backupTime,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == statusPath {
				o.answerStatus(w, r)
				return
			}
			// Whoever reads sees by the length whether it is whole.
			if err := source.Copy(w, func(bytes int64) {
				w.Header().Set("Content-Length",
					strconv.FormatInt(bytes, 10))
			}); err != nil {
				o.Log.ErrorContext(ctx, "backup", "error", err)
			}
		}),
	}
	go server.Serve(listener) // ends with the context
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

// Backup copies the file of a store, be it open in a running service or not, to a
// new file. It is there once it is whole and was read, and not before.
func Backup(ctx context.Context, name, to string) (err error) {
	file, err := fileOf(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("back up store: %s is there already, and nothing is overwritten", to)
	}
	part, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".part-*") // for the user alone, as the store is
	if err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	defer func() {
		part.Close() // an error has been seen by Sync
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
	if err = readAll(ctx, part.Name()); err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	// A link is refused where the name has been taken meanwhile.
	if err = os.Link(part.Name(), to); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	_ = os.Remove(part.Name()) // another name of the same file
	return nil
}

// readAll reads every page and every item of a file.
func readAll(ctx context.Context, file string) error {
	s, _, err := boltstore.Read(file, beforeAll)
	if err != nil {
		return err
	}
	n := 0
	err = s.All(ctx, func(store.Item) error { n++; return nil })
	if err == nil && n == 0 {
		err = fmt.Errorf("%s holds nothing, which no store does that was served", file)
	}
	return errors.Join(err, s.Close())
}

// errNobody: no process has the file open and answers.
var errNobody = errors.New("nobody serves the store")

// askService asks the process that has a file open.
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
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) { // no socket, or that of one that was killed
		return nil, errNobody
	}
	return response, err
}

// copyOf asks the process that has the file open, or opens it where none has.
func copyOf(ctx context.Context, file string, w io.Writer) error {
	response, err := askService(ctx, file, "/")
	if errors.Is(err, errNobody) {
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

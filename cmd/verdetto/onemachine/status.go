package onemachine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/web/httpapi"
)

const statusPath = "/status"

type Status struct {
	At time.Time `json:"at"`
	// Well means that the service runs, is ready and has no troubles.
	Well        bool              `json:"well"`
	Since       *time.Time        `json:"since,omitempty"`
	Running     bool              `json:"running"`
	Ready       bool              `json:"ready"`
	Reason      string            `json:"reason,omitempty"`
	FaresDays   *float64          `json:"faresDays"` // null if not known
	Next        *time.Time        `json:"nextRefresh,omitempty"`
	Collection  *httpapi.Raccolta `json:"raccolta,omitempty"`
	Routes      int               `json:"routes"`
	Alerts      int               `json:"alerts"`
	Sent        int64             `json:"alertsSent"` // since the start of the process
	Keys        int               `json:"keys"`
	Jobs        int               `json:"jobs"`
	Items       int               `json:"items"`
	Bytes       int64             `json:"bytes"`
	Free        int64             `json:"free"`
	DiskFree    float64           `json:"diskFree"`
	Backup      *time.Time        `json:"backup,omitempty"`
	Certificate *time.Time        `json:"certificate,omitempty"`
	// Only a running service knows Troubles and Faults.
	Troubles []monitor.Trouble `json:"troubles,omitempty"`
	Faults   []monitor.Fault   `json:"faults"`
}

// StatusOf asks the service that has the store open. Without such a service, StatusOf reads the file.
func StatusOf(ctx context.Context, name string, now func() time.Time) (Status, error) {
	file, ok := strings.CutPrefix(name, "bolt:")
	if !ok || file == "" {
		return Status{}, fmt.Errorf("-store %q: want bolt:FILE; for a DynamoDB table see the dashboard", name)
	}
	if _, err := os.Stat(file); err != nil {
		return Status{}, fmt.Errorf("read the store: %w", err)
	}
	response, err := askService(ctx, file, statusPath)
	if errors.Is(err, errNotServing) {
		s, _, err := boltstore.Read(file, beforeAll)
		if err != nil {
			return Status{}, err
		}
		status, err := lookAt(ctx, Options{Table: s, Now: now, OneMachine: config.OneMachine{Backups: os.Getenv("VERDETTO_BACKUPS")}}, nil)
		return status, errors.Join(err, s.Close())
	}
	if err != nil {
		return Status{}, fmt.Errorf("ask the running service: %w", err)
	}
	defer response.Body.Close()
	var status Status
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return status, fmt.Errorf("ask the running service: %s: %s", response.Status, text)
	}
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return status, fmt.Errorf("ask the running service: %w", err)
	}
	return status, nil
}

type file interface {
	Path() string
	All(ctx context.Context, give func(store.Item) error) error
	Size() (bytes, free int64)
}

func lookAt(ctx context.Context, o Options, progress func(read int)) (Status, error) {
	health := NewHealth(o.Table, o.Now)
	health.readOnly = true // no probe write: the table may be a backup
	found := health.Look(ctx)
	now := o.Now().UTC().Truncate(time.Second)
	status := Status{At: now, Ready: found.Reason == "", Reason: found.Reason,
		Collection: httpapi.RaccoltaOf(found.Collection), Faults: []monitor.Fault{}}
	if found.Known {
		status.FaresDays = &found.Days
	}
	if made, ok := lastBackup(o.Backups); ok && !made.IsZero() {
		status.Backup = &made
	}
	f, ok := o.Table.(file)
	if !ok {
		return status, errors.New("the store is no file")
	}
	err := Refreshes{}.each(func(run store.Run, every time.Duration, _ func(context.Context) error) error {
		last, _, err := (store.Fares{Table: o.Table}).LastRun(ctx, run)
		if due := last.Add(every).UTC(); !last.IsZero() && (status.Next == nil || due.Before(*status.Next)) {
			status.Next = &due
		}
		return err
	})
	tally := store.Tally{Now: now}
	err = errors.Join(err, f.All(ctx, func(i store.Item) error {
		if tally.Add(i); progress != nil && tally.Items%1000 == 0 {
			progress(tally.Items)
		}
		return nil
	}))
	status.Routes, status.Alerts, status.Keys, status.Jobs = tally.Routes, tally.Alerts, tally.Plans, tally.Outbox
	status.Items = tally.Items
	status.Bytes, status.Free = f.Size()
	status.DiskFree, _ = o.room(filepath.Dir(f.Path()))
	return status, err
}

func (o Options) Status(ctx context.Context) (Status, error) {
	status, err := lookAt(ctx, o, nil)
	status.Running, status.Faults, status.Troubles = true, o.Monitor.Faults(), o.Monitor.Troubles()
	if reason := diskFull(status.Troubles); status.Ready && reason != "" {
		status.Ready, status.Reason = false, reason
	}
	status.Well, status.Sent = status.Ready && len(status.Troubles) == 0, o.Monitor.Sent()
	if since := o.Monitor.Well(status.At); status.Well == (len(status.Troubles) == 0) {
		status.Since = &since
	}
	if ends := o.Monitor.Ends.Load(); ends > 0 {
		status.Certificate = new(time.Unix(ends, 0).UTC())
	}
	return status, err
}

func (o Options) answerStatus(w http.ResponseWriter, r *http.Request) {
	status, err := o.Status(r.Context())
	if err != nil {
		o.Log.ErrorContext(r.Context(), "verdetto status could not read the store", "error", err)
		http.Error(w, "the store cannot be read; the log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(status)
}

const stamp = "2 January 2006, 15:04 UTC"

type report struct{ io.Writer }

func (r report) put(what, format string, args ...any) {
	fmt.Fprintf(r, "%-14s"+format+"\n", append([]any{what}, args...)...)
}

func (s Status) PrintStore(w io.Writer) {
	line := report{w}.put
	if s.FaresDays != nil {
		line("fares", "%d routes, the newest fares are %.1f days old", s.Routes, *s.FaresDays)
	}
	line("alerts", "%d, with %d messages sent since the start", s.Alerts, s.Sent)
	line("keys", "%d in force", s.Keys)
	line("mails", "%d wait", s.Jobs)
	line("store", "%d items in %.1f MB, of which %.1f MB are free", s.Items, float64(s.Bytes)/1e6, float64(s.Free)/1e6)
}

func (s Status) Print(w io.Writer) {
	line := report{w}.put
	since := ""
	if s.Since != nil {
		since = ", since " + s.Since.Format(stamp)
	}
	switch {
	case s.Well:
		line("well", "yes%s", since)
	case !s.Running:
		line("well", "no: it is not running. Start it: systemctl start verdetto, or verdetto serve")
	default:
		line("well", "no%s", since)
	}
	if !s.Ready {
		line("not ready", "%s", s.Reason)
	}
	for _, t := range s.Troubles {
		line("to do", "%s Since %s.", t, t.Since.Format(stamp))
	}
	switch {
	case s.Next != nil && s.Next.After(s.At):
		line("next refresh", "%s", s.Next.Format(stamp))
	case s.Next != nil:
		line("next refresh", "due since %s", s.Next.Format(stamp))
	}
	if c := s.Collection; c != nil {
		since := ""
		if c.Dal != "" {
			since = "collecting since " + c.Dal + ", "
		}
		line("verdicts", "day %d of %d, %sfirst verdict about a route on %s at the earliest", c.DaGiorni, c.DiGiorni,
			since, c.PrimoVerdetto)
	}
	if s.Backup != nil {
		line("last backup", "%.0f hours ago", s.At.Sub(*s.Backup).Hours())
	} else {
		line("last backup", "none is known; verdetto backup makes one in the folder VERDETTO_BACKUPS")
	}
	if s.Certificate != nil {
		line("certificate", "%.0f days left", s.Certificate.Sub(s.At).Hours()/24)
	}
	line("disk", "%.1f GB are free", s.DiskFree/1e9)
	s.PrintStore(w)
	faults := slices.DeleteFunc(slices.Clone(s.Faults), func(f monitor.Fault) bool {
		return slices.ContainsFunc(s.Troubles, func(t monitor.Trouble) bool { return t.String() == f.Message })
	})
	for i, f := range faults {
		if i == maxShown {
			line("log", "%d older kinds of warnings and errors: journalctl -u verdetto", len(faults)-i)
			break
		}
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(" (%d times since %s)", f.Count, f.First.Format(stamp))
		}
		if f.Error != "" {
			f.Message += ": " + f.Error
		}
		line("log", "%s: %s%s", f.At.Format(stamp), f.Message, times)
	}
}

const maxShown = 4

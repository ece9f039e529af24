package onemachine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

const statusPath = "/status"

// Status is the state of the service, for its operator.
type Status struct {
	At        time.Time `json:"at"`
	Running   bool      `json:"running"`
	Ready     bool      `json:"ready"`
	Reason    string    `json:"reason,omitempty"` // why it is not ready
	FaresDays *float64  `json:"faresDays"`        // age of the newest fares; null: there are none
	// Collection is how far the routes are from their first verdict; nil once one has enough days.
	Collection *httpapi.Raccolta `json:"raccolta,omitempty"`
	Routes     int               `json:"routes"`
	Departures int               `json:"departures"` // departures with a fare that is still current
	Alerts     int               `json:"alerts"`
	Keys       int               `json:"keys"` // Pro keys that are still valid
	Jobs       int               `json:"jobs"` // waiting in outboxes
	Items      int               `json:"items"`
	Expired    int               `json:"expired"` // expired items that are not deleted yet
	Bytes      int64             `json:"bytes"`   // size of the file
	// bytes of the file that are free and will be reused
	Free int64 `json:"free"`
	// Backup is when the newest backup in VERDETTO_BACKUPS was made; nil: none, or the folder is not
	// known.
	Backup *time.Time `json:"backup,omitempty"`
	// Troubles are what fails now. Only a running service has them.
	Troubles []monitor.Trouble `json:"troubles,omitempty"`
	// The last warnings and errors of the log, newest first. Only a running service has them.
	Faults []monitor.Fault `json:"faults"`
}

// StatusOf returns the status of the service that owns the store's file. If no process is serving
// the file, it reads the file itself.
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
		status, err := lookAt(ctx, s, now, nil)
		return status, errors.Join(err, s.Close())
	}
	if err != nil {
		return Status{}, fmt.Errorf("ask the running service: %w", err)
	}
	defer response.Body.Close()
	var status Status
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000)) // a partial answer is enough
		return status, fmt.Errorf("ask the running service: %s: %s", response.Status, text)
	}
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return status, fmt.Errorf("ask the running service: %w", err)
	}
	return status, nil
}

type file interface {
	All(ctx context.Context, give func(store.Item) error) error
	Size() (bytes, free int64)
}

// lookAt counts all items of a table. It calls progress, if set, after every 1,000 items.
func lookAt(ctx context.Context, table store.Table, now func() time.Time, progress func(read int)) (Status, error) {
	health := NewHealth(table, now)
	health.readOnly = true // no probe write: the table may be a backup
	found := health.Look(ctx)
	status := Status{At: now().UTC().Truncate(time.Second), Ready: found.Reason == "", Reason: found.Reason,
		Collection: httpapi.RaccoltaOf(found.Collection), Faults: []monitor.Fault{}}
	if found.Known {
		status.FaresDays = &found.Days
	}
	if made, ok := lastBackup(); ok && !made.IsZero() {
		status.Backup = &made
	}
	f, ok := table.(file)
	if !ok {
		return status, errors.New("the store is no file")
	}
	today := fare.DayOf(now())
	var bad error
	tally := store.Tally{Now: now(), Summary: func(data []byte) {
		s, err := store.Decode(data, nil, verdict.Decode)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			bad = fmt.Errorf("read a summary: %w", err)
			return
		}
		for _, l := range s.Live {
			if l.Depart >= today && l.Found >= now().AddDate(0, 0, -verdict.LiveDays).Unix() {
				status.Departures++
			}
		}
	}}
	err := f.All(ctx, func(i store.Item) error {
		if tally.Add(i); progress != nil && tally.Items%1000 == 0 {
			progress(tally.Items)
		}
		return bad
	})
	status.Routes, status.Alerts, status.Keys, status.Jobs = tally.Routes, tally.Alerts, tally.Plans, tally.Outbox
	status.Items, status.Expired = tally.Items, tally.Expired
	status.Bytes, status.Free = f.Size()
	return status, err
}

func (o Options) answerStatus(w http.ResponseWriter, r *http.Request) {
	status, err := lookAt(r.Context(), o.Table, o.Now, nil)
	if err != nil {
		o.Log.ErrorContext(r.Context(), "status", "error", err)
		http.Error(w, "the store cannot be read; the log says why", http.StatusInternalServerError)
		return
	}
	status.Running, status.Faults, status.Troubles = true, o.Monitor.Faults(), o.Monitor.Troubles()
	if reason := diskFull(status.Troubles); status.Ready && reason != "" {
		status.Ready, status.Reason = false, reason
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(status) // the caller may have hung up
}

func (s Status) Print(w io.Writer) {
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "%-14s"+format+"\n", append([]any{what}, args...)...)
	}
	running := "not running"
	if s.Running {
		running = "running"
	}
	if s.Ready {
		line("service", "%s, ready", running)
	} else {
		line("service", "%s, not ready. %s", running, s.Reason)
	}
	for _, t := range s.Troubles {
		line("trouble", "%s fails since %s. %s. %s", t.Of, t.Since.Format(time.RFC3339), t.Todo, t.Error)
	}
	if s.FaresDays != nil {
		line("fares", "the newest are %.1f days old", *s.FaresDays)
	}
	if c := s.Collection; c != nil {
		since := ""
		if c.Dal != "" {
			since = "collecting since " + c.Dal + ", "
		}
		line("verdicts", "day %d of %d, %sfirst verdict about a route on %s at the earliest", c.DaGiorni, c.DiGiorni,
			since, c.PrimoVerdetto)
	}
	line("routes", "%d, with %d departures", s.Routes, s.Departures)
	line("alerts", "%d", s.Alerts)
	line("keys", "%d in force", s.Keys)
	line("outbox", "%d jobs", s.Jobs)
	line("store", "%d items in %.1f MB, of which %.1f MB are free; %d have expired", s.Items, float64(s.Bytes)/1e6,
		float64(s.Free)/1e6, s.Expired)
	if s.Backup != nil {
		line("backup", "%.0f hours ago", s.At.Sub(*s.Backup).Hours())
	} else {
		line("backup", "none is known; VERDETTO_BACKUPS names the folder")
	}
	if !s.Running {
		return
	}
	line("faults", "%d of late in the log", len(s.Faults))
	for _, f := range s.Faults {
		fmt.Fprintf(w, "  %s  %s  %s", f.At.Format(time.RFC3339), f.Level, f.Message)
		if f.Count > 1 {
			fmt.Fprintf(w, " (%d times since %s)", f.Count, f.First.Format(time.RFC3339))
		}
		if f.Error != "" {
			fmt.Fprintf(w, ": %s", f.Error)
		}
		fmt.Fprintln(w)
	}
}

package onemachine

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
)

const (
	// A mail to the operator waits for this time, because many failures end by themselves.
	patience     = time.Hour
	backupWithin = 48 * time.Hour
	// A backup and the growth of the store need space.
	leastFree = 256 << 20
)

type keeper struct {
	begun  time.Time
	mailed map[string]bool
	pinged map[string]time.Time // by job: time of the refresh or backup that was reported last
	tls    atomic.Pointer[string]
	shown  *x509.Certificate
	next   time.Time
}

func (o Options) troubled(t monitor.Trouble) {
	if t.Since = o.Now(); o.Monitor.Troubled(t) {
		o.Log.Error(t.String())
	}
}

func (o Options) resolved(what string) {
	if o.Monitor.Resolved(what) {
		o.Log.Info("well again: " + what)
	}
}

// check logs each change of the text in why, so the text must not change while the cause stays the same.
func (o Options) check(what, why, todo string) {
	if why == "" {
		o.resolved(what)
	} else {
		o.troubled(monitor.Trouble{Of: what, Error: why, Todo: todo})
	}
}

// A mailbox that refuses a mail is no failure of the service.
func (o Options) mailed(err error) {
	why := ""
	if err != nil && !errors.Is(err, mail.ErrRefused) {
		why = err.Error()
	}
	o.check("sending mail", why, "Nothing is lost, each mail is tried again for 24 hours; verdetto mail-test -to ADDRESS says what is wrong")
}

func (o Options) room(folder string) (float64, bool) {
	if o.DiskFree != nil {
		return o.DiskFree(folder)
	}
	return diskFree(folder)
}

// LookAfter logs failures at once. The operator's mail waits until a failure has lasted an hour.
func (s *Service) LookAfter(ctx context.Context) error {
	o := s.options
	if o.Monitor == nil {
		return nil
	}
	if s.keeper.begun.IsZero() {
		s.keeper.begun = o.Now()
	}
	full := o.lookAtDisk()
	reason := NewHealth(o.Table, o.Now).Look(ctx).Reason
	if reason == noFares || full {
		reason = "" // a failed refresh or a full disk is a trouble of its own
	}
	o.check("the service", reason, "verdetto status says more")
	backup := o.lookAtBackup(s.keeper.begun)
	s.lookAtCertificate(ctx)
	s.ping(ctx, backup)
	o.Monitor.Well(o.Now())
	return s.tell(ctx)
}

func (o Options) lookAtBackup(begun time.Time) (made time.Time) {
	made, known := lastBackup(o.Backups)
	failed, late := failedBackup(o.Backups), o.Now().Add(-backupWithin)
	why := ""
	switch {
	case o.Backups == "":
	case !known:
		why = o.Backups + " cannot be read"
	case failed.After(made):
		why = "the backup of " + failed.Format(stamp) + " failed"
	case made.IsZero() && begun.Before(late):
		why = "there is none in " + o.Backups
	case !made.IsZero() && made.Before(late):
		why = "the newest in " + o.Backups + " is of " + made.Format(stamp)
	}
	o.check("the backup", why, "Run verdetto backup, and look at journalctl -u verdetto-backup")
	return made
}

func (o Options) lookAtDisk() (full bool) {
	f, ok := o.Table.(file)
	if !ok {
		return false
	}
	free, ok := o.room(filepath.Dir(f.Path()))
	size, _ := f.Size()
	full = ok && free < max(leastFree, 2*float64(size))
	why := ""
	if full {
		why = "it has less room than 256 MB or twice the store's size"
	}
	o.check("the disk", why, "Free some space: delete old backups first")
	return full
}

// lookAtCertificate ignores errors, because this machine cannot always reach the service's proxy.
func (s *Service) lookAtCertificate(ctx context.Context) {
	o := s.options
	if now := o.Now(); !now.Before(s.keeper.next) {
		s.keeper.next = now.Add(time.Hour)
		show := o.Certificate
		if show == nil {
			show = s.certificate
		}
		if s.keeper.shown, _ = show(ctx); s.keeper.shown != nil {
			o.Monitor.Ends.Store(s.keeper.shown.NotAfter.Unix())
		}
	}
	why := ""
	if c := s.keeper.shown; c != nil {
		left := c.NotAfter.Sub(o.Now())
		if left < min(14*24*time.Hour, c.NotAfter.Sub(c.NotBefore)/4) {
			why = "it ends on " + c.NotAfter.UTC().Format(stamp) + ", and was not renewed"
		}
	}
	o.check("the certificate", why, "Look in the log of the service or of its proxy why, and whether ports 80 and 443 are open")
}

// certificate does not verify the certificate, because only the dates are read.
func (s *Service) certificate(ctx context.Context) (*x509.Certificate, error) {
	u, err := url.Parse(s.options.BaseURL)
	if err != nil || u.Scheme != "https" {
		return nil, err
	}
	address := net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443"))
	if here := s.keeper.tls.Load(); here != nil {
		address = strings.TrimPrefix(*here, "http://")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	connection, err := (&tls.Dialer{Config: &tls.Config{ServerName: u.Hostname(), InsecureSkipVerify: true}}).DialContext(ctx, "tcp", address) //nolint:gosec // see above
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

func (s *Service) ping(ctx context.Context, backup time.Time) {
	o := s.options
	if o.Ping == "" {
		return
	}
	last, _, _ := (store.Fares{Table: o.Table}).LastRun(ctx, store.Depth) // the zero time if the store cannot be read
	if s.keeper.pinged == nil {
		s.keeper.pinged = map[string]time.Time{}
	}
	for job, at := range map[string]time.Time{"refresh": last, "backup": backup} {
		if !at.After(s.keeper.pinged[job]) || o.Now().Sub(at) > 24*time.Hour {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.ReplaceAll(o.Ping, "{job}", job), nil)
		why := ""
		if err == nil {
			var answer *http.Response
			if answer, err = http.DefaultClient.Do(request); err == nil {
				answer.Body.Close()
				if answer.StatusCode >= 300 {
					err = errors.New(answer.Status)
				}
			}
		}
		cancel()
		if err != nil {
			var named *url.Error // the text of a url.Error contains VERDETTO_PING, which is a secret
			if errors.As(err, &named) {
				err = named.Err
			}
			why = err.Error()
		} else {
			s.keeper.pinged[job] = at
		}
		o.check("calling VERDETTO_PING", why, "Look whether the address is right")
	}
}

func (s *Service) tell(ctx context.Context) error {
	o := s.options
	m := mail.Message{To: o.OperatorMail, Tag: "operator"}
	mailed := map[string]bool{}
	for _, t := range o.Monitor.Troubles() {
		m.Text += "\n" + t.String() + " Since " + t.Since.Format(stamp) + ".\n"
		mailed[t.Of] = o.Now().Sub(t.Since) >= patience
		if mailed[t.Of] && !s.keeper.mailed[t.Of] && m.Subject == "" {
			m.Subject = "Verdetto: " + t.Of + " fails"
		}
	}
	if m.Text == "" && len(s.keeper.mailed) > 0 {
		m.Subject, m.Text = "Verdetto: all is well again", "\nNothing fails any more.\n"
	}
	if o.OperatorMail == "" || m.Subject == "" {
		return nil
	}
	m.Text = "At " + o.BaseURL + ":\n" + m.Text + "\nOn its machine, verdetto status says how it is now.\n"
	err := s.Sender.Mail.Send(ctx, m)
	if err == nil {
		s.keeper.mailed = mailed
	}
	return err
}

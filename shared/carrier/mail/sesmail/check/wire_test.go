package check

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/sesmail"
)

type wire struct {
	mu      sync.Mutex
	answers []answer
	asked   [][]byte
}

type answer func(*http.Request) (*http.Response, error)

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	next := w.answers[min(len(w.asked), len(w.answers)-1)]
	w.asked = append(w.asked, body)
	w.mu.Unlock()
	return next(r)
}

func status(code int, kind, text string) answer {
	return func(r *http.Request) (*http.Response, error) {
		body, err := json.Marshal(map[string]string{"message": text})
		if err != nil {
			return nil, err
		}
		h := http.Header{"Content-Type": {"application/json"}}
		if kind != "" {
			h.Set("X-Amzn-Errortype", kind)
		}
		return &http.Response{StatusCode: code, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: h, Body: io.NopCloser(strings.NewReader(string(body)))}, nil
	}
}

func page(code int, text string) answer {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader(text))}, nil
	}
}

func fails(err error) answer {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

var (
	accepted  = page(200, `{"MessageId":"1"}`)
	throttled = status(429, "TooManyRequestsException", "slow down")
	undialled = fails(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED})
)

func over(t *testing.T, options func(*sesv2.Options), answers ...answer) (*sesmail.Sender, *wire) {
	t.Helper()
	w := &wire{answers: answers}
	return sender(t, client("http://ses.invalid", func(o *sesv2.Options) {
		o.HTTPClient = &http.Client{Transport: w}
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts = 3
			r.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	}, options)), w
}

func asIs(*sesv2.Options) {}

func TestRequest(t *testing.T) {
	s, w := over(t, asIs, accepted)
	if err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		FromEmailAddress, ConfigurationSetName string
		Destination                            map[string][]string
		EmailTags                              []map[string]string
		Content                                map[string]map[string]string
	}
	if err := json.Unmarshal(w.asked[0], &got); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(got.Content["Raw"]["Data"])
	if err != nil || !strings.HasPrefix(string(raw), "Date: Sun, 01 Mar 2026 12:00:00 +0000\r\n") {
		t.Errorf("raw mail %.200q, %v", raw, err)
	}
	got.Content = nil
	want := got
	want.FromEmailAddress, want.ConfigurationSetName = "verdetto@verdetto.example", "verdetto"
	want.Destination = map[string][]string{"ToAddresses": {"ada@example.com"}}
	want.EmailTags = []map[string]string{{"Name": "kind", "Value": "alert"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	t.Run("without what may be left out", func(t *testing.T) {
		w := &wire{answers: []answer{accepted}}
		s, err := sesmail.New(client("http://ses.invalid",
			func(o *sesv2.Options) { o.HTTPClient = &http.Client{Transport: w} }),
			sesmail.Config{From: "v@verdetto.example", Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "s", Text: "t"}); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"ConfigurationSetName", "EmailTags"} {
			if strings.Contains(string(w.asked[0]), key) {
				t.Errorf("%s was sent: %s", key, w.asked[0])
			}
		}
	})
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []answer
		want    error
		tries   int
	}{
		{"content rejected", []answer{status(400, "MessageRejected", "Transaction failed: message contains a virus")},
			mail.ErrRefused, 1},
		{"address not accepted", []answer{status(400, "BadRequestException",
			"Domain contains illegal character: ada@example.com")}, mail.ErrRefused, 1},
		{"error type with its namespace", []answer{status(400,
			"MessageRejected:http://internal.amazon.com/coral/com.amazonaws.sesv2/", "no")}, mail.ErrRefused, 1},

		{"too many requests", []answer{throttled}, mail.ErrThrottled, 3},
		{"sending rate", []answer{status(400, "ThrottlingException", "Maximum sending rate exceeded.")},
			mail.ErrThrottled, 3},
		{"daily quota", []answer{status(400, "Throttling", "Daily message quota exceeded")}, mail.ErrThrottled, 3},
		{"limit", []answer{status(400, "LimitExceededException", "limit")}, mail.ErrThrottled, 3},
		{"429 of something else", []answer{status(429, "Whatever", "slow down")}, mail.ErrThrottled, 1},
		{"no connection", []answer{undialled}, mail.ErrThrottled, 3},
		{"name not found", []answer{fails(&net.OpError{Op: "dial",
			Err: &net.DNSError{Err: "no such host", Name: "ses.invalid", IsNotFound: true}})}, mail.ErrThrottled, 1},

		{"identity not verified", []answer{status(400, "MessageRejected",
			"Email address is not verified. The following identities failed the check in region EU-SOUTH-1: ada@example.com")}, mail.ErrBlocked, 1},
		{"sending domain not verified", []answer{status(400, "MailFromDomainNotVerifiedException", "no")},
			mail.ErrBlocked, 1},
		{"suspended", []answer{status(400, "AccountSuspendedException", "no")}, mail.ErrBlocked, 1},
		{"paused", []answer{status(400, "SendingPausedException", "no")}, mail.ErrBlocked, 1},
		{"configuration set unknown", []answer{status(404, "NotFoundException",
			"Configuration set <verdetto> does not exist.")}, mail.ErrBlocked, 1},
		{"configuration set unusable", []answer{status(400, "BadRequestException",
			"Configuration set name is not valid")}, mail.ErrBlocked, 1},
		{"not permitted", []answer{status(403, "AccessDeniedException",
			"User is not authorized to perform: ses:SendEmail")}, mail.ErrBlocked, 1},
		{"credentials expired", []answer{status(403, "ExpiredTokenException", "expired")}, mail.ErrBlocked, 1},
		{"an error of tomorrow", []answer{status(400, "NewException", "?")}, mail.ErrBlocked, 1},
		{"a page of something between", []answer{page(403, "<html>proxy for ada@example.com</html>")},
			mail.ErrBlocked, 1},

		{"internal error", []answer{status(500, "InternalServiceErrorException", "oops")}, mail.ErrUnavailable, 1},
		{"unavailable", []answer{status(503, "ServiceUnavailable", "oops")}, mail.ErrUnavailable, 1},
		{"bad gateway", []answer{page(502, "<html>oops</html>")}, mail.ErrUnavailable, 1},
		{"request timed out at the server", []answer{status(408, "RequestTimeout", "slow")}, mail.ErrUnavailable, 1},
		{"connection reset", []answer{fails(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})},
			mail.ErrUnavailable, 1},
		{"connection ended", []answer{fails(io.ErrUnexpectedEOF)}, mail.ErrUnavailable, 1},
		{"an answer that is none", []answer{page(200, "<html>")}, mail.ErrUnavailable, 1},

		{"throttled, then accepted", []answer{throttled, throttled, accepted}, nil, 3},
		{"no connection, then accepted", []answer{undialled, accepted}, nil, 2},
		{"throttled, then reset", []answer{throttled, fails(syscall.ECONNRESET)}, mail.ErrUnavailable, 2},
		{"throttled, then rejected", []answer{throttled, status(400, "MessageRejected", "no")}, mail.ErrRefused, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, w := over(t, asIs, c.answers...)
			err := s.Send(t.Context(), message())
			if exactly(t, err, c.want); len(w.asked) != c.tries {
				t.Errorf("asked %d times, want %d", len(w.asked), c.tries)
			}
		})
	}
}

func exactly(t *testing.T, err, want error) {
	t.Helper()
	var got []error
	for _, e := range []error{mail.ErrRefused, mail.ErrThrottled, mail.ErrBlocked, mail.ErrUnavailable} {
		if errors.Is(err, e) {
			got = append(got, e)
		}
	}
	wants := []error{want}
	switch want {
	case nil:
		wants = nil
	case mail.ErrBlocked:
		wants = []error{mail.ErrThrottled, mail.ErrBlocked}
	}
	if (err == nil) != (want == nil) || !slices.Equal(got, wants) {
		t.Errorf("error %v, want %v", err, want)
	}
	if err != nil && (strings.Contains(err.Error(), "ada") || !strings.HasPrefix(err.Error(), "send mail: ")) {
		t.Errorf("error %v names the recipient, or does not say what failed", err)
	}
}

func TestContext(t *testing.T) {
	t.Run("ends while SES thinks", func(t *testing.T) {
		s, w := over(t, asIs, hangs)
		ctx, cancel := context.WithCancel(t.Context())
		w.answers[0] = func(r *http.Request) (*http.Response, error) { cancel(); return hangs(r) }
		err := s.Send(ctx, message())
		exactly(t, err, mail.ErrUnavailable)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	})
	t.Run("ended before", func(t *testing.T) {
		s, _ := over(t, asIs, hangs)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.Send(ctx, message())
		exactly(t, err, mail.ErrThrottled)
	})
	t.Run("ends between two tries", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s, _ := over(t, func(o *sesv2.Options) {
			o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
				r.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration,
					error) {
					cancel()
					return time.Hour, nil
				})
			})
		}, throttled)
		exactly(t, s.Send(ctx, message()), mail.ErrThrottled)
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := over(t, asIs, hangs)
		begun := time.Now()
		err := s.Send(t.Context(), message())
		exactly(t, err, mail.ErrUnavailable)
		if took := time.Since(begun); took != sesmail.Timeout || len(w.asked) != 1 {
			t.Errorf("it took %v and %d tries, want %v and 1", took, len(w.asked), sesmail.Timeout)
		}
	})
}

func TestNothingToSignWith(t *testing.T) {
	s, w := over(t, func(o *sesv2.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, errors.New("no credentials for ada@example.com")
		})
	}, accepted)
	exactly(t, s.Send(t.Context(), message()), mail.ErrBlocked)
	if len(w.asked) != 0 {
		t.Errorf("asked %d times", len(w.asked))
	}
}

func TestNewWantsASender(t *testing.T) {
	if _, err := sesmail.New(client("http://ses.invalid"), sesmail.Config{From: "verdetto", Now: time.Now}); err == nil {
		t.Error("a sender without an address was taken")
	}
}

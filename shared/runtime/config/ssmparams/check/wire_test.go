package check

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/config/ssmparams"
)

type wire struct {
	answers []answer
	asked   []*http.Request
	bodies  []string
}

type answer struct {
	status int
	body   string
	err    error
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a := w.answers[min(len(w.asked), len(w.answers)-1)]
	w.asked, w.bodies = append(w.asked, r), append(w.bodies, string(body))
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{StatusCode: a.status, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

const good = `{"Parameters":[{"Name":"/a","Value":"the-secret","Type":"SecureString"}],"InvalidParameters":["/b"]}`

func TestFaults(t *testing.T) {
	throttled := answer{400, `{"__type":"ThrottlingException","message":"Rate exceeded"}`, nil}
	refused := answer{400, `{"__type":"AccessDeniedException","message":"not yours"}`, nil}
	for _, c := range []struct {
		name    string
		answers []answer
		asked   int
		says    string
	}{
		{"at once", []answer{{200, good, nil}}, 1, ""},
		{"throttled, then out of order", []answer{throttled, {503, "", nil}, {200, good, nil}}, 3, ""},
		{"a broken connection", []answer{{0, "", errors.New("connection reset")}, {200, good, nil}}, 2, ""},
		{"cut short", []answer{{200, good[:60], nil}}, 1, "malformed"},
		{"of another form", []answer{{200, `{"Parameters":[{"Name":"/a","Value":["the-secret"]}]}`, nil}}, 1, "malformed"},
		{"refused", []answer{refused}, 1, "AccessDeniedException: not yours"},
		{"never", []answer{throttled}, 3, "Rate exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answers: c.answers}
				got, err := ssmparams.NewReader(settings("http://ssm.invalid", w))(t.Context(), []string{"/a", "/b"})
				if len(w.asked) != c.asked || (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "the-sec")) {
					t.Errorf("error %v after %d requests", err, len(w.asked))
				}
				if diff := cmp.Diff(map[string]string{"/a": "the-secret"}, got); err == nil && diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestHangingTry(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection only after the body
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_, _ = io.WriteString(w, good)
	}))
	defer server.Close()
	in := settings(server.URL, nil)
	in.HTTPClient = awshttp.NewBuildableClient()
	got, err := ssmparams.NewReader(in)(t.Context(), []string{"/a"})
	if diff := cmp.Diff(map[string]string{"/a": "the-secret"}, got); err != nil || diff != "" || asked.Load() < 2 {
		t.Errorf("%v after %d requests: %s", err, asked.Load(), diff)
	}
}

package upstreamtest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

type Fault struct {
	Status int
	Header http.Header
	Body   string
	Cut    bool
	Until  <-chan struct{} // delays the answer until the channel closes or the client leaves
}

func TooMany(header, value string) Fault {
	h := http.Header{}
	if header != "" {
		h.Set(header, value)
	}
	return Fault{Status: http.StatusTooManyRequests, Header: h,
		Body: `{"success":false,"data":null,"error":"too many requests"}`}
}

func Broken(status int) Fault {
	return Fault{Status: status, Body: "<html><body>" + http.StatusText(status) + "</body></html>"}
}

// In an error, the API writes {} or null as data.
func Unwilling(text, data string) Fault {
	return Garbled(`{"success":false,"data":` + data + `,"error":` + strconv.Quote(text) + `}`)
}

func Garbled(body string) Fault { return Fault{Status: http.StatusOK, Body: body} }

func Cut() Fault { return Fault{Cut: true} }

func Slow(until <-chan struct{}) Fault { return Fault{Until: until} }

func Elsewhere(address string) Fault {
	return Fault{Status: http.StatusFound, Header: http.Header{"Location": {address}}, Body: "moved"}
}

func (f Fault) none() bool { return f.Status == 0 && !f.Cut && f.Until == nil }

func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

func (f Fault) misbehave(w http.ResponseWriter, r *http.Request) (status int, done bool) {
	if f.Until != nil {
		select {
		case <-f.Until:
		case <-r.Context().Done():
			return 0, true
		}
	}
	if f.Cut {
		w.Header().Set("Content-Length", "100000")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte(`{"success":true,"data":[{"origin":"MIL",` + strings.Repeat(" ", 5000)))
		return http.StatusOK, true
	}
	if f.Status == 0 {
		return 0, false
	}
	for name, values := range f.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
	return f.Status, true
}

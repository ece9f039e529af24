package upstreamtest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault is a way in which an answer of the imitated API goes wrong. The zero value is no fault.
type Fault struct {
	Status int             // replaces status 200
	Header http.Header     // added to the answer
	Body   string          // replaces the rows
	Cut    bool            // breaks the connection in the middle of the body
	Until  <-chan struct{} // delays the answer until it closes or the client leaves
}

// TooMany returns a fault with status 429 and one header.
func TooMany(header, value string) Fault {
	h := http.Header{}
	if header != "" {
		h.Set(header, value)
	}
	return Fault{Status: http.StatusTooManyRequests, Header: h,
		Body: `{"success":false,"data":null,"error":"too many requests"}`}
}

// Broken returns a fault with the given status and an HTML page, as proxies send it.
func Broken(status int) Fault {
	return Fault{Status: status, Body: "<html><body>" + http.StatusText(status) + "</body></html>"}
}

// Unwilling returns a fault with status 200 and a body that says success:false. The parameter data
// is the field data of that body, which the API writes as {} or null.
func Unwilling(text, data string) Fault {
	return Garbled(`{"success":false,"data":` + data + `,"error":` + strconv.Quote(text) + `}`)
}

// Garbled returns a fault with status 200 and the given body.
func Garbled(body string) Fault { return Fault{Status: http.StatusOK, Body: body} }

// Cut returns a fault that breaks the connection in the middle of the answer.
func Cut() Fault { return Fault{Cut: true} }

// Slow returns a fault that delays the answer until the channel closes.
func Slow(until <-chan struct{}) Fault { return Fault{Until: until} }

// Elsewhere returns a fault that redirects to another address.
func Elsewhere(address string) Fault {
	return Fault{Status: http.StatusFound, Header: http.Header{"Location": {address}}, Body: "moved"}
}

func (f Fault) none() bool { return f.Status == 0 && !f.Cut && f.Until == nil }

func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

// misbehave answers with the fault, if there is one. It reports whether it has answered.
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

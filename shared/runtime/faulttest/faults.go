// Package faulttest injects faults into HTTP requests to imitations of other services.
package faulttest

import (
	"net/http"
	"net/http/httptest"
	"sync"
)

type Fault struct {
	Status int
	Header http.Header
	Body   string
	Cut    bool
	After  bool
	Until  <-chan struct{} // delays the request until the channel closes or the client leaves
}

func Broken(status int) Fault {
	return Fault{Status: status, Body: "<html><body>" + http.StatusText(status) + "</body></html>"}
}

func Cut() Fault { return Fault{Cut: true} }

func CutAfter() Fault { return Fault{Cut: true, After: true} }

func Slow(until <-chan struct{}) Fault { return Fault{Until: until} }

func Garbled(body string) Fault { return Fault{Status: http.StatusOK, Body: body} }

type Faults struct {
	mu    sync.Mutex
	queue []Fault
	down  bool
}

func Break(standIn interface {
	Wrap(func(http.Handler) http.Handler)
}) *Faults {
	f := &Faults{}
	standIn.Wrap(f.around)
	return f
}

func (f *Faults) Fail(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, faults...)
}

func (f *Faults) Down(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *Faults) next() Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return Cut()
	}
	if len(f.queue) == 0 {
		return Fault{}
	}
	fault := f.queue[0]
	f.queue = f.queue[1:]
	return fault
}

func (f *Faults) around(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := f.next()
		if fault.Until != nil {
			select {
			case <-fault.Until:
			case <-r.Context().Done():
				panic(http.ErrAbortHandler)
			}
		}
		if !fault.Cut && fault.Status == 0 {
			handler.ServeHTTP(w, r)
			return
		}
		if fault.After {
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}
		if fault.Cut {
			panic(http.ErrAbortHandler)
		}
		for name, values := range fault.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(fault.Status)
		_, _ = w.Write([]byte(fault.Body))
	})
}

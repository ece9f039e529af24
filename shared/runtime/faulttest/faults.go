// Package faulttest injects faults into HTTP requests to imitations of other services.
package faulttest

import (
	"net/http"
	"net/http/httptest"
	"sync"
)

// Fault is how an HTTP request fails. The zero value is no fault.
type Fault struct {
	Status int // answered with Header and Body
	Header http.Header
	Body   string
	Cut    bool            // breaks the connection without an answer
	After  bool            // handles the request before Status or Cut
	Until  <-chan struct{} // delays the request until it closes or the client leaves
}

// Broken answers with an HTML page, as proxies do.
func Broken(status int) Fault {
	return Fault{Status: status, Body: "<html><body>" + http.StatusText(status) + "</body></html>"}
}

// Cut breaks the connection before the request takes effect.
func Cut() Fault { return Fault{Cut: true} }

// CutAfter breaks the connection after the request took effect.
func CutAfter() Fault { return Fault{Cut: true, After: true} }

func Slow(until <-chan struct{}) Fault { return Fault{Until: until} }

func Garbled(body string) Fault { return Fault{Status: http.StatusOK, Body: body} }

// Faults is the queue of faults for the next requests to an imitation.
type Faults struct {
	mu    sync.Mutex
	queue []Fault
	down  bool
}

// Break puts a queue of faults in front of an imitation. It replaces the queue of an earlier Break.
func Break(standIn interface {
	Wrap(func(http.Handler) http.Handler)
}) *Faults {
	f := &Faults{}
	standIn.Wrap(f.around)
	return f
}

// Fail makes the next requests fail, one fault each, in this order.
func (f *Faults) Fail(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, faults...)
}

// Down(true) breaks every connection until Down(false).
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

// around serves each request with the next fault, or with the handler if the queue is empty.
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

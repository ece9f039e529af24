// Package paytest makes play money misbehave on the wire.
package paytest

import (
	"net/http"
	"net/http/httptest"
	"sync"
)

// Fault is one way in which a request goes wrong. The zero value is no fault.
type Fault struct {
	Status int             // answered with Header and Body instead of the answer
	Header http.Header     //
	Body   string          //
	Cut    bool            // the connection breaks without an answer
	After  bool            // only once the request has had its effect; with no other fault, nothing is wrong
	Until  <-chan struct{} // everything is held back until this closes or the client goes away
}

// Broken is an answer with that status and a page of HTML, as proxies give.
func Broken(status int) Fault {
	return Fault{Status: status, Body: "<html><body>" + http.StatusText(status) + "</body></html>"}
}

// Cut breaks the connection before the request has an effect.
func Cut() Fault { return Fault{Cut: true} }

// CutAfter breaks the connection after the request has had its effect.
func CutAfter() Fault { return Fault{Cut: true, After: true} }

// Slow holds an answer back until the channel closes.
func Slow(until <-chan struct{}) Fault { return Fault{Until: until} }

// Garbled is a status 200 with any body.
func Garbled(body string) Fault { return Fault{Status: http.StatusOK, Body: body} }

// Faults is what goes wrong with the next requests.
type Faults struct {
	mu    sync.Mutex
	queue []Fault
	down  bool
}

// Break stands between the network and a stand-in. It takes the place of an earlier Break.
func Break(standIn interface {
	Wrap(func(http.Handler) http.Handler)
}) *Faults {
	f := &Faults{}
	standIn.Wrap(f.around)
	return f
}

// Fail makes the next requests go wrong, one fault each, in this order.
func (f *Faults) Fail(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, faults...)
}

// Down breaks every connection until it is called with false.
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

// around answers a request by the handler, or by the next fault.
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

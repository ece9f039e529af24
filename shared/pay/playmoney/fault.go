// Package playmoney stands in for a card processor and for a node of a blockchain,
// in tests and on one machine: Stripe speaks the wire of Stripe's API, Node that of a
// Solana node.
//
// Both hold their state in memory and tell the truth about it on the wire as the
// real ones do: sessions are paid, renewed and ended, transactions are pending,
// final or failed. They are written from the wire alone, without the libraries
// that the adapters use, so that both sides cannot be wrong in the same way. They
// can be told to misbehave.
package playmoney

import (
	"net/http"
	"net/http/httptest"
	"sync"
)

// Fault is one way in which a request goes wrong. The zero value is no fault.
type Fault struct {
	Status int             // answered with Body, instead of the answer
	Header http.Header     // added to that
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

// serve answers a request by the handler, or by the next fault.
func (f *Faults) serve(w http.ResponseWriter, r *http.Request, handler http.Handler) {
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
}

package solanapay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

// For each JSON-RPC method, script replays a list of results and repeats the last result. A result
// that starts with "error" is an error.
type script struct {
	says  map[string][]string
	asked []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	var call struct{ Method string }
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		return nil, err
	}
	s.asked = append(s.asked, call.Method)
	left := s.says[call.Method]
	if len(left) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if len(left) > 1 {
		s.says[call.Method] = left[1:]
	}
	member := "result"
	text, failed := strings.CutPrefix(left[0], "error ")
	if failed {
		member = "error"
	}
	w := httptest.NewRecorder()
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,%q:%s}`, member, text)
	return w.Result(), nil
}

const (
	unknown   = `{"value":[null]}`
	processed = `{"value":[{"confirmationStatus":"processed","err":null}]}`
	confirmed = `{"value":[{"confirmationStatus":"confirmed","err":null}]}`
	failing   = `{"value":[{"confirmationStatus":"confirmed","err":{"InstructionError":[2,{"Custom":1}]}}]}`
	poor      = `error {"code":-32002,"message":"simulation failed","data":{"err":{"InstructionError":[2,{"Custom":1}]}}}`
	too       = `error {"code":-32002,"message":"simulation failed","data":{"err":"BlockhashNotFound"}}`
)

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name  string
		says  map[string][]string
		want  pay.Outcome
		err   error
		calls int
	}{
		{"at once", map[string][]string{"sendTransaction": {`"x"`}, "getSignatureStatuses": {confirmed}},
			pay.TookEffect, nil, 2},
		{"after a while", map[string][]string{"sendTransaction": {`"x"`},
			"getSignatureStatuses": {unknown, processed, confirmed}}, pay.TookEffect, nil, 4},
		{"it fails on the chain", map[string][]string{"sendTransaction": {`"x"`},
			"getSignatureStatuses": {processed, failing}}, pay.MovedNothing, nil, 3},
		{"it is never found again", map[string][]string{"sendTransaction": {`"x"`}, "getSignatureStatuses": {unknown}},
			"", pay.ErrNotFound, 0},
		{"the answer to sending is lost, and it has arrived",
			map[string][]string{"getSignatureStatuses": {processed, confirmed}}, pay.TookEffect, nil, 3},
		{"the answer to sending is lost, and it has not arrived",
			map[string][]string{"getSignatureStatuses": {unknown}}, "", pay.ErrUnavailable, 2},
		{"the payer has not enough", map[string][]string{"sendTransaction": {poor}, "getSignatureStatuses": {unknown},
			"getBlockHeight": {"900"}}, "", pay.ErrInsufficientFunds, 3},
		{"it is refused", map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {unknown},
			"getBlockHeight": {"1000"}}, "", pay.ErrRefusedTransaction, 3},
		{"it was sent before, and has taken effect",
			map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {confirmed}}, pay.TookEffect, nil, 2},
		{"it was sent before, and is under way",
			map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {processed, processed, confirmed}},
			pay.TookEffect, nil, 4},
		{"it was sent before, and is too old",
			map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {unknown}, "getBlockHeight": {"1001"},
				"getTransaction": {"null"}}, pay.TooLate, nil, 4},
		{"it was sent long ago, and took effect",
			map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {unknown}, "getBlockHeight": {"1001"},
				"getTransaction": {`{"meta":{"err":null}}`}}, pay.TookEffect, nil, 4},
		{"it was sent long ago, and failed", map[string][]string{"sendTransaction": {too},
			"getSignatureStatuses": {unknown}, "getBlockHeight": {"1001"}, "getTransaction": {`{"meta":{"err":"x"}}`}},
			pay.MovedNothing, nil, 4},
		{"it is too old for a node that keeps no history",
			map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {unknown}, "getBlockHeight": {"1001"},
				"getTransaction": {`error {"code":-32011,"message":"no history"}`}}, "", pay.ErrUnavailable, 4},
		{"the node is down", nil, "", pay.ErrUnavailable, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{says: c.says}
				chain := open(t, s, "https://node.example")
				ctx, cancel := context.WithTimeout(t.Context(), pay.SettleTimeout)
				defer cancel()
				got, err := chain.Settle(ctx,
					pay.Signed{Signature: pay.Signature{1}, Wire: []byte("wire"), Until: 1000})
				if got != c.want || !errors.Is(err, c.err) || c.calls > 0 && len(s.asked) != c.calls {
					t.Errorf("%q %v %v", got, err, s.asked)
				}
				if errors.Is(err, pay.ErrInsufficientFunds) && !errors.Is(err, pay.ErrRefusedTransaction) {
					t.Errorf("want of funds is no refusal: %v", err)
				}
			})
		})
	}
}

func TestSettleAsksTheNextNode(t *testing.T) {
	up := &script{says: map[string][]string{"sendTransaction": {`"x"`}, "getSignatureStatuses": {confirmed},
		"getBlockHeight": {"7"}, "getBalance": {`{"value":12}`}}}
	chain := open(t, byHost{"down.example": &script{}, "up.example": up}, "https://down.example", "https://up.example")
	if got, err := chain.Settle(t.Context(), pay.Signed{Signature: pay.Signature{1}, Until: 1000}); err != nil ||
		got != pay.TookEffect {
		t.Errorf("%q %v", got, err)
	}
	if height, err := chain.Height(t.Context()); err != nil || height != 7 {
		t.Errorf("%d %v", height, err)
	}
	if balance, err := chain.Balance(t.Context(), playmoney.Address("fees")); err != nil || balance != 12 {
		t.Errorf("%d %v", balance, err)
	}
}

func TestRefusalBehindASilentNode(t *testing.T) {
	for name, c := range map[string]struct {
		first   *script
		refused bool
	}{
		"it breaks off":          {&script{}, false},
		"it says that it cannot": {&script{says: map[string][]string{"sendTransaction": {`error {"code":-32005,"message":"node is behind"}`}}}, true},
	} {
		second := &script{says: map[string][]string{"sendTransaction": {too}, "getSignatureStatuses": {unknown},
			"getBlockHeight": {"7"}}}
		chain := open(t, byHost{"first.example": c.first, "second.example": second}, "https://first.example",
			"https://second.example")
		_, err := chain.Settle(t.Context(), pay.Signed{Signature: pay.Signature{1}, Until: 1000})
		if errors.Is(err, pay.ErrRefusedTransaction) != c.refused || errors.Is(err, pay.ErrUnavailable) == c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type byHost map[string]http.RoundTripper

func (b byHost) RoundTrip(r *http.Request) (*http.Response, error) { return b[r.URL.Host].RoundTrip(r) }

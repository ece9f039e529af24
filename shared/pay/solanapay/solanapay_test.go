package solanapay_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/runtime/faulttest"
)

var (
	noon   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	wallet = playmoney.Address("wallet")
	due    = playmoney.Transfer{Wallet: wallet, Mint: pay.MainnetUSDC, Units: 12_990_000, Memo: "vd1:memo"}
	failed = playmoney.Transfer{Wallet: wallet, Mint: pay.MainnetUSDC, Units: 12_990_000, Memo: "vd1:memo",
		Failed: true}
	tables = playmoney.Transfer{Wallet: wallet, Mint: pay.MainnetUSDC, Units: 12_990_000, Memo: "vd1:memo",
		Tables: true}
)

func open(t *testing.T, transport http.RoundTripper, nodes ...string) *solanapay.Chain {
	t.Helper()
	config := solanapay.Config{Nodes: nodes, Wallet: wallet, Mint: pay.MainnetUSDC, Poll: time.Millisecond}
	if transport != nil {
		config.Client = &http.Client{Transport: transport}
	}
	chain, err := solanapay.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func world(t *testing.T, count int) ([]*playmoney.Node, *solanapay.Chain) {
	t.Helper()
	var nodes []*playmoney.Node
	var addresses []string
	for range count {
		node := playmoney.NewNode(func() time.Time { return noon })
		server := httptest.NewServer(node)
		t.Cleanup(server.Close)
		nodes = append(nodes, node)
		addresses = append(addresses, server.URL+"/?api-key=secret")
	}
	return nodes, open(t, nil, addresses...)
}

func TestPayment(t *testing.T) {
	for _, c := range []struct {
		name  string
		given func(*playmoney.Node) pay.Signature
		units int64
		err   error
	}{
		{"final", func(n *playmoney.Node) pay.Signature { return n.Pay(due) }, 12_990_000, nil},
		{"never heard of", func(*playmoney.Node) pay.Signature { return pay.Signature{9} }, 0, pay.ErrNotFound},
		{"processed", func(n *playmoney.Node) pay.Signature { return n.Send(due) }, 0, pay.ErrNotFinal},
		{"confirmed", func(n *playmoney.Node) pay.Signature {
			s := n.Send(due)
			n.Advance(s, playmoney.Confirmed)
			return s
		}, 0, pay.ErrNotFinal},
		{"on a fork that was abandoned", func(n *playmoney.Node) pay.Signature {
			s := n.Send(due)
			n.Forget(s)
			return s
		}, 0, pay.ErrNotFound},
		{"failed", func(n *playmoney.Node) pay.Signature { return n.Pay(failed) }, 0, pay.ErrFailedTransaction},
		{"failed, but not for good yet", func(n *playmoney.Node) pay.Signature { return n.Send(failed) }, 0,
			pay.ErrNotFinal},
		{"version 1", func(n *playmoney.Node) pay.Signature {
			newer := due
			newer.V1 = true
			return n.Pay(newer)
		}, 12_990_000, nil},
		{"version 0", func(n *playmoney.Node) pay.Signature { return n.Pay(tables) }, 12_990_000, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes, chain := world(t, 1)
			signature := c.given(nodes[0])
			got, err := chain.Payment(t.Context(), signature)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			want := pay.Payment{}
			if err == nil {
				want = pay.Payment{Signature: signature, Units: c.units, Memos: []string{"vd1:memo"}, At: noon,
					Payers: []string{playmoney.Address("payer 1")}}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBecomesFinal(t *testing.T) {
	nodes, chain := world(t, 1)
	signature := nodes[0].Send(due)
	for _, stage := range []playmoney.Finality{playmoney.Processed, playmoney.Confirmed} {
		nodes[0].Advance(signature, stage)
		if _, err := chain.Payment(t.Context(), signature); !errors.Is(err, pay.ErrNotFinal) {
			t.Fatalf("%s: %v", stage, err)
		}
	}
	nodes[0].Advance(signature, playmoney.Finalized)
	if got, err := chain.Payment(t.Context(), signature); err != nil || got.Units != 12_990_000 {
		t.Fatalf("final: %+v, %v", got, err)
	}
}

func TestFaults(t *testing.T) {
	limited := faulttest.Fault{Status: http.StatusTooManyRequests,
		Body: `{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests"},"id":1}`}
	for _, c := range []struct {
		name   string
		faults []faulttest.Fault
		want   error
	}{
		{"a version that nobody knows yet", []faulttest.Fault{faulttest.Garbled(
			`{"error":{"code":-32015,"message":"Transaction version (2) is not supported by the requesting client."}}`)},
			pay.ErrUnknownVersion},
		{"429", []faulttest.Fault{limited}, pay.ErrUnavailable},
		{"500", []faulttest.Fault{faulttest.Broken(500)}, pay.ErrUnavailable},
		{"502 on the second question", []faulttest.Fault{{}, faulttest.Broken(502)}, pay.ErrUnavailable},
		{"cut", []faulttest.Fault{faulttest.Cut()}, pay.ErrUnavailable},
		{"cut after", []faulttest.Fault{faulttest.CutAfter()}, pay.ErrUnavailable},
		{"moved", []faulttest.Fault{{Status: 302, Header: http.Header{"Location": {"/elsewhere"}}}}, pay.ErrUnavailable},
		{"our secret is wrong", []faulttest.Fault{faulttest.Broken(401)}, pay.ErrRefused},
		{"not JSON", []faulttest.Fault{faulttest.Garbled("<html>")}, pay.ErrUnavailable},
		{"neither result nor error", []faulttest.Fault{faulttest.Garbled(`{"jsonrpc":"2.0","id":1}`)}, pay.ErrUnavailable},
		{"behind", []faulttest.Fault{faulttest.Garbled(`{"error":{"code":-32005,"message":"Node is behind by 42 slots"}}`)},
			pay.ErrUnavailable},
		{"of a version to come", []faulttest.Fault{faulttest.Garbled(
			`{"error":{"code":-32015,"message":"Transaction version (1) is not supported"}}`)}, pay.ErrUnreadable},
		{"endless", []faulttest.Fault{faulttest.Garbled(strings.Repeat(" ", 5<<20))}, pay.ErrUnavailable},
		{"another's transaction", []faulttest.Fault{faulttest.Garbled(`{"result":{"slot":1}}`)}, pay.ErrUnreadable},
		{"two statuses", []faulttest.Fault{{}, faulttest.Garbled(`{"result":{"value":[null,null]}}`)}, pay.ErrUnavailable},
		{"final without history", []faulttest.Fault{
			faulttest.Garbled(`{"result":null}`), faulttest.Garbled(`{"result":{"value":[{"confirmations":null}]}}`),
			faulttest.Garbled(`{"result":null}`),
			faulttest.Garbled(`{"result":{"value":[{"confirmationStatus":"finalized"}]}}`),
		}, pay.ErrUnreadable},
		{"it became final in between", []faulttest.Fault{
			faulttest.Garbled(`{"result":null}`),
			faulttest.Garbled(`{"result":{"value":[{"confirmations":null,"confirmationStatus":"finalized"}]}}`),
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes, chain := world(t, 1)
			sent := nodes[0].Send(due)
			if c.want == nil {
				nodes[0].Advance(sent, playmoney.Finalized)
			}
			faulttest.Break(nodes[0]).Fail(c.faults...)
			got, err := chain.Payment(t.Context(), sent)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%+v, error %v, want %v", got, err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") ||
				!strings.Contains(err.Error(), "ask the Solana node at 127.0.0.1:")) {
				t.Errorf("the error names no node, or a secret: %v", err)
			}
			nodes[0].Advance(sent, playmoney.Finalized)
			if _, err := chain.Payment(t.Context(), sent); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestSecondNode(t *testing.T) {
	for _, c := range []struct {
		name  string
		first func(*playmoney.Node)
		late  bool // the payment is not final at the second node
		want  error
		calls int
	}{
		{"the first is down", func(n *playmoney.Node) { faulttest.Break(n).Down(true) }, false, nil, 1},
		{"the first lags", func(*playmoney.Node) {}, false, nil, 1},
		{"the first speaks nonsense", func(n *playmoney.Node) {
			faulttest.Break(n).Fail(
				faulttest.Garbled(`{"result":{}}`))
		}, false, nil, 1},
		{"the first refuses us", func(n *playmoney.Node) { faulttest.Break(n).Fail(faulttest.Broken(403)) }, false, nil, 1},
		{"the first lags, the second waits", func(*playmoney.Node) {}, true, pay.ErrNotFinal, 2},
		{"the first has seen it", func(n *playmoney.Node) { n.Send(due) }, true, pay.ErrNotFinal, 2},
		{"the first is down, the second waits", func(n *playmoney.Node) { faulttest.Break(n).Down(true) }, true,
			pay.ErrNotFinal, 2},
		{"the first knows it", func(n *playmoney.Node) { n.Pay(due) }, false, nil, 0},
		{"the first knows that it failed", func(n *playmoney.Node) { n.Pay(failed) }, false, pay.ErrFailedTransaction,
			0},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes, chain := world(t, 2)
			c.first(nodes[0])
			signature := nodes[1].Send(due)
			if !c.late {
				nodes[1].Advance(signature, playmoney.Finalized)
			}
			_, err := chain.Payment(t.Context(), signature)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if got := nodes[1].Calls(); got != c.calls {
				t.Errorf("the second node was asked %d times, want %d", got, c.calls)
			}
		})
	}
}

type never struct{}

func (never) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTimeout(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []string
	}{
		{"one node", []string{"https://one.invalid"}},
		{"three nodes", []string{"https://one.invalid", "https://two.invalid", "https://three.invalid"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chain := open(t, never{}, c.nodes...)
				begun := time.Now()
				_, err := chain.Payment(t.Context(), pay.Signature{1})
				if took := time.Since(begun); !errors.Is(err, pay.ErrUnavailable) || took != pay.Timeout {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}

type halting struct{ node http.Handler }

func (h halting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "one.invalid" {
		return never{}.RoundTrip(r)
	}
	recorder := httptest.NewRecorder()
	h.node.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

func TestSlowNodeLeavesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := playmoney.NewNode(func() time.Time { return noon })
		signature := node.Pay(due)
		chain := open(t, halting{node}, "https://one.invalid", "https://two.invalid")
		begun := time.Now()
		if _, err := chain.Payment(t.Context(), signature); err != nil || time.Since(begun) != pay.Timeout/2 {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

func TestCallerGoesAway(t *testing.T) {
	nodes, chain := world(t, 2)
	signature := nodes[0].Pay(due)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := chain.Payment(ctx, signature); !errors.Is(err, context.Canceled) ||
		errors.Is(err, pay.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	if got := nodes[1].Calls(); got != 0 {
		t.Errorf("the second node got %d calls after the caller left", got)
	}
}

func TestNew(t *testing.T) {
	good := solanapay.Config{Nodes: []string{"https://node.example"}, Wallet: wallet, Mint: pay.MainnetUSDC}
	for _, c := range []struct {
		name   string
		change func(*solanapay.Config)
		fault  string
	}{
		{"good", func(*solanapay.Config) {}, ""},
		{"on this machine", func(c *solanapay.Config) { c.Nodes[0] = "http://127.0.0.1:8899" }, ""},
		{"no node", func(c *solanapay.Config) { c.Nodes = nil }, "no node"},
		{"in the clear", func(c *solanapay.Config) {
			c.Nodes = []string{"https://a.example",
				"http://b.example/?key=secret"}
		}, "node 2"},
		{"no address", func(c *solanapay.Config) { c.Nodes[0] = "secret" }, "node 1"},
		{"wallet", func(c *solanapay.Config) { c.Wallet = "0x1234" }, "wallet"},
		{"wallet of too few bytes", func(c *solanapay.Config) { c.Wallet = wallet[:20] }, "wallet"},
		{"mint", func(c *solanapay.Config) { c.Mint = "" }, "mint"},
		{"the mint for the wallet", func(c *solanapay.Config) { c.Wallet = c.Mint }, "wallet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := good
			config.Nodes = append([]string(nil), good.Nodes...)
			c.change(&config)
			_, err := solanapay.New(config)
			if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("error %v, want one about %q", err, c.fault)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the node's address: %v", err)
			}
		})
	}
}

func TestPage(t *testing.T) {
	node := playmoney.NewNode(func() time.Time { return noon })
	server := httptest.NewServer(node)
	defer server.Close()
	chain := open(t, nil, server.URL)
	response, err := http.PostForm(server.URL,
		map[string][]string{"wallet": {wallet}, "amount": {"12.99"}, "memo": {"<b>"}})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), `id="signature">`)
	text, _, _ := strings.Cut(rest, "<")
	signature, err := pay.ParseSignature(text)
	if err != nil {
		t.Fatalf("no signature on the page: %v\n%s", err, page)
	}
	got, err := chain.Payment(t.Context(), signature)
	if err != nil || got.Units != 12_990_000 || !cmp.Equal(got.Memos, []string{"<b>"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if strings.Contains(string(page), "<b>") || strings.Contains(string(page), "<script") ||
		response.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("the page is not a plain one: %s", page)
	}
}

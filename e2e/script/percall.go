package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/e2e/fixture"
	payment "verdetto/shared/pay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/web/routes"
)

func (s *story) seller() *fixture.PerCall {
	if s.perCall != nil {
		return s.perCall
	}
	s.perCall = fixture.OpenPerCall(s.t, s.options.Table, s.now)
	lost := false // the answer to the last payment was lost
	s.perCall.Chain.Fault = func(step string) error {
		side := never
		if step == "send" || step == "outcome" {
			side = s.faults.next("chain")
		}
		answered := !lost
		if lost = side == after && step == "send"; side == before || side == after && !lost || !answered {
			return payment.ErrUnavailable
		}
		return nil
	}
	return s.perCall
}

// The parameter name is PAYER/NUMBER.
func (s *story) present(ts *testscript.TestScript, r *request, name string) {
	s.up(ts)
	payer, number, _ := strings.Cut(name, "/")
	n, err := strconv.Atoi(number)
	ts.Check(err)
	path, _, _ := strings.Cut(r.target, "?")
	for _, route := range routes.Table {
		if route.Path == path {
			if name = fmt.Sprint(name, " of ", route.Price); s.signed[name] == "" {
				s.signed[name] = s.seller().Payment(payer, route.Price, n)
			}
			r.header.Set(x402pay.SignatureHeader, s.signed[name])
		}
	}
}

func perCall(s *story, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("want got UNITS, fund PAYER, fails, works, expires or fees LAMPORTS")
	}
	s.up(ts)
	chain := s.seller().Chain
	n, _ := strconv.ParseInt(args[len(args)-1], 10, 64)
	switch args[0] {
	case "got":
		require(ts, neg, "the wallet's units", args[1], strconv.FormatInt(chain.Got, 10))
	case "fund":
		chain.Balances[fixture.SolanaAddress(args[1])] = 1_000_000
	case "fails", "works":
		chain.Fails = args[0] == "fails"
	case "expires":
		chain.Expire()
	case "fees":
		chain.Lamports = n
	default:
		ts.Fatalf("no %s of the chain", args[0])
	}
}

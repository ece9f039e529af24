// Package check pays for answers with the published clients of x402, on Solana's own runtime.
package check

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/x402"
	"verdetto/shared/fare"
	"verdetto/shared/pay"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/routes"
)

const (
	verdict = "/x402/v1/analisi?origine=Milano&destinazione=Bucarest"
	another = verdict + "&prezzo=45"
)

var price = routes.Named("x402-analisi").Price

type world struct {
	*network
	t                *testing.T
	url, ada, wallet string
	log              *fixture.Log
	mu               sync.Mutex
	payments         []string
	before           func()
}

func openWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, log: &fixture.Log{}, wallet: account(t, fixture.PerCallWallet.String()),
		ada: account(t, fixture.SolanaAddress("ada"))}
	w.network = openNetwork(t, initialState{
		Mint: pay.MainnetUSDC,
		Accounts: []tokenAccount{
			{Owner: fixture.SolanaAddress("ada"), Account: w.ada, Units: 1_000_000},
			{Owner: fixture.SolanaAddress("poor"), Account: account(t, fixture.SolanaAddress("poor")), Units: price - 1},
			{Owner: fixture.PerCallWallet.String(), Account: w.wallet},
		},
		Lamports: map[string]int64{fixture.SolanaAddress("fees"): 1_000_000_000},
	})
	var numbers []int
	for _, b := range fixture.SolanaKey("fees") {
		numbers = append(numbers, int(b))
	}
	key, err := json.Marshal(numbers)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"X402_FEE_KEY": string(key), "SOLANA_NODES": w.URL,
		"SOLANA_WALLET": fixture.PerCallWallet.String(), "SOLANA_NETWORK": "mainnet-beta",
		"SOLANA_MINT": pay.MainnetUSDC} {
		t.Setenv(name, value)
	}
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	table := fixture.Bolt(t, clock.Now)
	source := fixture.Falling(fare.DayOf(clock.Now()))
	fixture.Refreshed(t, table, source, clock.Now)
	service := fixture.New(t, onemachine.Options{Table: table, Source: source, Now: clock.Now,
		BaseURL: fixture.LocalURL, Log: slog.New(slog.NewJSONHandler(w.log, nil))})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if payment := r.Header.Get(x402pay.SignatureHeader); payment != "" {
			w.mu.Lock()
			w.payments = append(w.payments, payment)
			if w.before != nil {
				w.before()
				w.before = nil
			}
			w.mu.Unlock()
		}
		service.API.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *world) fee(header string) int64 {
	w.t.Helper()
	seller, err := x402pay.New(x402pay.Config{
		Network: x402pay.Mainnet, Mint: pay.MainnetUSDC, Wallet: fixture.PerCallWallet.String(),
		FeeKey: fixture.SolanaKey("fees"),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	payload, err := x402pay.ParsePayload(header)
	if err != nil {
		w.t.Fatal(err)
	}
	payment, err := seller.Verify(payload, seller.Requirements(price))
	if err != nil {
		w.t.Fatal(err)
	}
	return payment.Fee
}

func settlement(t *testing.T, header string) (settled x402pay.Settlement) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(header)
	if err == nil {
		err = json.Unmarshal(text, &settled)
	}
	if err != nil {
		t.Fatalf("%q: %v", header, err)
	}
	return settled
}

func (w *world) replay(target string) int {
	r, err := http.NewRequestWithContext(w.t.Context(), "GET", w.url+target, nil)
	if err != nil {
		w.t.Error(err)
		return 0
	}
	r.Header.Set(x402pay.SignatureHeader, w.payments[0])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Error(err)
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

func account(t *testing.T, owner string) string {
	t.Helper()
	a, err := solanapay.TokenAccount(owner, pay.MainnetUSDC)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func seed(name string) string { return hex.EncodeToString(fixture.SolanaKey(name).Seed()) }

func TestPublishedClients(t *testing.T) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			w := openWorld(t)
			lamports := w.number("lamports", fixture.SolanaAddress("fees"))
			status, header, body := run(t, client(t, w.url+verdict, w.URL, seed("ada")))
			var answer struct{ Verdetto struct{ Livello string } }
			if err := json.Unmarshal([]byte(body), &answer); err != nil || status != "200" ||
				answer.Verdetto.Livello != "ottimo" {
				t.Fatalf("%s %s %s %v", status, header, body, err)
			}
			if settled := settlement(t, header); !settled.Success || settled.Payer != fixture.SolanaAddress("ada") ||
				settled.Amount != "10000" {
				t.Errorf("%+v", settled)
			}
			look := func() [2]int64 { return [2]int64{w.number("hold", w.ada), w.number("hold", w.wallet)} }
			if got := look(); got != [2]int64{1_000_000 - price, price} {
				t.Errorf("%v", got)
			}
			if spent, want := lamports-w.number("lamports", fixture.SolanaAddress("fees")), w.fee(w.payments[0]); spent != want ||
				want > x402pay.MaxFee {
				t.Errorf("%d lamports, want %d", spent, want)
			}
			if status := w.replay(another); status != 402 || look() != [2]int64{1_000_000 - price, price} {
				t.Errorf("%d %v", status, look())
			}
		})
	}
}

func TestWhatTheChainRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		payer  string
		before func(w *world)
		reason string
	}{
		"its payer never had any":   {"pauper", nil, "transaction_simulation_failed"},
		"its payer has not enough":  {"poor", nil, "insufficient_funds"},
		"its blockhash has expired": {"ada", func(w *world) { w.expire() }, "transaction_simulation_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := openWorld(t)
			if c.before != nil {
				w.before = func() { c.before(w) }
			}
			lamports := w.number("lamports", fixture.SolanaAddress("fees"))
			status, header, _ := run(t,
				clients["fetch, of npm"](t, w.url+verdict, w.URL, seed(c.payer)))
			if settled := settlement(t, header); status != "402" || settled.Success || settled.ErrorReason != c.reason {
				t.Errorf("%s %+v", status, settled)
			}
			if w.number("hold", w.wallet) != 0 || w.number("lamports", fixture.SolanaAddress("fees")) != lamports {
				t.Error("something has moved")
			}
		})
	}
}

func TestDrainedBeforeTheBlock(t *testing.T) {
	w := openWorld(t)
	w.before = func() { w.drain(w.ada) }
	lamports := w.number("lamports", fixture.SolanaAddress("fees"))
	status, header, body := run(t, clients["fetch, of npm"](t, w.url+verdict, w.URL, seed("ada")))
	settled := settlement(t, header)
	if status != "402" || settled.Success || settled.ErrorReason != "transaction_failed" ||
		!strings.Contains(body, x402.Refused.Code) {
		t.Errorf("%s %s %+v", status, body, settled)
	}
	spent := lamports - w.number("lamports", fixture.SolanaAddress("fees"))
	if w.number("hold", w.wallet) != 0 || w.number("hold", w.ada) != 0 || spent <= 0 || spent > x402pay.MaxFee {
		t.Errorf("the wallet holds %d, and %d lamports are spent", w.number("hold", w.wallet), spent)
	}
	var replays sync.WaitGroup
	answered := make([]int, 100)
	for i := range answered {
		replays.Go(func() { answered[i] = w.replay(verdict) })
	}
	replays.Wait()
	for _, status := range answered {
		if status != 402 && status != 429 {
			t.Errorf("shown again: %d", status)
		}
	}
	if again := lamports - w.number("lamports", fixture.SolanaAddress("fees")); again != spent || w.number("hold", w.wallet) != 0 {
		t.Errorf("%d lamports are spent on showing it again", again-spent)
	}
	if lost := strings.Count(w.log.String(), "payment failed on the chain"); lost != 1 {
		t.Errorf("%d fees are counted", lost)
	}
}

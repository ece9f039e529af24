package playmoney

import (
	"cmp"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/shared/pay"
)

// Finality says how final a transaction is on the network.
type Finality string

// From newly sent to final.
const (
	Processed Finality = "processed"
	Confirmed Finality = "confirmed"
	Finalized Finality = "finalized"
)

// Transfer is a token payment that a test or a form sends to the imitated node.
type Transfer struct {
	Wallet, Mint string
	From         string // payer's address; empty: an invented one
	Units        uint64
	Memo         string // empty: no memo
	MemoProgram  string // empty: the constant MemoProgram
	Inner        bool   // the payer calls a program that makes the transfer and writes the memo
	Tables       bool   // version 0: the receiving account comes from a look-up table
	V1           bool   // version 1 of the wire format, which has no look-up tables
	Signers      int    // 0 means 1
	Reference    string // address listed among the accounts; empty: none
	Failed       bool   // the network charged its fee and moved nothing
}

// Node imitates a Solana node. GET serves a page on which people can make payments.
type Node struct {
	wrapped

	now func() time.Time

	mu           sync.Mutex
	transactions map[pay.Signature]*sent
	balances     map[string]uint64 // by wallet and mint
	calls        int
}

type sent struct {
	transfer      Transfer
	message       message
	signatures    [][64]byte
	slot          int
	at            time.Time
	finality      Finality
	payer         string
	before, after uint64 // the wallet's balance
}

// NewNode returns a node whose blocks are dated by now.
func NewNode(now func() time.Time) *Node {
	return &Node{now: now, transactions: map[pay.Signature]*sent{}, balances: map[string]uint64{}}
}

// Pay sends a transfer and makes its transaction final.
func (n *Node) Pay(t Transfer) pay.Signature {
	s := n.Send(t)
	n.Advance(s, Finalized)
	return s
}

// Send sends a transfer, whose transaction is then Processed. It panics on a malformed address.
func (n *Node) Send(t Transfer) pay.Signature {
	for _, address := range []string{t.Wallet, t.Mint} {
		if _, ok := decode(address, 32); !ok {
			panic("playmoney: not an address: " + strconv.Quote(address))
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	count := len(n.transactions) + 1
	s := &sent{transfer: t, slot: 300_000_000 + count, at: n.now(), finality: Processed,
		payer: cmp.Or(t.From, Address(fmt.Sprint("payer ", count)))}
	s.message = s.compose()
	signed := t
	signed.Failed = false // unknown when it is signed
	for i := range s.message.signers {
		s.signatures = append(s.signatures, sha512.Sum512([]byte(fmt.Sprintf("signature %d of %d: %+v", i, count,
			signed))))
	}
	held := t.Wallet + t.Mint
	s.before = n.balances[held]
	s.after = s.before
	if !t.Failed {
		s.after += t.Units
	}
	n.balances[held] = s.after
	n.transactions[s.signatures[0]] = s
	return s.signatures[0]
}

func (n *Node) Advance(s pay.Signature, to Finality) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.transactions[s].finality = to
}

// Forget drops a transaction, as if its block was on an abandoned fork.
func (n *Node) Forget(s pay.Signature) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.transactions, s)
}

func (n *Node) Calls() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls
}

func (s *sent) compose() message {
	t := s.transfer
	m := message{signers: max(t.Signers, 1), accounts: []string{s.payer}, v1: t.V1}
	for i := 1; i < m.signers; i++ {
		m.accounts = append(m.accounts, Address(fmt.Sprint("signer ", i, s.payer)))
	}
	source, receiver := Address("account of "+s.payer), Address("account of "+t.Wallet+t.Mint)
	m.accounts = append(m.accounts, source)
	if !t.Tables {
		m.accounts = append(m.accounts, receiver)
	}
	programs := []string{t.Mint, TokenProgram, t.memoProgram(), Address("a program that pays")}
	if t.Reference != "" {
		programs = append(programs, t.Reference)
	}
	m.readonly = len(programs)
	m.accounts = append(m.accounts, programs...)
	if t.Tables {
		m.loaded = []string{receiver}
	}
	if t.Inner {
		m.calls = []call{{program: m.place(programs[3]), accounts: []int{0}, data: []byte("pay")}}
	} else {
		m.calls = s.transferCalls(m)
	}
	return m
}

// transferCalls returns the instructions of the payment: the transaction's own (outer) ones, or the
// inner ones of another program.
func (s *sent) transferCalls(m message) []call {
	receiver := Address("account of " + s.transfer.Wallet + s.transfer.Mint)
	calls := []call{{
		program:  m.place(TokenProgram),
		accounts: []int{m.signers, m.place(s.transfer.Mint), m.place(receiver), 0},
		data:     transferChecked(s.transfer.Units),
	}}
	if s.transfer.Reference != "" {
		calls[0].accounts = append(calls[0].accounts, m.place(s.transfer.Reference))
	}
	if s.transfer.Memo != "" {
		calls = append(calls, call{program: m.place(s.transfer.memoProgram()), data: []byte(s.transfer.Memo)})
	}
	return calls
}

func (t Transfer) memoProgram() string {
	if t.MemoProgram != "" {
		return t.MemoProgram
	}
	return MemoProgram
}

func (m message) place(key string) int {
	for i, k := range m.keys() {
		if k == key {
			return i
		}
	}
	panic("playmoney: the message has no account " + key)
}

func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.serve(w, r, http.HandlerFunc(n.answer))
}

func (n *Node) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		n.rpc(w, r)
		return
	}
	n.page(w, r)
}

func (n *Node) rpc(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	var request struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	result, code, text := any(nil), -32700, "Parse error"
	if json.NewDecoder(r.Body).Decode(&request) == nil {
		switch request.Method {
		case "getTransaction":
			result, code, text = n.getTransaction(request.Params)
		case "getSignatureStatuses":
			result, code, text = n.getSignatureStatuses(request.Params)
		case "getSignaturesForAddress":
			result, code, text = n.getSignaturesForAddress(request.Params)
		default:
			code, text = -32601, "Method not found"
		}
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": result}
	if code != 0 {
		delete(answer, "result")
		answer["error"] = map[string]any{"code": code, "message": text}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (n *Node) getTransaction(params []json.RawMessage) (result any, code int, text string) {
	var name string
	options := struct {
		Encoding, Commitment           string
		MaxSupportedTransactionVersion *int
	}{Commitment: string(Finalized)}
	if len(params) > 1 && json.Unmarshal(params[1], &options) != nil || len(params) == 0 ||
		json.Unmarshal(params[0], &name) != nil {
		return nil, -32602, "Invalid params"
	}
	b, ok := decode(name, 64)
	switch {
	case !ok:
		return nil, -32602, "Invalid param: WrongSize"
	case options.Encoding != "base64":
		return nil, -32602, "Invalid params: unknown variant `" + options.Encoding + "`"
	case options.Commitment == string(Processed):
		return nil, -32602, "Method does not support commitment below `confirmed`"
	}
	s := n.transactions[pay.Signature(b)]
	switch {
	case s == nil || s.finality == Processed || s.finality == Confirmed && options.Commitment == string(Finalized):
		return nil, 0, ""
	}
	if v, ok := s.message.version().(int); ok && (options.MaxSupportedTransactionVersion == nil ||
		*options.MaxSupportedTransactionVersion < v) {
		return nil, -32015, fmt.Sprintf("Transaction version (%d) is not supported by the requesting client.", v)
	}
	return s.result(), 0, ""
}

func (n *Node) getSignatureStatuses(params []json.RawMessage) (result any, code int, text string) {
	var names []string
	if len(params) == 0 || json.Unmarshal(params[0], &names) != nil {
		return nil, -32602, "Invalid params"
	}
	statuses := []any{}
	for _, name := range names {
		b, ok := decode(name, 64)
		if !ok {
			return nil, -32602, "Invalid param: WrongSize"
		}
		s := n.transactions[pay.Signature(b)]
		if s == nil {
			statuses = append(statuses, nil)
			continue
		}
		confirmations := any(3)
		if s.finality == Finalized {
			confirmations = nil
		}
		statuses = append(statuses, map[string]any{
			"slot": s.slot, "confirmations": confirmations, "err": s.err(), "confirmationStatus": s.finality,
		})
	}
	return map[string]any{"context": map[string]any{"slot": 300_000_999}, "value": statuses}, 0, ""
}

func (s *sent) err() any {
	if s.transfer.Failed {
		return map[string]any{"InstructionError": []any{0, map[string]any{"Custom": 1}}}
	}
	return nil
}

func (s *sent) result() map[string]any {
	m, t := s.message, s.transfer
	balance := func(place int, owner string, units uint64) map[string]any {
		return map[string]any{
			"accountIndex": place, "mint": t.Mint, "owner": owner, "programId": TokenProgram,
			"uiTokenAmount": map[string]any{"amount": strconv.FormatUint(units, 10), "decimals": 6},
		}
	}
	receiver := m.place(Address("account of " + t.Wallet + t.Mint))
	left := t.Units
	if !t.Failed {
		left = 0
	}
	var inner []any
	if t.Inner {
		inner = append(inner, map[string]any{"index": 0, "instructions": spell(s.transferCalls(m))})
	}
	return map[string]any{
		"slot": s.slot, "blockTime": s.at.Unix(), "version": m.version(),
		"transaction": []string{base64.StdEncoding.EncodeToString(m.bytes(s.signatures)), "base64"},
		"meta": map[string]any{
			"err": s.err(), "fee": 5000, "innerInstructions": orEmpty(inner), "logMessages": []string{},
			"loadedAddresses":   map[string]any{"writable": append([]string{}, m.loaded...), "readonly": []string{}},
			"preTokenBalances":  []any{balance(m.signers, s.payer, t.Units), balance(receiver, t.Wallet, s.before)},
			"postTokenBalances": []any{balance(m.signers, s.payer, left), balance(receiver, t.Wallet, s.after)},
		},
	}
}

func spell(calls []call) []any {
	var spelled []any
	for _, c := range calls {
		spelled = append(spelled, map[string]any{
			"programIdIndex": c.program, "accounts": append([]int{}, c.accounts...), "data": base58.Encode(c.data),
			"stackHeight": 2,
		})
	}
	return spelled
}

func orEmpty(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

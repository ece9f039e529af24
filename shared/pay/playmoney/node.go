package playmoney

import (
	"cmp"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go/base58"

	"verdetto/shared/pay"
)

type Finality string

const (
	Processed Finality = "processed"
	Confirmed Finality = "confirmed"
	Finalized Finality = "finalized"
)

type Transfer struct {
	Wallet, Mint string
	From         string // payer's address; if empty, an invented address
	Units        uint64
	Memo         string
	MemoProgram  string
	Inner        bool // the payer calls a program that makes the transfer and writes the memo
	Tables       bool // version 0 of the wire format, with the receiving account in a look-up table
	V1           bool
	Signers      int // 0 means 1
	Reference    string
	Failed       bool
}

type Node struct {
	wrapped

	now func() time.Time

	mu           sync.Mutex
	transactions map[pay.Signature]*sent
	balances     map[string]uint64
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
	before, after uint64 // balances of the receiving wallet
}

func NewNode(now func() time.Time) *Node {
	return &Node{now: now, transactions: map[pay.Signature]*sent{}, balances: map[string]uint64{}}
}

func (n *Node) Pay(t Transfer) pay.Signature {
	s := n.Send(t)
	n.Advance(s, Finalized)
	return s
}

// Send leaves the transaction Processed, which is not final.
func (n *Node) Send(t Transfer) pay.Signature {
	n.mu.Lock()
	defer n.mu.Unlock()
	count := len(n.transactions) + 1
	s := &sent{transfer: t, slot: 300_000_000 + count, at: n.now(), finality: Processed,
		payer: cmp.Or(t.From, Address(fmt.Sprint("payer ", count)))}
	s.message = s.compose()
	signed := t
	signed.Failed = false // the signature must not depend on Failed
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

func (t Transfer) memoProgram() string { return cmp.Or(t.MemoProgram, MemoProgram) }

func (m message) place(key string) int { return slices.Index(m.keys(), key) }

func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		n.serve(w, r, http.HandlerFunc(n.rpc))
		return
	}
	n.serve(w, r, http.HandlerFunc(n.page))
}

func (n *Node) rpc(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	var call struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	var result any
	err := json.NewDecoder(r.Body).Decode(&call)
	if err == nil {
		method := map[string]func(json.RawMessage) (any, error){"getTransaction": n.getTransaction,
			"getSignatureStatuses": n.getSignatureStatuses, "getSignaturesForAddress": n.getSignaturesForAddress}[call.Method]
		result, err = method(call.Params)
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result}
	if err != nil {
		answer = map[string]any{"jsonrpc": "2.0", "id": call.ID,
			"error": map[string]any{"code": -32602, "message": err.Error()}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (n *Node) transaction(signature string) *sent {
	b, _ := decode(signature, 64)
	if b == nil {
		return nil
	}
	return n.transactions[pay.Signature(b)]
}

func (n *Node) getTransaction(params json.RawMessage) (any, error) {
	var signature string
	options := struct {
		Encoding, Commitment           string
		MaxSupportedTransactionVersion int
	}{Commitment: string(Finalized)}
	if err := json.Unmarshal(params, &[]any{&signature, &options}); err != nil {
		return nil, err
	}
	if options.Encoding != "base64" || options.Commitment == string(Processed) {
		return nil, errors.New("invalid params")
	}
	s := n.transaction(signature)
	if s == nil || s.finality == Processed || s.finality == Confirmed && options.Commitment == string(Finalized) {
		return nil, nil
	}
	if v, ok := s.message.version().(int); ok && options.MaxSupportedTransactionVersion < v {
		return nil, fmt.Errorf("transaction version (%d) is not supported by the requesting client", v)
	}
	return s.result(), nil
}

func (n *Node) getSignatureStatuses(params json.RawMessage) (any, error) {
	var signatures []string
	if err := json.Unmarshal(params, &[]any{&signatures}); err != nil {
		return nil, err
	}
	statuses := []any{}
	for _, signature := range signatures {
		s := n.transaction(signature)
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
	return map[string]any{"context": map[string]any{"slot": 300_000_999}, "value": statuses}, nil
}

func (n *Node) getSignaturesForAddress(params json.RawMessage) (any, error) {
	var account string
	options := struct {
		Commitment string
		Limit      int
	}{Commitment: string(Finalized), Limit: 1000}
	if err := json.Unmarshal(params, &[]any{&account, &options}); err != nil {
		return nil, err
	}
	var listed []*sent
	for _, s := range n.transactions {
		seen := s.finality == Finalized || s.finality == Confirmed && options.Commitment == string(Confirmed)
		if seen && slices.Contains(s.message.keys(), account) {
			listed = append(listed, s)
		}
	}
	slices.SortFunc(listed, func(a, b *sent) int { return cmp.Compare(b.slot, a.slot) })
	list := []any{}
	for _, s := range listed[:min(len(listed), options.Limit)] {
		list = append(list, map[string]any{
			"signature": base58.Encode(s.signatures[0][:]), "slot": s.slot, "err": s.err(),
			"memo": orNull(s.transfer.Memo), "blockTime": s.at.Unix(), "confirmationStatus": s.finality,
		})
	}
	return list, nil
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
	inner := []any{}
	if t.Inner {
		inner = append(inner, map[string]any{"index": 0, "instructions": spell(s.transferCalls(m))})
	}
	return map[string]any{
		"slot": s.slot, "blockTime": s.at.Unix(), "version": m.version(),
		"transaction": []string{base64.StdEncoding.EncodeToString(m.bytes(s.signatures)), "base64"},
		"meta": map[string]any{
			"err": s.err(), "fee": 5000, "innerInstructions": inner, "logMessages": []string{},
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

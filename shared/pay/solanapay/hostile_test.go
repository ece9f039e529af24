package solanapay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/base58"
	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

var (
	wallet = playmoney.Address("wallet")
	ours   = rule{wallet, pay.MainnetUSDC}
	noon   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

const price = 12_990_000

func answerTo(t testing.TB, transfer playmoney.Transfer) (map[string]any, pay.Signature) {
	t.Helper()
	transfer.Wallet = cmp.Or(transfer.Wallet, wallet)
	transfer.Mint = cmp.Or(transfer.Mint, pay.MainnetUSDC)
	transfer.Units = cmp.Or(transfer.Units, price)
	node := playmoney.NewNode(func() time.Time { return noon })
	signature := node.Pay(transfer)
	question := fmt.Sprintf(
		`{"method":"getTransaction","params":[%q,{"encoding":"base64","maxSupportedTransactionVersion":1}]}`, signature)
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(question))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	node.ServeHTTP(recorder, request)
	var answer struct{ Result map[string]any }
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.Result == nil {
		t.Fatalf("no result: %s, %v", recorder.Body, err)
	}
	return answer.Result, signature
}

func keysOf(t testing.TB, answer map[string]any) (keys []string) {
	t.Helper()
	tx, err := solana.TransactionFromBase64(answer["transaction"].([]any)[0].(string))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range tx.Message.AccountKeys {
		keys = append(keys, key.String())
	}
	return keys
}

func encode(t testing.TB, value any) []byte {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name     string
		transfer playmoney.Transfer
		units    int64
		memos    []string
		err      error
	}{
		{"plain", playmoney.Transfer{}, price, nil, nil},
		{"with a memo", playmoney.Transfer{Memo: "vd1:memo"}, price, []string{"vd1:memo"}, nil},
		{"with a memo of the first program", playmoney.Transfer{Memo: "vd1:memo",
			MemoProgram: playmoney.OldMemoProgram}, price, []string{"vd1:memo"}, nil},
		{"with a memo of a look-alike program",
			playmoney.Transfer{Memo: "vd1:memo", MemoProgram: playmoney.Address("memo")}, price, nil, nil},
		{"by another program", playmoney.Transfer{Memo: "ciao ✈", Inner: true}, price, []string{"ciao ✈"}, nil},
		{"version 0", playmoney.Transfer{Memo: "vd1:memo", Tables: true}, price, []string{"vd1:memo"}, nil},
		{"version 0, by another program", playmoney.Transfer{Memo: "vd1:memo", Tables: true, Inner: true}, price,
			[]string{"vd1:memo"}, nil},
		{"version 1", playmoney.Transfer{Memo: "vd1:memo", V1: true, Signers: 2}, price, []string{"vd1:memo"}, nil},
		{"version 1, by another program", playmoney.Transfer{Memo: "vd1:memo", V1: true, Inner: true}, price,
			[]string{"vd1:memo"}, nil},
		{"two signers", playmoney.Transfer{Memo: "vd1:memo", Signers: 2}, price, []string{"vd1:memo"}, nil},
		{"one unit short", playmoney.Transfer{Units: price - 1}, price - 1, nil, nil},
		{"wrong mint", playmoney.Transfer{Mint: pay.DevnetUSDC}, 0, nil, nil},
		{"to somebody else", playmoney.Transfer{Wallet: playmoney.Address("other")}, 0, nil, nil},
		{"failed", playmoney.Transfer{Failed: true}, 0, nil, pay.ErrFailedTransaction},
		{"all that fits", playmoney.Transfer{Units: 1<<63 - 1}, 1<<63 - 1, nil, nil},
		{"more than fits", playmoney.Transfer{Units: 1 << 63}, 0, nil, pay.ErrUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, signature := answerTo(t, c.transfer)
			got, err := ours.read(encode(t, answer), signature)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			payer := playmoney.Address("payer 1")
			want := pay.Payment{Signature: signature, Units: c.units, Memos: c.memos, At: noon, Payers: []string{payer}}
			if c.name == "wrong mint" {
				want.Payers = nil
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHostile(t *testing.T) {
	type object = map[string]any
	meta := func(a object) object { return a["meta"].(object) }
	rows := func(a object, when string) []any { return meta(a)[when+"TokenBalances"].([]any) }
	row := func(a object, when string) object { return rows(a, when)[1].(object) } // row 1 is the wallet's account
	amount := func(a object, when, units string) { row(a, when)["uiTokenAmount"].(object)["amount"] = units }
	again := func(r object, changes object) object {
		var copied object
		_ = json.Unmarshal(encode(t, r), &copied)
		for k, v := range changes {
			copied[k] = v
		}
		return copied
	}
	for _, c := range []struct {
		name   string
		change func(a object)
		units  int64
		err    error
	}{
		{"nothing", func(object) {}, price, nil},
		{"one unit short", func(a object) { amount(a, "post", "12989999") }, price - 1, nil},
		{"sent out again from another account", func(a object) {
			out := again(row(a, "pre"), object{"accountIndex": 0})
			out["uiTokenAmount"].(object)["amount"] = "12990000"
			meta(a)["preTokenBalances"] = append(rows(a, "pre"), out)
		}, 0, nil},
		{"sent out again, in part", func(a object) { amount(a, "post", "1") }, 1, nil},
		{"split over two accounts", func(a object) {
			meta(a)["postTokenBalances"] = append(rows(a, "post"), again(row(a, "post"), object{"accountIndex": 0}))
		}, 2 * price, nil},
		{"paid out", func(a object) { amount(a, "pre", "20000000") }, price - 20_000_000, nil},
		{"an account closed", func(a object) { meta(a)["postTokenBalances"] = []any{}; amount(a, "pre", "5") }, -5,
			nil},
		{"an account handed to us with what is in it", func(a object) {
			row(a, "pre")["owner"] = playmoney.Address("other")
			amount(a, "pre", "12990000")
		}, 0, nil},
		{"an account of ours handed away", func(a object) {
			row(a, "post")["owner"] = playmoney.Address("other")
			amount(a, "pre", "5")
		}, -5, nil},
		{"our account held another coin before", func(a object) {
			row(a, "pre")["mint"] = pay.DevnetUSDC
			amount(a, "pre", "99999999999")
		}, price, nil},
		{"no program named, as old nodes do", func(a object) { delete(row(a, "post"), "programId") }, price, nil},
		{"unknown time", func(a object) { a["blockTime"] = nil }, price, nil},
		{"another coin is odd", func(a object) {
			meta(a)["postTokenBalances"] = append(rows(a, "post"),
				object{"accountIndex": 0, "mint": pay.DevnetUSDC, "uiTokenAmount": object{"amount": "x"}})
		}, price, nil},

		{"outcome missing", func(a object) { delete(meta(a), "err") }, 0, pay.ErrUnreadable},
		{"meta missing", func(a object) { a["meta"] = nil }, 0, pay.ErrUnreadable},
		{"failed in words", func(a object) { meta(a)["err"] = "AccountNotFound" }, 0, pay.ErrFailedTransaction},
		{"failed by false", func(a object) { meta(a)["err"] = false }, 0, pay.ErrFailedTransaction},
		{"balances before missing", func(a object) { delete(meta(a), "preTokenBalances") }, 0, pay.ErrUnreadable},
		{"balances after null", func(a object) { meta(a)["postTokenBalances"] = nil }, 0, pay.ErrUnreadable},
		{"owner missing, as old nodes do", func(a object) { delete(row(a, "post"), "owner") }, 0, pay.ErrUnreadable},
		{"owner of the payer's account missing", func(a object) { delete(rows(a, "pre")[0].(object), "owner") }, 0,
			pay.ErrUnreadable},
		{"an account twice", func(a object) { meta(a)["postTokenBalances"] = append(rows(a, "post"), row(a, "post")) },
			0, pay.ErrUnreadable},
		{"an account that is not there", func(a object) { row(a, "post")["accountIndex"] = 99 }, 0, pay.ErrUnreadable},
		{"a negative account", func(a object) { row(a, "post")["accountIndex"] = -1 }, 0, pay.ErrUnreadable},
		{"no account", func(a object) { delete(row(a, "post"), "accountIndex") }, 0, pay.ErrUnreadable},
		{"Token-2022", func(a object) { row(a, "post")["programId"] = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb" },
			0, pay.ErrUnreadable},
		{"nine decimals", func(a object) { row(a, "post")["uiTokenAmount"].(object)["decimals"] = 9 }, 0,
			pay.ErrUnreadable},
		{"negative amount", func(a object) { amount(a, "pre", "-12990000") }, 0, pay.ErrUnreadable},
		{"huge amount", func(a object) { amount(a, "post", "18446744073709551616") }, 0, pay.ErrUnreadable},
		{"sum of huge amounts", func(a object) { amount(a, "post", "18446744073709551615") }, 0, pay.ErrUnreadable},
		{"decimal amount", func(a object) { amount(a, "post", "12.99") }, 0, pay.ErrUnreadable},
		{"amount missing", func(a object) { delete(row(a, "post"), "uiTokenAmount") }, 0, pay.ErrUnreadable},
		{"transaction missing", func(a object) { delete(a, "transaction") }, 0, pay.ErrUnreadable},
		{"transaction of base58", func(a object) { a["transaction"].([]any)[1] = "base58" }, 0, pay.ErrUnreadable},
		{"transaction cut short", func(a object) {
			text := a["transaction"].([]any)[0].(string)
			a["transaction"].([]any)[0] = text[:len(text)/2/4*4]
		}, 0, pay.ErrUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, signature := answerTo(t, playmoney.Transfer{})
			c.change(answer)
			got, err := ours.read(encode(t, answer), signature)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("%d units, error %v, want %v", got.Units, err, c.err)
			}
			if got.Units != c.units {
				t.Errorf("%d units, want %d", got.Units, c.units)
			}
		})
	}
}

func TestOwnSignature(t *testing.T) {
	answer, signature := answerTo(t, playmoney.Transfer{Signers: 2})
	keys := keysOf(t, answer)
	for _, c := range []struct {
		name  string
		owner string
		units int64
	}{
		{"a signer", keys[1], 0},
		{"an account that did not sign", keys[2], price},
	} {
		for _, when := range []string{"preTokenBalances", "postTokenBalances"} {
			answer["meta"].(map[string]any)[when].([]any)[1].(map[string]any)["owner"] = c.owner
		}
		got, err := rule{c.owner, pay.MainnetUSDC}.read(encode(t, answer), signature)
		if err != nil || got.Units != c.units {
			t.Errorf("%s: %d units, %v, want %d", c.name, got.Units, err, c.units)
		}
	}
}

func TestOneName(t *testing.T) {
	answer, _ := answerTo(t, playmoney.Transfer{Signers: 2})
	for _, other := range []pay.Signature{{}, {1, 2, 3}} {
		if got, err := ours.read(encode(t, answer), other); !errors.Is(err, pay.ErrUnreadable) {
			t.Errorf("by another name: %+v, %v", got, err)
		}
	}
}

func TestEveryTruncation(t *testing.T) {
	answer, signature := answerTo(t, playmoney.Transfer{Memo: "vd1:memo"})
	body := encode(t, answer)
	for n := range body {
		if got, err := ours.read(body[:n], signature); !errors.Is(err, pay.ErrUnreadable) {
			t.Fatalf("the first %d bytes: %+v, %v", n, got, err)
		}
	}
}

func TestInnerMemos(t *testing.T) {
	answer, signature := answerTo(t, playmoney.Transfer{Memo: "outer"})
	keys := keysOf(t, answer)
	place := func(program string) int { return slices.Index(keys, program) }
	raw := func(data string) any {
		return map[string]any{"programIdIndex": place(playmoney.MemoProgram), "data": data}
	}
	memo := func(text string) any { return raw(base58.Encode([]byte(text))) }
	other := map[string]any{"programIdIndex": place(playmoney.TokenProgram), "data": "0 is not base58"}
	for _, c := range []struct {
		name          string
		first, second []any
		want          []string
		err           error
	}{
		{"in order", []any{other, memo("one"), memo("two")}, []any{memo("last")},
			[]string{"one", "two", "outer", "last"}, nil},
		{"without text", []any{raw("")}, nil, []string{"", "outer"}, nil},
		{"of a program that is not there", []any{map[string]any{"programIdIndex": 99}, map[string]any{}}, nil,
			[]string{"outer"}, nil},
		{"not base58", []any{raw("0")}, nil, nil, pay.ErrUnreadable},
		{"too long", []any{raw(strings.Repeat("2", maxMemo+1))}, nil, nil, pay.ErrUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer["meta"].(map[string]any)["innerInstructions"] = []any{
				map[string]any{"index": 0, "instructions": c.first},
				map[string]any{"index": 1, "instructions": c.second},
			}
			got, err := ours.read(encode(t, answer), signature)
			if diff := gocmp.Diff(c.want, got.Memos); diff != "" || !errors.Is(err, c.err) ||
				err == nil && got.Units != price {
				t.Errorf("%d units, %v: %s", got.Units, err, diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, transfer := range []playmoney.Transfer{{}, {Memo: "vd1:memo", Inner: true}, {Tables: true, Memo: "x"},
		{Failed: true}} {
		answer, signature := answerTo(f, transfer)
		f.Add(encode(f, answer), signature[:])
	}
	f.Fuzz(func(t *testing.T, body, name []byte) {
		var signature pay.Signature
		copy(signature[:], name)
		payment, err := ours.read(body, signature)
		if err != nil {
			if !errors.Is(err, pay.ErrUnreadable) && !errors.Is(err, pay.ErrFailedTransaction) {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		if payment.Signature != signature {
			t.Errorf("incomplete: %+v", payment)
		}
		if payment.Units != 0 && !bytes.Contains(body, []byte(wallet)) && !bytes.Contains(body, []byte(`\u`)) {
			t.Errorf("%d units for a wallet that is not named", payment.Units)
		}
	})
}

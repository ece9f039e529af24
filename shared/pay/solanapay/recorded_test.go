package solanapay

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/base58"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/pay"
)

var recorded = []struct {
	file, wallet, mint string
	units              int64
	memos              []string
	err                error
}{
	{"portal_sendingSolWithMemo.json", "6PCANXw778iMrBzLUVK4c9q6Xc2X9oRUCvLoa4tfsLWG", pay.MainnetUSDC, 210_000,
		[]string{"basketball"}, nil},
	{"portal_sendingSolWithMemo.json", "5FHwkrdxntdK24hgQU8qgBjn35Y1zwhz1GZwCkP2UJnM", pay.MainnetUSDC, -210_000,
		[]string{"basketball"}, nil},
	{"p2pwallet_validGetSendSPLTransactionResponse.json", "3i476kTBBTy7pBGx4CXwJpJ6phuwLQgcwLTdHhU3c7ui",
		pay.MainnetUSDC, 1000, []string{"transfer"}, nil},
	{"metamask_send-usdc-transfer-to-self-2.json", "9fE6zKgca6K2EEa3yjbcq7zGMusUNqSQeWQNL2YDZ2Yi", pay.MainnetUSDC,
		1_000_000, nil, nil},
	{"portal_sendingMoneyToSelf.json", "5FHwkrdxntdK24hgQU8qgBjn35Y1zwhz1GZwCkP2UJnM", pay.MainnetUSDC, 0, nil, nil},
	// USDC from a swap is no payment to a wallet that signed the swap.
	{"portal_swapSolForUSDCOnJupiter.json", "5FHwkrdxntdK24hgQU8qgBjn35Y1zwhz1GZwCkP2UJnM", pay.MainnetUSDC, 0, nil,
		nil},
	{"portal_swapSolForUSDCOnJupiter.json", "7qbRF6YsyGuLUVs6Y1q64bdVrfe4ZcUUz1JRdoVNUJnm", pay.MainnetUSDC,
		-32_903_572, nil, nil},
	{"metamask_swap-sol-to-usdc.json", "3xTPAZxmpwd8GrNEKApaTw6VH4jqJ31WFXUvQzgwhR7c", pay.MainnetUSDC, 0, nil, nil},
	{"metamask_swap-usdc-to-cobie.json", "DtMUkCoeyzs35B6EpQQxPyyog6TRwXxV1W1Acp8nWBNa", pay.MainnetUSDC, -10_000, nil,
		nil},
	{"metamask_swap-usdc-to-cobie.json", "3msVd34R5KxonDzyNSV5nT19UtUeJ2RF1NaQhvVPNLxL", pay.MainnetUSDC, 10_000, nil,
		nil},
	{"metamask_swap-failed-transaction.json", "9az5xpAV8KJ2Q2Jb1ZvBpvfUa5Cj4dZirbgvfPF5XsB8", pay.MainnetUSDC, 0, nil,
		pay.ErrFailedTransaction},
	{"crosschain_02.json", "91t4uSdtBiftqsB24W2fRXFCXjUyc6xY3WMGFedAaTHh", pay.MainnetUSDC, 0, nil, nil},
	{"crosschain_02.json", "91t4uSdtBiftqsB24W2fRXFCXjUyc6xY3WMGFedAaTHh", pay.DevnetUSDC, 200_000, nil, nil},
	{"metamask_send-usdc-transfer.json", "BXT1K8kzYXWMi6ihg7m9UqiHW4iJbJ69zumELHE9oBLe", pay.MainnetUSDC, 0, nil, nil},
	{"metamask_send-usdc-transfer.json", "BXT1K8kzYXWMi6ihg7m9UqiHW4iJbJ69zumELHE9oBLe", pay.DevnetUSDC, 10_000, nil,
		nil},
	{"metamask_send-usdc-transfer-to-self.json", "BLw3RweJmfbTapJRgnPRvd962YDjFYAnVGd1p5hmZ5tP", pay.DevnetUSDC, 0, nil,
		nil},
	{"crosschain_03.json", "GtxgnRiSfBzahR9xb7hvYbWq3Uzez7hpCz2BJbCLxKdq", pay.MainnetUSDC, 0, nil, nil},
	{"metamask_send-jup-transfer-checked-to-self.json", "DtMUkCoeyzs35B6EpQQxPyyog6TRwXxV1W1Acp8nWBNa", pay.MainnetUSDC,
		0, nil, nil},
	{"metamask_send-spl-token-and-create-token-account.json", "BYh4CfuGDvFMKaZp3RPmkw9y6qg3sWukA2TiGJDeLKZi",
		pay.MainnetUSDC, 0, nil, nil},
	{"portal_sendingUSDH.json", "5FHwkrdxntdK24hgQU8qgBjn35Y1zwhz1GZwCkP2UJnM", pay.MainnetUSDC, 0, nil, nil},
	{"metamask_send-spl-token-and-create-token-account.json", "BYh4CfuGDvFMKaZp3RPmkw9y6qg3sWukA2TiGJDeLKZi",
		"HeLp6NuQkmYB4pYWo2zYs22mESHXPQYzXbB8n4V98jwC", 0, nil, pay.ErrUnreadable},
	{"crosschain_00.json", "HzcTrHjkEhjFTHEsC6Dsv8DXCh21WgujD4s5M15Sm94g", pay.MainnetUSDC, 0, nil, nil},
	{"crosschain_01.json", "91t4uSdtBiftqsB24W2fRXFCXjUyc6xY3WMGFedAaTHh", pay.MainnetUSDC, 0, nil, nil},
	{"metamask_native-sol-transfer.json", "FDUGdV6bjhvw5gbirXCvqbTSWK9999kcrZcrHoCQzXJK", pay.MainnetUSDC, 0, nil, nil},
	{"p2pwallet_validGetSendSOLTransactionResponse.json", "2b7iQq3PbWwWTotRSDFNXT9DauU418aCHK4jcAzETUem",
		pay.MainnetUSDC, 0, []string{"transfer"}, nil},
	{"portal_sendingSol.json", "Adyu2gX2zmLmHbgAoiXe2n4egp6x8PS7EFAqcFvhqahz", pay.MainnetUSDC, 0, nil, nil},
	{"portal_sendingSolWithNote.json", "8N7ek7FydYYt7GfhM8a3PLjj1dh9fTftdVLHnbJdThe7", pay.MainnetUSDC, 0, nil, nil},
	{"portal_makingLightShieldAccount.json", "5FHwkrdxntdK24hgQU8qgBjn35Y1zwhz1GZwCkP2UJnM", pay.MainnetUSDC, 0, nil,
		nil},
	{"crosschain_04.json", "91t4uSdtBiftqsB24W2fRXFCXjUyc6xY3WMGFedAaTHh", pay.MainnetUSDC, 0, nil,
		pay.ErrFailedTransaction},
	{"metamask_spam-2.json", "FQT9SSwEZ6UUQxsmTzgt5JzjrS4M5zm13M1QiYF8TEo6", pay.MainnetUSDC, 0, nil,
		pay.ErrFailedTransaction},
	{"crosschain_07.json", "91t4uSdtBiftqsB24W2fRXFCXjUyc6xY3WMGFedAaTHh", pay.MainnetUSDC, 0, nil, pay.ErrUnreadable},
}

func folder(t *testing.T) string {
	t.Helper()
	return filepath.Join(testenv.Data(t), "solana")
}

func recordedResult(t *testing.T, path string) ([]byte, pay.Signature) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result map[string]any }
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	result := answer.Result
	if spelled, ok := result["transaction"].(map[string]any); ok {
		result["transaction"] = []any{onTheWire(t, spelled, result["meta"].(map[string]any)), "base64"}
	}
	wire, err := base64.StdEncoding.DecodeString(result["transaction"].([]any)[0].(string))
	if err != nil { // one file is damaged
		return encode(t, result), pay.Signature{}
	}
	return encode(t, result), pay.Signature(wire[1:65])
}

// The parameter spelled is a transaction in JSON, whose calls the node may have parsed.
func onTheWire(t *testing.T, spelled, meta map[string]any) string {
	t.Helper()
	var tx solana.Transaction
	for _, text := range spelled["signatures"].([]any) {
		tx.Signatures = append(tx.Signatures, solana.MustSignatureFromBase58(text.(string)))
	}
	message := spelled["message"].(map[string]any)
	var keys, loaded []string
	for _, key := range message["accountKeys"].([]any) {
		switch parsed, ok := key.(map[string]any); {
		case !ok:
			keys = append(keys, key.(string))
		case parsed["source"] == "lookupTable":
			loaded = append(loaded, parsed["pubkey"].(string))
		default:
			keys = append(keys, parsed["pubkey"].(string))
		}
	}
	if loaded != nil {
		meta["loadedAddresses"] = map[string]any{"writable": loaded}
	}
	compiled := func(call any) solana.CompiledInstruction {
		in := call.(map[string]any)
		index, ok := in["programIdIndex"].(float64)
		if !ok {
			index = float64(slices.Index(slices.Concat(keys, loaded), in["programId"].(string)))
		}
		text, _ := in["parsed"].(string)
		data, err := base58.Decode(fmt.Sprint(in["data"]))
		if in["data"] == nil || err != nil {
			data = []byte(text)
		}
		return solana.CompiledInstruction{ProgramIDIndex: uint16(index), Data: data}
	}
	for _, key := range keys {
		tx.Message.AccountKeys = append(tx.Message.AccountKeys, solana.MustPublicKeyFromBase58(key))
	}
	tx.Message.Header.NumRequiredSignatures = uint8(len(tx.Signatures))
	for _, call := range message["instructions"].([]any) {
		tx.Message.Instructions = append(tx.Message.Instructions, compiled(call))
	}
	for _, group := range meta["innerInstructions"].([]any) {
		for i, call := range group.(map[string]any)["instructions"].([]any) {
			group.(map[string]any)["instructions"].([]any)[i] = compiled(call)
		}
	}
	wire, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(wire)
}

func TestRecorded(t *testing.T) {
	root := folder(t)
	named := map[string]bool{}
	for _, c := range recorded {
		named[c.file] = true
		t.Run(c.file+" "+c.wallet[:4], func(t *testing.T) {
			body, signature := recordedResult(t, filepath.Join(root, c.file))
			got, err := rule{c.wallet, c.mint}.read(body, signature)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if got.Units != c.units {
				t.Errorf("%d units, want %d", got.Units, c.units)
			}
			if diff := cmp.Diff(c.memos, got.Memos); diff != "" {
				t.Error(diff)
			}
			if err == nil && (got.Signature != signature || got.At.IsZero()) {
				t.Errorf("incomplete: %+v", got)
			}
		})
	}
	files, err := filepath.Glob(filepath.Join(root, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if !named[filepath.Base(path)] {
			t.Errorf("%s is not in the table", filepath.Base(path))
		}
	}
}

// The expected accounts were created by wallets on the network.
func TestTokenAccount(t *testing.T) {
	body, _ := recordedResult(t, filepath.Join(folder(t), "metamask_send-usdc-transfer-to-self-2.json"))
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	keys := keysOf(t, answer)
	for place, wallet := range map[int]string{1: "9fE6zKgca6K2EEa3yjbcq7zGMusUNqSQeWQNL2YDZ2Yi",
		2: "FQT9SSwEZ6UUQxsmTzgt5JzjrS4M5zm13M1QiYF8TEo6"} {
		got, err := TokenAccount(wallet, pay.MainnetUSDC)
		if want := keys[place]; err != nil || got != want {
			t.Errorf("account of %s: %s, %v, want %s", wallet, got, err, want)
		}
	}
	for _, c := range [][2]string{{"", pay.MainnetUSDC}, {"0x1234", pay.MainnetUSDC}, {pay.MainnetUSDC, "USDC"}} {
		if got, err := TokenAccount(c[0], c[1]); err == nil {
			t.Errorf("account of %q in %q: %s", c[0], c[1], got)
		}
	}
}

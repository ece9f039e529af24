package playmoney

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/gagliardetto/solana-go/base58"
)

// getSignaturesForAddress returns the transactions that list an account, newest first. As on the
// real network, any transaction may list any account.
func (n *Node) getSignaturesForAddress(params []json.RawMessage) (result any, code int, text string) {
	var account string
	options := struct {
		Commitment string
		Limit      int
	}{Commitment: string(Finalized), Limit: 1000}
	if len(params) > 1 && json.Unmarshal(params[1], &options) != nil || len(params) == 0 ||
		json.Unmarshal(params[0], &account) != nil {
		return nil, -32602, "Invalid params"
	}
	_, ok := decode(account, 32)
	switch {
	case !ok:
		return nil, -32602, "Invalid param: WrongSize"
	case options.Limit < 1 || options.Limit > 1000:
		return nil, -32602, "Invalid limit; max 1000"
	case options.Commitment == string(Processed):
		return nil, -32602, "Method does not support commitment below `confirmed`"
	}
	var named []*sent
	for _, s := range n.transactions {
		seen := s.finality == Finalized || s.finality == Confirmed && options.Commitment == string(Confirmed)
		if seen && slices.Contains(s.message.keys(), account) {
			named = append(named, s)
		}
	}
	slices.SortFunc(named, func(a, b *sent) int { return cmp.Compare(b.slot, a.slot) })
	list := []any{}
	for _, s := range named[:min(len(named), options.Limit)] {
		list = append(list, map[string]any{
			"signature": base58.Encode(s.signatures[0][:]), "slot": s.slot, "err": s.err(),
			"memo":      orNull(s.transfer.Memo),
			"blockTime": s.at.Unix(), "confirmationStatus": s.finality,
		})
	}
	return list, 0, ""
}

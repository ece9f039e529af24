package parameters

import (
	"slices"
	"testing"
)

func TestTable(t *testing.T) {
	var names, given []string
	for _, p := range Table {
		names = append(names, p.Path("verdetto"))
		if len(p.ReadBy) == 0 {
			t.Errorf("no function reads %s", p.Name)
		}
		for _, function := range p.ReadBy {
			given = append(given, function+" "+p.Variable)
			if p.Choice != "" && slices.ContainsFunc(ReadByFunction(function), func(q Parameter) bool { return q.Name == p.Name }) {
				t.Errorf("%s is of %s without %s", p.Name, function, p.Choice)
			}
			if !slices.ContainsFunc(ReadByFunction(function, p.Choice), func(q Parameter) bool { return q.Name == p.Name }) {
				t.Errorf("%s is not of %s", p.Name, function)
			}
		}
	}
	for _, all := range [][]string{names, given} {
		slices.Sort(all)
		if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
			t.Errorf("something stands twice: %v", all)
		}
	}
	if read := ReadByFunction("nothing"); len(read) > 0 {
		t.Errorf("%v", read)
	}
	chosen := Chosen("bot", "", "wallet")
	slices.Sort(chosen)
	if !slices.Equal(chosen, []string{SolanaWallet, TelegramBot}) {
		t.Errorf("a bot and a wallet choose %v", chosen)
	}
}

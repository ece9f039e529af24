package config

import "testing"

func TestGroupsAreChosen(t *testing.T) {
	var p Pay
	for _, name := range []string{"STRIPE_KEY", "STRIPE_PRICE", "STRIPE_WEBHOOK_SECRETS", "SOLANA_NODES", "SOLANA_WALLET"} {
		t.Setenv(name, "")
	}
	if all := p.Groups(); len(all) != 2 {
		t.Errorf("without settings: %v", all)
	}
	t.Setenv("SOLANA_WALLET", "YOUR-WALLET")
	if chosen := p.Groups(); len(chosen) != 1 || chosen[0] != any(&p.USDC) {
		t.Errorf("with a wallet: %v", chosen)
	}
}

func TestSettingOfFlag(t *testing.T) {
	for _, s := range Settings {
		if setting, ok := OfFlag(s.Flag); ok != (s.Flag != "") || setting.Name != "" && setting.Flag != s.Flag {
			t.Errorf("%s: -%s is of %q", s.Name, s.Flag, setting.Name)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	if Placeholder("YOUR-WALLET") == "" || Placeholder(keyless[0]) == "" || Placeholder("sk_live") != "" {
		t.Error("placeholder")
	}
}

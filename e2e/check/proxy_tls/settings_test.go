package proxytls

import (
	"os"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

func filledIn(text string) string {
	return strings.NewReplacer("YOUR-TOKEN", testToken, "YOUR-MAIL-PASSWORD", testPassword,
		"YOUR-STRIPE-KEY", "sk_test_51", "YOUR-STRIPE-PRICE", "price_1", "YOUR-STRIPE-WEBHOOK-SECRET", "whsec_1",
		"YOUR-SOLANA-WALLET", "6PCANXw778iMrBzLUVK4c9q6Xc2X9oRUCvLoa4tfsLWG").Replace(text)
}

const testToken, testPassword = "the-token-of-the-fare-source", "the password of the mail account"

func TestPlaceholdersAreRefused(t *testing.T) {
	_, page, _ := strings.Cut(blocks(t)[2], "<<'END'\n")
	page, _, _ = strings.Cut(page, "\nEND\n")
	d := fixture.NewShell(t)
	d.Write("settings.toml", strings.ReplaceAll(page, "/var/lib/verdetto", d.Dir))
	for _, command := range []string{"check", "serve", "init"} {
		got := d.Run(command, "-config", "settings.toml")
		output := got.Stdout + got.Stderr
		if got.Code != 1 {
			t.Errorf("%s: exit code %d\n%s", command, got.Code, output)
		}
		for _, name := range []string{"TRAVELPAYOUTS_TOKEN", "VERDETTO_SMTP_PASSWORD", "STRIPE_KEY", "STRIPE_PRICE",
			"STRIPE_WEBHOOK_SECRETS", "SOLANA_WALLET"} {
			if strings.Count(output, name+": ") != 1 {
				t.Errorf("%s does not name %s once:\n%s", command, name, output)
			}
		}
	}
	if _, made := d.Files()["verdetto.db"]; made {
		t.Error("a store was made")
	}
}

func TestSettingsFiles(t *testing.T) {
	page := filledIn(blocks(t)[2])
	_, page, _ = strings.Cut(page, "<<'END'\n")
	page, _, whole := strings.Cut(page, "\nEND\n")
	if !whole {
		t.Fatal("docs/self-hosting.md has no settings")
	}
	begun, err := os.ReadFile(fixture.Path(t, "infra", "onemachine", "verdetto.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"the page's":    {page, []string{"VERDETTO_TLS ", "VERDETTO_SMTP_PASSWORD     (secret)"}},
		"to begin with": {string(begun), []string{"VERDETTO_BEHIND            127.0.0.1, by settings.toml"}},
		"to begin with, of a service that speaks TLS": {strings.NewReplacer("# VERDETTO_TLS", "VERDETTO_TLS",
			"\nVERDETTO_L", "\n# VERDETTO_L", "\nVERDETTO_B", "\n# VERDETTO_B").Replace(string(begun)),
			[]string{"VERDETTO_TLS "}},
	} {
		t.Run(name, func(t *testing.T) {
			d := fixture.NewShell(t)
			d.Write("settings.toml", strings.ReplaceAll(c.text, "/var/lib/verdetto", d.Dir))
			got := d.Run("check", "-config", "settings.toml")
			if got.Code != 0 {
				t.Errorf("exit code %d\n%s%s", got.Code, got.Stdout, got.Stderr)
			}
			for _, says := range c.says {
				if !strings.Contains(got.Stdout, says) {
					t.Errorf("it does not say %q:\n%s", says, got.Stdout)
				}
			}
		})
	}
}

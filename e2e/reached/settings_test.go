package reached

import (
	"os"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

// TestSettingsFiles: the settings in docs/self-hosting.md and in infra/onemachine are valid without
// changes.
func TestSettingsFiles(t *testing.T) {
	page := blocks(t)[2]
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

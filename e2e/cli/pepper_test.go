package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

func TestPepper(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Want(0, "", "refresh", "-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	run := func(code int, says string, pepper string, args ...string) fixture.Result {
		t.Helper()
		d.Env = nil
		if pepper != "" {
			d.Env = []string{"VERDETTO_PEPPER=" + pepper}
		}
		return d.Want(code, says, args...)
	}
	key := []string{"key", "create", "-store", "bolt:kept.db", "-email", "ada@example.com"}
	first, other := strings.Repeat("own pepper ", 4), strings.Repeat("another pepper ", 4)
	run(0, "vd_", first, key...)
	run(1, "made with another pepper", other, key...)
	run(1, "VERDETTO_PEPPER", other, "serve", "-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	run(1, "made with another pepper", other, "refresh", "-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01", "-mail", "mail")
	run(1, "holds no pepper", "", key...)
	run(1, "does not hold its pepper", "", "serve", "-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")

	run(0, "exported to pepper.txt", first, "pepper", "export", "-store", "bolt:kept.db", "-to", "pepper.txt")
	run(1, "choose another name", first, "pepper", "export", "-store", "bolt:kept.db", "-to", "pepper.txt")
	run(1, "made with another pepper", other, "pepper", "export", "-store", "bolt:kept.db", "-to", "wrong.txt")
	if info, err := os.Stat(filepath.Join(d.Dir, "pepper.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the pepper: %v %v", info, err)
	}
	text := strings.TrimSpace(d.Files()["pepper.txt"])
	if got := run(0, text, first, "pepper", "export"); strings.TrimSpace(got.Stdout) != text {
		t.Errorf("without a store: %q", got.Stdout)
	}
	run(0, "vd_", text, key...)

	typo := []byte(text)
	typo[20] ^= 1
	d.Write("typo.txt", string(typo))
	run(1, "a letter is wrong", "", "pepper", "import", "-store", "bolt:kept.db", "-from", "typo.txt")
	run(1, "32 characters or more", string(typo), key...)
	run(0, "exported", other, "pepper", "export", "-to", "other.txt")
	run(1, "made with another pepper", "", "pepper", "check", "-store", "bolt:kept.db", "-from", "other.txt")
	run(0, "belongs to bolt:kept.db", "", "pepper", "check", "-store", "bolt:kept.db", "-from", "pepper.txt")
	run(1, "-force", "", "pepper", "import", "-store", "bolt:kept.db", "-from", "other.txt")
	run(0, "now holds this pepper", "", "pepper", "import", "-store", "bolt:kept.db", "-from", "pepper.txt")
	run(0, "vd_", "", key...)
	run(0, text, "", "pepper", "export", "-store", "bolt:kept.db")

	run(0, "", "", "backup", "-store", "bolt:kept.db", "-to", "copy.db")
	run(0, text, "", "pepper", "export", "-store", "bolt:copy.db")
	run(0, "the backup is unchanged", "", "verify", "-store", "bolt:copy.db")

	run(0, "now holds this pepper", "", "pepper", "import", "-store", "bolt:kept.db", "-from", "other.txt", "-force")
	run(0, "vd_", other, key...)
	run(1, "made with another pepper", first, key...)
}

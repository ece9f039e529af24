package languages

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/text/i18n"
)

var dialects = map[string]string{"it": "it", "en": "en-GB", "de": "de-DE", "fr": "fr", "es": "es", "pt": "pt-PT"}

type text struct{ language, place, words string }

type finding struct {
	Text                                     int
	Words, Sentence, Rule, Category, Message string
}

var mistakes = []text{
	{"it", "", "Il il prezzo è alto."}, {"en", "", "The fares is high."}, {"de", "", "Der Haus ist alt."},
	{"fr", "", "Les tarif est haut."}, {"es", "", "Los tarifa es alta."}, {"pt", "", "Os preço é alto."},
	{"en", "", "A faer was found."},
}

// As a control, LanguageTool must find the mistake in every text of mistakes.
func TestGrammar(t *testing.T) {
	texts, seen := slices.Clone(mistakes), map[text]bool{}
	for _, one := range slices.Concat(catalogueTexts(t), mailGoldens(t), documentTexts(t), apiTexts(t)) {
		if key := (text{one.language, "", one.words}); !seen[key] {
			seen[key] = true
			texts = append(texts, one)
		}
	}
	found := map[int]bool{}
	for _, f := range check(t, texts, readAccepted(t)) {
		found[f.Text] = true
		if at := texts[f.Text]; f.Text >= len(mistakes) {
			t.Errorf("%s, %s: %q (%s of %s: %s)\n  in: %s", at.language, at.place, f.Words, f.Rule, f.Category,
				f.Message, f.Sentence)
		}
	}
	for i, one := range mistakes {
		if !found[i] {
			t.Errorf("%s: nothing is found in %q", one.language, one.words)
		}
	}
	t.Logf("%d texts", len(texts)-len(mistakes))
}

type accepted struct {
	Words struct {
		All, It, En, De, Fr, Es, Pt []string
	}
	Off map[string]map[string]string // reasons for which a rule is off, by language and rule
}

func readAccepted(t *testing.T) (a accepted) {
	t.Helper()
	if _, err := toml.DecodeFile(filepath.Join("testdata", "grammar.toml"), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a accepted) words(language string) []string {
	byLanguage := map[string][]string{"it": a.Words.It, "en": a.Words.En, "de": a.Words.De, "fr": a.Words.Fr,
		"es": a.Words.Es, "pt": a.Words.Pt}
	words := slices.Concat(a.Words.All, byLanguage[language])
	l := i18n.ForCode(language)
	for m := time.January; m <= time.December; m++ {
		words = append(words, strings.TrimSuffix(l.MonthShort(m), "."))
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		words = append(words, strings.TrimSuffix(l.WeekdayShort(d), "."))
	}
	return words
}

func (a accepted) off(language string) []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(a.Off["all"])), maps.Keys(a.Off[language]))
}

func check(t *testing.T, texts []text, a accepted) (findings []finding) {
	t.Helper()
	java := testenv.Command(t, "java", "apt-get install default-jre-headless")
	jars, err := filepath.Glob(filepath.Join(testenv.Tool(t, "languagetool"), "*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	compiler := slices.IndexFunc(jars, func(jar string) bool { return strings.HasPrefix(filepath.Base(jar), "ecj-") })
	if compiler < 0 {
		t.Fatalf("no compiler among %d jars", len(jars))
	}
	classes, path := t.TempDir(), strings.Join(jars, string(filepath.ListSeparator))
	compile := exec.CommandContext(t.Context(), java, "-jar", jars[compiler], "-17", "-proc:none", "-nowarn", "-cp", path,
		"-d", classes, filepath.Join("testdata", "Grammar.java"))
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var input, faults bytes.Buffer
	write := func(line any) {
		if err := json.NewEncoder(&input).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	settings, names := map[string]any{}, slices.Concat(published(t), currencyCodes())
	for _, code := range currencyCodes() { // the API of price trends writes codes in lower case
		names = append(names, strings.ToLower(code))
	}
	for language, dialect := range dialects {
		settings[dialect] = map[string][]string{"off": a.off(language), "accepted": slices.Concat(names, a.words(language))}
	}
	write(settings)
	for _, one := range texts {
		write(map[string]string{"language": dialects[one.language], "text": withoutCode(one.words)})
	}
	run := exec.CommandContext(t.Context(), java, "-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-cp", classes+string(filepath.ListSeparator)+path, "Grammar")
	run.Stdin, run.Stderr = &input, &faults
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &faults)
	}
	for line := range bytes.Lines(out) {
		var f finding
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		findings = append(findings, f)
	}
	return findings
}

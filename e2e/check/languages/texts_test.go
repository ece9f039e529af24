package languages

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/BurntSushi/toml"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

func catalogueTexts(t *testing.T) (texts []text) {
	t.Helper()
	for code := range dialects {
		catalogue, err := i18n.Catalogue(code)
		if err != nil {
			t.Fatal(err)
		}
		var entries map[string]any
		if err := toml.Unmarshal(catalogue, &entries); err != nil {
			t.Fatal(err)
		}
		delete(entries, "format")
		samples := samplesOf(i18n.ForCode(code))
		each("", entries, func(key, value string) {
			for _, filled := range filled(t, key, value, samples) {
				texts = append(texts, text{code, code + ".toml " + key, filled})
			}
		})
	}
	return texts
}

func each(prefix string, value any, visit func(key, text string)) {
	switch v := value.(type) {
	case string:
		visit(prefix, v)
	case []any:
		for _, one := range v {
			each(prefix, one, visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			each(strings.TrimPrefix(prefix+"."+name, "."), v[name], visit)
		}
	}
}

func samplesOf(l *i18n.Language) map[string]any {
	day := fare.Day(20_000)
	kinds := map[string]string{
		l.Money(4200): "Price Amount Median Low High Lowest Usual Minimum Maximum Difference Saved By Before First Last Mean",
		l.Date(day): "Date Departure Return Day Until Newest LastDay FirstDay Out Back Reset FirstWeek LastWeek " +
			"Moment",
		l.Text("home.to_example"):  "City Origin Destination Asked Name Compared",
		"Malta – Bonn":             "Route Trip Order",
		l.Text("when.change"):      "When",
		l.Weekday(1):               "Weekday",
		l.Month(5):                 "Month Months",
		l.Text("level.buono"):      "Level",
		l.Text("market.buono"):     "Market",
		l.Text("reliability.alta"): "Certainty",
		"example.com":              "Host",
		"ada@example.com":          "Email",
		"https://example.com":      "URL Address Page Offer Manage Recover Terms Privacy Alert",
		"Verdetto": "Field Fields Channel Channels Kind Kinds Frequencies Other Code Livello " +
			"Source Data Listed Saving",
		l.Text("form.kind_low"):    "Label",
		"10:00":                    "Time",
		l.Text("ago.today"):        "Today",
		l.List([]string{"A", "B"}): "Airports",
		"8 %":                      "Share",
	}
	samples := map[string]any{}
	for sample, names := range kinds {
		for name := range strings.FieldsSeq(names) {
			samples[name] = plain(sample)
		}
	}
	return samples
}

var (
	waits       = regexp.MustCompile(`^(alerts|mail|push|telegram|when)\.`)
	ofMarket    = regexp.MustCompile(`\.market$|^agents\.judged`) // keys of texts in which Level is the level of the market
	placeholder = regexp.MustCompile(`\.([A-Z]\w*)`)
	condition   = regexp.MustCompile(`\{\{(?:else )?(?:if|with) (eq |ne |begins |not )?\.([A-Z]\w*)`)
)

func filled(t *testing.T, key, value string, samples map[string]any) []string {
	t.Helper()
	parsed, err := template.New("").Funcs(template.FuncMap{
		"eq":     func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) },
		"ne":     func(a, b any) bool { return fmt.Sprint(a) != fmt.Sprint(b) },
		"lt":     func(a, b any) bool { return fmt.Sprint(a) < fmt.Sprint(b) },
		"begins": func(string, ...string) bool { return false },
	}).Parse(value)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	values := map[string]any{}
	for _, m := range placeholder.FindAllStringSubmatch(value, -1) {
		values[m[1]] = "42"
		if strings.HasSuffix(key, ".one") && m[1] == "Count" {
			values[m[1]] = "1"
		}
		if sample, ok := samples[m[1]]; ok {
			values[m[1]] = sample
		}
		if m[1] == "When" && !waits.MatchString(key) {
			values[m[1]] = samples["Date"]
		}
		if m[1] == "First" && strings.HasPrefix(key, "alerts.fault.") {
			values[m[1]] = samples["Date"]
		}
		if m[1] == "Level" && ofMarket.MatchString(key) {
			values[m[1]] = samples["Market"]
		}
		if m[1] == "When" && key == "mail.alert.seen" {
			values[m[1]] = samples["Today"]
		}
	}
	fill := func() string {
		var b strings.Builder
		if err := parsed.Execute(&b, values); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		return plain(b.String())
	}
	all := []string{fill()}
	for _, m := range condition.FindAllStringSubmatch(value, -1) {
		switch {
		case m[1] == "eq " && m[2] == "Count":
			values[m[2]] = "0"
		case m[1] == "" || m[1] == "not ":
			values[m[2]] = ""
		default:
			values[m[2]] = "7"
		}
	}
	if other := fill(); other != all[0] {
		all = append(all, other)
	}
	return all
}

var (
	unread = regexp.MustCompile(`(?s)<head>.*?<title>(?:[^<]* / [^<]*</title>)?|<style.*?</style>|<script.*?</script>|` +
		`<pre.*?</pre>|<code.*?</code>|` +
		`<a class="switch".*?</a>|<input[^>]*>|<!--.*?-->`)
	// english matches the English parts of a page in another language.
	english = regexp.MustCompile(`(?s)<div lang="en" class="docs">.*</main>|<div lang="en".*?</div>|` +
		`<section lang="en".*?</section>`)
	inline     = regexp.MustCompile(`</?(?:a|strong|em)\b[^>]*>`)
	neighbours = regexp.MustCompile(`(</(?:a|strong)>)(?:\s|&nbsp;|·)*(<(?:a|strong)\b)`)
	tag        = regexp.MustCompile(`(?s)<[^>]*>`)
	named      = regexp.MustCompile(` (?:alt|placeholder|aria-label|title)="([^"]*)"`)
	lang       = regexp.MustCompile(`<html lang="(\w+)"`)
)

func plain(text string) string {
	text = strings.NewReplacer("<code>", "", "</code>", "").Replace(text)
	return html.UnescapeString(tag.ReplaceAllString(text, ""))
}

func pageTexts(place, page string) (texts []text) {
	language := lang.FindStringSubmatch(page)
	if language == nil {
		return nil
	}
	if language[1] != "en" {
		for _, part := range english.FindAllString(page, -1) {
			texts = append(texts, pageTexts(place, `<html lang="en">`+part)...)
		}
		page = english.ReplaceAllString(page, "\n\n")
	}
	var paragraphs []string
	for _, m := range named.FindAllStringSubmatch(page, -1) {
		paragraphs = append(paragraphs, m[1])
	}
	page = unread.ReplaceAllString(page, "\n\n")
	page = neighbours.ReplaceAllString(page, "$1\n\n$2")
	page = tag.ReplaceAllString(inline.ReplaceAllString(page, ""), "\n\n")
	paragraphs = append(paragraphs, strings.Split(page, "\n\n")...)
	for _, p := range paragraphs {
		if words := strings.Join(strings.Fields(html.UnescapeString(p)), " "); letters.MatchString(words) {
			texts = append(texts, text{language[1], place, words})
		}
	}
	return texts
}

var letters = regexp.MustCompile(`\p{L}{3}`)

func mailGoldens(t *testing.T) (texts []text) {
	t.Helper()
	for path, page := range files(t, "shared/carrier/mail/testdata/*.html", "shared/notify/testdata/mails/*.html") {
		texts = append(texts, pageTexts(path, page)...)
	}
	return texts
}

func files(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	root := fixture.Path(t)
	all := map[string]string{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[strings.TrimPrefix(filepath.ToSlash(path), root+"/")] = string(data)
		}
	}
	return all
}

var (
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	article  = regexp.MustCompile("\\b([Aa]n\\s+)``? ?[^`\n]+``?")
	span     = regexp.MustCompile("``? ?[^`\n]+(?:\n[^`\n]+)?``?")
	mdLink   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	cell     = regexp.MustCompile(`(?m)^\|(.*)\|$`)
	itemMark = regexp.MustCompile(`(?m)^( *(?:[-*>]|\d+\.|#+) +)`)
	strong   = regexp.MustCompile(`\*\*?([^*\n]+(?:\n[^*\n]+)?)\*\*?`)
)

func documentTexts(t *testing.T) (texts []text) {
	t.Helper()
	for path, document := range files(t, "docs/*.md", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md") {
		for _, words := range prose(document) {
			texts = append(texts, text{"en", path, words})
		}
	}
	return texts
}

func prose(document string) (paragraphs []string) {
	document = fence.ReplaceAllString(document, "\n\n")
	document = article.ReplaceAllString(document, "${1}API")
	document = span.ReplaceAllString(document, "Verdetto")
	document = cell.ReplaceAllStringFunc(document, func(row string) string {
		return "\n\n" + strings.ReplaceAll(strings.Trim(row, "|"), "|", "\n\n") + "\n\n"
	})
	document = mdLink.ReplaceAllString(document, "$1")
	document = itemMark.ReplaceAllString(document, "\n\n")
	document = strong.ReplaceAllString(document, "$1")
	document = tag.ReplaceAllString(document, "")
	for _, p := range strings.Split(document, "\n\n") {
		if words := strings.Join(strings.Fields(p), " "); letters.MatchString(words) {
			paragraphs = append(paragraphs, words)
		}
	}
	return paragraphs
}

func apiTexts(t *testing.T) (texts []text) {
	t.Helper()
	for path, data := range files(t, "functions/analisi/reference/openapi.json", "functions/analisi/reference/advice.json",
		"functions/analisi/agents/tools.json") {
		var value any
		if err := json.Unmarshal([]byte(data), &value); err != nil {
			t.Fatal(err)
		}
		each("", value, func(key, words string) {
			name := key[strings.LastIndexByte(key, '.')+1:]
			if slices.Contains([]string{"description", "summary", "title", "detail"}, name) ||
				strings.HasSuffix(path, "advice.json") {
				for _, words := range prose(words) {
					texts = append(texts, text{"en", path + " " + key, words})
				}
			}
		})
	}
	for path, data := range files(t, "functions/analisi/agents/instructions.txt") {
		for _, words := range prose(data) {
			texts = append(texts, text{"en", path, words})
		}
	}
	return texts
}

// code matches text that is no word, such as addresses, paths and dates.
var code = regexp.MustCompile(`[\p{L}\d*+.,:@#?&=%{}<>"'-]*` +
	`(?:[_/@=&{}\[\]*]|\d-\d|\p{Ll}\p{Lu}|\p{L}\.\p{Ll})[^\s;,)]*[^\s;,).:”»“"]`)

var (
	codes      = regexp.MustCompile(`Verdetto(?:[ ,]+Verdetto)+`)
	currencies = regexp.MustCompile(`\b[a-z]{3}(?:, [a-z]{3}){9,}(?: (?:and|or) [a-z]{3})?\b`)
)

func withoutCode(words string) string {
	words = currencies.ReplaceAllString(words, "Verdetto")
	return codes.ReplaceAllString(code.ReplaceAllString(words, "Verdetto"), "Verdetto")
}

func published(t *testing.T) []string {
	t.Helper()
	words := map[string]bool{}
	add := func(name string) {
		words[name] = true
		for _, word := range letterRuns.FindAllString(name, -1) {
			words[word] = true
		}
	}
	for _, data := range files(t, "functions/analisi/reference/openapi.json") {
		var value any
		if err := json.Unmarshal([]byte(data), &value); err != nil {
			t.Fatal(err)
		}
		var walk func(at string, value any)
		walk = func(at string, value any) {
			switch v := value.(type) {
			case map[string]any:
				for name, below := range v {
					if at == "properties" || at == "paths" {
						add(name)
					}
					walk(name, below)
				}
			case []any:
				for _, one := range v {
					if text, ok := one.(string); ok && at == "enum" {
						add(text)
					}
					walk(at, one)
				}
			case string:
				if at == "name" {
					add(v)
				}
			}
		}
		walk("", value)
	}
	return slices.Sorted(maps.Keys(words))
}

var letterRuns = regexp.MustCompile(`\p{L}+`)

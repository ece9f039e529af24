package docs

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits that the documents must keep.
const (
	mostWords     = 30_000 // of README, ARCHITECTURE and docs together
	medianWords   = 14     // of the sentences of a document
	longest       = 30     // words in a sentence
	firstExample  = 15     // lines up to the first command or example
	leastSentence = 100    // sentences in all documents, so that the parser cannot find none
)

var (
	reader  = regexp.MustCompile(`(?i)\b(?:contributors|developers|engineers|operators|owners|readers|travellers|users|anyone)\b`)
	example = regexp.MustCompile("(?m)^```|\\bFor example\\b")
	hidden  = regexp.MustCompile(`(?s)<!--.*?-->|<[a-z/][^>]*>`)
	linked  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	quoted  = regexp.MustCompile(`"[^"\n]*"|“[^”]*”`)
	item    = regexp.MustCompile(`^\s*(?:[-*]|\d+\.) `)
	ends    = regexp.MustCompile(`[.!?]["*)_]*(?:\s+|$)`)
	letter  = regexp.MustCompile(`[\pL\d]`)
	// unclear matches words that readers do not understand at once. The documents must use plain
	// words instead.
	unclear = regexp.MustCompile(`(?i)\b(?:nobody(?:'s)?|whoever|whose is|tells? whether|who asks?|so many|of it|(?:is|are|was|were) told|` +
		`ask(?:s|ed)? again|once more|leaves? news|what is left|watched|sheets?|is what|what was said|what is said|` +
		`put beside|brought to|makes? good|what is so|one that|those that|that of|somebody|a standing)\b`)
)

// readable returns the documents that people read, by path.
func readable(t *testing.T) map[string]string {
	texts := documents(t)
	maps.DeleteFunc(texts, func(name, _ string) bool {
		return path.Dir(name) != "docs" && !slices.Contains([]string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
			"SECURITY.md"}, name)
	})
	return texts
}

// sentences returns the sentences of a document: prose and table cells separately. It leaves out
// headings and quotations. Links and inline code become the text that a reader sees.
func sentences(text string) (prose, cells []string) {
	text = hidden.ReplaceAllString(block.ReplaceAllString("\n"+text, "\n"), "")
	var paragraph string
	flush := func() {
		prose = append(prose, split(paragraph)...)
		paragraph = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(linked.ReplaceAllString(span.ReplaceAllString(line, "code"), "$1"))
		switch {
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, ">"):
			flush()
		case strings.HasPrefix(line, "|"):
			flush()
			for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
				cells = append(cells, split(cell)...)
			}
		default:
			if item.MatchString(line) {
				flush()
				line = item.ReplaceAllString(line, "")
			}
			paragraph += line + " "
		}
	}
	flush()
	return prose, cells
}

// split returns the sentences of a paragraph. A quotation counts as one word.
func split(paragraph string) (list []string) {
	paragraph = quoted.ReplaceAllString(paragraph, "quotation")
	for paragraph != "" {
		at := ends.FindStringIndex(paragraph)
		if at == nil {
			at = []int{len(paragraph), len(paragraph)}
		}
		if sentence := strings.TrimSpace(paragraph[:at[1]]); letter.MatchString(sentence) {
			list = append(list, sentence)
		}
		paragraph = paragraph[at[1]:]
	}
	return list
}

func words(sentence string) (n int) {
	for _, field := range strings.Fields(sentence) {
		if letter.MatchString(field) {
			n++
		}
	}
	return n
}

// TestStyle: the documents are short, and have short sentences without unclear words. Each document
// begins with its readers, and shows an example within its first lines.
func TestStyle(t *testing.T) {
	all, found := 0, 0
	for name, text := range readable(t) {
		if name != "CONTRIBUTING.md" && name != "SECURITY.md" {
			// The table of packages is generated from comments in the code.
			all += len(strings.Fields(packageTable.ReplaceAllString(text, "")))
		}
		prose, cells := sentences(text)
		found += len(prose)
		var lengths []int
		for _, s := range prose {
			lengths = append(lengths, words(s))
		}
		slices.Sort(lengths)
		if median := lengths[len(lengths)/2]; median > medianWords {
			t.Errorf("%s: the median sentence has %d words, want at most %d", name, median, medianWords)
		}
		for _, s := range slices.Concat(prose, cells) {
			if n := words(s); n > longest {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
			if m := unclear.FindString(s); m != "" {
				t.Errorf("%s: %q in: %s", name, m, s)
			}
		}
		_, rest, _ := strings.Cut(text, "\n\n")
		if first, _, _ := strings.Cut(rest, "\n\n"); !reader.MatchString(first) {
			t.Errorf("%s does not say in its first paragraph who it is for: %s", name, first)
		}
		if at := example.FindStringIndex(text); at == nil || strings.Count(text[:at[0]], "\n") >= firstExample {
			t.Errorf("%s has no command or example in its first %d lines", name, firstExample)
		}
	}
	if all > mostWords || found < leastSentence {
		t.Errorf("README, ARCHITECTURE and docs have %d words, want at most %d; %d sentences were found", all, mostWords,
			found)
	}
}

// TestStyleFinds applies the checks of TestStyle to bad documents, to show that TestStyle can fail.
func TestStyleFinds(t *testing.T) {
	prose, cells := sentences("# Title. Not this\n\nOne `a b` two. See [the page](x.md)\nof \"many words here\" 1.5.\n" +
		"- An item\n\n```\nnot this.\n```\n\n> nor this\n\n| a cell. Two | b |\n|---|---|\n")
	if want := []string{"One code two.", "See the page of quotation 1.5.", "An item"}; !slices.Equal(prose, want) {
		t.Errorf("prose: %q, want %q", prose, want)
	}
	if want := []string{"a cell.", "Two", "b"}; !slices.Equal(cells, want) {
		t.Errorf("cells: %q, want %q", cells, want)
	}
	if n := words("two - words"); n != 2 {
		t.Errorf("%d words", n)
	}
	if !unclear.MatchString("for nobody's use") || unclear.MatchString("a sheetless example") {
		t.Error("unclear words are not found, or clear ones are")
	}
}

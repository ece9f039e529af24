package i18n

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/nicksnyder/go-i18n/v2/i18n"
)

func texts(t *testing.T, code string) map[string][]string {
	t.Helper()
	catalogue, err := Catalogue(code)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := i18n.ParseMessageBytes(catalogue, toml.Unmarshal)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, m := range messages {
		all[m.ID] = slices.DeleteFunc([]string{m.Zero, m.One, m.Two, m.Few, m.Many, m.Other},
			func(form string) bool { return form == "" })
	}
	return all
}

func placeholders(t *testing.T, text string) []string {
	t.Helper()
	names := map[string]bool{}
	trees := map[string]*parse.Tree{}
	tree := parse.New("text")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	walk(tree.Root, func(n parse.Node) {
		if field, ok := n.(*parse.FieldNode); ok {
			names[field.Ident[0]] = true
		}
	})
	return slices.Sorted(maps.Keys(names))
}

func walk(n parse.Node, visit func(parse.Node)) {
	visit(n)
	branch := func(b *parse.BranchNode) {
		walk(b.Pipe, visit)
		walk(b.List, visit)
		if b.ElseList != nil {
			walk(b.ElseList, visit)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			walk(one, visit)
		}
	case *parse.ActionNode:
		walk(n.Pipe, visit)
	case *parse.PipeNode:
		for _, one := range n.Cmds {
			walk(one, visit)
		}
	case *parse.CommandNode:
		for _, one := range n.Args {
			walk(one, visit)
		}
	case *parse.TemplateNode:
		if n.Pipe != nil {
			walk(n.Pipe, visit)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}

func wanted(catalogue, translation map[string][]string) []string {
	isForAgents := func(id string) bool { return strings.HasPrefix(id, "agents.") }
	answersAgents := slices.ContainsFunc(slices.Collect(maps.Keys(translation)), isForAgents)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(catalogue)),
		func(id string) bool { return !answersAgents && isForAgents(id) })
}

func TestCatalogues(t *testing.T) {
	english := texts(t, English().Code)
	for _, code := range Codes() {
		others := texts(t, code)
		if diff := cmp.Diff(wanted(english, others), wanted(others, others)); diff != "" {
			t.Errorf("texts of %s (-English +%s):\n%s", code, code, diff)
		}
		for id, forms := range others {
			if len(forms) == 0 {
				t.Errorf("%s: %s is empty", code, id)
			}
			for _, form := range forms {
				if want := english[id]; len(want) > 0 {
					home := strings.ReplaceAll(want[0], `"/?lang=en"`, `"/?lang=`+code+`"`)
					if diff := cmp.Diff(marks(home), marks(form)); diff != "" {
						t.Errorf("%s: %s has other markup (-English +%s):\n%s", code, id, code, diff)
					}
					if diff := cmp.Diff(placeholders(t, want[0]), placeholders(t, form)); diff != "" {
						t.Errorf("%s: %s is filled in by other names (-English +%s):\n%s", code, id, code, diff)
					}
				}
			}
		}
	}
}

var markup = regexp.MustCompile(`<[^>]*>`)

var languageOfLink = regexp.MustCompile(`\?lang=[a-z]{2}`)

func marks(text string) []string {
	all := markup.FindAllString(languageOfLink.ReplaceAllString(text, ""), -1)
	slices.Sort(all)
	return all
}

// untypeset matches typographic faults. French needs a no-break space before ; : ! ? % and inside
// guillemets.
var untypeset = map[string]*regexp.Regexp{
	"de": regexp.MustCompile(`[^=]"[^ >]|[ \x{a0}][;:!?]`),
	"fr": regexp.MustCompile(`'| [;:!?%»€]|« |[\pL\d})][;!?»%]|[\pL})]:[^\pL/]`),
	"es": regexp.MustCompile(`[^=]"[^ >]|[ \x{a0}][;:!?]`),
	"pt": regexp.MustCompile(`[^=]"[^ >]|[ \x{a0}][;:!?]`),
}

var technical = regexp.MustCompile(`{{.*?}}|<[^>]*>|{"route".*?}|Content-Type: |/v1/\S*`)

func TestTypography(t *testing.T) {
	for _, code := range Codes() {
		for id, forms := range texts(t, code) {
			for _, form := range forms {
				plain := technical.ReplaceAllString(form, "x")
				if m := untypeset[code]; m != nil && id != "format.colon" && m.MatchString(plain) {
					t.Errorf("%s: %s: %q in %q", code, id, m.FindString(plain), form)
				}
				if strings.Contains(form, "  ") || strings.TrimRight(form, " ") != form && id != "format.comma" {
					t.Errorf("%s: %s has spaces too many: %q", code, id, form)
				}
			}
		}
	}
}

func TestPlurals(t *testing.T) {
	for _, l := range Languages() {
		for id, forms := range texts(t, l.Code) {
			for n := 0; len(forms) > 1 && n < 200; n++ {
				if l.messages()[id].source(l.form(n)) == "" {
					t.Errorf("%s: %s lacks the form for %d", l.Code, id, n)
				}
			}
		}
	}
}

func TestFallback(t *testing.T) {
	known := languages
	defer func() { languages = known }()
	bare, err := Add("nl", "Nederlands", "Dutch", []byte(`[home]
claim = "Is dat een goede prijs?"`))
	if err != nil {
		t.Fatal(err)
	}
	if bare.Text("home.claim") == English().Text("home.claim") || bare.Text("home.ask") != English().Text("home.ask") {
		t.Errorf("%q, %q", bare.Text("home.claim"), bare.Text("home.ask"))
	}
	if got, want := bare.Count("calendar.days", 1), English().Count("calendar.days", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for name, fault := range map[string]func(){
		"no such text":         func() { bare.Text("home.nothing") },
		"a placeholder is not": func() { bare.Text("home.route", "Town", "Milano") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s, and nothing happens", name)
				}
			}()
			fault()
		}()
	}
}

func TestBegins(t *testing.T) {
	for _, c := range []struct {
		text, with string
		want       bool
	}{{"sábado, 22", "sáb", true}, {"Sábado", "s", true}, {"Évora", "e", true}, {"sabato", "sáb", false}, {"domingo", "sáb", false}} {
		if got := begins(c.text, c.with); got != c.want {
			t.Errorf("%q begins %q: %t", c.text, c.with, got)
		}
	}
}

package mail

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	netmail "net/mail"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestEveryMailMeetsTheSendersRules(t *testing.T) {
	const from = "v@verdetto.example"
	key := aKey(t)
	moved := key
	moved.Path, moved.Stop = "", ""
	paid := key
	paid.Stop = ""
	kinds := map[string]struct {
		write func() (Message, error)
		bulk  bool
	}{
		"KeyMail":      {func() (Message, error) { return KeyMail(key) }, false},
		"RecoverMail":  {func() (Message, error) { return RecoverMail(key) }, false},
		"ExtendedMail": {func() (Message, error) { return ExtendedMail(paid) }, false},
		"OfferMail":    {func() (Message, error) { return OfferMail(key) }, true},
		"ManageMail":   {func() (Message, error) { return ManageMail(key) }, true},
		"MoveMail":     {func() (Message, error) { return MoveMail(key) }, true},
		"MovedMail":    {func() (Message, error) { return MovedMail(moved) }, false},
	}
	var known []string
	for name, c := range kinds {
		known = append(known, name)
		t.Run(name, func(t *testing.T) {
			m, err := c.write()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := composer(t, "Verdetto perché <"+from+">").Compose(m)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
				if len(line) > 998 || bytes.ContainsAny(line, "\r\n") ||
					bytes.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII || r == 0 }) {
					t.Errorf("a line that servers may change: %d bytes, %.80q", len(line), line)
				}
			}
			if len(raw) > 102<<10 {
				t.Errorf("%d bytes: longer than what is shown whole", len(raw))
			}
			read, err := netmail.ReadMessage(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]int{"Date": 1, "From": 1, "To": 1, "Subject": 1, "Message-Id": 1, "Mime-Version": 1,
				"Auto-Submitted": 1, "Content-Type": 1}
			if c.bulk {
				want["List-Unsubscribe"], want["List-Unsubscribe-Post"] = 1, 1
			}
			got := map[string]int{}
			for field, values := range read.Header {
				if field != "Content-Transfer-Encoding" {
					got[field] = len(values)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			sender, err := read.Header.AddressList("From")
			if err != nil || len(sender) != 1 || sender[0].Address != from {
				t.Errorf("from %v, %v", sender, err)
			}
			if to, err := read.Header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != m.To {
				t.Errorf("to %v, %v", to, err)
			}
			if _, err := read.Header.Date(); err != nil {
				t.Error(err)
			}
			if id := read.Header.Get("Message-Id"); !strings.HasPrefix(id, "<") ||
				!strings.HasSuffix(id, "@verdetto.example>") {
				t.Errorf("id %s", id)
			}
			if by := read.Header.Get("Auto-Submitted"); by != "auto-generated" {
				t.Errorf("submitted %s", by)
			}
			if c.bulk && (read.Header.Get("List-Unsubscribe") != "<"+m.Unsubscribe+">" ||
				!strings.HasPrefix(m.Unsubscribe, "https://") ||
				read.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
				!strings.Contains(m.Text, m.Unsubscribe)) {
				t.Errorf("unsubscribed by %q and %q", read.Header.Get("List-Unsubscribe"),
					read.Header.Get("List-Unsubscribe-Post"))
			}
		})
	}
	slices.Sort(known)
	if diff := cmp.Diff(writers(t), known); diff != "" {
		t.Errorf("kinds of mail (-written +tried):\n%s", diff)
	}
}

func writers(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && result.Name == "Message" && f.Name.Name != "Write" {
				all = append(all, f.Name.Name)
			}
		}
	}
	slices.Sort(all)
	return all
}

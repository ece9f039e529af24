package page_test

import (
	"html/template"
	"strings"
	"testing"

	"verdetto/functions/analisi/page"

	"github.com/google/go-cmp/cmp"
)

func TestHTMLIsThatOfATemplate(t *testing.T) {
	t.Parallel()
	const special = "<b>Zürich</b> & \"L'Aquila\" + 5 %\x00"
	data := struct {
		Options page.Options
		Rows    page.Rows
	}{page.Options{{"", "EUR", true}, {"USD", "USD", false}, {special, "a" + special, true}},
		page.Rows{{special, special, "€55"}, {"head"}}}
	var b strings.Builder
	if err := template.Must(template.New("").Parse(`{{range .Options}}<option`+
		`{{if ne .Value .Text}} value="{{.Value}}"{{end}}{{if .Chosen}} selected{{end}}>{{.Text}}{{end}}`+
		`{{range .Rows}}<tr>{{range $i, $c := .}}{{if $i}}<td>{{.}}</td>{{else}}<th scope="row">{{.}}</th>{{end}}`+
		"{{end}}</tr>\n{{end}}")).Execute(&b, data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(data.Options.HTML()+data.Rows.HTML())); diff != "" {
		t.Error(diff)
	}
}

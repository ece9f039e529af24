package pro

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"time"
)

//go:embed key.html
var keyTemplate string

var keyHTML = template.Must(template.New("key").Parse(keyTemplate))

// renderKey writes the page that shows a key once.
func renderKey(lang string, k issued) ([]byte, error) {
	var b bytes.Buffer
	err := keyHTML.Execute(&b, struct {
		Italian bool
		Key     string
		Until   string
	}{lang == "it", k.APIKey, k.ExpiresAt.UTC().Format(time.DateOnly)})
	return b.Bytes(), err
}

func encodeJSON(v any) ([]byte, error) { return json.Marshal(v) }

package config

import (
	"cmp"
	"strings"
)

func Document() string {
	var b strings.Builder
	b.WriteString("| variable | flag | read by | value | default |\n|---|---|---|---|---|\n")
	for _, s := range Settings {
		value := s.Give
		if s.List {
			value += ", with commas between"
		}
		if s.Secret {
			value = "secret: " + value
		}
		if s.Note != "" {
			value += "; " + s.Note
		}
		flag := ""
		if s.Flag != "" {
			flag = "`-" + s.Flag + "`"
		}
		without := s.Without
		if s.Default != "" {
			without = "`" + s.Default + "`"
		}
		b.WriteString("| `" + s.Name + "` | " + strings.Join([]string{flag, s.ReadBy, value, cmp.Or(without, "none")},
			" | ") + " |\n")
	}
	return b.String()
}

package main

import (
	"os"
	"strings"
	"testing"

	"verdetto/cmd/verdetto/settings"
)

func TestIsFirstRun(t *testing.T) {
	for _, c := range []struct {
		name, args  string
		environment string
		want        bool
	}{
		{"nothing is chosen", "", "", true},
		{"another port of this machine", "-listen 127.0.0.1:9000", "", true},
		{"a store that is new", "-store bolt:new.db", "", true},
		{"this machine by name", "-listen localhost:9000 -log json -metrics 127.0.0.1:9464", "", true},
		{"all addresses", "-listen :8080", "", false},
		{"all addresses in digits", "-listen 0.0.0.0:8080", "", false},
		{"an address of the network", "-listen 192.168.1.7:8080", "", false},
		{"TLS", "-tls verdetto.example", "", false},
		{"a proxy", "-behind 127.0.0.1", "", false},
		{"a public URL", "-base https://verdetto.example", "", false},
		{"a public URL in the environment", "", "VERDETTO_BASE_URL=https://verdetto.example", false},
		{"a source", "-upstream sample", "", false},
		{"a source in the environment", "", "VERDETTO_UPSTREAM=sample", false},
		{"a token", "", "TRAVELPAYOUTS_TOKEN=token", false},
		{"cities", "", "VERDETTO_ORIGINS=MIL", false},
		{"a replayed clock", "-now 2016-03-01", "", false},
		{"real money", "-money real", "", false},
		{"a store that exists", "-store bolt:old.db", "", false},
		{"a table", "-store dynamodb:verdetto", "", false},
		{"a settings file", "-config some.toml", "", false},
		{"a settings file in the environment", "", "VERDETTO_CONFIG=some.toml", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, file := range []string{"old.db", "some.toml"} {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if name, value, ok := strings.Cut(c.environment, "="); ok {
				t.Setenv(name, value)
			}
			// settings.Take sets both variables, and t.Setenv restores the old values.
			for _, name := range []string{"VERDETTO_LISTEN", "VERDETTO_STORE"} {
				t.Setenv(name, "")
			}
			var o serveOptions
			command := newCommand("serve", "", nil)
			file := settingsFile(command, o.flags(command))
			if err := command.ParseFlags(longFlags(strings.Fields(c.args))); err != nil {
				t.Fatal(err)
			}
			taken, faults := settings.Take(command.Flags(), *file)
			if got := o.isFirstRun(taken, *file); got != c.want || len(faults) > 0 {
				t.Errorf("%v, want %v; %q", got, c.want, faults)
			}
		})
	}
}

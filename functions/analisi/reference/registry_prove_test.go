package reference_test

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verdetto/shared/architecture/testenv"
)

func TestProveRegistryTakesTheEntry(t *testing.T) {
	data, err := os.ReadFile(testenv.Tool(t, "mcp-registry", "server.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	const id = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(id, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	entry := readAt(t, ownAddress, "GET", "/server.json").Body.String()
	for name, c := range map[string]struct {
		old, with string
		valid     bool
	}{
		"as published":          {"", "", true},
		"a name without domain": {"example.verdetto/verdetto", "verdetto", false},
		"an address of no kind": {"https://verdetto.example/mcp", "/mcp", false},
		"another transport":     {"streamable-http", "carrier-pigeon", false},
		"a long description":    {"Is this", strings.Repeat("Is this ", 10), false},
		"a header with no name": {`"name": "X-Api-Key",`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(entry, c.old, c.with, 1)
			if (text == entry) != c.valid {
				t.Fatalf("nothing was spoiled in %s", entry)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != c.valid {
				t.Errorf("the schema says %v of %s", err, text)
			}
			if c.valid && value.(map[string]any)["$schema"] != id {
				t.Errorf("it names another schema: %s", text)
			}
		})
	}
}

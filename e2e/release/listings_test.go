package release

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/web/httpapi"
)

// image is the image of this version in the compose files and listings.
const image = "verdetto.example/verdetto:" + httpapi.Version

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(fixture.Path(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestVersion: compose files, listings and documents name the image of this version only.
func TestVersion(t *testing.T) {
	named := regexp.MustCompile(`verdetto\.example/verdetto:[^"'\s` + "`" + `]+`)
	for path, count := range map[string]int{"infra/onemachine/compose.yaml": 1, "infra/listings/umbrel/docker-compose.yml": 1,
		"infra/listings/casaos/docker-compose.yml": 1, "infra/listings/mcp/server.json": 1, "README.md": 1} {
		found := named.FindAllString(read(t, path), -1)
		for _, name := range found {
			if name != image {
				t.Errorf("%s names %s, want %s", path, name, image)
			}
		}
		if len(found) != count {
			t.Errorf("%s names the image %d times, want %d", path, len(found), count)
		}
	}
}

// field returns the value of a YAML field that stands on one line.
func field(text, name string) string {
	found := regexp.MustCompile(`(?m)^ *` + name + `: *"?([^"\n]*)"?$`).FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// TestListings: each file has the fields and limits of the place that it is for, and the version of
// the release.
func TestListings(t *testing.T) {
	for path, want := range map[string]map[string]string{
		"umbrel/umbrel-app.yml": {"manifestVersion": "1", "id": "verdetto", "name": "Verdetto", "category": "finance",
			"version": httpapi.Version, "port": "8080", "path": ""},
		"umbrel/docker-compose.yml": {"APP_HOST": "verdetto_main_1", "APP_PORT": "8080"},
		"casaos/docker-compose.yml": {"id": "example.verdetto.verdetto", "main": "verdetto", "category": "Finance",
			"version": httpapi.Version, "port_map": "8080"},
		"awesome-selfhosted/verdetto.yml": {"name": "Verdetto", "depends_3rdparty": "true"},
	} {
		text := read(t, "infra/listings/"+path)
		for name, value := range want {
			if got := field(text, name); got != value {
				t.Errorf("%s: %s is %q, want %q", path, name, got, value)
			}
		}
	}
	for path, most := range map[string]int{"umbrel/umbrel-app.yml tagline": 50,
		"awesome-selfhosted/verdetto.yml description": 250} {
		path, name, _ := strings.Cut(path, " ")
		if got := field(read(t, "infra/listings/"+path), name); got == "" || len(got) > most {
			t.Errorf("%s: the %s %q has %d characters, at most %d are allowed", path, name, got, len(got), most)
		}
	}
}

// TestRegistryEntry: the entry with the image is valid under the schema of the MCP registry, and
// its version is that of the release.
func TestRegistryEntry(t *testing.T) {
	const id = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	data, err := os.ReadFile(testenv.Tool(t, "mcp-registry", "server.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(id, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, "infra/listings/mcp/server.json")
	for name, c := range map[string]struct {
		old, with string
		valid     bool
	}{
		"as it is":           {"", "", true},
		"no transport":       {`"transport"`, `"transported"`, false},
		"another schema's":   {`"streamable-http"`, `"stream"`, false},
		"an image of no tag": {`"identifier"`, `"image"`, false},
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(text, c.old, c.with, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != c.valid {
			t.Errorf("%s: %v", name, err)
		}
		if c.valid && value.(map[string]any)["version"] != httpapi.Version {
			t.Errorf("%s: the version is %v", name, value)
		}
	}
}

package release

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

var (
	mounted     = regexp.MustCompile(`(?m)^ *- "?\$\{?APP_DATA_DIR\}?/?([^:"]*):`)
	bareBoolean = regexp.MustCompile(`(?m)^ {6}[A-Z_]+: (true|false)$`)
	serviceName = regexp.MustCompile(`(?m)^  ([a-z_]+):$`)
)

// umbrelFaults returns how a manifest and a compose file break the rules that umbrel-cli lint checks.
// The digest of the image is left out: it exists only once the image is published.
func umbrelFaults(manifest, compose string, exists func(folder string) bool) (faults []string) {
	fault := func(broken bool, name, rule string) {
		if broken {
			faults = append(faults, name+": "+rule)
		}
	}
	for name, most := range map[string]int{"name": 50, "tagline": 100, "developer": 50, "submitter": 50, "version": 50} {
		n := len(field(manifest, name))
		fault(n == 0 || n > most, name, fmt.Sprintf("has %d characters, want 1 to %d", n, most))
	}
	fault(strings.HasSuffix(field(manifest, "tagline"), "."), "tagline", "ends with a period")
	fault(!slices.Contains([]string{"files", "bitcoin", "media", "networking", "social", "automation", "finance", "ai",
		"developer", "crypto"}, field(manifest, "category")), "category", "is unknown")
	port, err := strconv.Atoi(field(manifest, "port"))
	fault(err != nil || port < 1 || port > 65535, "port", "is no port")
	for _, name := range []string{"website", "repo", "support", "submission"} {
		u, err := url.Parse(field(manifest, name))
		fault(err != nil || u.Scheme != "https" || u.Host == "", name, "is no address")
	}
	for _, name := range []string{"gallery", "dependencies"} {
		fault(!strings.HasPrefix(field(manifest, name), "["), name, "is no list")
	}
	_, description, _ := strings.Cut(manifest, "\ndescription: ")
	description, _, _ = strings.Cut(description, "\nreleaseNotes:")
	fault(len(description) < 100 || len(description) > 5000, "description", "is missing or too long")
	host := false
	for _, service := range serviceName.FindAllStringSubmatch(compose, -1) {
		host = host || field(compose, "APP_HOST") == field(manifest, "id")+"_"+service[1]+"_1"
	}
	fault(!host, "APP_HOST", "names no service")
	for image := range strings.SplitSeq(compose, "image: ") {
		tagged, _, _ := strings.Cut(image, "\n")
		fault(strings.HasSuffix(tagged, ":latest"), "image", "has the tag latest")
	}
	fault(bareBoolean.MatchString(compose), "environment", "has a boolean without quotes")
	fault(strings.Contains(compose, "ports:"), "ports", "are mapped past the proxy")
	for _, m := range mounted.FindAllStringSubmatch(compose, -1) {
		fault(m[1] == "" || !exists(m[1]), "volumes", "mount the whole folder of data, or a folder that is not there: "+m[1])
	}
	return faults
}

// TestUmbrelRules: the files for Umbrel pass the rules of its linter, and a fault in each is found.
func TestUmbrelRules(t *testing.T) {
	t.Parallel()
	manifest := read(t, "infra/listings/umbrel/umbrel-app.yml")
	compose := read(t, "infra/listings/umbrel/docker-compose.yml")
	exists := func(folder string) bool {
		_, err := os.Stat(fixture.Path(t, "infra/listings/umbrel", folder, ".gitkeep"))
		return err == nil
	}
	if faults := umbrelFaults(manifest, compose, exists); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
	for _, c := range []struct{ old, with, want string }{
		{"name: Verdetto", "name: " + strings.Repeat("x", 51), "name: has 51"},
		{"cheap?", "cheap.", "tagline: ends"},
		{"category: finance", "category: travel", "category: is unknown"},
		{"port: 8080", "port: 80800", "port: is no port"},
		{"website: https", "website: ftp", "website: is no address"},
		{"gallery: []", "gallery: none", "gallery: is no list"},
		{"description: >-", "about: >-", "description: is missing"},
		{"APP_HOST: verdetto_main_1", "APP_HOST: verdetto_web_1", "APP_HOST: names no"},
		{"verdetto.example/verdetto:1.0.0", "verdetto.example/verdetto:latest", "image: has the tag"},
		{"APP_PORT: 8080", "APP_PORT: true", "environment: has a boolean"},
		{"    restart:", "    ports: [1:1]\n    restart:", "ports: are mapped"},
		{"}/data:", "}/elsewhere:", "volumes: mount"},
		{"}/data:", "}:", "volumes: mount"},
	} {
		faults := umbrelFaults(strings.Replace(manifest, c.old, c.with, 1), strings.Replace(compose, c.old, c.with, 1),
			exists)
		if len(faults) != 1 || !strings.HasPrefix(faults[0], c.want) {
			t.Errorf("%q for %q: %q, want %q", c.with, c.old, faults, c.want)
		}
	}
}

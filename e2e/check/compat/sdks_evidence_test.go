package compat

import (
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"

	"verdetto/shared/architecture/testenv"
)

func TestEvidenceJavaSDK(t *testing.T) {
	java := testenv.Command(t, "java", "apt-get install default-jre-headless")
	jars, classes := filepath.Join(testenv.Tool(t, "sdk-java"), "*"), t.TempDir()
	compiler, err := filepath.Glob(filepath.Join(testenv.Tool(t, "sdk-java"), "ecj-*.jar"))
	if err != nil || len(compiler) != 1 {
		t.Fatal(compiler, err)
	}
	compile := exec.CommandContext(t.Context(), java, "-jar", compiler[0], "-17", "-proc:none", "-nowarn", "-cp",
		sdkJars(t), "-d", classes, filepath.Join("testdata", "Ask.java"))
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	driven(t, httptest.NewServer, func(_ *httptest.Server, port, key, word string) *exec.Cmd {
		return exec.CommandContext(t.Context(), java, "-cp", classes+string(filepath.ListSeparator)+jars, "Ask", port,
			key, word, day)
	})
}

func sdkJars(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(testenv.Tool(t, "sdk-java"), "*.jar"))
	if err != nil || len(all) < 2 {
		t.Fatal(all, err)
	}
	list := ""
	for _, jar := range all {
		list += jar + string(filepath.ListSeparator)
	}
	return list
}

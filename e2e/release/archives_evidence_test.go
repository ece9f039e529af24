package release

import (
	"archive/zip"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"verdetto/shared/web/httpapi"
)

func archive(t *testing.T, folder, target string) {
	system, machine, _ := strings.Cut(target, "/")
	ending := ".tar.gz"
	if system == "windows" {
		ending = ".zip"
	}
	path := file(t, folder, "verdetto_*_"+system+"_"+machine+ending)
	executable := file(t, unpack(t, path), "*/verdetto*")
	if got := platform(executable); got != target {
		t.Errorf("%s holds an executable for %q", path, got)
	}
	modules(t, executable, path+".spdx.json")
	if target == "linux/amd64" {
		says := output(t, exec.Command(executable, "-version"))
		if !strings.Contains(says, " "+httpapi.Version+", commit ") {
			t.Errorf("the executable says %q", says)
		}
	}
}

func unpack(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	if !strings.HasSuffix(path, ".zip") {
		output(t, exec.Command("tar", "-C", dir, "-xzf", path))
		return dir
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

func platform(path string) string {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		return "linux/" + map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	}
	if f, err := macho.Open(path); err == nil {
		defer f.Close()
		return "darwin/" + map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
	}
	if f, err := pe.Open(path); err == nil {
		defer f.Close()
		return "windows/" + map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64",
			pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]
	}
	return ""
}

func modules(t *testing.T, executable, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Packages []struct{ Name, VersionInfo string }
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, p := range list.Packages {
		listed = append(listed, p.Name+" "+p.VersionInfo)
	}
	info, err := buildinfo.ReadFile(executable)
	if err != nil || len(info.Deps) < 50 {
		t.Fatalf("%v: %d modules", err, len(info.Deps))
	}
	for _, m := range info.Deps {
		if !slices.Contains(listed, m.Path+" "+m.Version) {
			t.Errorf("the list lacks %s %s", m.Path, m.Version)
		}
	}
	// The list also has up to 4 entries that are no modules.
	if len(listed) > len(info.Deps)+4 {
		t.Errorf("the list has %d entries for %d modules", len(listed), len(info.Deps))
	}
	t.Logf("%d modules", len(info.Deps))
}

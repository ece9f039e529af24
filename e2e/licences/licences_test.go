// Package licences checks that the file NOTICE lists the Go modules that are linked into the
// executables, with their licences.
package licences

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated part of NOTICE anew")

const (
	root  = "../.."
	begin = "-- begin of what go test ./e2e/licences -update writes --\n"
	end   = "-- end of what go test ./e2e/licences -update writes --\n"
)

// withoutFile holds the modules whose archive has no licence file.
var withoutFile = map[string]module{
	"github.com/gagliardetto/treeout": {
		licences: []string{"MIT"},
		copyrights: []string{"Copyright (c) 2021 gagliardetto (LICENSE of commit c82a36a, which adds that file to " +
			"v0.1.4 and nothing else)"},
	},
}

type module struct {
	path                 string
	licences, copyrights []string
	notice               string // text of the file NOTICE, which the Apache License requires us to repeat
}

func TestNotice(t *testing.T) {
	path := filepath.Join(root, "NOTICE")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	have, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("NOTICE has no part between %q and %q", begin, end)
	}
	want := noticeOf(t, linked(t))
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		have = want
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("NOTICE differs from what is linked; go test ./e2e/licences -update writes it (-linked +NOTICE):\n%s",
			diff)
	}
}

func linked(t *testing.T) []module {
	t.Helper()
	// Only these executables are distributed.
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Module", "./functions/...", "./cmd/verdetto")
	list.Dir, list.Stderr = root, os.Stderr
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOPROXY=off")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	folders := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Module *struct {
				Path, Dir string
				Main      bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && !p.Module.Main {
			folders[p.Module.Path] = p.Module.Dir
		}
	}
	if len(folders) < 5 {
		t.Fatalf("only %d modules are linked: is that so?", len(folders))
	}
	var modules []module
	for path, folder := range folders {
		modules = append(modules, read(t, path, folder))
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules
}

// The text of BSD-3-Clause also contains the words of BSD-2-Clause, so BSD-3-Clause comes first.
var kinds = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"MPL-2.0", "Mozilla Public License"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any"},
	{"BSD-3-Clause", "endorse or promote products derived"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
}

var copyright = regexp.MustCompile(`(?i)^(copyright (\(c\)|©|\d{4}).*)$`)

func read(t *testing.T, path, folder string) module {
	t.Helper()
	m := module{path: path}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		isNotice := strings.HasPrefix(name, "NOTICE")
		if e.IsDir() || !isNotice && !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		if isNotice {
			m.notice = strings.TrimSpace(text)
			continue
		}
		m.add(text)
	}
	if len(m.licences) == 0 {
		known, ok := withoutFile[path]
		if !ok {
			t.Errorf("%s has no licence that is known here (%s): look at it before it is linked", path, folder)
		}
		known.path = path
		return known
	}
	return m
}

func (m *module) add(text string) {
	flat := strings.Join(strings.Fields(text), " ")
	for _, k := range kinds {
		if k.name == "BSD-2-Clause" && slices.Contains(m.licences, "BSD-3-Clause") {
			continue
		}
		if strings.Contains(flat, k.words) && !slices.Contains(m.licences, k.name) {
			m.licences = append(m.licences, k.name)
		}
	}
	for line := range strings.Lines(text) {
		if found := copyright.FindStringSubmatch(strings.TrimSpace(line)); found != nil &&
			!slices.Contains(m.copyrights, found[1]) {
			m.copyrights = append(m.copyrights, found[1])
		}
	}
}

func noticeOf(t *testing.T, modules []module) string {
	t.Helper()
	var list, notices strings.Builder
	for _, m := range modules {
		fmt.Fprintf(&list, "\n%s (%s)\n", m.path, strings.Join(m.licences, ", "))
		for _, c := range m.copyrights {
			fmt.Fprintf(&list, "    %s\n", c)
		}
		if m.notice != "" {
			fmt.Fprintf(&notices, "\nNotice of %s:\n\n    %s\n", m.path, strings.ReplaceAll(m.notice, "\n", "\n    "))
		}
	}
	return list.String() + notices.String() + "\n"
}

package store_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestKeysAreMadeHere(t *testing.T) {
	root := filepath.Join("..", "..")
	allowed := []string{
		filepath.Join(root, "shared", "store"), filepath.Join(root, "shared", "web", "limit"),
		filepath.Join(root, "shared", "notify", "notifytest"), filepath.Join(root, "e2e"),
	}
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		forTests := strings.HasSuffix(entry.Name(), "test")
		if entry.IsDir() && path != root &&
			(slices.Contains(allowed, path) || forTests || strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if bytes.Contains(source, []byte("store.Key{")) {
			t.Errorf("%s makes keys", path)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files were read: %v", files, err)
	}
}

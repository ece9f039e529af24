package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// limitMemory sets Go's limit to three quarters of the memory, because pages of the store's file
// need the rest. GOMEMLIMIT takes precedence.
func limitMemory() {
	unlimited := debug.SetMemoryLimit(-1) == math.MaxInt64
	if memory := usableMemory(os.DirFS("/")); memory > 0 && unlimited {
		debug.SetMemoryLimit(memory / 4 * 3)
	}
}

// usableMemory returns bytes, or 0 if the memory is not known.
func usableMemory(root fs.FS) int64 {
	least := int64(0)
	lower := func(limit int64, err error) {
		if err == nil && (least == 0 || limit < least) {
			least = limit
		}
	}
	if f, err := root.Open("proc/meminfo"); err == nil {
		defer f.Close()
		var kib int64
		_, err := fmt.Fscanf(bufio.NewReader(f), "MemTotal: %d kB", &kib)
		lower(kib<<10, err)
	}
	group, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return least
	}
	// The limits of enclosing control groups (cgroup v2) apply too.
	_, within, _ := strings.Cut(strings.TrimSpace(string(group)), "0::")
	for at := path.Join("sys/fs/cgroup", within); strings.HasPrefix(at, "sys/fs/cgroup"); at = path.Dir(at) {
		if limit, err := fs.ReadFile(root, path.Join(at, "memory.max")); err == nil {
			lower(strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64))
		}
	}
	return least
}

package main

import (
	"testing"
	"testing/fstest"
)

func TestUsableMemory(t *testing.T) {
	const machine, group, limit, above = "proc/meminfo", "proc/self/cgroup",
		"sys/fs/cgroup/system.slice/verdetto.service/memory.max", "sys/fs/cgroup/system.slice/memory.max"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"a machine": {map[string]string{machine: "MemTotal:        2048 kB\nMemFree: 1 kB\n"}, 2 << 20},
		"a service": {map[string]string{machine: "MemTotal: 2048 kB\n", group: "0::/system.slice/verdetto.service\n",
			limit: "1048576\n", above: "max\n"}, 1 << 20},
		"a limit around the service": {map[string]string{machine: "MemTotal: 2048 kB\n",
			group: "0::/system.slice/verdetto.service\n", limit: "max\n", above: "1000000\n"}, 1_000_000},
		"a container": {map[string]string{machine: "MemTotal: 2048 kB\n", group: "0::/\n",
			"sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		"a limit above the machine": {map[string]string{machine: "MemTotal: 1 kB\n", group: "0::/\n",
			"sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 10},
		"an unknown machine": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for file, content := range c.files {
				root[file] = &fstest.MapFile{Data: []byte(content)}
			}
			if got := usableMemory(root); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}

package testenv

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

// Ports are below 32768, because Linux may assign higher ports to connections.
const firstPort, ports = 12000, 20000

var lastPort atomic.Int64

func init() { lastPort.Store(rand.Int64N(ports)) }

func Port(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.FormatInt(firstPort+lastPort.Add(1)%ports, 10)
		l, err := net.Listen("tcp", ":"+port)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return ""
}

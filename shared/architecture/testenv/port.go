package testenv

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

// The range of ports starts below 32768, because the system assigns higher ports to connections. A
// higher port that was free a moment ago may be in use.
const firstPort, ports = 12000, 20000

var lastPort atomic.Int64

func init() { lastPort.Store(rand.Int64N(ports)) }

// Port returns an unused port, for a program that is configured with its port. Each call returns
// another port.
func Port(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.FormatInt(firstPort+lastPort.Add(1)%ports, 10)
		l, err := net.Listen("tcp", ":"+port)
		if err != nil {
			continue // the port is in use
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return ""
}

package testenv

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

// Ports that are given out: none that the system gives to connections, which begin
// at 32768, for one that was free a moment ago may be the end of a connection by then.
const firstPort, ports = 12000, 20000

var given atomic.Int64

func init() { given.Store(rand.Int64N(ports)) }

// Port is the number of a port that nobody listens on, for a program that is told
// where to listen. It is another one at every call.
func Port(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.FormatInt(firstPort+given.Add(1)%ports, 10)
		l, err := net.Listen("tcp", ":"+port)
		if err != nil {
			continue // somebody listens there
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no port is free")
	return ""
}

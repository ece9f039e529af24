package onemachine

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

func TestProveSlowCallers(t *testing.T) {
	within := times{header: time.Second, request: 2 * time.Second, answer: 4 * time.Second, idle: 2 * time.Second}
	address, _, _ := onTheWire(t, within, false)
	begun := time.Now()
	var callers []net.Conn
	for n := range 600 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		text := []string{
			"POST /v1/pro/checkout HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{",
			"POST /v1/alerts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
			"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{",
			"POST /v1/pro/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n",
			"GET /v1/citta?q=mil HTTP/1.1\r\nHost: x\r\n",
			"GET /v1/citta?q=mil HTTP/1.1\r\nHost: x\r\n\r\n",
		}[n%6]
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		callers = append(callers, c)
	}
	answered := map[string]int{}
	for _, c := range callers {
		c.SetReadDeadline(time.Now().Add(30 * time.Second))
		answer, err := io.ReadAll(c)
		if err != nil {
			t.Fatalf("a caller is still connected after %s: %v", time.Since(begun), err)
		}
		answered[fmt.Sprintf("%.12s", answer)]++
	}
	took := time.Since(begun)
	t.Logf("600 slow callers were let go within %s: %v", took.Round(time.Millisecond), answered)
	if took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if answered["HTTP/1.1 400"] < 400 || answered["HTTP/1.1 200"] != 100 {
		t.Errorf("answers: %v", answered)
	}
}

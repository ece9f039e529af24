package onemachine

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"verdetto/shared/web/routes"
)

func TestProveRandomRequests(t *testing.T) {
	address, log, _ := onTheWire(t, patient, false)
	const seed = 20261121
	chance := rand.New(rand.NewPCG(seed, 1))
	pick := func(values ...string) string { return values[chance.IntN(len(values))] }
	junk := func(most int) string {
		b := make([]byte, chance.IntN(most))
		for i := range b {
			b[i] = byte(chance.IntN(256))
		}
		return string(b)
	}
	body := func() string {
		return pick(`{}`, `{"email":"ada@example.com"}`, `{"email":"=?utf-8?q?x?=@example.com"}`,
			`{"route":"MIL-ROM","email":"ada@example.com","threshold":1e999}`,
			`{"email":`, `[[[[`, `null`, `"`, `email=ada%40example.com&email=x`, `email=%zz`,
			strings.Repeat(`{"a":`, 5000), strings.Repeat("a", 70_000), junk(300),
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"price_trends","arguments":{"origin":"`+strings.ToValidUTF8(junk(20), "?")+`"}}}`)
	}
	framed := func(body string) string {
		switch chance.IntN(7) {
		case 0:
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
		case 1:
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", chance.IntN(2*len(body)+2), body)
		case 2:
			return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
		case 3:
			return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", chance.IntN(2*len(body)+2),
				body)
		case 4:
			return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%s\r\n%s", junk(6), body)
		case 5:
			whole := fmt.Sprintf("Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n%x;ext=1\r\n%s\r\n0\r\nX: y\r\n\r\n",
				len(body), body)
			return whole[:chance.IntN(len(whole))]
		}
		return "\r\n" + body
	}
	statuses := map[int]int{}
	for n := range 4000 {
		r := routes.Table[chance.IntN(len(routes.Table))]
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s?%s=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\n",
			pick(r.Method, r.Method, "POST", "PUT"), strings.ReplaceAll(r.Path, "{file}", url.PathEscape(junk(9))),
			pick("t", "id", "origine", "session_id", "q", "email"), url.QueryEscape(junk(40)), address,
			pick("application/json", "application/x-www-form-urlencoded", "text/plain", "application/json; charset=x",
				";"))
		for range chance.IntN(3) {
			b.WriteString(pick("X-Api-Key: vd_"+strings.Repeat("A", 65), "Authorization: Bearer x",
				"Authorization: Bearer vd_"+strings.Repeat("B", 65),
				"Idempotency-Key: "+strings.Repeat("k", chance.IntN(200)),
				"X-Request-Id: "+url.QueryEscape(junk(80)), "If-None-Match: *", "Accept: text/html",
				"Accept-Language: it", "Expect: 100-continue",
				"Stripe-Signature: t=1,v1="+url.QueryEscape(junk(9))) + "\r\n")
		}
		b.WriteString(framed(body()))
		status, answer := say(t, address, b.String())
		// The function say closes its side of the connection, so the service may cancel the request with a 503.
		if statuses[status]++; status >= 500 && status != 503 && status != 501 {
			t.Errorf("request %d of seed %d: %d %.300s\n%.500q", n, seed, status, answer, b.String())
		}
	}
	if status, _ := say(t, address,
		"GET /v1/citta?q=mil HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); status != 200 && status != 429 {
		t.Errorf("afterwards it answers %d", status)
	}
	t.Logf("seed %d: %v", seed, statuses)
	for line := range strings.SplitSeq(log.wait(t, "request"), "\n") {
		if strings.Contains(line, `"ERROR"`) || strings.Contains(line, "panic") ||
			strings.Contains(line, `"status":5`) && !strings.Contains(line, `"status":501`) {
			t.Errorf("an error in the log: %.1000s", line)
		}
	}
	if statuses[400] < 500 {
		t.Errorf("hardly anything was refused: %v", statuses)
	}
}

package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// callerOf sends a request from the address remote through an edge that trusts the proxies p. It
// returns the caller's address that the service sees.
func callerOf(t *testing.T, p Proxies, remote string, header http.Header) string {
	t.Helper()
	var told string
	h := p.believe(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told = r.RemoteAddr }))
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr, r.Header = remote, header
	h.ServeHTTP(httptest.NewRecorder(), r)
	return told
}

func TestCaller(t *testing.T) {
	const ours = "127.0.0.1,10.0.0.0/8,2001:db8:1::/48"
	for _, c := range []struct {
		name, behind, header, remote string
		lines                        []string
		want                         string
	}{
		{"no proxy is trusted", "", ForwardedFor, "203.0.113.9:1", []string{"198.51.100.7"}, "203.0.113.9:1"},
		{"no proxy is trusted, not even this machine", "", ForwardedFor, "127.0.0.1:1", []string{"198.51.100.7"},
			"127.0.0.1:1"},
		{"who is no proxy is not believed", ours, ForwardedFor, "203.0.113.9:1", []string{"198.51.100.7"},
			"203.0.113.9:1"},
		{"a proxy is", ours, ForwardedFor, "127.0.0.1:1", []string{"198.51.100.7"}, "198.51.100.7:0"},
		{"as a mapped address", ours, ForwardedFor, "[::ffff:127.0.0.1]:1", []string{"::ffff:198.51.100.7"},
			"198.51.100.7:0"},
		{"what the caller wrote stands further left", ours, ForwardedFor, "127.0.0.1:1",
			[]string{"192.0.2.1, 192.0.2.2,198.51.100.7"}, "198.51.100.7:0"},
		{"the caller wrote addresses of ours", ours, ForwardedFor, "127.0.0.1:1",
			[]string{"127.0.0.1, 10.1.1.1, 198.51.100.7"}, "198.51.100.7:0"},
		{"several lines are one list", ours, ForwardedFor, "127.0.0.1:1", []string{"192.0.2.1", "198.51.100.7"},
			"198.51.100.7:0"},
		{"a proxy behind another", ours, ForwardedFor, "127.0.0.1:1", []string{"192.0.2.1, 198.51.100.7, 10.2.3.4"},
			"198.51.100.7:0"},
		{"with a port", ours, ForwardedFor, "127.0.0.1:1", []string{"198.51.100.7:4711"}, "198.51.100.7:0"},
		{"IPv6", ours, ForwardedFor, "[2001:db8:1::5]:1", []string{"2001:db8:2::7"}, "[2001:db8:2::7]:0"},
		{"IPv6 in brackets, with a port", ours, ForwardedFor, "10.0.0.1:1", []string{"[2001:db8:2::7]:4711"},
			"[2001:db8:2::7]:0"},
		{"IPv6 with a zone", ours, ForwardedFor, "10.0.0.1:1", []string{"fe80::1%eth0"}, "[fe80::1]:0"},
		{"nothing is written", ours, ForwardedFor, "127.0.0.1:1", nil, "127.0.0.1:0"},
		{"something unreadable", ours, ForwardedFor, "127.0.0.1:1", []string{"198.51.100.7, unknown"}, "127.0.0.1:0"},
		{"something unreadable behind a proxy of ours", ours, ForwardedFor, "127.0.0.1:1",
			[]string{"198.51.100.7, x, 10.2.3.4"}, "10.2.3.4:0"},
		{"all are ours", ours, ForwardedFor, "127.0.0.1:1", []string{"10.9.9.9, 10.2.3.4"}, "10.9.9.9:0"},
		{"empty at the right", ours, ForwardedFor, "127.0.0.1:1", []string{"198.51.100.7,"}, "127.0.0.1:0"},

		{"the other header is not looked at", ours, Forwarded, "127.0.0.1:1", nil, "127.0.0.1:0"},
		{"Forwarded", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=192.0.2.1, for=198.51.100.7;proto=https;by=10.0.0.1`}, "198.51.100.7:0"},
		{"Forwarded, IPv6", ours, Forwarded, "127.0.0.1:1", []string{`proto=https;For="[2001:db8:2::7]:4711"`},
			"[2001:db8:2::7]:0"},
		{"Forwarded, hidden", ours, Forwarded, "127.0.0.1:1", []string{`for=192.0.2.1, for=_gazonk`}, "127.0.0.1:0"},
		{"Forwarded, quotation marks of the caller's", ours, Forwarded, "127.0.0.1:1",
			[]string{`for="192.0.2.1, for=198.51.100.7`}, "198.51.100.7:0"},
		{"Forwarded, a comma in a quoted string", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=198.51.100.7;host="a,for=192.0.2.1"`}, "198.51.100.7:0"},
		{"Forwarded, a comma behind an escaped quotation mark", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=198.51.100.7;host="a\",for=192.0.2.1;x=\""`}, "198.51.100.7:0"},
		{"Forwarded, a semicolon in a quoted string", ours, Forwarded, "127.0.0.1:1",
			[]string{`host="a;for=192.0.2.1";for=198.51.100.7`}, "198.51.100.7:0"},
		{"Forwarded, an escaped backslash", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=192.0.2.1, host="a\\";for=198.51.100.7`}, "198.51.100.7:0"},
		{"Forwarded, escaped digits", ours, Forwarded, "127.0.0.1:1", []string{`for="198.51.\100.7"`},
			"198.51.100.7:0"},
		{"Forwarded, IPv6 without quotation marks", ours, Forwarded, "127.0.0.1:1", []string{`for=2001:db8:2::7`},
			"[2001:db8:2::7]:0"},
		{"Forwarded, a hidden port", ours, Forwarded, "127.0.0.1:1", []string{`for="198.51.100.7:_a"`},
			"198.51.100.7:0"},
		{"Forwarded, spaces and parameters left out", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=192.0.2.1 ,; for=198.51.100.7 ;; proto=https; `}, "198.51.100.7:0"},
		{"Forwarded, who calls twice", ours, Forwarded, "127.0.0.1:1", []string{`for=192.0.2.1;for=198.51.100.7`},
			"127.0.0.1:0"},
		{"Forwarded, unknown", ours, Forwarded, "127.0.0.1:1", []string{`for=192.0.2.1, for=unknown`}, "127.0.0.1:0"},
		{"Forwarded, who calls is left out", ours, Forwarded, "127.0.0.1:1", []string{`for=192.0.2.1, proto=https`},
			"127.0.0.1:0"},
		{"Forwarded, no element behind the comma", ours, Forwarded, "127.0.0.1:1", []string{`for=192.0.2.1,`},
			"127.0.0.1:0"},
		{"Forwarded, an open quoted string", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=192.0.2.1, for=198.51.100.7;host="a`}, "127.0.0.1:0"},
		{"Forwarded, text behind a quoted string", ours, Forwarded, "127.0.0.1:1",
			[]string{`for=192.0.2.1, for="198.51.100.7"x`}, "127.0.0.1:0"},
		{"Forwarded, a control character", ours, Forwarded, "127.0.0.1:1", []string{"for=198.51.100.7;host=\"a\x00\""},
			"127.0.0.1:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ParseProxies(c.behind, c.header)
			if err != nil {
				t.Fatal(err)
			}
			header := http.Header{c.header: c.lines}
			if c.header == Forwarded {
				// The proxy passes on this header as the caller wrote it.
				header[ForwardedFor] = []string{"192.0.2.200"}
			} else {
				header[Forwarded] = []string{"for=192.0.2.200"}
			}
			if got := callerOf(t, p, c.remote, header); got != c.want {
				t.Errorf("the caller is %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseProxiesRefuses(t *testing.T) {
	for _, list := range []string{"proxy.example", "127.0.0.1,", "10.1.2.3/8", "0.0.0.0/0", "::/0", "fe80::1%eth0",
		"127.0.0.1 8.8.8.8"} {
		if _, err := ParseProxies(list, ForwardedFor); err == nil ||
			!strings.Contains(err.Error(), "is not their address or network") {
			t.Errorf("%s: %v", list, err)
		}
	}
	if _, err := ParseProxies("127.0.0.1", "X-Real-Ip"); err == nil ||
		!strings.Contains(err.Error(), "want X-Forwarded-For or Forwarded") {
		t.Errorf("%v", err)
	}
}

// FuzzCaller: whatever a caller writes into X-Forwarded-For, only the address that our own proxy
// appends on the right counts as the caller's.
func FuzzCaller(f *testing.F) {
	for _, s := range []string{"", "127.0.0.1", "10.0.0.1, 10.0.0.2", "unknown", ",,,", `for="`, "\x00", "[::1",
		"1.2.3.4:5:6"} {
		f.Add(s)
	}
	p, err := ParseProxies("127.0.0.1,10.0.0.0/8", ForwardedFor)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, forged string) {
		for _, header := range []http.Header{{ForwardedFor: {forged + ", 198.51.100.7"}},
			{ForwardedFor: {forged, "198.51.100.7"}}} {
			if got := callerOf(t, p, "127.0.0.1:1", header); got != "198.51.100.7:0" {
				t.Errorf("%q makes the caller %s", header, got)
			}
		}
	})
}

// FuzzForwarded: only the element of Forwarded that our own proxy appends counts as the caller's. A
// caller may write anything into Forwarded, and into the Host header that the proxy copies in
// quotes.
func FuzzForwarded(f *testing.F) {
	for _, s := range []string{"", "a,for=192.0.2.1", `a",for=192.0.2.1;x="`, `for="`, `for="\`, `\`, `\\"`,
		`;for=192.0.2.1`, `for=127.0.0.1`, `for=127.0.0.1,for="`, ",,;;", "\x7f", "\xff", `x="";y=`} {
		f.Add(s, s)
	}
	p, err := ParseProxies("127.0.0.1", Forwarded)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, forged, host string) {
		want := "198.51.100.7:0"
		if strings.ContainsFunc(host, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			want = "127.0.0.1:0" // a quoted string cannot contain this Host
		}
		quoted := `host="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(host) + `"`
		for _, own := range []string{"for=198.51.100.7;" + quoted, quoted + ";for=198.51.100.7",
			quoted + `;for="198.51.100.7:4711";x=""`} {
			for _, header := range []http.Header{{Forwarded: {forged + "," + own}}, {Forwarded: {forged, own}},
				{Forwarded: {forged + "," + own + `, for="127.0.0.1:80"`}}} {
				if got := callerOf(t, p, "127.0.0.1:1", header); got != want {
					t.Errorf("%q makes the caller %s", header, got)
				}
			}
		}
	})
}

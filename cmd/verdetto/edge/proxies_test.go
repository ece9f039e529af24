package edge

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func callerOf(t *testing.T, p Proxies, remote string, header http.Header) string {
	t.Helper()
	var address string
	h := p.believe(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { address = r.RemoteAddr }))
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr, r.Header = remote, header
	h.ServeHTTP(httptest.NewRecorder(), r)
	return address
}

func TestCaller(t *testing.T) {
	const ours = "127.0.0.1,10.0.0.0/8,2001:db8:1::/48"
	for _, c := range []struct {
		name, behind, remote string
		lines                []string
		want                 string
	}{
		{"no proxy is trusted", "", "203.0.113.9:1", []string{"198.51.100.7"}, "203.0.113.9:1"},
		{"no proxy is trusted, not even this machine", "", "127.0.0.1:1", []string{"198.51.100.7"},
			"127.0.0.1:1"},
		{"who is no proxy is not believed", ours, "203.0.113.9:1", []string{"198.51.100.7"},
			"203.0.113.9:1"},
		{"a proxy is", ours, "127.0.0.1:1", []string{"198.51.100.7"}, "198.51.100.7:0"},
		{"as a mapped address", ours, "[::ffff:127.0.0.1]:1", []string{"::ffff:198.51.100.7"},
			"198.51.100.7:0"},
		{"what the caller wrote stands further left", ours, "127.0.0.1:1",
			[]string{"192.0.2.1, 192.0.2.2,198.51.100.7"}, "198.51.100.7:0"},
		{"the caller wrote addresses of ours", ours, "127.0.0.1:1",
			[]string{"127.0.0.1, 10.1.1.1, 198.51.100.7"}, "198.51.100.7:0"},
		{"several lines are one list", ours, "127.0.0.1:1", []string{"192.0.2.1", "198.51.100.7"},
			"198.51.100.7:0"},
		{"a proxy behind another", ours, "127.0.0.1:1", []string{"192.0.2.1, 198.51.100.7, 10.2.3.4"},
			"198.51.100.7:0"},
		{"with a port", ours, "127.0.0.1:1", []string{"198.51.100.7:4711"}, "198.51.100.7:0"},
		{"IPv6", ours, "[2001:db8:1::5]:1", []string{"2001:db8:2::7"}, "[2001:db8:2::7]:0"},
		{"IPv6 in brackets, with a port", ours, "10.0.0.1:1", []string{"[2001:db8:2::7]:4711"},
			"[2001:db8:2::7]:0"},
		{"IPv6 with a zone", ours, "10.0.0.1:1", []string{"fe80::1%eth0"}, "[fe80::1]:0"},
		{"nothing is written", ours, "127.0.0.1:1", nil, "127.0.0.1:0"},
		{"something unreadable", ours, "127.0.0.1:1", []string{"198.51.100.7, unknown"}, "127.0.0.1:0"},
		{"something unreadable behind a proxy of ours", ours, "127.0.0.1:1",
			[]string{"198.51.100.7, x, 10.2.3.4"}, "10.2.3.4:0"},
		{"all are ours", ours, "127.0.0.1:1", []string{"10.9.9.9, 10.2.3.4"}, "10.9.9.9:0"},
		{"empty at the right", ours, "127.0.0.1:1", []string{"198.51.100.7,"}, "127.0.0.1:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ParseProxies(c.behind)
			if err != nil {
				t.Fatal(err)
			}
			header := http.Header{forwardedFor: c.lines, "Forwarded": {"for=192.0.2.200"}}
			if got := callerOf(t, p, c.remote, header); got != c.want {
				t.Errorf("the caller is %s, want %s", got, c.want)
			}
		})
	}
}

func FuzzCaller(f *testing.F) {
	for _, s := range []string{"", "127.0.0.1", "10.0.0.1, 10.0.0.2", "unknown", ",,,", `for="`, "\x00", "[::1",
		"1.2.3.4:5:6"} {
		f.Add(s)
	}
	p, err := ParseProxies("127.0.0.1,10.0.0.0/8")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, forged string) {
		for _, header := range []http.Header{{forwardedFor: {forged + ", 198.51.100.7"}},
			{forwardedFor: {forged, "198.51.100.7"}}} {
			if got := callerOf(t, p, "127.0.0.1:1", header); got != "198.51.100.7:0" {
				t.Errorf("%q makes the caller %s", header, got)
			}
		}
	})
}

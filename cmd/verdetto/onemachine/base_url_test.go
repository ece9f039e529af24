package onemachine

import (
	"net"
	"strings"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
)

func TestBaseURL(t *testing.T) {
	for _, c := range []struct {
		name, base, money, env, listens string
		want, fault                     string
	}{
		{name: "on one machine", money: "play", listens: "127.0.0.1:8080", want: "http://127.0.0.1:8080"},
		{name: "on IPv6", money: "play", listens: "[::1]:8080", want: "http://[::1]:8080"},
		{name: "on every address", money: "play", listens: "0.0.0.0:8080", want: "http://127.0.0.1:8080"},
		{name: "on every address of IPv6", money: "play", listens: "[::]:8080", want: "http://127.0.0.1:8080"},
		{name: "on a network", money: "play", listens: "192.168.1.5:8080", fault: "-base"},
		{name: "on a network, behind a proxy", money: "play", base: "https://verdetto.example/", listens: "192.168.1.5:8080", want: "https://verdetto.example"},
		{name: "said", money: "play", base: "http://localhost:9", listens: "127.0.0.1:8080", want: "http://localhost:9"},
		{name: "play, whatever the environment says", money: "play", env: "https://verdetto.example", listens: "127.0.0.1:8080", want: "http://127.0.0.1:8080"},
		{name: "real", money: "real", env: "https://verdetto.example", listens: "127.0.0.1:8080", want: "https://verdetto.example"},
		{name: "real and said", money: "real", env: "https://verdetto.example", base: "https://other.example", listens: "127.0.0.1:8080", want: "https://other.example"},
		{name: "real and not said", money: "real", listens: "127.0.0.1:8080", fault: "VERDETTO_BASE_URL"},
		{name: "not secure", money: "play", base: "http://verdetto.example", listens: "127.0.0.1:8080", fault: "https"},
		{name: "no URL", money: "play", base: "verdetto.example", listens: "127.0.0.1:8080", fault: "https"},
		{name: "a query", money: "play", base: "https://verdetto.example?a=b", listens: "127.0.0.1:8080", fault: "https"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("VERDETTO_BASE_URL", c.env)
			address, err := net.ResolveTCPAddr("tcp", c.listens)
			if err != nil {
				t.Fatal(err)
			}
			base, err := BaseURL(c.base, c.money == "real", address)
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("%q %v", base, err)
				}
				return
			}
			if err != nil || base != c.want {
				t.Errorf("%q %v, want %q", base, err, c.want)
			}
			if _, err := mail.OfferMail(mail.Key{To: "ada@example.com", Until: time.Unix(1, 0), BaseURL: base, Path: "/v1/pro/recupera?t=x", Stop: base + "/v1/alerts/unsubscribe?t=x"}); err != nil {
				t.Error(err)
			}
		})
	}
}

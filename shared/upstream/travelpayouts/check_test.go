package travelpayouts_test

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		token string
		fault *upstreamtest.Fault
		want  error
	}{
		{"right", upstreamtest.Token, nil, nil},
		{"wrong", "another-token", nil, upstream.ErrRefused},
		{"forbidden", upstreamtest.Token, &upstreamtest.Fault{Status: 403}, upstream.ErrRefused},
		{"limited", upstreamtest.Token, new(upstreamtest.TooMany("Retry-After", "30")), travelpayouts.ErrLimited},
		{"down", upstreamtest.Token, new(upstreamtest.Broken(502)), upstream.ErrUnavailable},
		{"a proxy's page", upstreamtest.Token, new(upstreamtest.Broken(200)), upstream.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := upstreamtest.New(nil, func() time.Time { return noon })
			defer server.Close()
			if c.fault != nil {
				server.Fail(*c.fault)
			}
			client, err := travelpayouts.New(travelpayouts.Config{Token: c.token, BaseURL: server.URL,
				Comparable: comparable})
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Check(t.Context()); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if n := len(server.Calls()); n != 1 {
				t.Errorf("%d calls, want 1", n)
			}
			server.Close()
			var unreachable *url.Error
			if err := client.Check(t.Context()); !errors.As(err, &unreachable) {
				t.Errorf("without a server: %v", err)
			}
		})
	}
}

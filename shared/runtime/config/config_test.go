package config

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLoadReportsEverything(t *testing.T) {
	t.Setenv("VERDETTO_TABLE", "")
	t.Setenv("VERDETTO_ORIGIN_SECRETS", "short,also-too-short")
	t.Setenv("VERDETTO_PEPPER", "not long enough")
	t.Setenv("TRAVELPAYOUTS_TOKEN", "secret-token")
	t.Setenv("TRAVELPAYOUTS_URL", "http://elsewhere.example")
	t.Setenv("VERDETTO_ORIGINS", "MIL,rome")
	t.Setenv("VERDETTO_BASE_URL", "https://verdetto.example/")
	t.Setenv("VERDETTO_MAIL_FROM", "mail@verdetto.example")
	t.Setenv("VERDETTO_MAIL_RATE", "0")
	err := Load(new(Store), new(HTTP), new(Upstream), new(Public), new(Mail))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"VERDETTO_TABLE", "value 1", "value 2", "VERDETTO_PEPPER", "TRAVELPAYOUTS_URL", `"rome"`, "VERDETTO_BASE_URL", "VERDETTO_MAIL_RATE"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "secret-token") || strings.Contains(err.Error(), "too-short") || strings.Contains(err.Error(), "not long enough") {
		t.Errorf("the report shows a secret: %v", err)
	}
}

func TestClock(t *testing.T) {
	t.Setenv("VERDETTO_NOW", "2016-03-01T12:00:00Z")
	var c Clock
	if err := Load(&c); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		set, unset := c.Now(), Clock{}.Now()
		time.Sleep(time.Hour)
		if now, want := set(), time.Date(2016, 3, 1, 13, 0, 0, 0, time.UTC); !now.Equal(want) {
			t.Errorf("the clock says %v, want %v", now, want)
		}
		if now, want := unset(), time.Now(); !now.Equal(want) {
			t.Errorf("without a setting the clock says %v, want %v", now, want)
		}
	})
}

func TestMailRate(t *testing.T) {
	t.Setenv("VERDETTO_MAIL_FROM", "mail@verdetto.example")
	for text, want := range map[string]float64{"": 10, "0.5": 0.5, "14": 14, "NaN": -1, "-1": -1, "1e9": -1, "ten": -1} {
		t.Setenv("VERDETTO_MAIL_RATE", text)
		var m Mail
		if err := Load(&m); (err != nil) != (want < 0) || err == nil && m.Rate != want {
			t.Errorf("%q: rate %v, error %v", text, m.Rate, err)
		}
	}
}

func TestSecret(t *testing.T) {
	t.Setenv("VERDETTO_ORIGIN_SECRETS", "0123456789abcdef")
	t.Setenv("VERDETTO_PEPPER", "a pepper of more than thirty-two characters")
	var access HTTP
	var secret Secret
	if err := Load(&access, &secret); err != nil || access.Pepper == "" || access.Pepper != secret.Pepper {
		t.Errorf("%q, %q, %v", access.Pepper, secret.Pepper, err)
	}
}

func TestSecretsAreReadOnce(t *testing.T) {
	t.Setenv("VERDETTO_TABLE", "verdetto")
	t.Setenv("VERDETTO_ORIGIN_SECRETS", "origin-secret-1234")
	t.Setenv("VERDETTO_PEPPER", strings.Repeat("p", 32))
	var calls [][]string
	secrets := func(_ context.Context, names []string) (map[string]string, error) {
		calls = append(calls, names)
		return map[string]string{"/both": strings.Repeat("s", 32), "/other": "https://x.example"}, nil
	}
	if err := LoadWith(secrets, new(Store), new(HTTP)); err != nil || len(calls) != 0 {
		t.Fatal(err, calls)
	}
	t.Setenv("VERDETTO_PEPPER", "ssm:/both")
	t.Setenv("TRAVELPAYOUTS_TOKEN", "ssm:/both")
	t.Setenv("TRAVELPAYOUTS_URL", "ssm:/other")
	var access HTTP
	var source Upstream
	if err := LoadWith(secrets, new(Store), &access, &source); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 1 || strings.Join(calls[0], " ") != "/both /other" || access.Pepper != source.Token || source.URL != "https://x.example" {
		t.Errorf("%v %+v", calls, source)
	}
	err := Load(new(HTTP))
	if err == nil || !strings.Contains(err.Error(), "VERDETTO_PEPPER: the secret named /both could not be read: no secrets are kept where this runs") {
		t.Errorf("error %v", err)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		url     string
		workers int
		want    int
	}{{"", 2, 300}, {"https://sqs.example/q", 2, 150}, {"https://sqs.example/q", 7, 42}, {"https://sqs.example/q", 100, 3}} {
		if got := (Fanout{c.url, c.workers}).Share(300); got != c.want || got*c.workers > 300 && c.url != "" {
			t.Errorf("%+v: %d, want %d", c, got, c.want)
		}
	}
}

func TestMissingHidesNothing(t *testing.T) {
	t.Setenv("VERDETTO_PEPPER", "")
	t.Setenv("VERDETTO_ORIGIN_SECRETS", "short")
	err := Load(new(HTTP))
	const want = "configuration:\n  VERDETTO_ORIGIN_SECRETS: value 1 is not 16 characters or more\n  VERDETTO_PEPPER: missing; give 32 characters or more, or what verdetto pepper export wrote"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

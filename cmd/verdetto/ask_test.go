package main

import "testing"

func TestLocaleLanguage(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "en"},
		{map[string]string{"LANG": "de_AT.UTF-8"}, "de"},
		{map[string]string{"LANG": "it_IT.UTF-8", "LC_ALL": "fr_FR@euro"}, "fr"},
		{map[string]string{"LANG": "it", "LC_MESSAGES": "es.UTF-8"}, "es"},
		{map[string]string{"LANG": "it_IT.UTF-8", "LC_ALL": "C.UTF-8"}, "en"},
		{map[string]string{"LANG": "sv_SE.UTF-8"}, "en"},
	} {
		if got := localeLanguage(func(name string) string { return c.env[name] }); got.Code != c.want {
			t.Errorf("%v: %s, want %s", c.env, got.Code, c.want)
		}
	}
}

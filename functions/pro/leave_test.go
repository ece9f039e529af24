package pro_test

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

// TestFormsOfAPlanAreReadFirst: a malformed form is reported as malformed, even if its link has
// expired. The service looks up the link only if the form is well-formed.
func TestFormsOfAPlanAreReadFirst(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s, key, _ := byCard(t, fixture.Bolt(t, clock.Now), clock)
	live := linkTo(s, "ada@example.com")
	const dead = `made-up"&lang=it`
	for _, c := range []struct {
		name, path, token, fields string
		status                    int
		want                      string
	}{
		{"no address", "indirizzo", live, "", 400, "This is not a new address"},
		{"no address, a dead link", "indirizzo", dead, "", 400, "This is not a new address"},
		{"an empty address, a dead link", "indirizzo", dead, "&nuovo=", 400, "This is not a new address"},
		{"no such address, a dead link", "indirizzo", dead, "&nuovo=eve", 400, "This is not a new address"},
		{"the present address", "indirizzo", live, "&nuovo=ada%40example.com", 400, "This is not a new address"},
		{"an address twice", "indirizzo", live, "&nuovo=eve%40example.com&nuovo=eve%40example.com", 400,
			"nuovo is given more than once"},
		{"a field too many", "indirizzo", live, "&nuovo=eve%40example.com&altro=1", 400,
			"altro is not a field of this request"},
		{"a whole form, a dead link", "indirizzo", dead, "&nuovo=eve%40example.com", 410, "no longer works"},
		{"no link", "indirizzo", "", "&nuovo=eve%40example.com", 400, "t is missing"},
		{"not confirmed", "cancella", live, "", 400, "Nothing was erased"},
		{"not confirmed, a dead link", "cancella", dead, "", 400, "Nothing was erased"},
		{"confirmed in another way, a dead link", "cancella", dead, "&conferma=no", 400, "Nothing was erased"},
		{"confirmed, a dead link", "cancella", dead, "&conferma=si", 410, "no longer works"},
		{"confirmed, and a field too many", "cancella", live, "&conferma=si&lang=en", 400,
			"lang is not a field of this request"},
		{"confirmed, no link", "cancella", "", "&conferma=si", 400, "t is missing"},
	} {
		form := "t=" + strings.NewReplacer(`"`, "%22", "&", "%26", "=", "%3D").Replace(c.token) + c.fields
		a := s.Form("/v1/pro/"+c.path, form, "Accept-Language", "en")
		wantPage(t, a, c.status, c.want, c.name)
		if back := `href="/v1/pro/gestione/piano?t=`; strings.Contains(a.Body, back) && c.token == dead &&
			!strings.Contains(a.Body, back+`made-up%22%26lang%3Dit&amp;lang=en"`) {
			t.Errorf("%s: the way back takes the token for more than it is: %s", c.name, a.Body)
		}
	}
	if !s.Works(key) {
		t.Error("a form that was refused has ended a plan")
	}
}

package playmoney

import (
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

var stripePages = template.Must(template.New("").Parse(`
{{define "checkout"}}<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Invented checkout</title></head><body>
<h1>Invented checkout</h1>
<p>This stands in for a card checkout. No money moves.</p>
<p>{{.Price}} a month, for {{.Email}}</p>
{{if eq .Status "open"}}<form method="post">
<p><button name="do" value="pay">Pay</button> <button name="do" value="cancel">Cancel</button></p>
</form>{{else}}<p>This checkout is {{.Status}}.</p>{{end}}
</body></html>
{{end}}
{{define "index"}}<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Invented subscriptions</title></head><body>
<h1>Invented subscriptions</h1>
<p>This stands in for the card processor's own pages. No money moves.</p>
<table>
<tr><th>Subscription</th><th>Email</th><th>State</th><th>Period</th><th></th></tr>
{{range .}}<tr><td>{{.ID}}</td><td>{{.Email}}</td><td>{{.Status}}{{if .Cancels}}, cancelled{{end}}</td><td>{{.Period}}</td><td>
<form method="post"><input type="hidden" name="subscription" value="{{.ID}}">
<button name="do" value="renew">Renew</button> <button name="do" value="fail">Fail to renew</button>
<button name="do" value="cancel">Cancel at the end</button> <button name="do" value="end">End</button></form>
</td></tr>{{else}}<tr><td>none yet</td></tr>{{end}}
</table></body></html>
{{end}}`))

func (s *Stripe) look(id string) (checkout, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[id] == nil {
		return checkout{}, false
	}
	return *s.session(id), true
}

func (s *Stripe) checkoutPage(w http.ResponseWriter, r *http.Request) {
	c, ok := s.look(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	// Some browsers apply form-action also to the redirect after a form, so the policy allows the
	// origins of both redirects.
	forms := []string{"'self'"}
	for _, address := range []string{c.success, c.cancel} {
		if u, err := url.Parse(address); err == nil {
			forms = append(forms, u.Scheme+"://"+u.Host)
		}
	}
	pageHeader(w, strings.Join(forms, " "))
	_ = stripePages.ExecuteTemplate(w, "checkout", map[string]string{
		"Price": fmt.Sprintf("%d.%02d %s", s.Amount/100, s.Amount%100, strings.ToUpper(s.Currency)), "Email": c.email,
		"Status": c.status,
	})
}

func (s *Stripe) checkoutForm(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	c, ok := s.look(id)
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case c.status == "open" && r.FormValue("do") == "cancel":
		http.Redirect(w, r, c.cancel, http.StatusSeeOther)
		return
	case c.status == "expired":
		http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		return
	}
	s.mu.Lock()
	if s.session(id).status == "open" { // a second press finds the checkout complete
		s.complete(id, true)
	}
	s.mu.Unlock()
	s.leadOn(w, r, strings.ReplaceAll(c.success, "{CHECKOUT_SESSION_ID}", id))
}

func (s *Stripe) index(w http.ResponseWriter, r *http.Request) {
	type row struct {
		ID, Email, Status, Period string
		Cancels                   bool
	}
	var rows []row
	s.mu.Lock()
	customer := s.portals[r.PathValue("id")]
	for _, id := range slices.Sorted(maps.Keys(s.subscriptions)) {
		h := s.subscriptions[id]
		if r.PathValue("id") == "" || h.customer == customer {
			rows = append(rows, row{id, h.email, h.status, h.begin.Format(time.DateOnly) + " to " +
				h.end.Format(time.DateOnly), h.cancels})
		}
	}
	s.mu.Unlock()
	pageHeader(w, "'self'")
	_ = stripePages.ExecuteTemplate(w, "index", rows)
}

func (s *Stripe) indexForm(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("subscription")
	s.mu.Lock()
	known := s.subscriptions[id] != nil
	s.mu.Unlock()
	act := map[string]func(string){"renew": s.Renew, "fail": s.FailRenewal, "cancel": s.CancelAtPeriodEnd,
		"end": s.End}[r.FormValue("do")]
	if !known || act == nil {
		http.Error(w, "no such subscription or action", http.StatusBadRequest)
		return
	}
	act(id)
	s.leadOn(w, r, r.URL.Path)
}

package playmoney

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type portal struct {
	customer, back string
	until          time.Time
}

const portalLife = 5 * time.Minute

var portalTemplate = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Invented billing portal</title></head><body>
<h1>Invented billing portal</h1>
<p>This stands in for the card processor's own page. No money moves.</p>
{{range .Held}}<p>{{.ID}}: {{.Status}}{{if .Cancels}}, ends {{.Until}}{{else}}, renews {{.Until}}{{end}}</p>
{{if and (eq .Status "active") (not .Cancels)}}<form method="post"><input type="hidden" name="subscription" value="{{.ID}}"><p><button>Cancel the subscription</button></p></form>{{end}}
{{end}}<p><a href="{{.Back}}">Back</a></p>
</body></html>`))

func (s *Stripe) getPrice(r *http.Request) (int, object) {
	id := r.PathValue("id")
	if id != s.Price {
		return notFound("price", "price", id)
	}
	return http.StatusOK, object{
		"id": s.Price, "object": "price", "active": !s.Inactive, "billing_scheme": "per_unit", "currency": s.Currency,
		"type":        "recurring",
		"unit_amount": s.Amount, "unit_amount_decimal": fmt.Sprint(s.Amount), "tax_behavior": "unspecified",
		"livemode":           false,
		"custom_unit_amount": nil, "transform_quantity": nil, "metadata": object{},
		"recurring": object{"interval": "month", "interval_count": 1, "usage_type": "licensed", "aggregate_usage": nil},
	}
}

// customerExists is false for a deleted customer.
func (s *Stripe) customerExists(customer string) bool {
	for _, h := range s.subscriptions {
		if h.customer == customer {
			return !h.deletedCustomer
		}
	}
	return false
}

func (s *Stripe) createPortal(r *http.Request) (int, object) {
	for name := range r.PostForm {
		if name != "customer" && name != "return_url" {
			return badRequest("parameter_unknown", name, "Received unknown parameter: "+name)
		}
	}
	customer, back := r.PostForm.Get("customer"), r.PostForm.Get("return_url")
	if !s.customerExists(customer) {
		return badRequest("resource_missing", "customer", "No such customer: '"+customer+"'")
	}
	if u, err := url.Parse(back); err != nil || u.Host == "" {
		return badRequest("url_invalid", "return_url", "Not a valid URL")
	}
	id := s.id("bps_")
	s.portals[id] = portal{customer, back, s.now().Add(portalLife)}
	return http.StatusOK, object{
		"id": id, "object": "billing_portal.session", "configuration": "bpc_1", "created": s.now().Unix(),
		"customer": customer,
		"livemode": false, "return_url": back, "url": "http://" + r.Host + "/p/session/" + id,
	}
}

func (s *Stripe) updateCustomer(r *http.Request) (int, object) {
	id := r.PathValue("id")
	if !s.customerExists(id) {
		return notFound("customer", "id", id)
	}
	email := r.PostForm.Get("email")
	if !strings.Contains(email, "@") {
		return badRequest("email_invalid", "email", "Invalid email address: "+email)
	}
	for _, h := range s.subscriptions {
		if h.customer == id {
			h.email = email
		}
	}
	return http.StatusOK, object{"id": id, "object": "customer", "email": email}
}

func (s *Stripe) deleteCustomer(r *http.Request) (int, object) {
	id := r.PathValue("id")
	if !s.customerExists(id) {
		return notFound("customer", "id", id)
	}
	s.forget(id)
	return http.StatusOK, object{"id": id, "object": "customer", "deleted": true}
}

// portalAt returns copies of a portal session and of the customer's subscriptions, or false if it
// is unknown or expired.
func (s *Stripe) portalAt(id string) (p portal, held []stripeSubscription, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok = s.portals[id]
	if !ok || !s.now().Before(p.until) {
		return p, nil, false
	}
	for _, h := range s.subscriptions {
		if h.customer == p.customer {
			held = append(held, *h)
		}
	}
	return p, held, true
}

func (s *Stripe) portalPage(w http.ResponseWriter, r *http.Request) {
	p, held, ok := s.portalAt(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	type row struct {
		ID, Status, Until string
		Cancels           bool
	}
	var rows []row
	for _, h := range held {
		rows = append(rows, row{h.id, h.status, h.end.Format(time.DateOnly), h.cancels})
	}
	pageHeader(w, "'self'")
	_ = portalTemplate.Execute(w, struct {
		Held []row
		Back string
	}{rows, p.back})
}

func (s *Stripe) portalForm(w http.ResponseWriter, r *http.Request) {
	_, held, ok := s.portalAt(r.PathValue("id"))
	wanted := r.FormValue("subscription")
	for _, h := range held {
		if h.id == wanted {
			s.CancelAtPeriodEnd(wanted)
		}
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	s.leadOn(w, r, r.URL.Path)
}

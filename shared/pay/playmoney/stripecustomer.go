package playmoney

import (
	"fmt"
	"net/http"
)

func (s *Stripe) getPrice(r *http.Request) (int, object) {
	if id := r.PathValue("id"); id != s.Price {
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

func (s *Stripe) customerExists(customer string) bool {
	for _, h := range s.subscriptions {
		if h.customer == customer {
			return !h.deletedCustomer
		}
	}
	return false
}

func (s *Stripe) createPortal(r *http.Request) (int, object) {
	customer := r.PostForm.Get("customer")
	if !s.customerExists(customer) {
		return badRequest("resource_missing", "customer", "No such customer: '"+customer+"'")
	}
	id := s.id("bps_")
	s.portals[id] = customer
	return http.StatusOK, object{
		"id": id, "object": "billing_portal.session", "configuration": "bpc_1", "created": s.now().Unix(),
		"customer": customer,
		"livemode": false, "return_url": r.PostForm.Get("return_url"), "url": "http://" + r.Host + "/p/session/" + id,
	}
}

func (s *Stripe) updateCustomer(r *http.Request) (int, object) {
	id := r.PathValue("id")
	if !s.customerExists(id) {
		return notFound("customer", "id", id)
	}
	email := r.PostForm.Get("email")
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

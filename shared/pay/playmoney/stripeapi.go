package playmoney

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type storedAnswer struct {
	request string
	status  int
	answer  object
	at      time.Time
}

const keyLife = 24 * time.Hour

func fault(status int, kind, code, param, message string) (int, object) {
	e := object{"type": kind, "message": message}
	if code != "" {
		e["code"] = code
	}
	if param != "" {
		e["param"] = param
	}
	return status, object{"error": e}
}

func badRequest(code, param, message string) (int, object) {
	return fault(http.StatusBadRequest, "invalid_request_error", code, param, message)
}

func notFound(kind, param, id string) (int, object) {
	return fault(http.StatusNotFound, "invalid_request_error", "resource_missing", param, "No such "+kind+": '"+id+"'")
}

func (s *Stripe) api(operation func(*http.Request) (int, object)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls++
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Request-Id", fmt.Sprintf("req_%d", s.calls))
		status, answer := s.runOnce(w, r, operation)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func (s *Stripe) runOnce(w http.ResponseWriter, r *http.Request, operation func(*http.Request) (int, object)) (int,
	object) {
	if r.Header.Get("Authorization") != "Bearer "+s.Key {
		return fault(http.StatusUnauthorized, "invalid_request_error", "", "",
			"Invalid API Key provided: "+r.Header.Get("Authorization"))
	}
	if err := r.ParseForm(); err != nil {
		return badRequest("", "", err.Error())
	}
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost || key == "" {
		return operation(r)
	}
	request := r.URL.Path + "?" + r.PostForm.Encode()
	if before, ok := s.answers[key]; ok && s.now().Sub(before.at) < keyLife {
		if before.request != request {
			return fault(http.StatusBadRequest, "idempotency_error", "", "",
				"Keys for idempotent requests can only be used with the same parameters they were first used with.")
		}
		w.Header().Set("Idempotent-Replayed", "true")
		return before.status, before.answer
	}
	status, answer := operation(r)
	s.answers[key] = storedAnswer{request, status, answer, s.now()}
	return status, answer
}

func (s *Stripe) createSession(r *http.Request) (int, object) {
	form := r.PostForm
	for name := range form {
		switch name {
		case "mode", "line_items[0][price]", "line_items[0][quantity]", "customer_email", "success_url", "cancel_url":
		default:
			return badRequest("parameter_unknown", name, "Received unknown parameter: "+name)
		}
	}
	email := form.Get("customer_email")
	switch {
	case form.Get("mode") != "subscription" || form.Get("line_items[0][quantity]") != "1":
		return badRequest("", "mode", "One subscription is what is sold here.")
	case form.Get("line_items[0][price]") != s.Price:
		return badRequest("resource_missing", "line_items[0][price]",
			"No such price: '"+form.Get("line_items[0][price]")+"'")
	case !strings.Contains(email, "@"):
		return badRequest("email_invalid", "customer_email", "Invalid email address: "+email)
	}
	for _, name := range []string{"success_url", "cancel_url"} {
		if u, err := url.Parse(form.Get(name)); err != nil || u.Scheme != "http" && u.Scheme != "https" ||
			u.Host == "" {
			return badRequest("url_invalid", name, "Not a valid URL")
		}
	}
	now := s.now()
	c := &checkout{
		id: s.id("cs_test_"), email: email, success: form.Get("success_url"), cancel: form.Get("cancel_url"),
		status: "open", created: now, expires: now.Add(sessionLife),
	}
	s.sessions[c.id] = c
	answer := s.sessionObject(c, nil)
	answer["url"] = "http://" + r.Host + "/c/pay/" + c.id
	return http.StatusOK, answer
}

func (s *Stripe) getSession(r *http.Request) (int, object) {
	id := r.PathValue("id")
	if s.sessions[id] == nil {
		return notFound("checkout.session", "session", id)
	}
	c := s.session(id)
	answer := s.sessionObject(c, expansions(r))
	if c.status == "open" {
		answer["url"] = "http://" + r.Host + "/c/pay/" + c.id
	}
	return http.StatusOK, answer
}

func (s *Stripe) getSubscription(r *http.Request) (int, object) {
	h := s.subscriptions[r.PathValue("id")]
	if h == nil {
		return notFound("subscription", "id", r.PathValue("id"))
	}
	return http.StatusOK, s.subscriptionObject(h, expansions(r))
}

func expansions(r *http.Request) []string {
	var paths []string
	for name, values := range r.Form {
		if strings.HasPrefix(name, "expand[") {
			paths = append(paths, values...)
		}
	}
	return paths
}

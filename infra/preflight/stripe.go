package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

const maxBody = 4 << 20

// events omits some events that functions/pro handles, because other events report the same facts.
var events = []string{
	"checkout.session.completed", "invoice.paid", "invoice.payment_failed",
	"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
	"customer.subscription.paused", "customer.subscription.resumed",
}

func (p *preflight) askStripe(ctx context.Context, path string, object any) (status int, err error) {
	key := p.secrets["stripe-key"]
	if key == "" {
		return 0, errors.New("there is no " + p.config.parameter("stripe-key"))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.at.stripe+path, nil)
	if err != nil {
		return 0, errors.New("the address is bad")
	}
	request.SetBasicAuth(key, "")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, errors.New("it cannot be reached")
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return 0, errors.New("its answer broke off")
	}
	if response.StatusCode == http.StatusOK && json.Unmarshal(body, object) != nil {
		return 0, errors.New("its answer is malformed")
	}
	return response.StatusCode, nil
}

const grant = "give it write access to Checkout Sessions, Subscriptions, Customers and Customer portal, and read " +
	"access to Prices and Webhook Endpoints"

type permission struct{ name, path string }

// A read-only key passes the check, because preflight writes nothing.
var used = []permission{
	{"Checkout Sessions", "/v1/checkout/sessions"}, {"Subscriptions", "/v1/subscriptions"},
	{"Customers", "/v1/customers"}, {"Customer portal", "/v1/billing_portal/configurations"},
}

func (p *preflight) permissions(ctx context.Context) (faults []fault, err error) {
	for _, u := range used {
		status, err := p.askStripe(ctx, u.path+"?limit=1", &struct{}{})
		switch {
		case err != nil:
			return nil, err
		case status == http.StatusForbidden:
			faults = append(faults, fault{"the restricted key in " + p.config.parameter("stripe-key") +
				" may not use " + u.name, grant})
		case status != http.StatusOK:
			if refused := p.refused(status); refused != nil {
				return refused, nil
			}
			return nil, fmt.Errorf("it answers with status %d", status)
		}
	}
	return faults, nil
}

func (p *preflight) refused(status int) []fault {
	switch status {
	case http.StatusUnauthorized:
		return []fault{{"Stripe does not know the key in " + p.config.parameter("stripe-key"),
			"put the secret key of the account (Developers, API keys)"}}
	case http.StatusForbidden:
		return []fault{{"the restricted key in " + p.config.parameter("stripe-key") + " may not read this", grant}}
	}
	return nil
}

func (p *preflight) price(ctx context.Context) (faults []fault, err error) {
	var price struct {
		Active     bool   `json:"active"`
		Currency   string `json:"currency"`
		UnitAmount int64  `json:"unit_amount"`
		Livemode   bool   `json:"livemode"`
		Recurring  *struct {
			Interval      string `json:"interval"`
			IntervalCount int    `json:"interval_count"`
		} `json:"recurring"`
	}
	status, err := p.askStripe(ctx, "/v1/prices/"+p.config.StripePrice, &price)
	if err != nil {
		return nil, err
	}
	if refused := p.refused(status); refused != nil {
		return refused, nil
	}
	another := "make a price of " + p.config.PriceUSDC +
		" USD a month in Stripe (Product catalogue), and give its id as stripePrice"
	if status == http.StatusNotFound {
		return []fault{{"Stripe knows no price " + p.config.StripePrice + " in the mode of the key",
			another + "; test mode and live mode have prices of their own"}}, nil
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("it answers with status %d", status)
	}
	if !price.Active {
		faults = append(faults, fault{"the price is archived, so it cannot be bought", another})
	}
	if price.Recurring == nil || price.Recurring.Interval != "month" || price.Recurring.IntervalCount != 1 {
		faults = append(faults, fault{"the price is not paid every month", another})
	}
	// One USDC is worth one US dollar, so the plan must cost the same by card and in USDC.
	if paid := fmt.Sprintf("%d.%02d", price.UnitAmount/100, price.UnitAmount%100); price.Currency != "usd" ||
		!sameAmount(paid, p.config.PriceUSDC) {
		faults = append(faults, fault{fmt.Sprintf("a card pays %s %s, priceUSDC is %s", paid,
			strings.ToUpper(price.Currency), p.config.PriceUSDC), another + ", or make priceUSDC the same"})
	}
	if p.config.SolanaNetwork == "mainnet-beta" && !price.Livemode {
		faults = append(faults,
			fault{"the key is one of Stripe's test mode, the chain is mainnet-beta: cards would pay play money",
				"put the live key, or choose devnet for a stage"})
	}
	return faults, nil
}

func sameAmount(a, b string) bool {
	plain := func(s string) string {
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	return plain(a) == plain(b)
}

func (p *preflight) webhook(ctx context.Context) ([]fault, error) {
	if p.config.Domain == "" {
		return nil, nil // without a domain, the webhook's URL is known only after deployment
	}
	var list struct {
		Data []struct {
			URL    string   `json:"url"`
			Status string   `json:"status"`
			Events []string `json:"enabled_events"`
		} `json:"data"`
	}
	status, err := p.askStripe(ctx, "/v1/webhook_endpoints?limit=100", &list)
	if err != nil {
		return nil, err
	}
	if refused := p.refused(status); refused != nil {
		return refused, nil
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("it answers with status %d", status)
	}
	url := "https://" + p.config.Domain + "/api/v1/pro/webhook"
	for _, hook := range list.Data {
		if hook.URL != url {
			continue
		}
		if hook.Status != "enabled" {
			return []fault{{"Stripe has the webhook disabled", "enable it: Developers, Webhooks"}}, nil
		}
		var missing []string
		for _, event := range events {
			if !slices.Contains(hook.Events, event) && !slices.Contains(hook.Events, "*") {
				missing = append(missing, event)
			}
		}
		if len(missing) > 0 {
			return []fault{{"the webhook is not told of " + strings.Join(missing, ", "),
				"add them: Developers, Webhooks, Update details"}}, nil
		}
		return nil, nil
	}
	return []fault{{"Stripe has no webhook to " + url, "make one (Developers, Webhooks) for " + strings.Join(events,
		", ") + ", and put its signing secret as " + p.config.parameter("stripe-webhook-secrets")}}, nil
}

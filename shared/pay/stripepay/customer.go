package stripepay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/stripe/stripe-go/v76"

	"verdetto/shared/pay"
)

func (c *Checkout) Portal(ctx context.Context, customer, returnURL string) (string, error) {
	const what = "ask Stripe for its billing page"
	if !isID(customer, "cus_") {
		return "", fmt.Errorf("%s: %w", what, pay.ErrNoSuchCustomer)
	}
	params := &stripe.BillingPortalSessionParams{Customer: &customer, ReturnURL: &returnURL}
	body, err := c.call(ctx, what, http.MethodPost, "/v1/billing_portal/sessions", params, pay.ErrRefused)
	if err != nil {
		return "", err
	}
	var page struct{ URL string }
	if err := json.Unmarshal(body, &page); err != nil || page.URL == "" {
		return "", fmt.Errorf("%s: %w: the answer is not a page", what, pay.ErrUnavailable)
	}
	return page.URL, nil
}

func (c *Checkout) Readdress(ctx context.Context, customer, email string) error {
	deleted, err := c.customer(ctx, "change address", http.MethodPost, customer, &stripe.CustomerParams{Email: &email})
	if err == nil && deleted {
		err = fmt.Errorf("change address: %w", pay.ErrNoSuchCustomer)
	}
	return err
}

func (c *Checkout) Forget(ctx context.Context, customer string) error {
	deleted, err := c.customer(ctx, "ask Stripe to delete a customer", http.MethodDelete, customer, &stripe.CustomerParams{})
	switch {
	case errors.Is(err, pay.ErrNoSuchCustomer):
		return nil
	case err == nil && !deleted:
		return fmt.Errorf("ask Stripe to delete a customer: %w: the answer does not say that it is", pay.ErrUnavailable)
	}
	return err
}

func (c *Checkout) customer(ctx context.Context, what, method, id string, params *stripe.CustomerParams) (deleted bool,
	err error) {
	if !isID(id, "cus_") {
		return false, fmt.Errorf("%s: %w", what, pay.ErrNoSuchCustomer)
	}
	body, err := c.call(ctx, what, method, "/v1/customers/"+id, params, pay.ErrNoSuchCustomer)
	if err != nil {
		return false, err
	}
	var answer struct{ Deleted bool }
	return json.Unmarshal(body, &answer) == nil && answer.Deleted, nil
}

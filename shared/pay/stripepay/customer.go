package stripepay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stripe/stripe-go/v76"

	"verdetto/shared/pay"
)

// Portal implements pay.Checkout.
func (c *Checkout) Portal(ctx context.Context, customer, returnURL string) (string, error) {
	if !isID(customer, "cus_") {
		return "", fmt.Errorf("open billing portal: %w", pay.ErrNoSuchCustomer)
	}
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout-longestPause)
	defer cancel()
	params := &stripe.BillingPortalSessionParams{Customer: &customer, ReturnURL: &returnURL}
	params.Context = ctx
	answer, err := c.portals.New(params)
	if err != nil {
		// Of a customer that is not there it says 400, and names the parameter.
		var refusal *stripe.Error
		if errors.As(err, &refusal) && refusal.Code == stripe.ErrorCodeResourceMissing && refusal.Param == "customer" {
			return "", fmt.Errorf("open billing portal: %w", pay.ErrNoSuchCustomer)
		}
		return "", translate(ctx, "open billing portal", err, pay.ErrRefused)
	}
	if answer.URL == "" {
		return "", fmt.Errorf("open billing portal: %w: the answer is not a page", pay.ErrUnavailable)
	}
	return answer.URL, nil
}

// Readdress implements pay.Checkout.
func (c *Checkout) Readdress(ctx context.Context, customer, email string) error {
	if !isID(customer, "cus_") {
		return fmt.Errorf("change address: %w", pay.ErrNoSuchCustomer)
	}
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout-longestPause)
	defer cancel()
	params := &stripe.CustomerParams{Email: &email}
	params.Context = ctx
	answer, err := c.customers.Update(customer, params)
	if err != nil {
		return translate(ctx, "change address", err, pay.ErrNoSuchCustomer)
	}
	if deleted(answer.LastResponse) {
		return fmt.Errorf("change address: %w", pay.ErrNoSuchCustomer)
	}
	return nil
}

// Forget implements pay.Checkout.
func (c *Checkout) Forget(ctx context.Context, customer string) error {
	if !isID(customer, "cus_") {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout-longestPause)
	defer cancel()
	params := &stripe.CustomerParams{}
	params.Context = ctx
	answer, err := c.customers.Del(customer, params)
	if err != nil {
		err = translate(ctx, "delete customer", err, pay.ErrNoSuchCustomer)
		if errors.Is(err, pay.ErrNoSuchCustomer) {
			return nil
		}
		return err
	}
	if !deleted(answer.LastResponse) {
		return fmt.Errorf("delete customer: %w: the answer does not say that it is", pay.ErrUnavailable)
	}
	return nil
}

// deleted tells whether an answer is about a customer that was deleted.
func deleted(answer *stripe.APIResponse) bool {
	var customer struct {
		Deleted bool `json:"deleted"`
	}
	return answer != nil && json.Unmarshal(answer.RawJSON, &customer) == nil && customer.Deleted
}

package pro

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

type portalInput struct {
	Accept string `header:"Accept"`
	Header string `header:"X-Api-Key" doc:"Your current key"`
	Reader
	Body *struct {
		Key   string `json:"chiave,omitempty" nullable:"true" maxLength:"100" doc:"The key, sent by a page, which cannot set a header"`
		Token string `json:"t,omitempty" nullable:"true" maxLength:"100" doc:"Token of a mailed link, instead of the key"`
	} `contentType:"application/json"`
}

type portals struct {
	URL    string   `json:"url" format:"uri" doc:"Address to send the customer to. It works for some minutes"`
	Others []string `json:"others,omitempty" doc:"Further addresses, if the plan was bought by card more than once"`
}

var goneToken = httpapi.Fault{Name: "t", Detail: "is of a link that works no more; POST /v1/pro/gestione mails another"}

const mostPortals = 5

// A mailed link opens the portal even after the plan has ended, because the customer may need
// invoices.
func (s *Service) portal(ctx context.Context, in *portalInput) (*page.Response, error) {
	l, key, token := in.language(), in.Header, ""
	if in.Body != nil {
		key, token = cmp.Or(key, in.Body.Key), in.Body.Token
	}
	c, err := s.customerOf(ctx, key, token)
	if errors.Is(err, store.ErrNotFound) {
		return nil, httpapi.Invalid(goneToken)
	}
	if err != nil {
		return nil, err
	}
	customers, err := s.payers(ctx, c)
	if err != nil {
		return nil, err
	}
	var urls []string
	for _, customer := range customers[:min(len(customers), mostPortals)] {
		address, err := s.Checkout.Portal(ctx, customer, s.BaseURL+page.AddressIn(l, "/v1/pro/gestione"))
		switch {
		case errors.Is(err, pay.ErrNoSuchCustomer):
		case errors.Is(err, pay.ErrUnavailable):
			return nil, s.unavailable(ctx, noStripe, err)
		case err != nil:
			return nil, err
		default:
			urls = append(urls, address)
		}
	}
	switch {
	case len(urls) == 0 && page.WantsHTML(in.Accept):
		return showNotice(NoCard.Status, l, "portal.none", page.AddressIn(l, "/v1/pro/gestione"))
	case len(urls) == 0:
		return nil, NoCard.Problem("No subscription by card belongs to this plan. It ends by itself, and " +
			"there is nothing to cancel.")
	case page.WantsHTML(in.Accept):
		return show(http.StatusOK, l, "portal", "portal", struct {
			view
			URLs []string
		}{view{l}, urls})
	}
	return asJSON(http.StatusOK, portals{urls[0], urls[1:]})
}

// payers returns customer ids of the card processor, starting with the subscription that is paid for
// longest.
func (s *Service) payers(ctx context.Context, c store.Customer) (customers []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*pay.Timeout)
	defer cancel()
	subscriptions := slices.SortedFunc(maps.Keys(c.Cards),
		func(a, b string) int { return c.Cards[b].Compare(c.Cards[a]) })
	for _, id := range subscriptions {
		held, err := s.Checkout.Subscription(ctx, id)
		switch {
		case errors.Is(err, pay.ErrNoSuchSubscription):
		case errors.Is(err, pay.ErrUnavailable):
			return nil, s.unavailable(ctx, noStripe, err)
		case err != nil:
			return nil, err
		case held.Customer != "" && !slices.Contains(customers, held.Customer):
			customers = append(customers, held.Customer)
		}
	}
	return customers, nil
}

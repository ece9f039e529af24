package pro

import (
	"context"
	"errors"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

const (
	planPath   = "/v1/pro/gestione/piano"
	manageTime = time.Hour
)

type managed struct {
	Email string `json:"email"`
}

func (s *Service) registerManage(api *httpapi.API) {
	httpapi.Page(api, "pro-gestione-page", httpapi.PageDoc{
		Summary: "Page to request a link to a plan", Statuses: []int{200}},
		askPage("manage", "/v1/pro/gestione"))
	httpapi.JSON(api, "pro-gestione", httpapi.JSONDoc{
		Summary: "Get a link to a plan by email",
		Description: "If the address has or had a plan, mails a link to its page, which works for 1 hour. " +
			"There the plan can be moved to another address or erased, and the billing portal opened. The " +
			"answer is the same for every address.",
		Status:   http.StatusAccepted,
		Problems: []httpapi.ProblemType{httpapi.BadKey},
		Answer:   recovering{},
		Pages:    []int{http.StatusAccepted},
	}, func(_ context.Context, in *askInput) error { _, err := address(in.Body.Email); return err }, s.askToManage)
	httpapi.Page(api, "pro-piano", httpapi.PageDoc{
		Summary: "Page of a plan, from a mailed link", Statuses: []int{200, 410}}, s.planPage)
	httpapi.JSON(api, "pro-portale", httpapi.JSONDoc{
		Summary: "Open the card processor's billing portal",
		Description: "For a plan paid by card: returns the address of the card processor's page to " +
			"cancel, get invoices and change the card. Send the key in X-Api-Key, or from a page the key " +
			"or the token of a mailed link. The address is secret and works for some minutes.",
		Problems: []httpapi.ProblemType{NoCard, httpapi.BadKey},
		Answer:   portals{},
		Pages:    []int{http.StatusOK, NoCard.Status},
	}, nil, s.portal)
	s.registerLeave(api)
}

type askInput struct {
	Key    string `header:"X-Api-Key" doc:"The key of the plan, if you have it. Then the mail is sent even if strangers have caused too many mails to the address, or its owner has stopped those"`
	Accept string `header:"Accept"`
	Reader
	emailBody
}

// A caller with the plan's key counts as the mailbox owner, so that stopped mails start again.
func (s *Service) askToManage(ctx context.Context, in *askInput) (*page.Response, error) {
	email, err := address(in.Body.Email)
	if err != nil {
		return nil, err
	}
	if in.Key != "" {
		c, err := s.customerOf(ctx, in.Key, "")
		if err == nil && c.ID == s.customer(email) {
			err = s.mailboxes().Resume(ctx, s.mailboxes().Links.Mailbox(email), httpapi.Subject(ctx))
		}
		if err != nil {
			return nil, err
		}
	}
	return s.storeJob(ctx, s.links(), manageKind, email, in.Accept, in.Reader, "manage.asked",
		"If this address has a plan, a link to it is on its way.")
}

type planInput struct {
	Token string `query:"t" doc:"Token of a mail, for one purpose. It is valid for 1 hour, or for 24 hours to confirm a new address"`
	Reader
}

func byLink[A any](ctx context.Context, s *Service, p purpose, token string, l *i18n.Language) (about A,
	ended *page.Response, err error) {
	err = s.unseal(ctx, p, token, &about)
	if errors.Is(err, store.ErrNotFound) {
		if p == moveLink {
			ended, err = showNotice(http.StatusGone, l, "move.gone", page.AddressIn(l, "/v1/pro"))
		} else {
			ended, err = showNotice(http.StatusGone, l, "plan.gone", page.AddressIn(l, "/v1/pro/gestione"))
		}
	}
	return about, ended, err
}

func (s *Service) planPage(ctx context.Context, in *planInput) (*page.Response, error) {
	l := in.language()
	about, ended, err := byLink[managed](ctx, s, manageLink, in.Token, l)
	if ended != nil || err != nil {
		return ended, err
	}
	c, err := s.Keys.Customer(ctx, s.customer(about.Email))
	if errors.Is(err, store.ErrNotFound) { // the plan was moved or erased after the mail
		return showNotice(http.StatusGone, l, "plan.gone", page.AddressIn(l, "/v1/pro/gestione"))
	}
	if err != nil {
		return nil, err
	}
	v := struct {
		view
		Token      string
		Live, Card bool
		Until      string
		Rests      []template.HTML
	}{view{l}, in.Token, c.Plan().Live(s.Now()), len(c.Cards) > 0,
		l.Moment(c.Plan().Until), nil}
	for _, r := range c.Sources() {
		v.Rests = append(v.Rests, l.HTML("plan.by."+r.Source, "Until", l.Moment(r.Until)))
	}
	return show(http.StatusOK, l, "plan", "plan", v)
}

// formOf refuses a form with fields other than t and the field called name.
func formOf(body []byte, name string) (token, value string, err error) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return "", "", httpapi.BadRequest.Problem("The form cannot be read.")
	}
	var wrong faults
	wrong.add(values.Get("t") == "", httpapi.Fault{Name: "t", Detail: "is missing"})
	for _, given := range slices.Sorted(maps.Keys(values)) {
		known := given == "t" || given == name
		wrong.add(!known, httpapi.Fault{Name: given, Detail: "is not a field of this request"})
		wrong.add(known && len(values[given]) > 1,
			httpapi.Fault{Name: given, Detail: "is given more than once; give it once"})
	}
	if err := wrong.err(); err != nil {
		return "", "", err
	}
	return values.Get("t"), values.Get(name), nil
}

func backTo(l *i18n.Language, token string) string {
	return page.AddressIn(l, planPath+"?t="+url.QueryEscape(token))
}

func (s *Service) customerOf(ctx context.Context, key, token string) (store.Customer, error) {
	if key == "" && token != "" {
		var about managed
		if err := s.unseal(ctx, manageLink, token, &about); err != nil {
			return store.Customer{}, err
		}
		return s.Keys.Customer(ctx, s.customer(about.Email))
	}
	shown, ok := apikey.Parse(key)
	if !ok {
		return store.Customer{}, refusedKey()
	}
	c, err := s.Keys.Customer(ctx, shown.Customer)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.HasKey(shown) {
		return store.Customer{}, refusedKey()
	}
	return c, err
}

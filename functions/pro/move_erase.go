package pro

import (
	"context"
	"errors"
	"net/http"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

const (
	movePath = "/v1/pro/indirizzo/conferma"
	moveTime = 24 * time.Hour
)

type moving struct {
	From string `json:"from"`
	To   string `json:"to"`
	Done bool   `json:"done,omitempty"` // the plan was moved, so the link must not move a later plan of From
}

func (s *Service) registerLeave(api *httpapi.API) {
	httpapi.Page(api, "pro-indirizzo", httpapi.PageDoc{
		Summary: "Move a plan to another address, which has to confirm", Statuses: []int{202, 400, 410},
		Form: addressForm{}}, s.askToMove)
	httpapi.Page(api, "pro-indirizzo-conferma-page", httpapi.PageDoc{
		Summary: "Page of the link that confirms the new address of a plan", Statuses: []int{200, 410}}, s.movePage)
	httpapi.Page(api, "pro-indirizzo-conferma", httpapi.PageDoc{
		Summary: "Confirm the new address of a plan: it is mailed a new key unless it has a valid one", Statuses: []int{200, 410}},
		s.move)
	httpapi.Page(api, "pro-cancella", httpapi.PageDoc{
		Summary:  "Erase a customer: subscriptions end, and personal data are deleted",
		Statuses: []int{200, 400, 410}, Form: eraseForm{}}, s.erase)
}

type addressForm struct {
	Token string `json:"t" minLength:"1" doc:"Token of the link that was mailed to the current address"`
	New   string `json:"nuovo" minLength:"1" maxLength:"254" doc:"The new address"`
}

type eraseForm struct {
	Token string `json:"t" minLength:"1" doc:"Token of the mailed link"`
	Sure  string `json:"conferma" enum:"si" doc:"Confirms the erasure"`
}

type formInput struct {
	Reader
	RawBody []byte
}

// perPlan limits the moves that an owner requests, because each request can mail a stranger.
var perPlan = limit.Limit{Name: "pro-indirizzo-plan", Calls: 3, Window: 24 * time.Hour}

func (s *Service) askToMove(ctx context.Context, in *formInput) (*page.Response, error) {
	l := in.language()
	token, nuovo, err := formOf(in.RawBody, "nuovo")
	if err != nil {
		return nil, err
	}
	to, err := address(nuovo)
	if err != nil {
		return showNotice(http.StatusBadRequest, l, "move.refused", backTo(l, token))
	}
	about, ended, err := byLink[managed](ctx, s, manageLink, token, l)
	if ended != nil || err != nil {
		return ended, err
	}
	if apikey.Normalize(to) == apikey.Normalize(about.Email) {
		return showNotice(http.StatusBadRequest, l, "move.refused", backTo(l, token))
	}
	if err := httpapi.ConsumeLimit(ctx, perPlan, string(s.customer(about.Email)),
		"Too many new addresses were requested for this plan. Wait for the seconds in Retry-After."); err != nil {
		return nil, err
	}
	if err := s.links().Put(ctx, store.Job{Kind: moveKind, Email: to, Ref: about.Email, Lang: l.Code, At: s.Now(),
		Caller: httpapi.Subject(ctx), Network: httpapi.MailNetwork(ctx)}); err != nil {
		return nil, err
	}
	s.signal()
	return showNotice(http.StatusAccepted, l, "move.asked", page.AddressIn(l, "/v1/pro/gestione"))
}

func (s *Service) movePage(ctx context.Context, in *planInput) (*page.Response, error) {
	l := in.language()
	_, ended, err := byLink[moving](ctx, s, moveLink, in.Token, l)
	if ended != nil || err != nil {
		return ended, err
	}
	return show(http.StatusOK, l, "move", "move.agree", struct {
		view
		Action string
	}{view{l}, page.AddressIn(l, movePath+"?t="+in.Token)})
}

// move is idempotent.
func (s *Service) move(ctx context.Context, in *planInput) (*page.Response, error) {
	l := in.language()
	between, ended, err := byLink[moving](ctx, s, moveLink, in.Token, l)
	if ended != nil || err != nil {
		return ended, err
	}
	if between.Done {
		return showNotice(http.StatusOK, l, "move.done", page.AddressIn(l, "/v1/pro/gestione"))
	}
	now := s.Now()
	_, err = s.Keys.Move(ctx, s.customer(between.From), s.customer(between.To), now,
		func(to store.Customer) []store.LeftJob {
			fresh := store.LeftJob{Outbox: s.Outbox,
				Job: store.Job{Kind: agreedKind, Email: between.To, Lang: l.Code, At: now}}
			if to.HasLiveKey(now) {
				fresh = store.LeftJob{Outbox: s.noticesBox(),
					Job: store.Job{Kind: extendedKind, Email: between.To, Lang: l.Code, At: now}}
			}
			return []store.LeftJob{fresh, {Outbox: s.links(),
				Job: store.Job{Kind: movedKind, Email: between.From, Ref: between.To, Lang: l.Code, At: now}}}
		})
	if err != nil && !errors.Is(err, store.ErrNotFound) { // ErrNotFound: the plan was already moved or erased
		return nil, err
	}
	s.signal()
	between.Done = true
	if err := s.keepNote(ctx, moveLink, in.Token, between, now.Add(moveTime)); err != nil {
		return nil, err
	}
	return showNotice(http.StatusOK, l, "move.done", page.AddressIn(l, "/v1/pro/gestione"))
}

// erase first ends the subscriptions at the card processor, so that no card is charged after the
// erasure.
func (s *Service) erase(ctx context.Context, in *formInput) (*page.Response, error) {
	l := in.language()
	token, sure, err := formOf(in.RawBody, "conferma")
	if err != nil {
		return nil, err
	}
	if sure != "si" {
		return showNotice(http.StatusBadRequest, l, "erase.unsure", backTo(l, token))
	}
	about, ended, err := byLink[managed](ctx, s, manageLink, token, l)
	if ended != nil || err != nil {
		return ended, err
	}
	id := s.customer(about.Email)
	c, err := s.Keys.Customer(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	payers, err := s.payers(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, customer := range payers {
		if err := s.Checkout.Forget(ctx, customer); err != nil {
			if errors.Is(err, pay.ErrUnavailable) {
				return nil, s.unavailable(ctx, noStripe, err)
			}
			return nil, err
		}
	}
	isHers := func(email string) bool { return email != "" && s.customer(email) == id }
	names := func(j store.Job) bool { return isHers(j.Email) || isHers(j.Ref) }
	if err := s.Keys.Erase(ctx, id, names, s.Outbox, s.noticesBox(), s.links(), s.claims(),
		s.Outbox.Retries()); err != nil {
		return nil, err
	}
	if err := s.notes().Drop(ctx, s.noteName(manageLink, token)); err != nil {
		return nil, err
	}
	return showNotice(http.StatusOK, l, "erase.done", page.AddressIn(l, "/v1/pro"))
}

package pro

import (
	"context"
	"net/http"

	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func (s *Service) registerRecover(api *httpapi.API) {
	httpapi.JSON(api, "pro-recupera", httpapi.JSONDoc{
		Summary: "Get a fresh key by e-mail",
		Description: "The answer is the same for every address, and does not wait to learn whether there is a plan. " +
			"If there is, a fresh key is mailed, and the old one is refused once the mail has been sent. " +
			"The mail has a link that brings the old key back. Where that was used in the last 30 days, or " +
			"the owner has set so, the mail asks to confirm first.",
		Status: http.StatusAccepted,
		Answer: recovering{},
		Pages:  []int{http.StatusAccepted},
	}, func(ctx context.Context, in *recoverInput) error { _, err := address(in.Body.Email); return err }, s.recover)
	httpapi.Page(api, "pro-recupera-page", httpapi.PageDoc{
		Summary: "The page on which a lost key is asked for", Statuses: []int{200}},
		askPage("recover", "/v1/pro/recupera"))
	httpapi.Page(api, "pro-annulla-page", httpapi.PageDoc{
		Summary: "The page that a link to undo a recovery leads to", Statuses: []int{200, 400, 410}}, s.undoPage)
	httpapi.Page(api, "pro-annulla", httpapi.PageDoc{
		Summary: "Undo a recovery: the key before it works again", Statuses: []int{200, 400, 410}}, s.undo)
	httpapi.Page(api, "pro-recupera-conferma-page", httpapi.PageDoc{
		Summary: "The page that a link to confirm a recovery leads to", Statuses: []int{200, 400, 410}}, s.agreePage)
	httpapi.Page(api, "pro-recupera-conferma", httpapi.PageDoc{
		Summary: "Confirm a recovery: a fresh key is mailed", Statuses: []int{200, 400, 410}}, s.agree)
}

type recoverInput struct {
	Accept string `header:"Accept"`
	Reader
	emailBody
}

type recovering struct {
	Status string `json:"status" enum:"accepted"`
	Detail string `json:"detail"`
}

// recover stores a job and answers alike for every address.
func (s *Service) recover(ctx context.Context, in *recoverInput) (*page.Response, error) {
	return s.storeJob(ctx, s.Outbox, recoverKind, in.Body.Email, in.Accept, in.Reader, "recovering",
		"If this address has a plan, a fresh key is on its way to it, and the old key stops working.")
}

// storeJob stores a job about an address in an outbox. The answer is the same for every address.
func (s *Service) storeJob(ctx context.Context, box store.Outbox, kind, email, accept string, r Reader, block,
	detail string) (*page.Response, error) {
	email, err := address(email)
	if err != nil {
		return nil, err
	}
	l := r.language()
	if err := box.Put(ctx, store.Job{Kind: kind, Email: email, Lang: l.Code, At: s.Now(),
		Caller: httpapi.Subject(ctx)}); err != nil {
		return nil, err
	}
	s.signal()
	if page.WantsHTML(accept) {
		return show(http.StatusAccepted, l, block, block, view{l})
	}
	return asJSON(http.StatusAccepted, recovering{"accepted", detail})
}

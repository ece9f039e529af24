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
		Summary: "Get a new key by email",
		Description: "Mails a new key if the address has a plan. The answer is the same for every " +
			"address and does not depend on it. The old key is refused once the mail has been sent. The " +
			"mail has a link that restores the old key. If that link was used in the last 30 days, a " +
			"first mail asks to confirm, and the key comes after that.",
		Status: http.StatusAccepted,
		Answer: recovering{},
		Pages:  []int{http.StatusAccepted},
	}, func(ctx context.Context, in *recoverInput) error { _, err := address(in.Body.Email); return err }, s.recover)
	httpapi.Page(api, "pro-recupera-page", httpapi.PageDoc{
		Summary: "Page to recover a lost key", Statuses: []int{200}},
		askPage("recover", "/v1/pro/recupera"))
	httpapi.Page(api, "pro-annulla-page", httpapi.PageDoc{
		Summary: "Page of the link that undoes a recovery", Statuses: []int{200, 400, 410}}, s.undoPage)
	httpapi.Page(api, "pro-annulla", httpapi.PageDoc{
		Summary: "Undo a recovery: the earlier key works again", Statuses: []int{200, 400, 410}}, s.undo)
	httpapi.Page(api, "pro-recupera-conferma-page", httpapi.PageDoc{
		Summary: "Page of the link that confirms a recovery", Statuses: []int{200, 400, 410}}, s.agreePage)
	httpapi.Page(api, "pro-recupera-conferma", httpapi.PageDoc{
		Summary: "Confirm a recovery: a new key is mailed", Statuses: []int{200, 400, 410}}, s.agree)
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

func (s *Service) recover(ctx context.Context, in *recoverInput) (*page.Response, error) {
	return s.storeJob(ctx, s.Outbox, recoverKind, in.Body.Email, in.Accept, in.Reader, "recovering",
		"If this address has a plan, a mail with a fresh key, or with a link to confirm, is on its way to it. The old "+
			"key stops working once the new one is mailed.")
}

// storeJob gives the same answer for every valid address, so that a caller cannot find out
// whether an address is known.
func (s *Service) storeJob(ctx context.Context, box store.Outbox, kind, email, accept string, r Reader, block,
	detail string) (*page.Response, error) {
	email, err := address(email)
	if err != nil {
		return nil, err
	}
	l := r.language()
	if err := box.Put(ctx, store.Job{Kind: kind, Email: email, Lang: l.Code, At: s.Now(),
		Caller: httpapi.Subject(ctx), Network: httpapi.MailNetwork(ctx)}); err != nil {
		return nil, err
	}
	s.signal()
	if page.WantsHTML(accept) {
		return show(http.StatusAccepted, l, block, block, view{l})
	}
	return asJSON(http.StatusAccepted, recovering{"accepted", detail})
}

package pro

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/limit"
	"verdetto/shared/store"
)

func (s *Service) registerRecover(api *httpapi.API) {
	httpapi.JSON(api, "pro-recupera", httpapi.JSONDoc{
		Summary:     "Get a fresh key by e-mail",
		Description: "The answer is the same for every address, and does not wait to learn whether there is a plan. If there is, a fresh key is mailed, and the old one is refused once the mail has been sent. The mail has a link that brings the old key back. Where that was used in the last 30 days, the mail asks to confirm first.",
		Status:      http.StatusAccepted,
	}, func(ctx context.Context, in *recoverInput) error { _, err := address(in.Body.Email); return err }, s.recover)
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
	AcceptLanguage string `header:"Accept-Language"`
	emailBody
}

type recoverOutput struct {
	Status int
	Body   struct {
		Status string `json:"status" enum:"accepted"`
		Detail string `json:"detail"`
	}
}

// perAddress bounds how often anyone can have mail sent to an address.
var perAddress = limit.Limit{Name: "pro-recupera-address", Calls: 3, Window: time.Hour}

// recover does the same for every address: it counts, and leaves a job.
func (s *Service) recover(ctx context.Context, in *recoverInput) (*recoverOutput, error) {
	email, err := address(in.Body.Email)
	if err != nil {
		return nil, err
	}
	d, err := s.Limiter.Take(ctx, perAddress, string(s.customer(email)))
	if err != nil {
		s.Log.ErrorContext(ctx, "call not counted", "error", err)
	}
	if !d.Allowed {
		return nil, httpapi.TooMany.Problem("There were too many such calls for this address. Wait as Retry-After says.").
			With("Retry-After", fmt.Sprint(d.RetryAfter(s.Now())))
	}
	if err := s.Outbox.Put(ctx, store.Job{Kind: recoverKind, Email: email, Lang: i18n.Accepted(in.AcceptLanguage).Code, At: s.Now()}); err != nil {
		return nil, err
	}
	s.signal()
	out := &recoverOutput{Status: http.StatusAccepted}
	out.Body.Status = "accepted"
	out.Body.Detail = "If this address has a plan, a fresh key is on its way to it, and the old key stops working."
	return out, nil
}

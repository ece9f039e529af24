package pro

import (
	"context"
	"errors"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store"
)

// Mails with links to plans. Their tokens are derived from their jobs, so that a
// job done again mails the same link.

// sendManage mails a link to a plan, to an address that has one or had one.
func (s *Service) sendManage(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Email))
	if errors.Is(err, store.ErrNotFound) {
		return nil // the answer has promised nothing else
	}
	if err != nil {
		return err
	}
	if allowed, err := s.allowed(ctx, j); err != nil || !allowed {
		return err
	}
	token := s.name(string(manageLink), j.Name())
	note, err := s.seal(manageLink, token, managed{j.Email}, j.At.Add(manageTime))
	if err == nil {
		err = s.notes().Put(ctx, note)
	}
	if err != nil {
		return err
	}
	return s.send(ctx, j, mail.ManageMail, c, planPath+"?t="+token)
}

// sendMove asks the new address of a plan, which is told nothing of the present one.
func (s *Service) sendMove(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Ref))
	if errors.Is(err, store.ErrNotFound) {
		return nil // it has moved, or was erased, since
	}
	if err != nil {
		return err
	}
	if allowed, err := s.allowed(ctx, j); err != nil || !allowed {
		return err
	}
	token := s.name(string(moveLink), j.Name())
	note, err := s.seal(moveLink, token, moving{From: j.Ref, To: j.Email}, j.At.Add(moveTime))
	if err == nil {
		err = s.notes().Put(ctx, note)
	}
	if err != nil {
		return err
	}
	return s.send(ctx, j, mail.MoveMail, c, movePath+"?t="+token)
}

// sendMoved has the card processor write to the new address of a plan, and tells the former one.
func (s *Service) sendMoved(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Ref))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, pay.Timeout) // for all subscriptions: see sendTime
	defer cancel()
	payers, err := s.payers(asking, c)
	if err != nil {
		return err
	}
	for _, customer := range payers {
		if err := s.Checkout.Readdress(asking, customer, j.Ref); err != nil && !errors.Is(err, pay.ErrNoSuchCustomer) {
			return err
		}
	}
	return s.send(ctx, j, mail.MovedMail, c, "")
}

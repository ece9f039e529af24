package pro

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store"
)

// The token of a mailed link is derived from the mail's job, so that a retried job mails the same
// link.

func (s *Service) sendManage(ctx context.Context, j store.Job) error {
	return s.sendLink(ctx, j, j.Email, manageLink, managed{j.Email}, manageTime, mail.ManageMail, planPath)
}

// sendMove must not reveal the plan's present address to the new address.
func (s *Service) sendMove(ctx context.Context, j store.Job) error {
	return s.sendLink(ctx, j, j.Ref, moveLink, moving{From: j.Ref, To: j.Email}, moveTime, mail.MoveMail, movePath)
}

func (s *Service) sendLink(ctx context.Context, j store.Job, owner string, p purpose, about any, lasts time.Duration,
	write writeMail, path string) error {
	c, err := s.Keys.Customer(ctx, s.customer(owner))
	if err != nil {
		return withoutPlan(err)
	}
	if allowed, err := s.allowed(ctx, j); err != nil || !allowed {
		return err
	}
	token := s.name(string(p), j.Name())
	if err := s.keepNote(ctx, p, token, about, j.At.Add(lasts)); err != nil {
		return err
	}
	return s.send(ctx, j, write, c, path+"?t="+token)
}

// ErrNotFound is no failure here: the address never had a plan, or the plan was moved or erased.
func withoutPlan(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// sendMoved also changes the customer's address at the card processor.
func (s *Service) sendMoved(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Ref))
	if err != nil {
		return withoutPlan(err)
	}
	asking, cancel := context.WithTimeout(ctx, pay.Timeout) // one time limit for all calls together
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

package pay

import (
	"context"
	"time"
)

type Unsold struct{}

func (Unsold) Price(context.Context) (Price, error)                   { return Price{}, ErrNoPrice }
func (Unsold) Start(context.Context, StartRequest) (string, error)    { return "", ErrRefused }
func (Unsold) Session(context.Context, string) (Session, error)       { return Session{}, ErrNoSuchSession }
func (Unsold) Event([]byte, string, time.Time) (Event, error)         { return Event{}, ErrBadSignature }
func (Unsold) Portal(context.Context, string, string) (string, error) { return "", ErrNoSuchCustomer }
func (Unsold) Readdress(context.Context, string, string) error        { return ErrNoSuchCustomer }
func (Unsold) Forget(context.Context, string) error                   { return nil }
func (Unsold) Subscription(context.Context, string) (Subscription, error) {
	return Subscription{}, ErrNoSuchSubscription
}

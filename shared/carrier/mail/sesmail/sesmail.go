// Package sesmail sends mails through Amazon SES, whole (raw MIME), so that what
// is sent here is what a maildir holds, headers included. SES puts its own values
// for Message-ID and Date in place of ours.
//
// It promises what package mail promises, and this about repetition: a request
// that may have reached SES is never repeated, so one Send is at most one mail.
// What certainly did not go through (a throttle, a connection that could not be
// made) is tried again a few times, within Timeout.
package sesmail

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/runtime/awscall"
)

// Timeout is how long a Send may take, whatever its context allows.
const Timeout = 10 * time.Second

// tagName names the tag that a message's Tag is the value of, in SES's events and metrics.
const tagName = "kind"

// Config says who sends.
type Config struct {
	// From is an address of a verified identity, or Name <address>.
	From string
	// ConfigurationSet decides which events and metrics SES publishes; may be empty.
	ConfigurationSet string
	Now              func() time.Time
}

// Sender sends through SES.
type Sender struct {
	client  *sesv2.Client
	retryer aws.Retryer
	set     string
	compose *mail.Composer
}

var _ mail.Sender = (*Sender)(nil)

// New gives a sender over a client of SES. How often and how long the client waits
// between tries is kept; what it tries again is narrowed to what is safe.
func New(client *sesv2.Client, c Config) (*Sender, error) {
	compose, err := mail.NewComposer(c.From, c.Now)
	if err != nil {
		return nil, fmt.Errorf("open SES: %w", err)
	}
	return &Sender{client, safelyRetrying(client.Options().Retryer), c.ConfigurationSet, compose}, nil
}

// Send hands a message to SES.
func (s *Sender) Send(ctx context.Context, m mail.Message) error {
	raw, err := s.compose.Compose(m)
	if err != nil {
		return err
	}
	input := &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(s.compose.From()),
		Destination:      &types.Destination{ToAddresses: []string{m.To}},
		Content:          &types.EmailContent{Raw: &types.RawMessage{Data: raw}},
	}
	if s.set != "" {
		input.ConfigurationSetName = aws.String(s.set)
	}
	if m.Tag != "" {
		input.EmailTags = []types.MessageTag{{Name: aws.String(tagName), Value: aws.String(m.Tag)}}
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	tries := new(awscall.Tries)
	_, err = s.client.SendEmail(ctx, input, func(o *sesv2.Options) {
		o.Retryer, o.APIOptions = s.retryer, tries.Observe(o.APIOptions)
	})
	if err != nil {
		return wrapError(ctx, err, tries, m.To)
	}
	return nil
}

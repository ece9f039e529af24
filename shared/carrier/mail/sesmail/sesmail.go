// Package sesmail sends mails through Amazon SES as raw MIME. SES sets its own Message-ID and Date.
//
// One Send causes at most one mail: a request that SES may have accepted is never repeated.
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

const Timeout = 10 * time.Second

const tagName = "kind"

type Config struct {
	From             string // an address of a verified SES identity, or Name <address>
	ConfigurationSet string
	Now              func() time.Time
}

type Sender struct {
	client  *sesv2.Client
	retryer aws.Retryer
	set     string
	compose *mail.Composer
}

var _ mail.Sender = (*Sender)(nil)

func New(client *sesv2.Client, c Config) (*Sender, error) {
	compose, err := mail.NewComposer(c.From, c.Now)
	if err != nil {
		return nil, fmt.Errorf("open SES: %w", err)
	}
	return &Sender{client, safelyRetrying(client.Options().Retryer), c.ConfigurationSet, compose}, nil
}

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

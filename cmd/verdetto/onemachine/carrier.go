package onemachine

import (
	"context"
	"fmt"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"verdetto/shared/config"
	"verdetto/shared/mail"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/mail/sesmail"
	"verdetto/shared/mail/smtpmail"
)

// Carrier is what mail is handed to.
type Carrier struct {
	mail.Sender
	Rate float64 // of alerts in a second
}

// folderRate is how many mails a second go into a folder, which has no quota.
const folderRate = 1000

// OpenCarrier opens what a name stands for: smtp://HOST:587 or smtps://HOST:465 is
// a mail server, ses Amazon SES, and anything else a folder. The sender, the rate,
// and how a server is signed in to, are in the environment. A server is not
// connected to; watch, where it is not nil, is told of each step of each mail to one.
func OpenCarrier(ctx context.Context, name string, now func() time.Time, watch func(step string)) (Carrier, error) {
	server := smtpmail.IsServer(name)
	if !server && name != "ses" {
		folder, err := maildir.Open(name, now)
		return Carrier{folder, folderRate}, err
	}
	var outgoing config.Mail
	if !server {
		if err := config.Load(&outgoing); err != nil {
			return Carrier{}, fmt.Errorf("-mail ses: %w", err)
		}
		settings, err := awsconfig.LoadDefaultConfig(ctx)
		if err != nil {
			return Carrier{}, fmt.Errorf("-mail ses: load AWS configuration: %w", err)
		}
		sender, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: now})
		return Carrier{sender, outgoing.Rate}, err
	}
	at, err := smtpmail.ParseServer(name)
	if err != nil {
		return Carrier{}, fmt.Errorf("-mail: %w", err)
	}
	var account config.SMTP
	if err := config.Load(&outgoing, &account); err != nil {
		return Carrier{}, fmt.Errorf("-mail %s: %w", name, err)
	}
	sender, err := smtpmail.New(smtpmail.Config{Server: at, User: account.User, Password: account.Secret(), From: outgoing.From, Now: now, Watch: watch})
	return Carrier{sender, outgoing.Rate}, err
}

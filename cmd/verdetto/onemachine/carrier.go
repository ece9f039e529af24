package onemachine

import (
	"context"
	"fmt"
	"strings"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/carrier/mail/sesmail"
	"verdetto/shared/carrier/mail/smtpmail"
	"verdetto/shared/runtime/config"
)

type Carrier struct {
	mail.Sender
	Rate float64 // alerts per second
}

const folderRate = 1000

func IsFolder(name string) bool { return name != "ses" && !smtpmail.IsServer(name) }

func mailHost(name string) string {
	if at, err := smtpmail.ParseServer(name); err == nil {
		return at.Host
	}
	if IsFolder(name) {
		return ""
	}
	return "Amazon SES"
}

func CarrierFaults(name string) (faults []string) {
	if IsFolder(name) {
		return nil
	}
	var account config.SMTP
	faults = config.Faults(&config.Mail{}, &account)
	if !smtpmail.IsServer(name) {
		return faults
	}
	if _, err := smtpmail.ParseServer(name); err != nil {
		faults = append(faults, "VERDETTO_MAIL: "+err.Error())
	}
	if (account.User == "") != (account.Password == "") {
		faults = append(faults, "VERDETTO_SMTP_USER: of it and VERDETTO_SMTP_PASSWORD only one is given; give both, or neither where the server needs no user name")
	}
	return faults
}

// OpenCarrier takes ses, smtp://HOST:PORT, smtps://HOST:PORT or the name of a folder, and does not connect to a mail
// server. watch may be nil.
func OpenCarrier(ctx context.Context, name string, now func() time.Time, watch func(step string)) (Carrier, error) {
	if IsFolder(name) {
		folder, err := maildir.Open(name, now)
		return Carrier{folder, folderRate}, err
	}
	if faults := CarrierFaults(name); len(faults) > 0 {
		return Carrier{}, fmt.Errorf("open what carries mail:\n  %s", strings.Join(faults, "\n  "))
	}
	var outgoing config.Mail
	var account config.SMTP
	if err := config.Load(&outgoing, &account); err != nil {
		return Carrier{}, err
	}
	if !smtpmail.IsServer(name) {
		settings, err := awsconfig.LoadDefaultConfig(ctx)
		if err != nil {
			return Carrier{}, fmt.Errorf("-mail ses: load AWS configuration: %w", err)
		}
		sender, err := sesmail.New(sesv2.NewFromConfig(settings),
			sesmail.Config{From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: now})
		return Carrier{sender, outgoing.Rate}, err
	}
	at, err := smtpmail.ParseServer(name)
	if err != nil {
		return Carrier{}, fmt.Errorf("-mail: %w", err)
	}
	sender, err := smtpmail.New(smtpmail.Config{Server: at, User: account.User, Password: account.Password,
		From: outgoing.From, Now: now, Watch: watch})
	return Carrier{sender, outgoing.Rate}, err
}

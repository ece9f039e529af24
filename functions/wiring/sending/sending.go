// Package sending builds the senders of Lambda executables: SES for mail, SQS for signals to
// workers.
package sending

import (
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/functions/wiring"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/instrumented"
	"verdetto/shared/carrier/mail/sesmail"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/queue/sqsqueue"
)

func Mail(p wiring.Parts, outgoing config.Mail) mail.Sender {
	sender, err := sesmail.New(sesv2.NewFromConfig(p.AWS), sesmail.Config{
		From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: p.Now,
	})
	wiring.Must(err)
	return instrumented.Sender{Sender: sender, Log: p.Log, Metrics: p.Metrics, Now: p.Now}
}

// Queue returns nil if url is empty.
func Queue(p wiring.Parts, url string) queue.Queue {
	if url == "" {
		return nil
	}
	return sqsqueue.New(sqs.NewFromConfig(p.AWS), url)
}

// Signal returns nil if url is empty.
func Signal(p wiring.Parts, url string) func() {
	if url == "" {
		return nil
	}
	return queue.SignalWorker(Queue(p, url), p.Log)
}

// Package check tests package sqsqueue with moto, which stands in for SQS.
package check

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/queue/queuetest"
	"verdetto/shared/runtime/queue/sqsqueue"
)

func client(endpoint string, options ...func(*sqs.Options)) *sqs.Client {
	return sqs.New(sqs.Options{
		Region: motolocal.Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, options...)
}

type box struct {
	*sqsqueue.Queue
	client    *sqs.Client
	url, dead string
	handles   map[string]string
}

func open(t *testing.T, endpoint string) *box {
	t.Helper()
	c := client(endpoint)
	create := func(name string, attributes map[string]string) string {
		out, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name), Attributes: attributes})
		if err != nil {
			t.Fatal(err)
		}
		return aws.ToString(out.QueueUrl)
	}
	dead := create("dead", nil)
	url := create("queue", map[string]string{"VisibilityTimeout": "900", "RedrivePolicy": fmt.Sprintf(
		`{"deadLetterTargetArn":"arn:aws:sqs:%s:123456789012:dead","maxReceiveCount":"%d"}`, motolocal.Region, queuetest.Receives)})
	return &box{sqsqueue.New(c, url), c, url, dead, map[string]string{}}
}

func (b *box) receive(t *testing.T, url string, most int) []types.Message {
	t.Helper()
	out, err := b.client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(url), MaxNumberOfMessages: int32(most),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameApproximateReceiveCount},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Messages
}

func (b *box) Receive(t *testing.T, most int) (all []queue.Message) {
	for _, m := range b.receive(t, b.url, most) {
		id := aws.ToString(m.MessageId)
		b.handles[id] = aws.ToString(m.ReceiptHandle)
		n, err := strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, queue.Message{ID: id, Body: aws.ToString(m.Body), Received: n})
	}
	return all
}

func (b *box) Done(t *testing.T, messages ...queue.Message) {
	for _, m := range messages {
		_, err := b.client.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: aws.String(b.url), ReceiptHandle: aws.String(b.handles[m.ID])})
		if err != nil {
			t.Fatal(err)
		}
		delete(b.handles, m.ID)
	}
}

func (b *box) ExpireVisibility(t *testing.T) {
	for id, handle := range b.handles {
		_, err := b.client.ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{
			QueueUrl: aws.String(b.url), ReceiptHandle: aws.String(handle), VisibilityTimeout: 0,
		})
		if err != nil {
			t.Fatal(err)
		}
		delete(b.handles, id)
	}
}

func (b *box) Dead(t *testing.T) (all []string) {
	for _, m := range b.receive(t, b.dead, 10) {
		all = append(all, aws.ToString(m.Body))
	}
	return all
}

func TestPromises(t *testing.T) {
	queuetest.Run(t, func(t *testing.T) queuetest.Harness { return open(t, motolocal.Endpoint(t)) })
}

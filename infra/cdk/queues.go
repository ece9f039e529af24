package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

// queues are the work that is done behind the answers, each with the dead
// letters that it was given up for.
type queues struct {
	stack   awscdk.Stack
	workers int
	// ofFunction is the queue that a function works: of refresh the origins to
	// ask for, of pro and alerts the signals to look into the outbox.
	ofFunction map[string]queue
	// events takes the events that a function failed on, again and again:
	// schedules, notices of bounces.
	events awssqs.Queue
}

type queue struct{ work, dead awssqs.Queue }

// tries is how often a message is worked before it is a dead letter. A worker
// that is killed by a deployment or a throttle costs a try, so it is generous.
const tries = 5

func newQueues(stack awscdk.Stack, c config) queues {
	q := queues{stack: stack, workers: c.Workers, ofFunction: map[string]queue{}}
	dead := func(id, purpose string) awssqs.Queue {
		made := awssqs.NewQueue(stack, jsii.String(id), &awssqs.QueueProps{
			QueueName: jsii.String(c.Name + "-" + purpose + "-dead"), Encryption: awssqs.QueueEncryption_SQS_MANAGED,
			EnforceSSL:      jsii.Bool(true),
			RetentionPeriod: awscdk.Duration_Days(jsii.Number(14)),
		})
		name(made, id)
		return made
	}
	for _, f := range functions {
		if !f.queue {
			continue
		}
		id := title(f.name)
		delay := seconds(0)
		if f.http { // its answers signal jobs, which are due by then: see RandomDelay in package store
			delay = seconds(10)
		}
		letters := dead(id+"DeadLetters", f.name)
		work := awssqs.NewQueue(stack, jsii.String(id+"Queue"), &awssqs.QueueProps{
			QueueName: jsii.String(c.Name + "-" + f.name), Encryption: awssqs.QueueEncryption_SQS_MANAGED,
			EnforceSSL: jsii.Bool(true),
			// Six times what a worker may take, as Lambda advises: throttled batches come back in that time.
			VisibilityTimeout: seconds(6 * f.timeout),
			DeliveryDelay:     delay,
			RetentionPeriod:   awscdk.Duration_Days(jsii.Number(4)),
			DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: letters, MaxReceiveCount: jsii.Number(tries)},
		})
		name(work, id+"Queue")
		q.ofFunction[f.name] = queue{work, letters}
	}
	q.events = dead("EventDeadLetters", "events")
	return q
}

// addWorkers has each function work its queue.
func (q queues) addWorkers(l lambdas) {
	for _, f := range functions {
		if !f.queue {
			continue
		}
		workers := 2.0 // the least that SQS takes
		if f.name == "refresh" {
			workers = float64(q.workers)
		}
		mapping := awslambda.NewEventSourceMapping(q.stack, jsii.String(title(f.name)+"Work"),
			&awslambda.EventSourceMappingProps{
				Target:                  l.of(f.name),
				EventSourceArn:          q.ofFunction[f.name].work.QueueArn(),
				BatchSize:               jsii.Number(f.batch),
				MaxConcurrency:          jsii.Number(workers),
				ReportBatchItemFailures: jsii.Bool(true),
			})
		name(mapping, title(f.name)+"Work")
		mapping.Node().DefaultChild().(awslambda.CfnEventSourceMapping).SetFunctionName(l.live(f.name).FunctionArn())
	}
}

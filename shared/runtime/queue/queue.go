// Package queue is the interface to message queues: messages are sent now and
// handled later, in another process.
//
// # What a Queue promises
//
//   - A Send that returned nil has put every message on the queue.
//   - A Send that returned an error may have put a part of them there, so senders
//     must be able to send the same again, and workers to get the same twice.
//   - Each message is delivered at least once, in any order, at any time later.
//   - What a worker reports as failed, and what it never reports on because it was
//     killed, is delivered again after a while. What has been delivered too often
//     goes to the dead letters, where it waits for a person.
//
// The package queuetest holds the suite that proves this of an implementation.
package queue

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Queue is where messages are sent to. It is safe for concurrent use.
type Queue interface {
	// Send puts messages on the queue; none is no error.
	Send(ctx context.Context, messages ...string) error
}

// Message is one as it is delivered.
type Message struct {
	ID       string // of this message, the same in every delivery
	Body     string
	Received int // how often it has been delivered, this time included
}

// Handler works messages and says by ID which of them failed. The others are done
// and do not come back.
type Handler func(ctx context.Context, messages []Message) (failed []string)

// MaxBody is the largest message, in bytes.
const MaxBody = 64 << 10

// ErrInvalid: the message can never be sent. Nothing of the call was.
var ErrInvalid = errors.New("not a message")

// Validate checks a call to Send before any adapter acts on it.
func Validate(messages []string) error {
	for i, m := range messages {
		switch {
		case m == "":
			return fmt.Errorf("%w: number %d is empty", ErrInvalid, i+1)
		case len(m) > MaxBody:
			return fmt.Errorf("%w: number %d has %d bytes, at most %d go", ErrInvalid, i+1, len(m), MaxBody)
		case !sendable(m):
			return fmt.Errorf("%w: number %d is no text", ErrInvalid, i+1)
		}
	}
	return nil
}

// sendable tells whether every queue takes a text: SQS refuses most control characters.
func sendable(m string) bool {
	if !utf8.ValidString(m) {
		return false
	}
	for _, r := range m {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return true
}

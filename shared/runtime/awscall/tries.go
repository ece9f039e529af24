// Package awscall reports whether a failed call to AWS may have taken effect.
package awscall

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Tries observes the tries of one call. Each call needs its own value.
type Tries struct {
	// Ambiguous is set if a try went over the network and AWS did not answer with a refusal.
	Ambiguous bool
	sent      bool
}

// Observe returns the options of a call with the middleware that observes its tries. The
// middleware sits inside the SDK's retry loop: around the signing of a request, and before the
// HTTP client.
func (t *Tries) Observe(options []func(*middleware.Stack) error) []func(*middleware.Stack) error {
	each := func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
		middleware.FinalizeOutput, middleware.Metadata, error) {
		t.sent = false
		out, data, err := next.HandleFinalize(ctx, in)
		if err != nil && t.sent && !IsRefused(err) && !IsUndialled(err) {
			t.Ambiguous = true
		}
		return out, data, err
	}
	last := func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
		middleware.DeserializeOutput, middleware.Metadata, error) {
		t.sent = true
		return next.HandleDeserialize(ctx, in)
	}
	return append(options[:len(options):len(options)], func(s *middleware.Stack) error {
		return errors.Join(
			s.Finalize.Insert(middleware.FinalizeMiddlewareFunc("UnansweredTries", each), "Retry", middleware.After),
			s.Deserialize.Add(middleware.DeserializeMiddlewareFunc("RequestHandedOver", last), middleware.After))
	})
}

// IsRefused reports whether AWS answered that it did not execute the request.
func IsRefused(err error) bool {
	var response *smithyhttp.ResponseError
	return errors.As(err, &response) && response.Response != nil && response.HTTPStatusCode()/100 == 4 &&
		response.HTTPStatusCode() != http.StatusRequestTimeout
}

// IsUndialled reports whether no connection existed that could have carried the request.
func IsUndialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

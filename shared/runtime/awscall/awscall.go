// Package awscall reports whether a failed call to AWS may have taken effect.
package awscall

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Each call to AWS needs a Tries of its own.
type Tries struct {
	// Ambiguous means that AWS may have executed a try that failed.
	Ambiguous bool
	sent      bool
}

// The middleware runs inside the SDK's retry loop, once for each try.
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

// IsRefused reports whether AWS answered that the request was not executed.
func IsRefused(err error) bool {
	var response *smithyhttp.ResponseError
	return errors.As(err, &response) && response.Response != nil && response.HTTPStatusCode()/100 == 4 &&
		response.HTTPStatusCode() != http.StatusRequestTimeout
}

// IsUndialled reports whether the request was certainly not sent, because no connection was made.
func IsUndialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func Log(to *slog.Logger) logging.LoggerFunc {
	return func(kind logging.Classification, format string, values ...any) {
		level := slog.LevelDebug
		if kind == logging.Warn {
			level = slog.LevelWarn
		}
		to.Log(context.Background(), level, fmt.Sprintf(format, values...), "from", "AWS SDK")
	}
}

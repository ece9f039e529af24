// Package lambdalog makes the log of an executable on Lambda: lines of JSON with
// the platform's names of fields, at the level that the platform sets. Each line
// has one requestId: that of the call, as its caller was told it, where the line
// is about one (httpapi.RequestLog), and otherwise the invocation's. Where both
// are known the invocation's is there as invocationId: the platform's own lines
// and traces go by it.
package lambdalog

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

const (
	requestID    = "requestId"
	invocationID = "invocationId"
)

// New is the log of this process.
func New() *slog.Logger { return to(os.Stdout, os.Getenv("AWS_LAMBDA_LOG_LEVEL")) }

// to writes a log of a level; what is no level of slog's is INFO.
func to(w io.Writer, name string) *slog.Logger {
	var level slog.Level
	if level.UnmarshalText([]byte(name)) != nil {
		level = slog.LevelInfo
	}
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level,
		ReplaceAttr: lambdacontext.ReplaceAttr})})
}

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, line slog.Record) error {
	if invocation, ok := lambdacontext.FromContext(ctx); ok {
		as := requestID
		line.Attrs(func(a slog.Attr) bool {
			if a.Key == requestID {
				as = invocationID
			}
			return as == requestID
		})
		line.AddAttrs(slog.String(as, invocation.AwsRequestID))
	}
	return h.Handler.Handle(ctx, line)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// Package lambdalog creates the log of a Lambda program: JSON lines with the field names of AWS
// Lambda, at the level that Lambda sets.
//
// In a line about an HTTP call, requestId is the id that the caller received, and invocationId is the id of the
// Lambda call.
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

func New() *slog.Logger { return newLog(os.Stdout, os.Getenv("AWS_LAMBDA_LOG_LEVEL")) }

func newLog(w io.Writer, name string) *slog.Logger {
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

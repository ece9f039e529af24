package lambdalog

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

func TestALineHasOneRequest(t *testing.T) {
	invoked := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "of-lambda"})
	for name, c := range map[string]struct {
		ctx                 context.Context
		attrs               []slog.Attr
		request, invocation string
	}{
		"a call":         {invoked, []slog.Attr{slog.Int("status", 200), slog.String("requestId", "of-the-call")}, "of-the-call", "of-lambda"},
		"an event":       {invoked, []slog.Attr{slog.Int("jobs", 2)}, "of-lambda", ""},
		"as it starts":   {t.Context(), nil, "", ""},
		"on one machine": {t.Context(), []slog.Attr{slog.String("requestId", "of-the-call")}, "of-the-call", ""},
	} {
		var out bytes.Buffer
		log := newLog(&out, "INFO")
		log.LogAttrs(c.ctx, slog.LevelInfo, "done", c.attrs...)
		log.DebugContext(c.ctx, "not at this level")
		var line struct{ Timestamp, Level, Message, RequestID, InvocationID string }
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out.Bytes())
		}
		if n := bytes.Count(out.Bytes(), []byte(`"requestId"`)); n != min(1, len(c.request)) {
			t.Errorf("%s: %d ids: %s", name, n, out.Bytes())
		}
		if line.RequestID != c.request || line.InvocationID != c.invocation || line.Timestamp == "" || line.Level != "INFO" || line.Message != "done" {
			t.Errorf("%s: %s", name, out.Bytes())
		}
	}
}

func TestLevels(t *testing.T) {
	for name, want := range map[string][3]bool{
		"DEBUG": {true, true, true}, "INFO": {false, true, true}, "WARN": {false, false, true}, "TRACE": {false, true, true}, "": {false, true, true},
	} {
		log := newLog(&bytes.Buffer{}, name)
		got := [3]bool{log.Enabled(t.Context(), slog.LevelDebug), log.Enabled(t.Context(), slog.LevelInfo), log.Enabled(t.Context(), slog.LevelWarn)}
		if got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/verdict"
)

// BenchmarkFloor reports the processor time of an answer on Lambda as a multiple of the time of a
// minimal program that makes the same calls to the store and sends the same answer.
func BenchmarkFloor(b *testing.B) {
	const rounds, turns, calls = 6, 10, 20
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as GOGC on Lambda
	now := func() time.Time { return fixture.Today }
	table := &replayed{Table: fixture.Unlimited{Table: dynamolocal.Table(b, now)}}
	fixture.Refreshed(b, table.Table, fixture.Invent(45_000, verdict.HistoryDays-1, fare.DayOf(fixture.Today)), now)
	ours := lambda.NewHandler(lambdahttp.Adapt(fixture.New(b, onemachine.Options{Table: table, Source: fixture.Fares(nil),
		Now: now, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))}).API))
	for name, target := range map[string]string{"verdict": fixture.Question, "departure": fixture.Question + "&partenza=2016-04-20"} {
		b.Run(name, func(b *testing.B) {
			payload := event(b, target)
			ask := func(h lambda.Handler) []byte {
				answer, err := h.Invoke(b.Context(), payload)
				if err != nil || !bytes.HasPrefix(answer, []byte(`{"statusCode":200`)) {
					b.Fatalf("%.300s %v", answer, err)
				}
				return answer
			}
			ask(ours) // fills the caches of the process
			table.recording, table.calls = true, nil
			answer := ask(ours)
			table.recording = false
			steps := table.calls
			var same events.APIGatewayV2HTTPResponse
			if err := json.Unmarshal(answer, &same); err != nil {
				b.Fatal(err)
			}
			floor := lambda.NewHandler(func(ctx context.Context, _ events.APIGatewayV2HTTPRequest) (
				events.APIGatewayV2HTTPResponse, error) {
				for _, step := range steps {
					if err := step(ctx); err != nil {
						return same, err
					}
				}
				return same, nil
			})
			spent := func(h lambda.Handler) time.Duration {
				before := processorTime(b)
				for range calls {
					ask(h)
				}
				return processorTime(b) - before
			}
			var ratios []float64
			for range 1 + rounds {
				var service, least time.Duration
				for range turns {
					service, least = service+spent(ours), least+spent(floor)
				}
				ratios = append(ratios, float64(service)/float64(least))
			}
			ratios = ratios[1:] // the first round is a warm-up
			slices.Sort(ratios)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric((ratios[rounds/2-1]+ratios[rounds/2])/2, "x-floor")
			b.ReportMetric(ratios[0], "min")
			b.ReportMetric(ratios[rounds-1], "max")
		})
	}
}

func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type replayed struct {
	store.Table
	recording bool
	calls     []func(context.Context) error
}

func (r *replayed) note(call func(context.Context) error) {
	if r.recording {
		r.calls = append(r.calls, call)
	}
}

func (r *replayed) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	r.note(func(ctx context.Context) error {
		_, err := r.Table.Get(ctx, key, read)
		return err
	})
	return r.Table.Get(ctx, key, read)
}

func (r *replayed) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	r.note(func(ctx context.Context) error {
		_, err := r.Table.Take(ctx, key, n, limit, expires)
		return err
	})
	return r.Table.Take(ctx, key, n, limit, expires)
}

// Package metrics makes log lines that CloudWatch reads metrics from (its embedded
// metric format): the figures stand in the line that is logged anyway, so measuring
// makes no call and no line of its own, and whoever reads the log sees them too.
//
// It promises that a line so made conforms to the format, and that without a
// Source nothing is added to it. The attributes have to end at the root of a JSON
// line: in no group.
package metrics

import (
	"log/slog"
	"slices"
	"time"
)

// Namespace is that of all metrics of the service.
const Namespace = "Verdetto"

// Unit of a metric, in CloudWatch's words.
type Unit string

// The units in use.
const (
	Count        Unit = "Count"
	Milliseconds Unit = "Milliseconds"
	None         Unit = "None"
)

// Metric is a figure.
type Metric struct {
	Name  string
	Unit  Unit
	Value float64
	// By names further attributes of the same line whose values tell figures
	// apart, as in a latency for each route. Each combination of values is a
	// metric of its own, and is paid for: name what has few values. One name has one
	// value in a line.
	By []slog.Attr
}

// Source says whose metrics these are. The zero Source makes none.
type Source struct{ function string }

// Of is the source of a function, which has to be a plain name.
func Of(function string) Source { return Source{function} }

// directive tells CloudWatch which members of the line are metrics, and by what they are told apart.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

type definition struct {
	Name string
	Unit Unit
}

type header struct {
	Timestamp         int64 // milliseconds
	CloudWatchMetrics []directive
}

// Attrs gives what has to be in a line for it to hold the metrics. A metric is told
// apart by function, and with By, in addition to that, by function and By.
func (s Source) Attrs(now time.Time, metrics ...Metric) []slog.Attr {
	if s.function == "" || len(metrics) == 0 {
		return nil
	}
	attrs := []slog.Attr{slog.String("function", s.function)}
	h := header{Timestamp: now.UnixMilli()}
	for _, m := range metrics {
		dimensions := [][]string{{"function"}}
		if len(m.By) > 0 {
			by := []string{"function"}
			for _, a := range m.By {
				by = append(by, a.Key)
				if !slices.ContainsFunc(attrs, func(b slog.Attr) bool { return b.Key == a.Key }) {
					attrs = append(attrs, a)
				}
			}
			dimensions = append(dimensions, by)
		}
		attrs = append(attrs, slog.Float64(m.Name, m.Value))
		if n := len(h.CloudWatchMetrics); n > 0 && len(dimensions) == 1 && len(h.CloudWatchMetrics[n-1].Dimensions) == 1 {
			last := &h.CloudWatchMetrics[n-1]
			last.Metrics = append(last.Metrics, definition{m.Name, m.Unit})
			continue
		}
		h.CloudWatchMetrics = append(h.CloudWatchMetrics, directive{Namespace, dimensions, []definition{{m.Name, m.Unit}}})
	}
	return append(attrs, slog.Any("_aws", h))
}

// Package metrics makes log lines that CloudWatch reads metrics from (its embedded
// metric format): the figures stand in the line that is logged anyway, so measuring
// makes no call and no line of its own, and whoever reads the log sees them too.
//
// It promises that a line so made conforms to the format, and that without a
// Source nothing is added to it. The attributes have to end at the root of a JSON
// line: in no group.
package metrics

import (
	"cmp"
	"log/slog"
	"strings"
	"time"
)

// Namespace is that of all metrics of the service.
const Namespace = "Verdetto"

// Unit of a metric, in CloudWatch's words.
type Unit string

// The units in use.
const (
	Count Unit = "Count"
	None  Unit = "None"
)

// Metric is a figure.
type Metric struct {
	Name  string
	Unit  Unit
	Value float64
}

// Source says whose metrics these are. The zero Source makes none.
type Source struct{ stack, function string }

// Of is the source of a function by its whole name on Lambda, STACK-FUNCTION. Of a name
// that is not of a stack, as SAM gives functions here, the stack is "local".
func Of(name string) Source {
	i := strings.LastIndexByte(name, '-')
	return Source{cmp.Or(name[:max(i, 0)], "local"), name[i+1:]}
}

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

// Attrs gives what has to be in a line for it to hold the metrics. Each is told apart by
// stack and function. More dimensions are a metric for each of their values, which is paid for:
// a query of the log tells apart what else is in the line, for nothing.
func (s Source) Attrs(now time.Time, metrics ...Metric) []slog.Attr {
	if s.function == "" || len(metrics) == 0 {
		return nil
	}
	attrs := []slog.Attr{slog.String("stack", s.stack), slog.String("function", s.function)}
	d := directive{Namespace: Namespace, Dimensions: [][]string{{"stack", "function"}}}
	for _, m := range metrics {
		attrs = append(attrs, slog.Float64(m.Name, m.Value))
		d.Metrics = append(d.Metrics, definition{m.Name, m.Unit})
	}
	return append(attrs, slog.Any("_aws", header{now.UnixMilli(), []directive{d}}))
}

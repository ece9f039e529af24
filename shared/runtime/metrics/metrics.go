// Package metrics adds metrics to log lines in CloudWatch's embedded metric format. CloudWatch
// reads the metrics from the log, so measuring needs no request, and people see the values in the
// log.
//
// Every line conforms to the format. With the zero Source, nothing is added. The attributes must
// be at the root of a JSON line, not inside a group.
package metrics

import (
	"cmp"
	"log/slog"
	"strings"
	"time"
)

// Namespace holds all metrics of the service.
const Namespace = "Verdetto"

// Unit is the unit of a metric in CloudWatch's words.
type Unit string

// The units in use.
const (
	Count Unit = "Count"
	None  Unit = "None"
)

// Metric is a named value.
type Metric struct {
	Name  string
	Unit  Unit
	Value float64
}

// Source identifies the function that a metric belongs to. The zero Source adds no metrics.
type Source struct{ stack, function string }

// NewSource returns the source of a function by its full Lambda name, STACK-FUNCTION. The stack is
// "local" for a name without a stack, as SAM uses on this machine.
func NewSource(name string) Source {
	i := strings.LastIndexByte(name, '-')
	return Source{cmp.Or(name[:max(i, 0)], "local"), name[i+1:]}
}

// directive tells CloudWatch which members of the line are metrics and which are dimensions.
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

// Attrs returns the attributes that add metrics to a line, with stack and function as dimensions.
// Each value of a further dimension would cost money. Log queries can group by the other fields
// for free.
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

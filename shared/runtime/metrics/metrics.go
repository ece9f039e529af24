// Package metrics adds metrics to log lines in CloudWatch's embedded metric format. CloudWatch
// reads the metrics from the log, so measuring needs no request, and people see the values in the
// log.
//
// The attributes must be at the root of a JSON line, not inside a group.
package metrics

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"
)

const Namespace = "Verdetto"

type Unit string

const (
	Count Unit = "Count"
	None  Unit = "None"
)

type Metric struct {
	Name  string
	Unit  Unit
	Value float64
}

// Source is the function that a metric belongs to. The zero Source adds no metrics.
type Source struct{ stack, function string }

// NewSource parses a function's full Lambda name, STACK-FUNCTION. The stack is "local" for a name
// without one, as SAM uses on this machine.
func NewSource(name string) Source {
	i := strings.LastIndexByte(name, '-')
	return Source{cmp.Or(name[:max(i, 0)], "local"), name[i+1:]}
}

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

// Attrs returns the attributes that add metrics to a line. Counts of zero are left out, because
// CloudWatch charges for each hour in which a metric has a value. The only dimensions are stack and
// function, because each value of a further one would cost as much; log queries can group by any
// field.
func (s Source) Attrs(now time.Time, metrics ...Metric) []slog.Attr {
	metrics = slices.DeleteFunc(metrics, func(m Metric) bool { return m.Unit == Count && m.Value == 0 })
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

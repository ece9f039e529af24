// Package metrics adds metrics to log lines in CloudWatch's embedded metric format.
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

// The zero Source adds no metrics.
type Source struct{ stack, function string }

// NewSource parses a Lambda name of the form STACK-FUNCTION. Without a stack, the stack is "local".
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
	Timestamp         int64 // in milliseconds
	CloudWatchMetrics []directive
}

// Attrs omits counts of zero, because CloudWatch charges for each metric in each hour with a value.
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

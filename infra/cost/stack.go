package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stack is what the synthesized templates hold of things that cost something, or bound what a flood costs.
type stack struct {
	alarms, alarmMetrics int
	metrics              int // of our own, which alarms and dashboards look at; those of AWS's services cost nothing
	dashboards           int
	rules                int // of the firewall
	keys, secrets        int
	queues               int // that functions work

	throughput, webhook float64 // calls a second that API Gateway lets through: all, and deliveries of Stripe
	// calls in five minutes that the firewall lets through of one address, and of one that calls for many
	perAddress, perRelay float64
}

// resource is one of a template.
type resource struct {
	Type       string
	Properties map[string]any
}

// read counts what the templates of a folder hold, as make synth writes it.
func read(folder string) (s stack, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.template.json"))
	if err != nil {
		return s, fmt.Errorf("find templates: %w", err)
	}
	if len(files) == 0 {
		return s, fmt.Errorf("find templates: none in %s; make synth writes them", folder)
	}
	metrics := ownMetrics{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		var template struct{ Resources map[string]resource }
		if err == nil {
			err = json.Unmarshal(data, &template)
		}
		if err != nil {
			return s, fmt.Errorf("read template: %w", err)
		}
		for _, r := range template.Resources {
			if err := s.add(r, metrics); err != nil {
				return s, fmt.Errorf("read template %s: %w", file, err)
			}
		}
		s.secrets = max(s.secrets, min(1, strings.Count(string(data), "{{resolve:secretsmanager:")))
	}
	s.metrics = len(metrics)
	return s, nil
}

// ownMetrics are the metrics of our own that are looked at.
type ownMetrics map[string]bool

func (w ownMetrics) note(namespace any, rest ...any) {
	if space, _ := namespace.(string); space != "" && !strings.HasPrefix(space, "AWS/") {
		w[space+fmt.Sprint(rest...)] = true
	}
}

// add counts a resource, and notes the metrics of our own that it looks at.
func (s *stack) add(r resource, metrics ownMetrics) error {
	p := r.Properties
	switch r.Type {
	case "AWS::KMS::Key":
		s.keys++
	case "AWS::Lambda::EventSourceMapping":
		s.queues++
	case "AWS::CloudWatch::Alarm":
		s.addAlarm(p, metrics)
	case "AWS::CloudWatch::Dashboard":
		return s.addDashboard(p, metrics)
	case "AWS::WAFv2::WebACL":
		for _, rule := range items(p["Rules"]) {
			s.rules++
			limit, _ := get(rule, "Statement", "RateBasedStatement", "Limit").(float64)
			switch get(rule, "Name") {
			case "rate":
				s.perAddress = limit
			case "rate-relayed":
				s.perRelay = limit
			}
		}
	case "AWS::ApiGatewayV2::Stage":
		s.throughput, _ = get(p, "DefaultRouteSettings", "ThrottlingRateLimit").(float64)
		routes, _ := p["RouteSettings"].(map[string]any)
		for key, settings := range routes {
			rate, _ := get(settings, "ThrottlingRateLimit").(float64)
			s.throughput += rate
			if strings.HasSuffix(key, "/pro/webhook") {
				s.webhook += rate
			}
		}
	}
	return nil
}

func (s *stack) addAlarm(p map[string]any, metrics ownMetrics) {
	s.alarms++
	looks := 0
	for _, m := range items(p["Metrics"]) {
		if metric, ok := get(m, "MetricStat", "Metric").(map[string]any); ok {
			looks++
			metrics.note(metric["Namespace"], metric["MetricName"], values(metric["Dimensions"]))
		}
	}
	metrics.note(p["Namespace"], p["MetricName"], values(p["Dimensions"]))
	s.alarmMetrics += max(looks, 1)
}

func (s *stack) addDashboard(p map[string]any, metrics ownMetrics) error {
	s.dashboards++
	var board any
	if err := json.Unmarshal([]byte(text(p["DashboardBody"])), &board); err != nil {
		return fmt.Errorf("dashboard: %w", err)
	}
	for _, w := range items(get(board, "widgets")) {
		for _, m := range items(get(w, "properties", "metrics")) {
			if row := items(m); len(row) > 1 {
				var dimensions []any
				for i := 3; i < len(row); i += 2 {
					dimensions = append(dimensions, row[i])
				}
				metrics.note(row[0], row[1], dimensions)
			}
		}
	}
	return nil
}

// get follows keys into a value of JSON.
func get(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func items(v any) []any { l, _ := v.([]any); return l }

// values are those of an alarm's dimensions.
func values(dimensions any) (all []any) {
	for _, d := range items(dimensions) {
		all = append(all, text(get(d, "Value")))
	}
	return all
}

// text is a value as CloudFormation would write it, with a word in the place of each reference.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if join := items(get(v, "Fn::Join")); len(join) == 2 {
		var b strings.Builder
		for _, part := range items(join[1]) {
			b.WriteString(text(part))
		}
		return b.String()
	}
	return "reference"
}

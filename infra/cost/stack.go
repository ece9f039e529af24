package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stack holds figures from the synthesized templates: what costs money, and what limits the cost of
// an attack by many requests.
type stack struct {
	alarms, alarmMetrics int
	metrics              int // our own, in alarms and dashboards; those of AWS are free
	dashboards           int
	rules                int // of the firewall
	keys, secrets        int
	queues               int // processed by functions

	throughput, webhook float64 // calls per second by API Gateway: all, and Stripe's
	// The firewall's limits in requests per five minutes: for a usual address, and for an address
	// that relays calls of many people.
	perAddress, perRelay float64
}

// resource is one resource of a template.
type resource struct {
	Type       string
	Properties map[string]any
}

// read counts the contents of the templates in a folder, as make synth writes it.
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

// ownMetrics is the set of our own metrics that alarms and dashboards use.
type ownMetrics map[string]bool

func (w ownMetrics) note(namespace any, rest ...any) {
	if space, _ := namespace.(string); space != "" && !strings.HasPrefix(space, "AWS/") {
		w[space+fmt.Sprint(rest...)] = true
	}
}

// add counts a resource and records our own metrics that it uses.
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

// get follows keys into a JSON value.
func get(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func items(v any) []any { l, _ := v.([]any); return l }

// values returns the values of an alarm's dimensions.
func values(dimensions any) (all []any) {
	for _, d := range items(dimensions) {
		all = append(all, text(get(d, "Value")))
	}
	return all
}

// text returns a value as CloudFormation would write it, with a word in place of each reference.
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

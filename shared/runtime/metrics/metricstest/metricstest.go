// Package metricstest reads log lines as CloudWatch does. It checks a line against the
// specification of the embedded metric format and returns its metrics.
package metricstest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed emf.schema.json
var text []byte

var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("emf.schema.json", document); err != nil {
		return nil, err
	}
	return compiler.Compile("emf.schema.json")
})

// The keys of the result consist of namespace, dimensions, name and unit, such as "Verdetto function=analisi
// route=rotte LatencyMs (Milliseconds)".
func Read(line []byte) (map[string]float64, error) {
	s, err := schema()
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return nil, fmt.Errorf("read line: %w", err)
	}
	if err := s.Validate(document); err != nil {
		return nil, err
	}
	if err := unique(line); err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, err
	}
	var header struct {
		Aws struct {
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	if err := json.Unmarshal(line, &header); err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for _, d := range header.Aws.CloudWatchMetrics {
		for _, set := range d.Dimensions {
			where := []string{d.Namespace}
			for _, name := range set {
				value, ok := members[name].(string)
				if !ok || value == "" || len(value) > 1024 {
					return nil, fmt.Errorf("dimension %s is %v", name, members[name])
				}
				where = append(where, name+"="+value)
			}
			for _, m := range d.Metrics {
				value, ok := members[m.Name].(float64)
				if !ok {
					return nil, fmt.Errorf("metric %s is %v", m.Name, members[m.Name])
				}
				values[strings.Join(append(where, m.Name), " ")+" ("+m.Unit+")"] = value
			}
		}
	}
	return values, nil
}

func unique(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name := token.(string)
		if seen[name] {
			return fmt.Errorf("member %s stands there twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

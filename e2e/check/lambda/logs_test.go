package lambda

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// A log line must match none of these expressions.
	email = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z]{2,}`)
	token = regexp.MustCompile(`\bcs_(?:test|live)_\w+|\bwhsec_\w+|\bsk_(?:test|live)_\w+|[?&](?:t|id|token|session_id)=`)
	key   = regexp.MustCompile(`\bvd_\w+`)
	addr  = regexp.MustCompile(`\b(?:203\.0\.113|198\.51\.100)\.\d+\b`) // addresses of CloudFront and of callers in the events
)

func faultsOfLog(logs, event []byte) (faults []string) {
	private := sent(event)
	for line := range bytes.Lines(logs) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			faults = append(faults, fmt.Sprintf("a line is not JSON: %s", line))
			continue
		}
		if id, _ := fields["requestId"].(string); id == "" {
			faults = append(faults, fmt.Sprintf("a line does not say of which request it is: %s", line))
		}
		if bytes.Count(line, []byte(`"requestId":`)) > 1 {
			faults = append(faults, fmt.Sprintf("a line is of two requests: %s", line))
		}
		for _, form := range []*regexp.Regexp{email, token, key, addr} {
			if found := form.Find(line); found != nil {
				faults = append(faults, fmt.Sprintf("a line holds %q: %s", found, line))
			}
		}
		for _, p := range private {
			if bytes.Contains(line, []byte(p)) {
				faults = append(faults, fmt.Sprintf("a line holds %q, which the caller has sent: %s", p, line))
			}
		}
	}
	return faults
}

// sent omits short values, which could occur in a log by chance.
func sent(event []byte) []string {
	var e struct {
		RawQueryString string
		Body           string
		Headers        map[string]string
	}
	if json.Unmarshal(event, &e) != nil {
		return nil
	}
	var words []string
	add := func(s string) {
		if len(s) >= 12 {
			words = append(words, s)
		}
	}
	if values, err := url.ParseQuery(e.RawQueryString); err == nil {
		for _, v := range values {
			for _, s := range v {
				add(s)
			}
		}
	}
	var body map[string]any
	if json.Unmarshal([]byte(e.Body), &body) == nil {
		for _, v := range body {
			if s, ok := v.(string); ok {
				add(s)
			}
		}
	}
	for name, v := range e.Headers {
		if slices.Contains([]string{"x-api-key", "authorization", "x-origin-secret", "stripe-signature", "cloudfront-viewer-address", "cookie", "idempotency-key"}, strings.ToLower(name)) {
			add(v)
		}
	}
	return words
}

func TestPersonalIsSeen(t *testing.T) {
	event := []byte(`{"rawQueryString":"t=an-opaque-token-of-a-link","body":"{\"email\":\"ada@example.com\"}","headers":{"x-origin-secret":"only-the-edge-knows"}}`)
	for name, line := range map[string]string{
		"address":      `{"requestId":"1","to":"ada@example.com"}`,
		"session":      `{"requestId":"1","s":"cs_test_a1b2"}`,
		"link":         `{"requestId":"1","path":"/v1/alerts/manage?t=x"}`,
		"key":          `{"requestId":"1","key":"vd_abc"}`,
		"proxy":        `{"requestId":"1","from":"203.0.113.9"}`,
		"caller":       `{"requestId":"1","from":"198.51.100.23"}`,
		"query":        `{"requestId":"1","was":"an-opaque-token-of-a-link"}`,
		"header":       `{"requestId":"1","was":"only-the-edge-knows"}`,
		"two requests": `{"requestId":"1","requestId":"2"}`,
		"no request":   `{"message":"hello"}`,
		"not a field":  `hello`,
	} {
		if len(faultsOfLog([]byte(line), event)) == 0 {
			t.Errorf("%s is let pass: %s", name, line)
		}
	}
}

package webhook_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
)

// TestProvePublishedLibrary verifies events with the Python library that owners of endpoints use.
// They are valid with the current and the previous secret, but not with another secret or body, or
// a day later.
func TestProvePublishedLibrary(t *testing.T) {
	python := testenv.Tool(t, "standard-webhooks", "bin", "python")
	w := fresh(t)
	w.clock.Add(time.Since(w.clock.Now())) // the library rejects old signatures
	a := w.alert("ada", "BUH", url)
	w.deliver(a, "m1")
	w.work()
	first := w.Secrets.Secret(a.Subscriber, url, 0)
	second, err := w.Secrets.Rotate(t.Context(), w.Deliveries, a.Subscriber, url, w.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	w.deliver(a, "m2")
	w.work()
	if len(w.got) != 3 {
		t.Fatalf("%d requests", len(w.got))
	}
	var input bytes.Buffer
	lines := json.NewEncoder(&input)
	var want []string
	say := func(r received, secret, body, verdict string) {
		headers := map[string]string{}
		for name := range r.header {
			headers[strings.ToLower(name)] = r.header.Get(name)
		}
		if err := lines.Encode(map[string]any{"secret": secret, "body": body, "headers": headers}); err != nil {
			t.Fatal(err)
		}
		want = append(want, verdict)
	}
	test, m1, m2 := w.got[0], w.got[1], w.got[2]
	say(test, first, string(test.body), "verified alert.test")
	say(m1, first, string(m1.body), "verified alert.fare")
	say(m1, second, string(m1.body), "refused No matching signature found")
	say(m2, first, string(m2.body), "verified alert.fare")
	say(m2, second, string(m2.body), "verified alert.fare")
	say(m2, w.Secrets.Secret("bob", url, 1), string(m2.body), "refused No matching signature found")
	say(m2, second, string(m2.body)+" ", "refused No matching signature found")
	m2.header.Set("Webhook-Timestamp", "1700000000")
	say(m2, second, string(m2.body), "refused Message timestamp too old")

	command := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "verify.py"))
	command.Stdin = &input
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(said)), "\n")); diff != "" {
		t.Error(diff)
	}
}

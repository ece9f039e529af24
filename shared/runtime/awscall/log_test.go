package awscall

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/aws/smithy-go/logging"
)

func TestLog(t *testing.T) {
	var out bytes.Buffer
	Log(slog.New(slog.NewJSONHandler(&out, nil))).Logf(logging.Warn, "failed to close %s", "a body")
	var line struct{ Level, Msg, From string }
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Level != "WARN" ||
		line.Msg != "failed to close a body" || line.From != "AWS SDK" {
		t.Errorf("%v: %s", err, out.Bytes())
	}
}

package awscall

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/aws/smithy-go/logging"
)

// Log writes what the AWS SDK logs as JSON lines of the log.
func Log(to *slog.Logger) logging.LoggerFunc {
	return func(kind logging.Classification, format string, values ...any) {
		level := slog.LevelDebug
		if kind == logging.Warn {
			level = slog.LevelWarn
		}
		to.Log(context.Background(), level, fmt.Sprintf(format, values...), "from", "AWS SDK")
	}
}

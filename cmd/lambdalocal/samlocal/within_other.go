//go:build !linux

package samlocal

import (
	"context"
	"fmt"
	"os/exec"
)

func inside() bool { return false }

// Within is for Linux.
func Within(context.Context, string, ...string) (*exec.Cmd, error) {
	return nil, fmt.Errorf("%w answers: start Docker", ErrNoEngine)
}

func startEngine(context.Context, string) (*Engine, error) { return nil, ErrNoEngine }

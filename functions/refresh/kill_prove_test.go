package refresh_test

import "testing"

func TestProveKilledAndResumed(t *testing.T) { killAndResume(t, 10) }

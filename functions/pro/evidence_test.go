package pro_test

import "testing"

// TestEvidenceStrangers is TestStrangersForAMonth with a hundred of them.
func TestEvidenceStrangers(t *testing.T) { strangersForAMonth(t, 100) }

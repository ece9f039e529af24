package pro_test

import "testing"

// TestEvidenceStrangers runs TestStrangersForAMonth with 100 strangers.
func TestEvidenceStrangers(t *testing.T) { strangersForAMonth(t, 100) }

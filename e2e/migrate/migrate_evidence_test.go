package migrate

import "testing"

// TestEvidenceMoved moves a service to DynamoDB and back. In each direction it kills 50 migrating
// processes: see the function moved.
func TestEvidenceMoved(t *testing.T) { moved(t, 50) }

package migrate

import "testing"

// TestEvidenceMoved moves a service to DynamoDB and back, and kills 50 migrating processes in each
// direction; see moved.
func TestEvidenceMoved(t *testing.T) { moved(t, 50) }

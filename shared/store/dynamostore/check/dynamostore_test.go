// Package check tests package dynamostore with DynamoDB Local.
package check

import (
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Table { return dynamolocal.Table(t, now) })
}

package recorded_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/recorded"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream/ecb"
)

func TestProveStepsFail(t *testing.T) { failSteps(t, 1) }

func TestProveDynamoDB(t *testing.T) {
	rows := lines(0, 4)
	file := open(t)
	mustImport(t, file, panelOf(t, rows))
	table := dynamolocal.Table(t, now)
	begun := time.Now()
	report, err := recorded.Import{Target: table, Panel: panelOf(t, rows), Folder: t.TempDir(), Now: now,
		Rates: ecb.Table().RatesOn}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d items in %v", report.Written, time.Since(begun))
	if diff := cmp.Diff(contents(t, file, true), contents(t, table, true)); diff != "" {
		t.Errorf("(-file +table):\n%s", diff)
	}
}

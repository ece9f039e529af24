package lambda

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/metrics/metricstest"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/verdict/trends"
)

type around struct {
	counts bool // the log must have a line with metrics
	before func(t *testing.T, o localcloud.Setup, cloud *cloud, environment []string) []string
	after  func(t *testing.T, o localcloud.Setup, cloud *cloud, environment []string)
}

var arounds = map[string]around{
	"refresh": {counts: true, before: func(_ *testing.T, _ localcloud.Setup, _ *cloud, environment []string) []string {
		return append(environment, "VERDETTO_QUEUE_URL=")
	}},
	"pro-unsold": {before: func(_ *testing.T, _ localcloud.Setup, _ *cloud, environment []string) []string {
		return append(environment, "STRIPE_PRICE=", "STRIPE_KEY=", "STRIPE_WEBHOOK_SECRETS=", "SOLANA_NODES=", "SOLANA_WALLET=")
	}},
	"refresh-schedule": {after: func(t *testing.T, _ localcloud.Setup, cloud *cloud, _ []string) {
		sent := cloud.messages(t, cloud.Refreshes)
		if len(sent) != 43 || sent[0] != `{"origins":["AMS"],"planned":"2016-03-01T03:00:00Z"}` {
			t.Errorf("%d messages, the first is %v", len(sent), sent[:min(1, len(sent))])
		}
	}},
	"refresh-sqs": {after: func(t *testing.T, o localcloud.Setup, cloud *cloud, environment []string) {
		fares := store.Fares{Table: tableOf(o, environment)}
		for origin, want := range map[fare.City]bool{"MIL": true, "LON": true, "PAR": false} {
			at, err := fares.LastAnswer(t.Context(), origin)
			if err != nil || at.IsZero() == want {
				t.Errorf("%s was asked for at %v (%v)", origin, at, err)
			}
		}
		if sent := cloud.messages(t, cloud.Refreshes); len(sent) > 0 {
			t.Errorf("put on the queue: %v", sent)
		}
	}},
	// A message to the queue starts the mail worker, so no mail is sent yet.
	"pro-recupera": {after: func(t *testing.T, _ localcloud.Setup, cloud *cloud, _ []string) {
		if diff := cmp.Diff([]string{`{"work":true}`}, cloud.messages(t, cloud.Workers)); diff != "" {
			t.Error(diff)
		}
		if mails := cloud.mails(t); len(mails) > 0 {
			t.Errorf("mail to %v", mails)
		}
	}},
	"refresh-departures": {before: func(t *testing.T, o localcloud.Setup, _ *cloud, environment []string) []string {
		routes := trends.Origin{}.Merge([]trends.Entry{{Destination: "BUH", AsOf: fare.DayOf(o.Now())}})
		err := store.Fares{Table: tableOf(o, environment)}.PutTrends(t.Context(), "MIL", routes, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		return environment
	}, after: func(t *testing.T, _ localcloud.Setup, cloud *cloud, _ []string) {
		sent := cloud.messages(t, cloud.Refreshes)
		for _, m := range sent {
			if !strings.Contains(m, `"series":["`) || !strings.Contains(m, `"planned":"`) {
				t.Errorf("put on the queue: %s", m)
			}
		}
		if len(sent) == 0 {
			t.Error("nothing is put on the queue")
		}
	}},
	"pro-sqs": {before: func(t *testing.T, o localcloud.Setup, _ *cloud, environment []string) []string {
		table := tableOf(o, environment)
		_, err := store.Customers{Table: table}.Issue(t.Context(), rand.Reader, apikey.CustomerIDOf([]byte(pepper), "grace@example.com"), o.Now().Add(-time.Hour), func(k *store.Customer) error {
			k.Until = o.Now().AddDate(0, 1, 0)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, email := range []string{"nobody@example.com", "grace@example.com"} {
			job := store.Job{Kind: "recover key", Email: email, Lang: "it", At: o.Now().Add(-time.Duration(i+1) * time.Minute)}
			if err := (store.Outbox{Table: table, Name: "pro"}).Put(t.Context(), job); err != nil {
				t.Fatal(err)
			}
		}
		return environment
	}, after: func(t *testing.T, _ localcloud.Setup, cloud *cloud, _ []string) {
		if diff := cmp.Diff([]string{"grace@example.com"}, cloud.mails(t)); diff != "" {
			t.Error(diff)
		}
	}},
}

func tableOf(o localcloud.Setup, environment []string) *dynamostore.Store {
	return dynamostore.New(dynamolocal.Client(valueOf(environment, "AWS_ENDPOINT_URL_DYNAMODB")), valueOf(environment, "VERDETTO_TABLE"), o.Now)
}

// valueOf returns the last value of a variable, the only one that os/exec passes on.
func valueOf(environment []string, name string) (value string) {
	for _, v := range environment {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

func metricsIn(t *testing.T, logs []byte, counts bool) {
	t.Helper()
	found := 0
	for line := range bytes.Lines(logs) {
		if !bytes.Contains(line, []byte(`"_aws"`)) {
			continue
		}
		found++
		if _, err := metricstest.Read(line); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
	if found == 0 && counts {
		t.Errorf("%d lines with metrics in the log:\n%s", found, logs)
	}
}

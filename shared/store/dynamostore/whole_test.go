package dynamostore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// partly is a fault: only the given number of writes of a batch take effect, and the answer lists
// the others as unprocessed.
func partly(most int) fault {
	return func(r *http.Request) (*http.Response, error) {
		var batch struct{ RequestItems map[string][]json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&batch); err != nil {
			return nil, err
		}
		left := map[string][]json.RawMessage{}
		for table, writes := range batch.RequestItems {
			n := min(most, len(writes))
			batch.RequestItems[table], left[table] = writes[:n], writes[n:]
			if n == 0 {
				delete(batch.RequestItems, table)
			}
		}
		if len(batch.RequestItems) > 0 {
			body, err := json.Marshal(batch)
			if err != nil {
				return nil, err
			}
			r = r.Clone(r.Context())
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			response, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return nil, errors.New(response.Status)
			}
		}
		answered, err := json.Marshal(map[string]any{"UnprocessedItems": left})
		if err != nil {
			return nil, err
		}
		return answer(200, string(answered))(r)
	}
}

// TestPlaceComesToItsEnd: Place sends unprocessed writes, and writes without an answer, until all
// are stored. If DynamoDB refuses a batch, Place fails.
func TestPlaceComesToItsEnd(t *testing.T) {
	var want []store.Item
	for n := range 40 { // two batches
		want = append(
			want,
			store.Item{
				Key: store.Key{Partition: "P", Sort: fmt.Sprintf("%02d", n)}, Version: int64(n + 1),
				Data: []byte("x"),
			},
		)
	}
	for _, c := range []struct {
		name   string
		faults []fault
		fails  error
	}{
		{"sound", nil, nil},
		{"a part is taken at a time", []fault{partly(3), partly(0), partly(10), partly(1)}, nil},
		{
			"throttled longer than the SDK tries",
			[]fault{throttled, throttled, throttled, throttled, throttled, throttled, throttled}, nil,
		},
		{"the answer is lost", []fault{resetAfter, resetBefore, resetAfter, resetAfter, resetAfter}, nil},
		{"broken for a while", []fault{broken, broken, broken, broken}, nil},
		{"refused", []fault{
			answer(
				400,
				`{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"no such table"}`,
			),
		}, store.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			sound, faulty, w, _ := overFaultyWire(t)
			w.faults = c.faults
			err := faulty.(store.Whole).Place(t.Context(), want, nil)
			if !errors.Is(err, c.fails) {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			got, err := storetest.Contents(t.Context(), sound.(store.Whole))
			if err != nil || len(got) != len(want) {
				t.Fatalf("%d items, %v", len(got), err)
			}
			for n, i := range got {
				if i.Key != want[n].Key || i.Version != want[n].Version {
					t.Errorf("%+v", i)
				}
			}
			if len(w.faults) > 0 {
				t.Errorf("%d faults did not happen", len(w.faults))
			}
		})
	}
}

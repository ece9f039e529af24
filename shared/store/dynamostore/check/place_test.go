package check

import (
	"errors"
	"fmt"
	"testing"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestPlaceComesToItsEnd(t *testing.T) {
	var want []store.Item
	for n := range 40 {
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
			err := faulty.(store.Whole).Place(t.Context(), want)
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

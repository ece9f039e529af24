package notify

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/verdict"
)

func TestStoredFormat(t *testing.T) {
	const stored = "019a01920198018401aa019001ba8702b6173ca0a6a7ed0a0204008452c03e48904eb06df855f855c03ec03ee05da846a846c865904e904eb06df855000000807da846a846c865904e904eb06df855f855"
	data, err := hex.DecodeString(stored)
	if err != nil {
		t.Fatal(err)
	}
	n, err := decodeNews(data)
	if err != nil {
		t.Fatal(err)
	}
	h := story(at(5001), level(verdict.Great), thin(3000), level(verdict.Good), level(verdict.Expensive))
	for _, c := range []struct {
		name, want string
		got        []byte
	}{
		{"news", stored, n.encode()},
		{"history", "010ac801924e060e904e020ef02e000e904e040e904e08", h.encode()},
	} {
		if got := fmt.Sprintf("%x", c.got); got != c.want {
			t.Errorf("%s is written as %s, want %s", c.name, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	n, _ := newsOf(route, summaryOf(asOf), asOf)
	f.Add(n.encode())
	f.Add(story(at(1), level(verdict.Expensive)).encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := decodeNews(data); err == nil {
			if again, err := decodeNews(n.encode()); err != nil || again != n {
				t.Errorf("%+v came back as %+v, %v", n, again, err)
			}
		}
		if h, err := decodeHistory(data); err == nil {
			if again, err := decodeHistory(h.encode()); err != nil || !cmp.Equal(again, h) {
				t.Errorf("%+v came back as %+v, %v", h, again, err)
			}
		}
	})
}

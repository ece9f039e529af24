// Package codecs measures how libraries would encode what a refresh computes.
package codecs

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
	"verdetto/shared/verdict/trends"
)

// copied returns a copy in which all fields are exported and, for CBOR, are written without their
// names.
func copied(from reflect.Value) reflect.Value {
	switch from.Kind() {
	case reflect.Struct:
		fields := []reflect.StructField{{Name: "_", PkgPath: "codecs", Type: reflect.TypeFor[struct{}](), Tag: `cbor:",toarray"`}}
		var values []reflect.Value
		for i := range from.NumField() {
			v, name := copied(from.Field(i)), from.Type().Field(i).Name
			fields = append(fields, reflect.StructField{Name: strings.ToUpper(name[:1]) + name[1:], Type: v.Type(),
				Tag: `json:",omitzero"`})
			values = append(values, v)
		}
		to := reflect.New(reflect.StructOf(fields)).Elem()
		for i, v := range values {
			to.Field(i + 1).Set(v)
		}
		return to
	case reflect.Slice, reflect.Array:
		of := reflect.SliceOf(copied(reflect.Zero(from.Type().Elem())).Type())
		if from.Kind() == reflect.Slice && from.IsNil() {
			return reflect.Zero(of)
		}
		to := reflect.MakeSlice(of, from.Len(), from.Len())
		for i := range from.Len() {
			to.Index(i).Set(copied(from.Index(i)))
		}
		return to
	case reflect.Map:
		of := from.Type()
		to := reflect.MakeMap(reflect.MapOf(copied(reflect.Zero(of.Key())).Type(), copied(reflect.Zero(of.Elem())).Type()))
		for all := from.MapRange(); all.Next(); {
			to.SetMapIndex(copied(all.Key()), copied(all.Value()))
		}
		return to
	case reflect.Pointer:
		to := reflect.New(copied(reflect.Zero(from.Type().Elem())).Type())
		if from.IsNil() {
			return reflect.Zero(to.Type())
		}
		to.Elem().Set(copied(from.Elem()))
		return to
	case reflect.String:
		return reflect.ValueOf(from.String())
	case reflect.Bool:
		return reflect.ValueOf(from.Bool())
	case reflect.Float64:
		return reflect.ValueOf(float32(from.Float()))
	case reflect.Uint8:
		return reflect.ValueOf(uint8(from.Uint()))
	}
	if from.CanUint() {
		return reflect.ValueOf(from.Uint())
	}
	return reflect.ValueOf(from.Int())
}

type record struct {
	kind   string
	key    string // the sort key or, if it ends with #, the beginning of the partition key
	judges bool
	strong bool
	decode func([]byte) (any, error)
}

func decoder[T any](decode func([]byte) (T, error)) func([]byte) (any, error) {
	return func(data []byte) (any, error) { return decode(data) }
}

var records = []record{
	{"summary", "SHEET", true, false, decoder(verdict.Decode)},
	{"departures", "DEPARTURES#any", true, false, decoder(departure.DecodeState)},
	{"pooled", "POOLED", false, false, decoder(departure.DecodeCycle)},
	{"trends", "TRENDS", false, false, decoder(trends.Decode)},
	{"deals", "DEALS", false, false, decoder(deals.Decode)},
	{"contribution", "LEFT#", false, false, decoder(score.DecodeContribution)},
	{"learning", "DEPARTURES#learning", false, true, func(data []byte) (any, error) {
		l, err := departure.DecodeLearning(data)
		rounds, fault := score.DecodeRounds(l.Answers)
		return struct {
			All, NonStop departure.Questions
			Rounds       score.Rounds
		}{l.All, l.NonStop, rounds}, errors.Join(err, fault)
	}},
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The test fails if a library could replace our own code, because a verdict would take at most 40
// us more and no more read units.
func TestEvidenceCodecs(t *testing.T) {
	d, clock := fixture.NewShell(t), time.Date(2026, 8, 21, 12, 0, 0, 0, time.UTC)
	panel := filepath.Join(testenv.Data(t), "fares", "travelpayouts_daily_2025_2026.csv.gz")
	d.Want(0, "", "import", panel, "-store", "bolt:kept.db", "-now", clock.Format(time.RFC3339))
	table := must(boltstore.Open(filepath.Join(d.Dir, "kept.db"), func() time.Time { return clock }, boltstore.Scratch))
	defer table.Close()
	compact := must(cbor.EncOptions{ShortestFloat: cbor.ShortestFloat16}.EncMode())
	deflate, inflate := must(zstd.NewWriter(nil)), must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)))
	for _, r := range records {
		var forms []string
		sums, n := map[string][4]float64{}, 0.
		note := func(form string, data []byte, decode func() error) {
			fastest := math.Inf(1)
			for range 100 {
				begun := time.Now()
				if err := decode(); err != nil {
					t.Fatalf("%s %s: %v", r.kind, form, err)
				}
				fastest = min(fastest, time.Since(begun).Seconds()*1e6)
			}
			size, read := float64(len(data)), math.Ceil(float64(len(data)+60)/4096)
			if !r.strong {
				read /= 2
			}
			s, known := sums[form]
			if !known {
				forms = append(forms, form)
			}
			sums[form] = [4]float64{s[0] + size, s[1] + read, s[2] + math.Ceil((size+60)/1024), s[3] + fastest}
		}
		must(0, table.All(t.Context(), func(i store.Item) error {
			if n == 40 || i.Sort != r.key && !(strings.HasSuffix(r.key, "#") && strings.HasPrefix(i.Partition, r.key)) {
				return nil
			}
			n++
			note("by hand", i.Data, func() error { _, err := r.decode(i.Data); return err })
			value := copied(reflect.ValueOf(must(r.decode(i.Data))))
			library := func(name string, data []byte, unmarshal func([]byte, any) error) {
				read := func(data []byte) error { return unmarshal(data, reflect.New(value.Type()).Interface()) }
				note(name, data, func() error { return read(data) })
				short := deflate.EncodeAll(data, nil)
				note(name+" zstd", short, func() error { return read(must(inflate.DecodeAll(short, nil))) })
			}
			library("JSON", must(json.Marshal(value.Interface())), json.Unmarshal)
			library("CBOR", must(compact.Marshal(value.Interface())), cbor.Unmarshal)
			return nil
		}))
		if n == 0 {
			t.Errorf("%s: nothing measured", r.kind)
		}
		for _, form := range forms {
			s := sums[form]
			t.Logf("%-12s %-9s %6.0f B %5.2f read %5.1f written %5.0f us", r.kind, form, s[0]/n, s[1]/n, s[2]/n, s[3]/n)
			if cost := (s[3] - sums[forms[0]][3]) / n; r.judges && form != forms[0] && s[1] <= sums[forms[0]][1] && cost <= 40 {
				t.Errorf("%s in %s costs a verdict only %.0f us more: use the library", r.kind, form, cost)
			}
		}
	}
}

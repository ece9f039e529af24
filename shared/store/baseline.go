package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// baselinePrefix begins the sort keys of what passengers paid. The items are in the partition FARES,
// which every function that answers may read.
const baselinePrefix = "PAID#"

func baselineKey(origin fare.City) Key { return Key{"FARES", baselinePrefix + string(origin)} }

// Baseline returns the encoded paid.Origin of an origin: what passengers paid. It returns ErrNotFound
// if there is none.
func (f Fares) Baseline(ctx context.Context, origin fare.City) ([]byte, error) {
	data, _, err := f.get(ctx, baselineKey(origin), Eventual, "what passengers paid from %s", origin)
	return data, err
}

// RewriteBaseline rewrites what passengers paid from each stored origin and from the given origins.
// The function change returns the new data of an origin. Its parameter had is nil if nothing is
// stored. Unchanged data are not written. It returns the number of origins that were written.
func (f Fares) RewriteBaseline(ctx context.Context, origins []fare.City,
	change func(origin fare.City, had []byte) ([]byte, error)) (written int, err error) {
	stored, err := f.Table.Query(ctx, Range{Partition: "FARES", Prefix: baselinePrefix, Read: Strong})
	if err != nil {
		return 0, wrap(err, "read what passengers paid")
	}
	all := slices.Clone(origins)
	for _, item := range stored {
		all = append(all, fare.City(strings.TrimPrefix(item.Sort, baselinePrefix)))
	}
	slices.Sort(all)
	for _, origin := range slices.Compact(all) {
		wrote := false
		err := RetryConflicts(ctx, func() error {
			had, version, err := f.get(ctx, baselineKey(origin), Strong, "what passengers paid from %s", origin)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
			data, err := change(origin, had)
			if err != nil || bytes.Equal(data, had) {
				return err
			}
			wrote = true
			return f.put(ctx, baselineKey(origin), data, version, "what passengers paid from %s", origin)
		})
		if err != nil {
			return written, err
		}
		if wrote {
			written++
		}
	}
	return written, nil
}

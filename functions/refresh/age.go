package refresh

import (
	"context"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// sampleSize is how many origins Age looks at.
const sampleSize = 20

// Age returns how many days ago the median of a few covered origins was asked for:
// one that cannot be asked for says nothing of the others. Which few depends on the
// time. It is negative if a wrong clock has dated one in the future; ok is false if
// nothing is covered.
func Age(ctx context.Context, fares store.Fares, now time.Time) (days float64, ok bool, err error) {
	origins, err := fares.Covered(ctx, firstOrigin(now), sampleSize)
	if err == nil && len(origins) < sampleSize {
		var first []fare.City // from the beginning of the alphabet
		first, err = fares.Covered(ctx, "", sampleSize-len(origins))
		origins = append(origins, first...)
		slices.Sort(origins)
		origins = slices.Compact(origins) // there may be fewer than a sample
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the age of fares: %w", err)
	}
	var ages []float64
	for _, origin := range origins {
		asked, err := fares.Asked(ctx, origin)
		if err != nil {
			return 0, false, fmt.Errorf("read the age of fares: %w", err)
		}
		if isAhead(asked, now) {
			return now.Sub(asked).Hours() / 24, true, nil
		}
		if !asked.IsZero() {
			ages = append(ages, now.Sub(asked).Hours()/24)
		}
	}
	if len(ages) == 0 {
		return 0, false, nil
	}
	slices.Sort(ages)
	return max(0, ages[len(ages)/2]), true, nil
}

// firstOrigin goes through the alphabet in the minutes of 26 hours: a code of three letters.
func firstOrigin(now time.Time) fare.City {
	minute := now.Unix() / 60
	return fare.City([]byte{'A' + byte(minute/60%26), 'A' + byte(minute%60*26/60), 'A'})
}

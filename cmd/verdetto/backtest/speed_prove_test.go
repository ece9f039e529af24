package backtest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"verdetto/shared/fare"
)

// wide returns a panel (observed fares) of many routes with few departures each. Each departure is
// seen on the 30 days before it leaves, about 100 fares per route.
func wide(seed uint64, routes, perRoute, days int) (panel Panel, fares int) {
	const ahead = 30
	panel = Panel{}
	for r := range routes {
		rng := rand.New(rand.NewPCG(seed, uint64(r)))
		name := fare.Route{Origin: "MIL", Destination: fare.City(fmt.Sprintf("%c%c%c", 'A'+r/676%26,
			'A'+r/26%26, 'A'+r%26))}
		for range perRoute {
			departs := 1 + rng.IntN(days+ahead-1)
			price := 4000 + 500*rng.IntN(20)
			for lead := ahead; lead >= 0; lead-- {
				if rng.IntN(8) == 0 {
					price = max(1000, price+500*(rng.IntN(7)-3))
				}
				if day := departs - lead; day >= 0 && day < days {
					panel[name] = append(panel[name], seen(day0+fare.Day(day), day0+fare.Day(departs),
						fare.Cents(price)))
					fares++
				}
			}
		}
	}
	return panel, fares
}

// TestProveSpeed: a replay of 700,000 fares of 7,000 routes takes less than 20 seconds of processor
// time, summed over all processors. The test measures processor time, because other processes may
// run on the machine.
func TestProveSpeed(t *testing.T) {
	panel, fares := wide(8, 7_000, 4, 150)
	if fares < 700_000 {
		t.Fatalf("only %d fares", fares)
	}
	begun, used := time.Now(), processors(t)
	r := run(t, panel, Options{})
	took := time.Since(begun)
	used = processors(t) - used
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d fares of %d routes, %d verdicts, in %.1f s, %.1f s of the processors, %d MiB", fares, r.Routes,
		r.Verdicts, took.Seconds(), used.Seconds(), memory.Sys>>20)
	if used > 20*time.Second || memory.Sys > 1<<30 {
		t.Errorf("%v of the processors and %d MiB", used, memory.Sys>>20)
	}
}

// processors returns the processor time of this process.
func processors(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

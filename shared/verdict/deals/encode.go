package deals

import (
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict"
)

const format = 5

// Encoded deals hold indices into the lists of names, so new names must be appended.
var (
	levels      = []verdict.Level{verdict.Unjudged, verdict.Great, verdict.Good, verdict.Fair, verdict.Expensive}
	certainties = []verdict.Reliability{"", verdict.HighReliability, verdict.MediumReliability, verdict.LowReliability}
	comparisons = []verdict.Comparison{"", verdict.OnSaleToday, verdict.Earlier, verdict.OnSaleAndEarlier}
)

const (
	withNonStop   = 1
	anyShift      = 1
	collectedFlag = 1 << 31
	nonStopShift  = 32
	comparedCount = 15 // the Comparison is stored for the first 15 months of a list
)

const (
	dayOnlyFlag    = 1
	foreignFlag    = 2
	stopsShift     = 2
	levelShift     = 4
	certaintyShift = 7
	nightsShift    = 9
)

const (
	dayLevelMask = 7
	daySureShift = 3
)

func (o Origin) Encode() []byte {
	legend := o.legend()
	w := packed.NewWriter(format, 256*len(o.Entries))
	legend.Encode(&w)
	w.Uint(uint64(len(o.Entries)))
	for _, e := range o.Entries {
		w.Bytes([]byte(e.Destination))
		w.Int(int64(e.AsOf))
		w.Uint(uint64(e.Observations))
		flags := e.Any.compared() << anyShift
		if e.NonStop != nil {
			flags |= withNonStop | e.NonStop.compared()<<nonStopShift
		}
		if e.Collected > 0 {
			flags |= collectedFlag
		}
		w.Uint(flags)
		if e.Collected > 0 {
			w.Uint(uint64(max(0, e.AsOf-e.Collected)))
		}
		e.Any.encode(&w, e.AsOf, legend)
		if e.NonStop != nil {
			e.NonStop.encode(&w, e.AsOf, legend)
		}
	}
	return w
}

func (o Origin) legend() *fare.Legend {
	var all []fare.Flight
	write := func(f Fares) {
		for _, d := range slices.Concat(f.Route, f.Months, f.Airlines) {
			all = append(all, d.Fare.Flight)
		}
	}
	for _, e := range o.Entries {
		write(e.Any)
		if e.NonStop != nil {
			write(*e.NonStop)
		}
	}
	return fare.NewLegend(len(all), func(i int) (uint64, fare.Flight) { return 0, all[i] })
}

func (f Fares) encode(w *packed.Writer, asOf fare.Day, legend *fare.Legend) {
	end := (asOf + 1).Time().Unix()
	for i, list := range [][]Deal{f.Route, f.Months, f.Airlines} {
		w.Uint(uint64(len(list)))
		depart, price, sample := asOf, fare.Cents(0), 0
		for _, d := range list {
			l, v := d.Fare, d.Verdict
			w.Int(int64(l.Depart-depart), int64(l.Price-price), end-l.Found, int64(v.Sample-sample))
			foreign := l.Quoted != fare.Money{}
			w.Uint(packed.Bit(l.DayOnly)*dayOnlyFlag | packed.Bit(foreign)*foreignFlag | uint64(l.Stops)<<stopsShift |
				place(levels, v.Level)<<levelShift | place(certainties, v.Reliability)<<certaintyShift |
				uint64(l.Nights)<<nightsShift)
			legend.Put(w, 0, l.Flight)
			if foreign {
				w.Uint(l.Quoted.Currency.Pack())
				w.Uint(uint64(l.Quoted.Amount))
			}
			if v.Judged() {
				w.Uint(uint64(v.Percentile))
				w.Int(int64(v.Median - l.Price))
			}
			ofDay := d.OwnDay
			w.Uint(place(levels, ofDay.Level) | place(certainties, ofDay.Reliability)<<daySureShift)
			if ofDay.Judged() {
				w.Int(int64(ofDay.Median - l.Price))
			}
			if i == 0 {
				w.Int(d.Since - l.Found)
			}
			depart, price, sample = l.Depart, l.Price, v.Sample
		}
	}
}

func (f Fares) compared() (bits uint64) {
	for i, d := range f.Months[:min(len(f.Months), comparedCount)] {
		bits |= place(comparisons, d.Verdict.Comparison) << (2 * i)
	}
	return bits
}

func (f Fares) setCompared(bits uint64) {
	for i := range f.Months[:min(len(f.Months), comparedCount)] {
		if v := &f.Months[i].Verdict; v.Judged() {
			v.Comparison = comparisons[bits>>(2*i)&3]
		}
	}
}

func place[T comparable](names []T, name T) uint64 { return uint64(max(0, slices.Index(names, name))) }

func Decode(data []byte) (Origin, error) {
	var o Origin
	r := packed.NewReader(data, format)
	legend := fare.DecodeLegend(&r)
	for range r.Len() {
		e := Entry{Destination: fare.City(r.Bytes()), AsOf: day(&r), Observations: int(r.Uint())}
		flags := r.Uint()
		if flags&collectedFlag != 0 {
			e.Collected = e.AsOf - fare.Day(r.UintTo(uint64(e.AsOf)))
		}
		e.Any = decodeFares(&r, e.AsOf, legend)
		e.Any.setCompared(flags >> anyShift)
		if flags&withNonStop != 0 {
			f := decodeFares(&r, e.AsOf, legend)
			f.setCompared(flags >> nonStopShift)
			e.NonStop = &f
		}
		o.Entries = append(o.Entries, e)
	}
	return o, r.ErrIn("deals")
}

func day(r *packed.Reader) fare.Day {
	v := r.Int()
	if v < 0 || v > 1<<20 {
		r.Fail(packed.ErrRange)
		return 0
	}
	return fare.Day(v)
}

func decodeFares(r *packed.Reader, asOf fare.Day, legend *fare.Legend) (f Fares) {
	end := (asOf + 1).Time().Unix()
	for i, list := range []*[]Deal{&f.Route, &f.Months, &f.Airlines} {
		depart, price, sample := int64(asOf), int64(0), int64(0)
		for range r.Len() {
			depart, price = depart+r.Int(), price+r.Int()
			found := end - r.Int()
			sample += r.Int()
			flags := r.Uint()
			level, certainty, nights := flags>>levelShift&7, flags>>certaintyShift&3, flags>>nightsShift
			if depart < 0 || depart > 1<<20 || price <= 0 || price > int64(fare.MaxPrice) || sample < 0 ||
				level >= uint64(len(levels)) || nights > fare.MaxNights {
				r.Fail(packed.ErrRange)
				return f
			}
			d := Deal{Judged: verdict.Judged{
				Fare: verdict.Live{Depart: fare.Day(depart), Price: fare.Cents(price), Found: found,
					Nights: int16(nights), Stops: fare.Stops(flags >> stopsShift & 3), DayOnly: flags&dayOnlyFlag != 0},
				Verdict: verdict.Verdict{Level: levels[level], Reliability: certainties[certainty],
					Sample: int(sample)},
			}}
			_, d.Fare.Flight = legend.Get(r)
			if flags&foreignFlag != 0 {
				d.Fare.Quoted = fare.Money{Currency: fare.ReadCurrency(r), Amount: fare.Cents(r.Uint())}
			}
			if d.Verdict.Judged() {
				d.Verdict.Percentile, d.Verdict.Median = int(min(r.Uint(), 100)), fare.Cents(price+r.Int())
			}
			day := r.Uint()
			if day&dayLevelMask >= uint64(len(levels)) || day>>daySureShift >= uint64(len(certainties)) {
				r.Fail(packed.ErrRange)
				return f
			}
			if day > 0 {
				d.OwnDay = verdict.Verdict{Level: levels[day&dayLevelMask], Reliability: certainties[day>>daySureShift],
					Median: fare.Cents(price + r.Int())}
			}
			if i == 0 {
				d.Since = found + r.Int()
			}
			*list = append(*list, d)
			depart, price, sample = int64(d.Fare.Depart), int64(d.Fare.Price), int64(d.Verdict.Sample)
		}
	}
	return f
}

package counted

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

func percent(r *route) want {
	n := math.Floor(r.share() + .5)
	if r.lower > 0 {
		n = max(n, 1)
	}
	if r.lower < len(r.lows) {
		n = min(n, 99)
	}
	return count(int(n))
}

func at(doc any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

func set(doc any, path string, value any) {
	key := path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		doc, key = at(doc, path[:i]), path[i+1:]
	}
	doc.(map[string]any)[key] = value
}

func (w want) inJSON(value any) bool {
	switch v := value.(type) {
	case string:
		return slices.Contains(w.words, v)
	case float64:
		switch w.kind {
		case 'c':
			return v == w.number
		case 'x':
			return math.Abs(v-w.number) <= 1.001
		case 'p':
			return v <= math.Ceil(w.number)
		case 'q':
			return v >= math.Floor(w.number)
		}
	}
	return false
}

func (r *route) verdict(all map[string]want, prefix string, doc any, listed bool) {
	v, cent := prefix+"verdetto.", r.euro(float64(r.price))
	median := r.euro(r.quantile(.5))
	maps.Copy(all, map[string]want{prefix + "prezzo.cent": exact(cent), prefix + "prezzo.partenza": words(slices.Collect(maps.Keys(r.departs))...),
		v + "livello": words(r.level()), v + "percentile": percent(r), v + "campione": count(len(r.lows)), v + "dal": words(r.first),
		v + "giorniInferiori": count(r.lower), v + "giorniUguali": count(r.equal), v + "medianaCent": exact(median),
		v + "intervallo.da": atMost(r.share()), v + "intervallo.a": atLeast(r.share())})
	price, _ := at(doc, prefix+"prezzo.cent").(float64)
	stated, _ := at(doc, v+"medianaCent").(float64)
	all[v+"scartoMedianaCent"] = count(int(price - stated))
	if listed {
		for _, field := range []string{"dal", "giorniInferiori", "giorniUguali", "intervallo.da", "intervallo.a"} {
			delete(all, v+field)
		}
	} else {
		all[v+"minimoCent"] = exact(r.euro(r.minimum()))
		all[prefix+"prezzo.quotato.importo"] = want{kind: 'c', number: float64(r.price) / 100}
	}
	if at(doc, prefix+"prezzoPiuBasso") != nil {
		all[prefix+"prezzoPiuBasso.cent"] = exact(r.euro(float64(r.cheapest())))
	}
}

func (w *world) fields(kind string, r *route, doc any) map[string]want {
	all := map[string]want{}
	switch kind {
	case "card": // an MCP tool answers with only some fields of /v1/analisi
		drawn := []string{"prezzo.cent", "quartili.q1Cent", "quartili.q3Cent", "verdetto.livello"}
		all = w.fields("analisi", r, doc)
		maps.DeleteFunc(all, func(path string, _ want) bool { return at(doc, path) == nil && !slices.Contains(drawn, path) })
	case "analisi":
		r.verdict(all, "", doc, false)
		for name, price := range map[string]float64{"minimo": r.minimum(), "q1": r.quantile(.25), "mediana": r.quantile(.5), "q3": r.quantile(.75),
			"massimo": r.maximum()} {
			all["quartili."+name+"Cent"] = exact(r.euro(price))
		}
		listed, _ := at(doc, "mesiPerConvenienza").([]any)
		for i := range listed {
			month, _ := at(listed, fmt.Sprint(i, ".mese")).(float64)
			prices, path := r.months()[int(month)], fmt.Sprintf("mesiPerConvenienza.%d.", i)
			all[path+"medianaCent"], all[path+"campione"] = exact(r.euro(quantile(prices, .5))), count(len(prices))
		}
	case "occasioni":
		listed, _ := at(doc, "occasioni").([]any)
		for i := range listed {
			prefix := fmt.Sprintf("occasioni.%d.", i)
			if at(doc, prefix+"destinazioneIata") == r.to {
				r.verdict(all, prefix, doc, true)
			}
		}
	case "price-trends":
		d := "destinations.0."
		maps.Copy(all, map[string]want{d + "level": words(r.level()), d + "percentile": percent(r), d + "sample": count(len(r.lows)),
			d + "medianCents": exact(r.euro(r.quantile(.5))), d + "minimumCents": exact(r.euro(r.minimum())),
			d + "cheapest.amountCents": exact(r.euro(float64(r.price)))})
		if before := r.before(w.now); before > 0 {
			all[d+"changeCents"] = exact(math.Round(r.euro(float64(r.price))) - r.euro(before))
			all[d+"changePercent"] = want{kind: 'c', number: math.Round(1000*(math.Round(r.euro(float64(r.price)))-math.Round(r.euro(before)))/math.Round(r.euro(before))) / 10}
		}
		listed, _ := at(doc, "weeklyLows").([]any)
		for i := range listed {
			path := fmt.Sprintf("weeklyLows.%d.", i)
			monday, _ := at(doc, path+"week").(string)
			all[path+"amountCents"] = count(-1)
			if prices := r.week(monday); len(prices) > 0 {
				all[path+"amountCents"] = exact(r.euro(float64(prices[0])))
			}
		}
	case "webhook":
		prefix := "data.fares.0."
		maps.Copy(all, map[string]want{prefix + "priceCents": exact(r.euro(float64(r.price))), prefix + "departure": words(slices.Collect(maps.Keys(r.departs))...),
			prefix + "level": words(r.level()), prefix + "percentile": percent(r), prefix + "medianCents": exact(r.euro(r.quantile(.5))),
			prefix + "minimumCents": exact(r.euro(r.minimum())), prefix + "sample": count(len(r.lows))})
	case "storico":
		all["oggiCent"] = exact(r.euro(float64(r.price)))
		listed, _ := at(doc, "settimane").([]any)
		for i := range listed {
			path := fmt.Sprintf("settimane.%d.", i)
			monday, _ := at(doc, path+"dal").(string)
			all[path+"giorni"] = count(-1)
			if prices := r.week(monday); len(prices) > 0 {
				middle := float64(prices[(len(prices)-1)/2]+prices[len(prices)/2]) / 2
				all[path+"giorni"], all[path+"minimoCent"] = count(len(prices)), exact(r.euro(float64(prices[0])))
				all[path+"medianaCent"] = exact(r.euro(middle))
			}
		}
	}
	return all
}

func (r *route) before(now time.Time) (price float64) {
	last := ""
	for _, l := range r.lows {
		if l.day <= dayOf(now.AddDate(0, 0, -7)) && l.day > dayOf(now.AddDate(0, 0, -14)) && l.day > last {
			last, price = l.day, float64(l.price)
		}
	}
	return price
}

func (w *world) faults(kind string, r *route, doc any) (faults []string) {
	for path, want := range w.fields(kind, r, doc) {
		if value := at(doc, path); !want.inJSON(value) {
			faults = append(faults, fmt.Sprintf("%s is %v, counted %v %v", path, value, want.number, want.words))
		}
	}
	return faults
}

func (w *world) checkFields(t *testing.T, planted map[string]bool) {
	levels, kinds := map[string]int{}, map[string]int{}
	for i, r := range w.routes {
		q := "origine=" + r.from + "&destinazione=" + r.to
		for kind, target := range map[string]string{"analisi": "/v1/analisi?" + q, "storico": "/v1/storico?" + q,
			"occasioni": "/v1/occasioni?origine=" + r.from, "price-trends": "/v1/price-trends?currency=eur&origin=" + r.from + "&destination=" + r.to, "webhook": "", "card": ""} {
			body := r.event
			switch {
			case target != "":
				body = w.ask(target)
			case kind == "card" && !w.skips(i):
				_, body = w.tool("flight_price_verdict", map[string]any{"origin": r.from, "destination": r.to})
			case kind == "card" || body == "":
				continue
			}
			kinds[kind]++
			read := func() (doc any) {
				if err := json.Unmarshal([]byte(body), &doc); err != nil {
					t.Fatalf("%s: %v", target, err)
				}
				return doc
			}
			doc := read()
			if kind == "analisi" {
				levels[fmt.Sprint(at(doc, "verdetto.livello"))]++
			}
			for _, fault := range w.faults(kind, r, doc) {
				t.Errorf("%s of %s-%s: %s", kind, r.from, r.to, fault)
			}
			for path := range w.fields(kind, r, doc) {
				what := kind + " " + regexp.MustCompile(`[.][0-9]+[.]`).ReplaceAllString(path, ".")
				if planted[what] || t.Failed() {
					continue
				}
				false_ := read()
				switch value := at(doc, path).(type) {
				case float64:
					by := 2.
					if strings.HasSuffix(path, ".da") || strings.HasSuffix(path, ".a") {
						by = map[bool]float64{true: 100, false: -101}[strings.HasSuffix(path, ".da")]
					} else if !strings.Contains(strings.ToLower(path), "cent") || strings.HasSuffix(path, "percentile") {
						by = 1
					}
					set(false_, path, value+by)
				case string:
					set(false_, path, map[bool]string{true: "caro", false: "ottimo"}[value == "ottimo"])
				}
				if len(w.faults(kind, r, false_)) == 0 {
					t.Errorf("not found: %s of %s is %v", path, target, at(false_, path))
				}
				planted[what] = true
			}
		}
	}
	if t.Logf("levels %v, answers %v", levels, kinds); kinds["webhook"] == 0 {
		t.Error("no webhook got an event")
	}
}

// The usual fare and the percentile of a departure are estimates, so they are checked only for
// consistency.
func (w *world) checkDepartures(t *testing.T) {
	checked := 0
	for i, r := range w.routes {
		if i%max(1, len(w.routes)/20) > 0 {
			continue
		}
		days := slices.Sorted(maps.Keys(r.live))
		for _, day := range []string{days[0], days[len(days)/2]} {
			var doc any
			body := w.ask("/v1/analisi?origine=" + r.from + "&destinazione=" + r.to + "&partenza=" + day)
			if json.Unmarshal([]byte(body), &doc) != nil || at(doc, "verdetto.percentile") == nil {
				continue
			}
			checked++
			value := func(path string) float64 { n, _ := at(doc, path).(float64); return n }
			price, usual := value("prezzo.cent"), value("verdetto.medianaCent")
			lowest, now, seen := int64(math.MaxInt64), int64(0), "" // now is the cheapest fare found on the newest day
			for _, f := range r.fares {
				if on := dayOf(f.found); f.depart == day && (on > seen || on == seen && f.price < now) {
					now, seen = f.price, on
				}
				if f.depart == day && dayOf(f.found) >= dayOf(w.now.AddDate(0, 0, -60)) && dayOf(f.found) < dayOf(w.now) {
					lowest = min(lowest, f.price)
				}
			}
			if !exact(r.euro(float64(now))).inJSON(price) || value("verdetto.scartoMedianaCent") != price-usual ||
				value("verdetto.percentile") < value("verdetto.intervallo.da") || value("verdetto.percentile") > value("verdetto.intervallo.a") ||
				at(doc, "verdetto.giorniInferiori") != nil || at(doc, "minimoPartenza") != nil && !exact(r.euro(float64(lowest))).inJSON(value("minimoPartenza.cent")) {
				t.Errorf("%s-%s on %s: fare %d, lowest %d: %v %v", r.from, r.to, day, now, lowest, at(doc, "prezzo"), at(doc, "minimoPartenza"))
			}
			text := readable(w.ask("/?da=" + r.from + "&a=" + r.to + "&quando=" + day + "&lang=en"))
			percentile := fmt.Sprintf("About %v of 100 comparable fares were lower.", value("verdetto.percentile"))
			if n := value("verdetto.percentile"); n > 1 && n < 99 && !strings.Contains(text, percentile) {
				t.Errorf("%s-%s on %s: the page does not say %q", r.from, r.to, day, percentile)
			}
			for _, m := range regexp.MustCompile(`about €([0-9,]+) (less|more) than usual for [A-Z]`).FindAllStringSubmatch(text, -1) {
				if by := apart(price, usual); by != m[2] || number(m[1]) != math.Abs(whole(price)-whole(usual)) {
					t.Errorf("%s-%s on %s: %q, but %v against %v", r.from, r.to, day, m[0], price, usual)
				}
			}
			for _, m := range regexp.MustCompile(`usually costs about (€[0-9,]+)`).FindAllStringSubmatch(text, -1) {
				if !about(usual).holds(m[1]) {
					t.Errorf("%s-%s on %s: %q, but %v", r.from, r.to, day, m[0], usual)
				}
			}
		}
	}
	t.Logf("%d departures", checked)
	if checked < 10 {
		t.Errorf("only %d departures have a verdict", checked)
	}
}

func (w *world) checkReadme(t *testing.T) {
	data, err := os.ReadFile(fixture.Path(t, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(data)
	var doc any
	if m == nil || json.Unmarshal(m[1], &doc) != nil {
		t.Fatal("no example")
	}
	for _, r := range w.routes {
		if r.from != at(doc, "origineIata") || r.to != at(doc, "destinazioneIata") {
			continue
		}
		all := map[string]want{}
		r.verdict(all, "", doc, false)
		for path, want := range all {
			if value := at(doc, path); !want.inJSON(value) {
				t.Errorf("%s is %v, counted %v %v", path, value, want.number, want.words)
			}
		}
		sentence := fmt.Sprintf("median of the lowest fares of %d days since", len(r.lows))
		if !strings.Contains(string(data), sentence) || r.equal != 54 || r.lower != 0 {
			t.Errorf("the README does not say %q, or counts other days: %d lower, %d equal", sentence, r.lower, r.equal)
		}
		return
	}
	t.Error("no such route")
}

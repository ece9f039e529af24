package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

type reply struct {
	language *i18n.Language
	analysis published.Analysis
	asked    string // YYYY-MM-DD, YYYY-MM or empty
	invented bool
}

func (r reply) write(w io.Writer, p pen, body []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("its answer cannot be printed: %v", v)
		}
	}()
	if err := json.Unmarshal(body, &r.analysis); err != nil {
		return err
	}
	if r.analysis.Verdetto.Livello == "" {
		return errors.New("its answer has no verdict")
	}
	r.print(w, p)
	return nil
}

func line(text string) string {
	return printable(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
}

func (r reply) print(w io.Writer, p pen) {
	l, a, j := r.language, r.analysis, judgement(r.analysis)
	if a.Valuta != fare.EUR.String() {
		l = l.InCurrency(a.Valuta, func(c fare.Cents) fare.Cents { return c })
	}
	sentences := wording.Verdict{Language: l, Of: j, Today: fare.DayOf(j.At)}
	if j.Scope != verdict.OfRoute && r.asked != "" {
		sentences.On, _ = fare.ParseDay((r.asked + "-01")[:len(time.DateOnly)]) // cannot fail: the service accepted the day
	}
	name := func(iata string, airport fare.Airport) string {
		if airport != (fare.Airport{}) {
			return places.AirportName(airport.String(), l.Code)
		}
		return places.Name(fare.City(iata), l.Code)
	}
	from, to := name(a.OrigineIata, j.From), name(a.DestinazioneIata, j.To)
	fmt.Fprintln(w, line(l.Text("home.route", "From", from, "To", to)))
	fmt.Fprintln(w, p.in(sentences.LevelName(), line(sentences.Headline())))
	var facts []string
	if sentences.Judged() && sentences.Scale().Quartiles != nil {
		fmt.Fprintf(w, "\n%s\n", p.bar(l, j))
		certainty, restsOn := sentences.Certainty()
		facts = []string{sentences.Fare(), sentences.Usual(), sentences.Known(), sentences.Past(), sentences.Half(),
			certainty + l.Text("format.comma") + restsOn + "."}
	} else if sentences.Judged() {
		facts = []string{sentences.Fare(), sentences.Usual(), sentences.Known()}
	} else {
		facts = []string{sentences.Fare(), sentences.Known(), wording.Collecting(l, j.Collection)}
		if j.Collection == nil {
			facts = append(facts, l.Text("departure.too_little", "Fares", l.Number(j.Verdict.Sample)))
		}
	}
	facts = append(facts, wording.Places(l, j.Pair, places.Read(a.OrigineIata), places.Read(a.DestinazioneIata))...)
	if r.invented {
		facts = append(facts, l.Text("home.invented"))
	}
	for _, fact := range facts {
		if fact != "" {
			fmt.Fprintln(w, line(fact))
		}
	}
}

func judgement(a published.Analysis) verdict.Judgement {
	day := func(text string) fare.Day {
		d, err := fare.ParseDay(text)
		if err != nil {
			return 0
		}
		return d
	}
	j := verdict.Judgement{Pair: a.Tratta.Pair(), Scope: verdict.Scope(a.Ambito), Declared: a.Prezzo.Dichiarato,
		At: time.Now(), Lead: a.AnticipoGiorni, Quartiles: (*verdict.Quartiles)(a.Quartili),
		OwnDay: verdict.Verdict{Level: verdict.Level(a.Level), Reliability: verdict.Reliability(a.Reliability)}}
	if a.Usual != nil {
		j.OwnDay.Median = *a.Usual
	}
	fareOf := func(p *published.Prezzo) verdict.Live {
		currency, _ := fare.ParseCurrency(p.Quotato.Valuta)
		l := verdict.Live{Depart: day(p.Partenza), Price: p.Cent,
			Quoted: fare.Money{Amount: fare.Cents(math.Round(100 * p.Quotato.Importo)), Currency: currency}}
		if back := day(p.Ritorno); back > l.Depart {
			l.Nights = int16(back - l.Depart)
		}
		if p.TrovatoIl != nil && p.EtaOre != nil {
			l.Found = p.TrovatoIl.Unix()
			j.At = p.TrovatoIl.Add(time.Duration(*p.EtaOre) * time.Hour)
		}
		if a := p.Aeroporti; a != nil {
			l.Flight.From, _ = fare.ParseAirport(a.Origine)
			l.Flight.To, _ = fare.ParseAirport(a.Destinazione)
		}
		if p.Vettore != nil {
			l.Flight.Airline, _ = fare.ParseAirline(p.Vettore.Iata)
		}
		if p.DurataMinuti != nil {
			l.Flight.Minutes = int16(*p.DurataMinuti)
		}
		if p.Soste != nil {
			l.Stops = fare.StopsOf(*p.Soste)
		}
		return l
	}
	if a.PrezzoNoto != nil {
		known := fareOf(a.PrezzoNoto)
		j.Known = &known
	}
	j.Fare = fareOf(&a.Prezzo)
	v := a.Verdetto
	j.Verdict = verdict.Verdict{Level: verdict.Level(v.Livello), Reliability: verdict.Reliability(v.Affidabilita),
		Sample: v.Campione, Comparison: verdict.Comparison(v.Confronto)}
	if v.MedianaCent != nil {
		j.Verdict.Median = *v.MedianaCent
	}
	if since := day(v.Dal); since != 0 {
		j.Verdict.Days = &verdict.DayCount{Since: since}
	}
	if m := a.MinimoPartenza; m != nil {
		j.Lowest = &verdict.Low{Day: day(m.Giorno), Price: m.Cent}
	}
	if c := a.Raccolta; c != nil {
		j.Collection = &verdict.Collection{Days: c.DaGiorni, Since: day(c.Dal), First: day(c.PrimoVerdetto)}
	}
	return j
}

type pen struct {
	coloured bool
	width    int
}

func newPen(w io.Writer) pen {
	p := pen{width: 60}
	out, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return p
	}
	if width, _, err := term.GetSize(int(out.Fd())); err == nil && width > 20 {
		p.width = min(p.width, width-4)
	}
	p.coloured = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return p
}

func (p pen) in(level verdict.Level, text string) string {
	colour, ok := map[verdict.Level]int{verdict.Great: 32, verdict.Good: 32, verdict.Expensive: 31}[level]
	if !p.coloured || !ok {
		return text
	}
	return fmt.Sprintf("\033[1;%dm%s\033[0m", colour, text)
}

func (p pen) bar(l *i18n.Language, j verdict.Judgement) string {
	quartiles, price := j.Quartiles, j.Fare.Price
	low, high := min(quartiles.Minimum, price), max(quartiles.Maximum, price)
	column := func(c fare.Cents) int {
		return int(int64(c-low) * int64(p.width-1) / int64(max(high-low, 1)))
	}
	amounts := make([]rune, 0, p.width+20)
	free := func(from, to int) bool {
		for i := max(from-1, 0); i <= to && i < len(amounts); i++ {
			if amounts[i] != ' ' {
				return false
			}
		}
		return true
	}
	for _, c := range []fare.Cents{price, quartiles.HalfLow, quartiles.HalfHigh, low, high} {
		text := l.About(c)
		if c == price {
			text = l.Money(c)
		}
		text = line(text)
		length := utf8.RuneCountInString(text)
		from := max(0, min(column(c)-length/2, p.width-length))
		if !free(from, from+length) {
			continue
		}
		for len(amounts) < from+length {
			amounts = append(amounts, ' ')
		}
		copy(amounts[from:], []rune(text))
	}
	var drawn strings.Builder
	for i := range p.width {
		switch {
		case i == column(price):
			drawn.WriteString(p.in(j.Verdict.Level, "●"))
		case i >= column(quartiles.HalfLow) && i <= column(quartiles.HalfHigh):
			drawn.WriteRune('━')
		default:
			drawn.WriteRune('─')
		}
	}
	return "  " + strings.TrimRight(string(amounts), " ") + "\n  " + drawn.String() + "\n"
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

type reply struct {
	language *i18n.Language
	of       verdict.Analysis
	asked    string // the day or month of the question, or ""
	invented bool
}

// write writes an answer of a service, without the control characters in its texts. It fails if the
// service's answer holds no verdict.
func (r reply) write(w io.Writer, p pen, body []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("its answer cannot be printed: %v", v)
		}
	}()
	var texts any // decoded, because JSON writes control characters as escapes
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&texts); err != nil {
		return err
	}
	clean, err := json.Marshal(printableTexts(texts))
	if err == nil {
		err = json.Unmarshal(clean, &r.of)
	}
	if err == nil && r.of.Verdetto.Livello == "" {
		err = errors.New("its answer has no verdict")
	}
	if err != nil {
		return err
	}
	r.print(w, p)
	return nil
}

// printableTexts returns a decoded JSON value whose texts are one printable line each.
func printableTexts(value any) any {
	switch v := value.(type) {
	case string:
		return printable(strings.NewReplacer("\n", " ", "\t", " ").Replace(v))
	case []any:
		for i := range v {
			v[i] = printableTexts(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = printableTexts(v[name])
		}
	}
	return value
}

// print writes the answer: first the verdict, then the bar, then what the verdict rests on.
func (r reply) print(w io.Writer, p pen) {
	l, a := r.language, r.of
	if a.Valuta != fare.EUR.String() {
		l = l.InCurrency(a.Valuta, func(c fare.Cents) fare.Cents { return c })
	}
	said := wording.Verdict{Language: l, Of: a, Today: r.today()}
	if a.Ambito != verdict.Rotta && r.asked != "" {
		said.On, _ = fare.ParseDay((r.asked + "-01")[:len(time.DateOnly)]) // the service has read it
	}
	name := func(iata, airport string) string {
		if airport != "" {
			return places.AirportName(airport, l.Code)
		}
		return places.Name(fare.City(iata), l.Code)
	}
	of := a.Tratta
	if of == nil {
		of = &verdict.Tratta{}
	}
	from, to := name(a.OrigineIata, of.Origine), name(a.DestinazioneIata, of.Destinazione)
	fmt.Fprintln(w, l.Text("home.route", "From", from, "To", to))
	fmt.Fprintln(w, p.in(a.Verdetto.Livello, said.Headline()))
	var facts []string
	if said.Judged() && a.Quartili != nil {
		fmt.Fprintf(w, "\n%s\n", p.bar(l, a))
		certainty, restsOn := said.Certainty()
		facts = []string{said.Fare(), said.Known(), said.Past(), wording.Typical(l, a),
			certainty + l.Text("format.comma") + restsOn + "."}
	} else {
		facts = []string{said.Fare(), said.Known(), wording.Collecting(l, a.Raccolta)}
		if a.Raccolta == nil {
			facts = append(facts, l.Text("departure.too_little", "Fares", l.Number(a.Verdetto.Campione)))
		}
	}
	facts = append(facts, wording.Places(l, a.Tratta, places.Read(a.OrigineIata), places.Read(a.DestinazioneIata))...)
	if r.invented {
		facts = append(facts, l.Text("home.invented"))
	}
	for _, fact := range facts {
		if fact != "" {
			fmt.Fprintln(w, fact)
		}
	}
}

// today is the day by the service's clock, which may differ from that of this machine.
func (r reply) today() fare.Day {
	for _, p := range []*verdict.Prezzo{&r.of.Prezzo, r.of.PrezzoNoto} {
		if p != nil && p.TrovatoIl != nil && p.EtaOre != nil {
			return fare.DayOf(p.TrovatoIl.Add(time.Duration(*p.EtaOre) * time.Hour))
		}
	}
	return fare.DayOf(time.Now())
}

type pen struct {
	coloured bool
	width    int
}

// newPen returns a pen with the width of the terminal. It has colours on a terminal, unless
// NO_COLOR is set (no-color.org).
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

func (p pen) in(level, text string) string {
	colour, ok := map[string]int{verdict.Ottimo: 32, verdict.Buono: 32, verdict.Caro: 31}[level]
	if !p.coloured || !ok {
		return text
	}
	return fmt.Sprintf("\033[1;%dm%s\033[0m", colour, text)
}

// bar draws the judged fare on the range of comparable fares, with the usual range thicker, and
// amounts above as far as there is room.
func (p pen) bar(l *i18n.Language, a verdict.Analysis) string {
	of, price := a.Quartili, a.Prezzo.Cent
	low, high := min(of.MinimoCent, price), max(of.MassimoCent, price)
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
	for _, c := range []fare.Cents{price, of.Q1Cent, of.Q3Cent, low, high} {
		text := l.About(c)
		if c == price {
			text = l.Money(c)
		}
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
			drawn.WriteString(p.in(a.Verdetto.Livello, "●"))
		case i >= column(of.Q1Cent) && i <= column(of.Q3Cent):
			drawn.WriteRune('━')
		default:
			drawn.WriteRune('─')
		}
	}
	return "  " + strings.TrimRight(string(amounts), " ") + "\n  " + drawn.String() + "\n"
}

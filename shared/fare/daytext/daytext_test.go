package daytext_test

import (
	"errors"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/fare/daytext"
)

const tuesday = "2026-12-01"

func reader(t *testing.T, language string) daytext.Reader {
	t.Helper()
	today, err := fare.ParseDay(tuesday)
	if err != nil {
		t.Fatal(err)
	}
	return daytext.Reader{Language: language, Today: today}
}

func TestDay(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"en", "2027-03-14", "2027-03-14"},
		{"en", "tomorrow", "2026-12-02"},
		{"en", "12 Feb", "2027-02-12"},
		{"en", "12.02.2027", "2027-02-12"},
		{"en", "14/03", "2027-03-14"},
		{"de", "Freitag", "2026-12-04"},
		{"en", "next Friday", "2026-12-04"},
		{"en", "14 March", "2027-03-14"},
		{"es", "14 de marzo", "2027-03-14"},
		{"fr", "1er mars", "2027-03-01"},
		{"it", "sabato prossimo", "2026-12-05"},
		{"en", "03/04", "2027-03-04"},
		{"it", "03/04", "2027-04-03"},
		{"en", "3.4.2027", "2027-04-03"},

		{"en", "12 Feb 10.30", "2027-02-12"},
		{"en", "12 Feb 2027 10.30", "2027-02-12"},
		{"en", "10.30 12 Feb", "2027-02-12"},
		{"en", "12.2. 10.30", "2027-02-12"},
		{"en", "2027-02-12 10.30", "2027-02-12"},
		{"de", "12. Februar 14.45 Uhr", "2027-02-12"},
		{"de", "12.02.2027 um 7.15", "2027-02-12"},
		{"fr", "12 février à 10h", "2027-02-12"},
		{"it", "12 febbraio alle ore 10.30", "2027-02-12"},
		{"it", "12 febbraio ore 10", "2027-02-12"},
		{"es", "12 de febrero a las 10", "2027-02-12"},
		{"pt", "12 de fevereiro às 10h", "2027-02-12"},
		{"en", "12 Feb 10.30am", "2027-02-12"},
		{"en", "Thanksgiving", "2027-11-25"},
		{"en", "Memorial Day", "2027-05-31"},
		{"en", "Labor Day 2027", "2027-09-06"},
		{"es", "Acción de Gracias", "2027-11-25"},
		{"en", "March 14th, 2027", "2027-03-14"},
		{"en", "Sunday 14 March 2027", "2027-03-14"},
		{"en", "the 1st of May", "2027-05-01"},
		{"en", "14Mar27", "2027-03-14"},
		{"en", "20270314", "2027-03-14"},
		{"en", "2027/3/14", "2027-03-14"},
		{"en", "in two weeks", "2026-12-15"},
		{"en", "day after tomorrow", "2026-12-03"},
		{"en", "Friday next week", "2026-12-11"},
		{"en", "Fri 11", "2026-12-11"},
		{"en", "Tuesday", "2026-12-08"},
		{"en", "this Tuesday", tuesday},
		{"en", "1 December", tuesday},
		{"en", "yesterday", "2026-11-30"},
		{"en", "1970-01-01", "1970-01-01"},
		{"de", "Fr., 12. März 2027", "2027-03-12"},
		{"de", "am 3. Jänner", "2027-01-03"},
		{"de", "übermorgen", "2026-12-03"},
		{"de", "nächsten Samstag", "2026-12-05"},
		{"de", "in einer Woche", "2026-12-08"},
		{"de", "Do", "2026-12-03"},
		{"fr", "après-demain", "2026-12-03"},
		{"fr", "le 5 août 2027", "2027-08-05"},
		{"fr", "vendredi prochain", "2026-12-04"},
		{"fr", "aujourd'hui", tuesday},
		{"fr", "14 mar", "2027-03-14"},
		{"fr", "mar.", "2026-12-08"},
		{"it", "mar 16 mar", "2027-03-16"},
		{"it", "domenica", "2026-12-06"},
		{"it", "fra 10 giorni", "2026-12-11"},
		{"it", "primo maggio", "2027-05-01"},
		{"it", "8-3-27", "2027-03-08"},
		{"es", "pasado mañana", "2026-12-03"},
		{"es", "el próximo viernes", "2026-12-04"},
		{"es", "MIERCOLES", "2026-12-02"},
		{"pt", "sexta-feira", "2026-12-04"},
		{"pt", "sábado que vem", "2026-12-05"},
		{"pt", "no dia 7 de setembro de 2027", "2027-09-07"},
		{"pt", "depois de amanhã", "2026-12-03"},
		{"it", "14 March", "2027-03-14"},
		{"en", "Dienstag, 16.3.", "2027-03-16"},
		{"de", "mañana", "2026-12-02"},
		{"en", "29 Feb", "2028-02-29"},
		{"en", "Christmas Eve", "2026-12-24"},
		{"en", "Xmas", "2026-12-25"},
		{"en", "Monday week", "2026-12-14"},
		{"en", "a week on Friday", "2026-12-11"},
		{"en", "in a fortnight", "2026-12-15"},
		{"en", "3 days from now", "2026-12-04"},
		{"en", "in two months", "2027-02-01"},
		{"en", "14032027", "2027-03-14"},
		{"en", "2027-03-14T10:00:00Z", "2027-03-14"},
		{"en", "12 feb 27", "2027-02-12"},
		{"de", "naechsten Freitag", "2026-12-04"},
		{"de", "1. Maerz", "2027-03-01"},
		{"de", "heute in einer Woche", "2026-12-08"},
		{"de", "Silvester", "2026-12-31"},
		{"fr", "vendredi en huit", "2026-12-11"},
		{"fr", "dans quinze jours", "2026-12-16"},
		{"fr", "à Noël", "2026-12-25"},
		{"it", "fra un mese", "2027-01-01"},
		{"it", "Ferragosto", "2027-08-15"},
		{"es", "1ro de marzo", "2027-03-01"},
		{"es", "dentro de un mes", "2027-01-01"},
		{"pt", "daqui a um mês", "2027-01-01"},
		{"pt", "Natal", "2026-12-25"},
		{"en", "Easter", "2027-03-28"},
		{"en", "Easter 2038", "2038-04-25"},
		{"it", "Pasquetta", "2027-03-29"},
		{"de", "Karfreitag", "2027-03-26"},
		{"fr", "jeudi de l'Ascension", "2027-05-06"},
		{"pt", "terça-feira de Carnaval", "2027-02-09"},
		{"en", "the 15th", "2026-12-15"},
		{"it", "il 1", tuesday},
		{"pt", "dia 31", "2026-12-31"},
		{"en", "first Saturday in October", "2027-10-02"},
		{"it", "ultimo venerdì di febbraio 2027", "2027-02-26"},
		{"en", "a week today", "2026-12-08"},
		{"en", "tomorrow week", "2026-12-09"},
		{"en", "Friday fortnight", "2026-12-18"},
		{"en", "tomorrow 9am", "2026-12-02"},
		{"fr", "14 mars à 10h30", "2027-03-14"},
		{"en", "2027年3月14日", "2027-03-14"},
		{"en", "tommorow", "2026-12-02"},
		{"en", "wensday", "2026-12-02"},
		{"en", "Septermber 5", "2027-09-05"},
		{"it", "12 febraio", "2027-02-12"},
		{"de", "Mitwoch", "2026-12-02"},
		{"de", "Freitag in 8 Tagen", "2026-12-11"},
		{"es", "de hoy en ocho", "2026-12-08"},
		{"en", "twelfth of February", "2027-02-12"},
		{"en", "12–02–2027", "2027-12-02"},
	} {
		day, err := reader(t, c.language).Day(c.text)
		if err != nil || day.String() != c.want {
			t.Errorf("%s %q: %s, %v, want %s", c.language, c.text, day, err, c.want)
		}
	}
}

func TestDay_Fails(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
	}{
		{"30 February", daytext.ErrNoSuchDay}, {"2027-02-29", daytext.ErrNoSuchDay}, {"31/4/2027", daytext.ErrNoSuchDay},
		{"14/15", daytext.ErrNoSuchDay}, {"32.12.", daytext.ErrNoSuchDay}, {"0 March", daytext.ErrNoSuchDay},
		{"", daytext.ErrUnreadable}, {"soon", daytext.ErrUnreadable}, {"March", daytext.ErrSeveral},
		{"fifth Saturday in June", daytext.ErrNoSuchDay}, {"10-14 March", daytext.ErrSeveral}, {"next week", daytext.ErrSeveral},
		{"end of March", daytext.ErrSeveral}, {"Ende März", daytext.ErrSeveral}, {"Easter week", daytext.ErrSeveral},
		{"weekend", daytext.ErrSeveral}, {"third week of May", daytext.ErrSeveral}, {"next month", daytext.ErrSeveral},
		{"last Friday", daytext.ErrUnreadable}, {"+7", daytext.ErrUnreadable}, {"15 days", daytext.ErrUnreadable},
		{"2027", daytext.ErrUnreadable}, {"14 March April", daytext.ErrUnreadable}, {"mar", daytext.ErrSeveral},
		{"99999999999999999999 March", daytext.ErrUnreadable},
		{"14 to 21 March", daytext.ErrUnreadable}, {"du 14 au 21 mars", daytext.ErrUnreadable}, {"New York", daytext.ErrUnreadable},
	} {
		if day, err := reader(t, "en").Day(c.text); !errors.Is(err, c.want) {
			t.Errorf("%q: %s, %v, want %v", c.text, day, err, c.want)
		}
	}
	var other *daytext.OtherWeekday
	if _, err := reader(t, "en").Day("Friday 14 March 2027"); !errors.As(err, &other) || other.Day.String() != "2027-03-14" {
		t.Errorf("a wrong weekday: %v", err)
	}
}

func TestDay_After(t *testing.T) {
	r := reader(t, "en")
	r.After = r.Today + 30 // 31 December, a Thursday
	for text, want := range map[string]string{
		"3 Jan": "2027-01-03", "30 Dec": "2027-12-30", "Sunday": "2027-01-03", "Thursday": "2027-01-07",
		"tomorrow": "2026-12-02", "31.12.": "2026-12-31",
	} {
		if day, err := r.Day(text); err != nil || day.String() != want {
			t.Errorf("%q: %s, %v, want %s", text, day, err, want)
		}
	}
}

func TestMonth(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"en", "2027-03", "2027-03-01"}, {"en", "March 2027", "2027-03-01"}, {"de", "3/2027", "2027-03-01"},
		{"it", "marzo", "2027-03-01"}, {"en", "December", "2026-12-01"}, {"fr", "en août", "2027-08-01"},
		{"en", "Friday", ""}, {"en", "in a month", ""}, {"it", "Natale", ""}, {"en", "14 March", ""}, {"en", "14/03", ""}, {"en", "2027-13", ""},
	} {
		got := ""
		if first, err := reader(t, c.language).Month(c.text); err == nil {
			got = first.String()
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.language, c.text, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ language, text, rest, day string }{
		{"en", "Rome to London 14 March", "Rome to London", "14 March"},
		{"en", "Rome to London, on Friday 12 March 2027", "Rome to London", "on Friday 12 March 2027"},
		{"it", "da Roma a Londra il 14 marzo", "da Roma a Londra", "il 14 marzo"},
		{"de", "Rom nach London am Freitag", "Rom nach London", "am Freitag"},
		{"it", "Milano-Lisbona 12/02", "Milano-Lisbona", "12/02"},
		{"en", "tomorrow Rome to London", "Rome to London", "tomorrow"},
		{"es", "Madrid Lisboa hoy", "Madrid Lisboa", "hoy"},
		{"en", "Rome to London 30 February", "Rome to London", "30 February"},
		{"en", "Rome to Sun", "Rome to Sun", ""}, {"en", "London Terminal 2", "London Terminal 2", ""},
		{"en", "tomorrow", "tomorrow", ""}, {"pt", "São Paulo", "São Paulo", ""},
	} {
		rest, day, ok := reader(t, c.language).Cut(c.text)
		if rest != c.rest || day != c.day || ok != (day != "") {
			t.Errorf("%q: %q and %q", c.text, rest, day)
		}
	}
}

func FuzzDay(f *testing.F) {
	for _, seed := range []string{"14/03", "in 3 Wochen", "\xff1er mars", "mar 16 mar 27", "el próximo viernes"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := reader(t, "it")
		if day, err := r.Day(text); err == nil && day >= 0 && day.Time().Year() < 10_000 {
			if again, err := r.Day(day.String()); err != nil || again != day {
				t.Errorf("%q: %s, then %s, %v", text, day, again, err)
			}
		}
		r.Cut(text)
	})
}

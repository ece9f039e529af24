package mail

import (
	"html/template"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
)

func aDigest() Digest {
	link := func(path, name string) string {
		return "https://verdetto.example/v1/alerts/" + path + "?t=" + strings.Repeat("a", 22) + "." + name + "." +
			strings.Repeat("b", 22)
	}
	alert := func(to, name, trip string, met bool, price, before, median fare.Cents, level,
		reliability string) DigestAlert {
		market := ""
		if trip == "" && level != "dati-insufficienti" {
			market = level
		}
		return DigestAlert{
			Market: market,
			Origin: "Milano", Destination: to, Trip: trip, Met: met, Price: price, Before: before,
			Depart: 16890, Found: time.Date(2016, 3, 1, 3, 12, 0, 0, time.UTC),
			Judged: Judged{Level: level, Reliability: reliability, Usual: median},
			Page:   "https://verdetto.example/?da=MIL&a=BUH&lang=it", Unsubscribe: link("unsubscribe", name),
			Snooze: link("manage", name),
		}
	}
	d := Digest{
		ID: "digest-20160301-abc", To: "ada@example.com", Lang: "it", Weekday: time.Tuesday, Day: 16861,
		Manage: link("manage", "2016-03-01"), Unsubscribe: link("unsubscribe", ""),
		Alerts: []DigestAlert{
			alert("Bucarest", "MIL-BUH", "", true, 1499, 1999, 5250, "ottimo", "media"),
			alert("Londra", "MIL-LON~abc", "partenza: mercoledì 30 marzo 2016, andata e ritorno con 4-7 notti", false, 8800,
				8800, 8000, "normale", "alta"),
			alert("Lisbona", "MIL-LIS", "", false, 12345, 9900, 9900, "caro", "bassa"),
			alert("Roma", "MIL-ROM", "", false, 4500, 0, 0, "dati-insufficienti", ""),
			alert("Madrid", "MIL-MAD", "", false, 0, 5000, 0, "", ""),
		},
	}
	for i, when := range []string{
		"quando il prezzo più basso è di <strong>20,00\u00a0€</strong> o meno",
		"quando il prezzo diventa <strong>buono</strong> o <strong>ottimo</strong>",
		"quando il prezzo è più basso che negli ultimi <strong>30 giorni</strong>",
		"quando il prezzo scende almeno del <strong>10%</strong>",
		"quando il prezzo diventa <strong>buono</strong> o <strong>ottimo</strong>",
	} {
		d.Alerts[i].When = template.HTML(when)
	}
	return d
}

func TestDigestMails(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Digest)
		subject string
		says    []string
	}{
		{"digest-it", func(*Digest) {}, "I tuoi prezzi della settimana: 1 su 5 come volevi",
			[]string{"5,00\u00a0€ in meno", "ultimo messaggio.", "24,45\u00a0€ in più", "troppo poco",
				"nessun prezzo", "mercoledì 30 marzo 2016", "Certezza media", "ora è il momento",
				"sono 38\u00a0€ in meno", "i prezzi sono molto bassi", "Visto oggi, martedì 1º marzo 2016.",
				"ogni martedì"}},
		{"digest-en", func(d *Digest) { english(d) }, "Your fares this week: 1 of 5 as you asked",
			[]string{"€5.00 less", "The same as in our last message", "€24.45 more", "We know too little",
				"We know of no fare", "Wednesday 30 March 2016", "Medium certainty", "that is the case now", "this is €38 less",
				"Seen today, Tuesday 1 March 2016.",
				"every Tuesday"}},
		{"digest-none-en", func(d *Digest) { english(d); d.Alerts = d.Alerts[4:] }, "Your fares this week",
			[]string{"We know of no fare", "not the case yet"}},
		{"digest-de", func(d *Digest) { d.Lang = "de" }, "Deine Preise der Woche: 1 von 5 wie gewünscht",
			[]string{"weniger als zuletzt", "jeden Dienstag"}},
		{"digest-fr", func(d *Digest) { d.Lang = "fr" }, "Vos prix de la semaine\u00a0: 1 sur 5 comme demandé",
			[]string{"de moins que le dernier", "chaque mardi"}},
		{"digest-es", func(d *Digest) { d.Lang = "es" }, "Tus precios de la semana: 1 de 5 como querías",
			[]string{"menos que en el último mensaje", "cada martes"}},
		{"digest-pt", func(d *Digest) { d.Lang = "pt" }, "Os seus preços da semana: 1 de 5 como queria",
			[]string{"menos do que na última mensagem", "terça-feira"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := aDigest()
			c.change(&d)
			got, err := DigestMail(d)
			if err != nil {
				t.Fatal(err)
			}
			golden := c.name
			if d.Lang != "it" && d.Lang != "en" {
				golden = ""
			}
			says := append(c.says, d.Unsubscribe, d.Manage)
			for _, a := range d.Alerts {
				says = append(says, a.Unsubscribe, a.Snooze)
			}
			wanted{Message{ID: d.ID, To: d.To, Tag: AlertTag, Unsubscribe: d.Unsubscribe, Subject: c.subject}, says,
				2 + 3*len(d.Alerts)}.hold(t, golden, got)
		})
	}
}

func english(d *Digest) {
	d.Lang = "en"
	for i, when := range []template.HTML{
		"when the cheapest fare is <strong>€20.00</strong> or less",
		"when the fare becomes <strong>good</strong> or <strong>great</strong>",
		"when the fare is lower than in the last <strong>30 days</strong>",
		"when the fare falls by <strong>10%</strong> or more",
		"when the fare becomes <strong>good</strong> or <strong>great</strong>",
	} {
		a := &d.Alerts[i]
		a.Origin, a.Destination, a.When = "Milan", []string{"Bucharest", "London", "Lisbon", "Rome", "Madrid"}[i], when
	}
	d.Alerts[1].Trip = "departure: Wednesday 30 March 2016, return, 4-7 nights away"
}

func TestDigestMailRefuses(t *testing.T) {
	refuses(t, aDigest, DigestMail, map[string]func(*Digest){
		"no address":              func(d *Digest) { d.To = "" },
		"language":                func(d *Digest) { d.Lang = "" },
		"no alert":                func(d *Digest) { d.Alerts = nil },
		"no city":                 func(d *Digest) { d.Alerts[1].Origin = "" },
		"nothing asked for":       func(d *Digest) { d.Alerts[1].When = "" },
		"price below nought":      func(d *Digest) { d.Alerts[1].Price = -1 },
		"met without a fare":      func(d *Digest) { d.Alerts[4].Met = true },
		"no page":                 func(d *Digest) { d.Alerts[1].Page = "" },
		"no way out":              func(d *Digest) { d.Unsubscribe = "" },
		"no way out of one":       func(d *Digest) { d.Alerts[1].Unsubscribe = "" },
		"no pause":                func(d *Digest) { d.Alerts[1].Snooze = "" },
		"no list":                 func(d *Digest) { d.Manage = "" },
		"link that runs a script": func(d *Digest) { d.Manage = "javascript:alert(1)" },
		"id with a path in it":    func(d *Digest) { d.ID = "../a" },
	})
}

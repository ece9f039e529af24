package mail

import (
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
)

func aList() List {
	token := func(s string) string { return strings.Repeat("a", 22) + ".MIL-*." + strings.Repeat(s, 22) }
	of := func(city, code string, price int, level string) Listed {
		return Listed{
			Destination: city, Price: fare.Cents(price), Depart: 16890,
			Found:  time.Date(2016, 3, 1, 3, 12, 0, 0, time.UTC),
			Judged: Judged{Level: level, Reliability: "media", Usual: 5250}, Page: "https://verdetto.example/?da=MIL&a=" + code + "&lang=it",
		}
	}
	return List{
		ID: "20160301-MIL-abc", To: "ada@example.com", Lang: "it",
		Subject: "Milano: 14 destinazioni a buon prezzo, da 14,99\u00a0€", More: 12,
		Fares: []Listed{of("Bucarest", "BUH", 1499, "ottimo"), of("Londra", "LON", 1999, "buono")},
		When:  "quando il prezzo per una destinazione è <strong>buono</strong> o <strong>ottimo</strong>",
		Trip:  "solo voli senza scali", RequestDay: 16800, Day: 16862,
		Page:        "https://verdetto.example/?da=MIL&diretto=si&lang=it",
		Unsubscribe: "https://verdetto.example/v1/alerts/unsubscribe?t=" + token("b"),
		Snooze:      "https://verdetto.example/v1/alerts/manage?t=" + token("d"),
		Manage: "https://verdetto.example/v1/alerts/manage?t=" + strings.Repeat("a", 22) + ".." +
			strings.Repeat("c", 22),
	}
}

func TestListMails(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*List)
		says   []string
	}{
		{"list-it", func(*List) {}, []string{"Bucarest", "Londra", "di solito costano circa 53\u00a0€", "altre 12 destinazioni",
			"giovedì 31 dicembre 2015", "Visto ieri, martedì 1º marzo 2016.", "senza scali", "buono o ottimo"}},
		{"list-en", func(l *List) {
			l.Lang, l.Subject, l.More, l.Trip, l.RequestDay = "en", "Milan: 2 cheap destinations, from €14.99", 0, "", 0
			l.When = "when the fare to a destination is <strong>good</strong> or <strong>great</strong>"
		}, []string{"€14.99", "usually cost about €53", "Medium certainty", "good or great"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := aList()
			c.change(&l)
			got, err := ListMail(l)
			if err != nil {
				t.Fatal(err)
			}
			says := append(c.says, l.Page, l.Fares[0].Page, l.Fares[1].Page, l.Unsubscribe, l.Snooze, l.Manage)
			wanted{Message{ID: l.ID, To: l.To, Tag: AlertTag, Unsubscribe: l.Unsubscribe, Subject: l.Subject}, says,
				6}.hold(t, c.name, got)
		})
	}
}

func TestListMailRefuses(t *testing.T) {
	refuses(t, aList, ListMail, map[string]func(*List){
		"no address":                func(l *List) { l.To = "" },
		"language":                  func(l *List) { l.Lang = "" },
		"no fare":                   func(l *List) { l.Fares = nil },
		"no subject":                func(l *List) { l.Subject = "" },
		"line break in the subject": func(l *List) { l.Subject = "Milano\r\nBcc: bob@example.com" },
		"no city":                   func(l *List) { l.Fares[1].Destination = "" },
		"no price":                  func(l *List) { l.Fares[1].Price = 0 },
		"no verdict":                func(l *List) { l.Fares[0].Level = "dati-insufficienti" },
		"no way out":                func(l *List) { l.Unsubscribe = "" },
		"page that is no https":     func(l *List) { l.Page = "http://verdetto.example/" },
		"verdict that is no https":  func(l *List) { l.Fares[0].Page = "javascript:alert(1)" },
	})
}

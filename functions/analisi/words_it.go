package analisi

import (
	"fmt"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/verdict"
)

var italian = words{
	Lang: "it", Title: "Il prezzo di oggi è buono?",
	Description: "Verdetto confronta il volo più economico di oggi con la storia della stessa rotta e dice quanto ne è sicuro.",

	From: "Da", To: "A", Ask: "Dimmi se conviene", Example: "Per esempio",
	Placeholders: [2]string{"Milano", "Bucarest"},
	Claim:        "Il prezzo di oggi è buono?",
	Lede:         "Confrontiamo il volo più economico di oggi con quello degli altri giorni, sulla stessa rotta. E diciamo quanto siamo sicuri.",
	How: [3][2]string{
		{"Uguale con uguale", "Il minimo di oggi contro il minimo degli altri giorni: alla rinfusa ogni giorno sembra un affare."},
		{"Con la sua certezza", "Ogni verdetto porta il suo margine. Sotto gli 8 giorni osservati diciamo che non lo sappiamo."},
		{"Nessun volo da vendere", "Nessun biglietto, nessun link per prenotare: non guadagniamo se compri il volo."},
	},
	ExampleNote: "Un verdetto si vede così: il punto è oggi fra tutti i giorni, il tratto è quanto ne siamo sicuri.",
	Popular:     "Dove si vola da", PopularLede: "Le destinazioni di cui vediamo più prezzi, con il più basso di quelli recenti. Scegline una per il verdetto.", PopularOther: "Altre destinazioni da",

	Levels: [4]string{"ottimo", "buono", "normale", "caro"},
	Verdicts: map[string]string{
		"ottimo": "Sì, è un ottimo prezzo.", "buono": "Sì, è un buon prezzo.", "normale": "È un prezzo normale.",
		"caro": "No, oggi è caro.", "dati-insufficienti": "Non lo sappiamo ancora.",
	},
	Hints:      map[string]string{"ottimo": "Sembra un ottimo prezzo.", "buono": "Sembra un buon prezzo.", "normale": "Sembra un prezzo normale.", "caro": "Oggi sembra caro."},
	Brief:      map[string]string{"ottimo": "un ottimo prezzo", "buono": "un buon prezzo", "normale": "un prezzo normale", "caro": "oggi è caro"},
	BriefHints: map[string]string{"ottimo": "sembra un ottimo prezzo", "buono": "sembra un buon prezzo", "normale": "sembra un prezzo normale", "caro": "oggi sembra caro"},
	Barely:     [2]string{"Oggi è appena più caro del solito.", "appena più del solito"},
	Sure:       map[string]string{"alta": "Certezza alta", "media": "Certezza media", "bassa": "Certezza bassa"},
	Seasonal:   "Il confronto è con la stessa stagione di tutti gli anni.",
	History:    "Oggi e gli ultimi sei mesi", HistoryNote: "La linea è il prezzo più basso di ogni settimana, l'ombra arriva alla mediana. A destra, quanti giorni per prezzo. Le fasce sono i verdetti: in quale cadrebbe oggi ogni prezzo.",
	ScaleNote: "Il punto è oggi fra tutti i giorni osservati, dal meno caro al più caro. Il tratto è il margine: dove starebbe, 9 volte su 10, con una storia molto più lunga.",
	Months:    "Quando partire", MonthsNote: "Prezzo mediano per mese di partenza, in euro.",
	Window:     "Quando prenotare",
	WindowEnds: [2]string{"giorni prima della partenza", "partenza"},
	WindowNote: "Così è andata finora: non dice se conviene aspettare per una certa partenza.",
	NoMonths:   "Non ci sono ancora abbastanza prezzi per confrontare i mesi.", NoWindow: "Non ci sono ancora abbastanza partenze per dire con quanto anticipo conviene.",
	Numbers: "I numeri", Week: "Settimana dal", Lowest: "Minimo", Median: "Mediana", Days: "Giorni", Month: "Mese", Fares: "Prezzi",
	Destination: "Destinazione", Price: "Prezzo minimo", Change: "In una settimana",
	Share: "Link a questo verdetto", Back: "Una nuova domanda", Others: "Altre destinazioni da",
	Invented: "Dimostrazione: i prezzi sono inventati.",

	Alert: "Avvisami quando scende", AlertLede: "Una mail quando il prezzo diventa buono, al massimo una a settimana. Ti chiediamo prima una conferma; smettere costa un clic.",
	Email: "E-mail", Threshold: "Soglia in euro", ThresholdNote: "facoltativa; senza, decide il verdetto", Subscribe: "Avvisami",
	Privacy: "L'indirizzo serve solo a questo.",
	Pro:     "Pro, per chi chiede spesso", ProLede: "Una chiave per i tuoi programmi: 120 verdetti al minuto invece di 30 al giorno, e la storia intera di ogni rotta.",
	Buy: "Acquista con carta", ProNote: "Il prezzo è quello mostrato alla cassa. La chiave compare subito dopo il pagamento; si può pagare anche in USDC.",

	UnknownTitle: "Questa città non la conosciamo.", Perhaps: "Forse cercavi:", SameTitle: "Partenza e arrivo coincidono.",
	SameLede:        "I due nomi portano alla stessa città: scegline due diverse.",
	NotCoveredTitle: "Questa rotta non la osserviamo ancora.", NotCoveredLede: "L'abbiamo annotata: al prossimo aggiornamento, entro 7 giorni, chiediamo i prezzi.",
	NoFareTitle: "Nessun prezzo recente.", TooManyTitle: "Per oggi basta così.", TooManyLede: "Hai usato le domande gratuite di oggi: ripartono a mezzanotte (UTC). Con una chiave Pro non c'è limite giornaliero.",
	FaultTitle: "Qualcosa non va da noi.", FaultLede: "Il verdetto non si è potuto leggere. Riprova fra un minuto.",
	BadTitle: "Non riusciamo a leggere la domanda.", BadLede: "Scrivi due nomi di città, ognuno di al massimo 100 caratteri.",
	MissingTitle: "Da dove parti?", MissingLede: "Scrivi anche la città di partenza.",
	NothingTitle: "Da qui non conosciamo ancora voli.", Nothing: "L'abbiamo annotata: al prossimo aggiornamento, entro 7 giorni, chiediamo i prezzi.",
	NoneLive:    "Le rotte da qui sono seguite, ma ultimamente nessuno vi ha trovato un prezzo.",
	AlertAnyway: "Puoi chiedere l'avviso fin d'ora.",
	SendFailed:  "Invio non riuscito: riprova fra un minuto.", Sending: "Un momento…",
	Sent: "Controlla la posta: se l'indirizzo accetta la nostra, sta arrivando il link per confermare.", Refused: "Controlla l'indirizzo e la soglia.", RefusedEmail: "Controlla l'indirizzo.", Later: "Troppe richieste: riprova più tardi.",
	Offered: "{n} città; scegli con le frecce", NoOffers: "Nessuna città con questo nome",

	route: func(from, to string) string {
		a := " a "
		if initial := places.Fold(to); strings.HasPrefix(initial, "a") {
			a = " ad "
		}
		return "Da " + from + a + to
	},
	popularFrom: func(city string) string { return "Voli da " + city },
	unknown: func(name string) string {
		return "Nessuna città con voli di linea si chiama «" + name + "»."
	},
	noFare: func(newest string) string {
		return "La rotta è seguita, ma ultimamente nessuno vi ha trovato un prezzo; l'ultimo: " + newest + "."
	},
	today: func(price, depart string) string {
		return "Oggi da " + price + " (partenza: " + depart + ")."
	},
	dearer: func(dearer, equal, size int) string {
		switch {
		case 2*equal >= size:
			return fmt.Sprintf("In %d giorni su %d costava lo stesso.", equal, size)
		case dearer == size:
			return fmt.Sprintf("Mai visto così basso in %d giorni osservati.", size)
		case dearer == 0:
			return fmt.Sprintf("Mai visto più alto in %d giorni osservati.", size)
		}
		return fmt.Sprintf("In %s su %d costava di più.", plural(dearer, "giorno", "giorni"), size)
	},
	against: func(price, median fare.Cents, level string) string {
		usual := "Di solito costa " + italianMoney(median)
		switch {
		case nearly(price, median) && price < median && level == verdict.Normale:
			return usual + ": differenza troppo piccola per chiamarlo buono."
		case price == median, nearly(price, median) && level == verdict.Normale:
			return usual + ": più o meno lo stesso."
		case price < median:
			return usual + ": sono " + italianMoney(median-price) + " in meno."
		}
		return usual + ": sono " + italianMoney(price-median) + " in più."
	},
	certainty: func(days int) string { return fmt.Sprintf("su %d giorni osservati", days) },
	tooLittle: func(days, needed int) string {
		return fmt.Sprintf("Di questa rotta conosciamo %s di prezzi; ne servono almeno %d per un verdetto onesto. Torna fra qualche settimana.", plural(days, "giorno", "giorni"), needed)
	},
	monthsBest: func(months []string, known int) string {
		if known < 12 {
			return fmt.Sprintf("Fra i %d mesi di cui conosciamo i prezzi, di solito si paga meno partendo in %s.", known, list(months, "e"))
		}
		return "Di solito si paga meno partendo in " + list(months, "e") + "."
	},
	window: func(from, to int) string {
		return fmt.Sprintf("A parità di partenza, i prezzi sono stati più bassi fra %d e %d giorni prima.", from, to)
	},
	fresh: func(when string, observations int) string {
		return fmt.Sprintf("Ultimo prezzo visto %s; prezzi osservati in 400 giorni: %s.", when, grouped(observations, "."))
	},
	asOf: func(day string) string {
		if strings.HasPrefix(day, "8 ") || strings.HasPrefix(day, "11 ") { // otto, undici
			return "all'" + day
		}
		return "al " + day
	},
	scaleLabel: func(percentile, low, high int) string {
		return fmt.Sprintf("Giorni che costavano meno di oggi: %d per cento; margine: da %d a %d per cento.", percentile, low, high)
	},
	historyIs: func(price, low, median string) string {
		return fmt.Sprintf("Oggi %s; il minimo dei giorni osservati è %s, la mediana %s.", price, low, median)
	},
	ago: func(days int) string {
		switch days {
		case 0:
			return "oggi"
		case 1:
			return "ieri"
		}
		return fmt.Sprintf("%d giorni fa", days)
	},
	money:  italianMoney,
	count:  func(n int) string { return grouped(n, ".") },
	first:  "º",
	months: [12]string{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"},
}

func italianMoney(c fare.Cents) string { return whole(c, ",", ".") + "\u00a0€" }

package reference

// advice says of every code of a problem document what to do about it. A test
// wants an entry for each code that the description lists, and no other.
var advice = map[string]string{
	"tariffe-non-mostrate":     "GET /v1/analisi compares today's fare with those of past days, GET /v1/price-trends gives medians. Who runs the service can allow more, where the owner of the fares does.",
	"accesso-diretto":          "Call the service at its public address, not at the address behind it.",
	"checkout-non-pro":         "That checkout sold something other than Pro. POST /v1/pro/checkout begins one for Pro.",
	"chiave-gia-emessa":        "The key was shown before. POST /v1/pro/recupera sends a fresh one to the address that paid.",
	"chiave-non-valida":        "Check the key for typing errors; if it was replaced, POST /v1/pro/recupera sends a fresh one, and the link in a mail about a key that you did not ask for brings the one before back. Without the header calls are free up to a cap.",
	"citta-sconosciuta":        "Look at suggestions, or give the name in another language or the IATA code.",
	"destinazione-sconosciuta": "Look at suggestions, or give the name in another language or the IATA code of a city or airport with scheduled flights; GET /v1/rotte lists what is covered.",
	"errore-interno":           "The fault is ours and has been logged. Try again in a minute.",
	"firma-non-valida":         "Only the card processor delivers here, signed with the secret that it shares with us.",
	"importo-insufficiente":    "Send the whole price that GET /v1/pro/cripta names in one transaction.",
	"metodo-non-ammesso":       "Use one of the methods that the header Allow lists.",
	"non-da-telegram":          "Only Telegram calls here, with the secret that the webhook was set with. Write to the bot instead.",
	"nessuna-tariffa":          "The route is covered, but nothing was found on it lately. Fares are refreshed every 7 days: ask again then.",
	"nessuna-carta":            "The plan is not paid by card: it ends by itself, and there is nothing to cancel.",
	"origine-sconosciuta":      "Look at suggestions, or give the name in another language or the IATA code of a city or airport with scheduled flights; GET /v1/rotte lists what is covered.",
	"prova-non-valida":         "Sign the text that proofText of GET /v1/pro/cripta shows with the wallet that paid, or leave firma out.",
	"pagamento-di-altri":       "Give the e-mail address that the payment link was made for.",
	"pagamento-fallito":        "The transaction moved nothing. Send the payment again.",
	"pagamento-gia-usato":      "The payment has bought a plan already. POST /v1/pro/recupera sends a fresh key to the address that it was claimed with.",
	"pagamento-in-attesa":      "Finish the checkout, or wait as Retry-After says and ask again.",
	"pagamento-non-definitivo": "Wait as Retry-After says, until the network has made the transaction final, and ask again.",
	"pagamento-non-trovato":    "Check the signature; if the transaction has just been sent, wait as Retry-After says and ask again.",
	"pagamento-scaduto":        "Payments can be claimed for 30 days. Write to us.",
	"pagamento-richiesto":      "Clients of x402 pay by themselves: PAYMENT-REQUIRED says what, in USDC on Solana, and the payment goes into PAYMENT-SIGNATURE of the same call. The free endpoint under /v1 answers the same, up to a cap.",
	"pagamento-rifiutato":      "Nothing was taken for this call. error in PAYMENT-REQUIRED, or errorReason in PAYMENT-RESPONSE, says why: make a new payment as PAYMENT-REQUIRED asks.",
	"percorso-sconosciuto":     "GET /v1 lists the paths that there are.",
	"piano-scaduto":            "POST /v1/pro/checkout or GET /v1/pro/cripta renews the plan. Without the header calls are free up to a cap.",
	"richiesta-non-valida":     "Look at errors: each entry names a parameter or field and what is wrong with it. Such a call is not counted.",
	"rotta-non-coperta":        "It is noted, and the next refresh asks for the origin's fares; GET /v1/rotte lists what is covered.",
	"servizio-non-disponibile": "Wait as Retry-After says, or a few seconds, and ask again. Nothing is lost.",
	"sessione-scaduta":         "POST /v1/pro/checkout begins a new checkout.",
	"sessione-sconosciuta":     "Open the link that the checkout sent you to, whole.",
	"soste-sconosciute":        "Ask without diretto: the source does not tell non-stop fares of the route from others.",
	"stessa-citta":             "Give two different cities. Airports of one city count as that city.",
	"troppe-richieste":         "Wait as Retry-After says; X-RateLimit-Reset is when the window ends, and GET /v1/consumo says what is left of each cap. A Pro key has no daily cap; paid, where it is there, is where the same answer is sold by itself.",
	"vendita-non-attiva":       "The endpoint of the same name under /v1 answers the same, up to a daily cap or with a Pro key.",
	"valuta-sconosciuta":       "Choose one of suggestions: currencies with a reference rate of the European Central Bank.",
}

var proKeyWays = []ReferenceWay{
	{"By card", []string{
		`POST /v1/pro/checkout with {"email": "ada@example.com"} gives url, a hosted checkout.`,
		"Send the payer there. After paying, the browser comes back to GET /v1/pro/conferma?session_id=...",
		"That shows the key once, as apiKey in JSON or on a page. Keep it: only a hash of it is stored.",
		"The plan renews itself; when it ends, 3 days of grace later, the key is refused with piano-scaduto.",
	}},
	{"In USDC on Solana", []string{
		"GET /v1/pro/cripta?email=ada@example.com gives wallet, mint, network and amount, and a Solana Pay link whose memo binds the payment to that address.",
		"Pay at least that amount in one transaction, with that memo: a payment without it belongs to who claims it first.",
		`When it is final, about 15 seconds later, POST /v1/pro/verifica-cripta with {"email": "ada@example.com", "signature": "..."} gives apiKey for 30 days.`,
		"Whoever paid without the memo can prove it for 30 days: firma in the same call is the paying wallet's signature of proofText, and outranks a claim without.",
		"A second payment adds 30 days to what is left. The key goes on and is not shown again: status is esteso, and apiKey absent, but for who sends the key in X-Api-Key.",
	}},
	{"A lost key", []string{
		`POST /v1/pro/recupera with {"email": "ada@example.com"}: the answer is the same for every address.`,
		"If the address has a plan, a fresh key is mailed to it, and the old one is refused once that mail is sent.",
		"Whoever did not ask for it opens the link in the mail and presses the button: the old key works again, and for 30 days a recovery has to be confirmed by mail first.",
	}},
	{"Looking at a key, and replacing it", []string{
		"GET /v1/pro/chiave with the key in X-Api-Key gives expiresAt, issuedAt and restsOn, and in usage what was called with it in this minute and today.",
		"POST /v1/pro/chiave/ruota with the key gives a fresh one as apiKey; the old one is refused from then on.",
		"With an Idempotency-Key header of your own choice, a UUID for example, a lost answer is given again for 10 minutes: send the old key and the same Idempotency-Key.",
	}},
}

// rules hold throughout.
var rules = []ReferenceRule{
	{"Paths", "Every path under /v1 also answers under /api/v1. GET paths answer HEAD, but for the one that shows a key once and those under /x402, which are paid one by one."},
	{"Problems", "Every answer that is no success is a problem document (RFC 9457, application/problem+json). Its code is stable and is what a program should look at; its detail is for people."},
	{"Units", "Amounts are whole hundredths of the currency (cents): fields end in Cent or Cents. Percentiles are whole percent. Days are days before departure."},
	{"Time", "Dates and times are UTC: RFC 3339 for times, YYYY-MM-DD for days. Daily caps start again at midnight UTC."},
	{"Fares", "Economy, one adult, one-way unless returns are asked for, found by others' searches within the last 7 days. No bookable fare, no itinerary, no deeplink is ever given."},
	{"Freshness", "Fares are refreshed every 7 days; aggiornatoIl and updatedAt say when the newest was found."},
	{"Honesty", "A verdict rests on at least 8 days of observed fares, about a departure on at least 8 fares of the route and 3 of a similar lead time, or it is dati-insufficienti; affidabilita says how sure it is, and fields that cannot be known are absent or null. X-Data: sample marks invented fares."},
	{"Limits", "X-RateLimit-Limit, -Remaining and -Reset (Unix seconds) come with every counted answer, and the same as RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers). What counts is a well-formed call, found or not; a 400 is free. Past the cap: 429 with Retry-After in seconds."},
	{"Caching", "Cache-Control says how long an answer may be kept. GET /v1/price-trends is shared by the edge for 6 hours, GET /v1/calendario and GET /v1/occasioni for one, and for a key's own answers 10 minutes; a verdict for a key may be kept for 10 minutes by who asked. Answers with an ETag are 304 where If-None-Match has it. Problems are never kept."},
	{"Lost answers", "Every answer has an X-Request-Id: say it when you ask for help. Calls that create something take an Idempotency-Key of 16 to 100 characters: the same call with the same one is answered as the first was, and creates nothing more."},
	{"Compatibility", "Fields, parameters and codes may be added; those that there are stay as they are. Ignore what you do not know."},
}

package alerts

// Pages show the texts alerts.fault of the catalogues instead of these texts.
var faultTexts = map[string]string{
	"missing":       "is missing",
	"repeated":      "is given more than once",
	"not_text":      "is not a text",
	"not_form":      "cannot be read as a form",
	"not_json":      "is not a JSON object such as {\"route\":\"MIL-BUH\",\"email\":\"ada@example.com\"}",
	"content_type":  "is not sent as JSON: send Content-Type: application/json",
	"unknown_field": "is no field of this request: it has {Fields}",
	"route": "is not a route such as MIL-BUH: two IATA codes of cities or airports with a hyphen " +
		"between them; or MIL-* for any destination",
	"same_city": "begins and ends in the same city, {City}; give two different cities",
	"unknown_city": "names {Code}, which is the IATA code of no city or airport with scheduled flights; " +
		"GET /v1/rotte lists the routes that are covered",
	"email": "is not an email address such as ada@example.com",
	"threshold": "is not an amount such as 49.90, worth 0.01 to 100000 euros; without it, the " +
		"verdict decides",
	"channel":          "is none of the channels: {Values}",
	"no_telegram":      "has the value telegram, but this service has no bot there. Choose mail or ntfy",
	"not_with":         "does not go with the channel {Channel}: leave it out",
	"departure":        "is not a day such as 2027-03-20, or at most 31 days such as 2027-03-18..2027-03-22",
	"departure_when":   "has to lie between today and a year from today",
	"month":            "is not a month such as 2027-03",
	"not_both":         "does not go with {Other}: give one of the two",
	"nights":           "has to be one of 1-3, 4-7, 8-14 and 15+; without it the alert is for one way",
	"nonstop":          "has to be true or false",
	"kind":             "has to be one of {Values}",
	"days":             "has to be a number of days from 7 to 365",
	"percent":          "has to be a whole number from 1 to 90",
	"amount":           "is not an amount such as 20, worth 0.01 to 100000 euros",
	"whole":            "has decimals, and {Currency} has none: give a whole amount",
	"only_with":        "goes with kind={Kind} only: leave it out, or change kind",
	"not_with_paid":    "does not go with paid: give one of the two",
	"drop_wants":       "wants percent or amount: by how much the fare has to fall",
	"airline":          "names an airline that we do not know; give an IATA code such as FR, or a name such as Ryanair",
	"airline_similar":  "names an airline that we do not know; similar names are {Similar}",
	"airline_not_here": "leaves no fare to wait for: the current fares of this route are of {Airlines}",
	"airline_unnamed":  "leaves no fare to wait for: the source does not name the airlines of this route",
	"level":            "has to be buono or ottimo",
	"area":             "is not the code of a country such as ES, or of a continent such as 150 (Europe)",
	"only_anywhere":    "goes with a route to anywhere only, such as MIL-*: leave it out",
	"not_anywhere":     "does not go with a route to anywhere: leave it out, or name a destination",
	"frequency":        "has to be one of {Values}",
	"too_soon_weekly": "cannot be weekly: the first weekly mail may come as late as {First} (UTC), after " +
		"the departure; leave it out to be told at once",
	"currency": "is not the code of a currency with a reference rate, such as USD",
	"too_soon": "leaves too early: the first message can come on {First} (UTC); choose a departure after " +
		"that day",
	"paid_departure": "is needed with kind=paid: give the day on which the trip that you paid for leaves",
	"paid":           "is not an amount such as 129.90, worth 0.01 to 100000 euros",
	"address.ntfy":   "is not the https URL of a topic, such as https://ntfy.sh/my-topic",
	"address.webhook": "has to be the https URL of a public server, on port 443 and without a user name, " +
		"as in https://example.com/alerts",
}

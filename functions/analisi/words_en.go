package analisi

import (
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

var english = words{
	Lang: "en", Title: "Is today's fare a good one?",
	Description: "Verdetto compares today's cheapest flight with the same route's own history, and says how sure it is.",

	From: "From", To: "To", Ask: "Tell me if it is cheap", Example: "For example",
	Placeholders: [2]string{"Milan", "Bucharest"},
	Claim:        "Is today's fare a good one?",
	Lede:         "We compare today's cheapest flight with the cheapest of other days on the same route. And we say how sure we are.",
	How: [3][2]string{
		{"Like with like", "Today's lowest fare against the lowest of other days: in one heap, every day looks like a bargain."},
		{"With its certainty", "Every verdict comes with its margin. Below 8 observed days we say that we do not know."},
		{"No flights to sell", "No ticket, no booking link: we earn nothing when you buy a flight."},
	},
	ExampleNote: "A verdict looks like this: the dot is today among all days, the bar is how sure we are.",
	Popular:     "Where people fly from", PopularLede: "The destinations that we see most fares to, with the lowest of the recent ones. Choose one for its verdict.", PopularOther: "Other destinations from",

	Levels: [4]string{"great", "good", "normal", "expensive"},
	Verdicts: map[string]string{
		"ottimo": "Yes, this is a great fare.", "buono": "Yes, this is a good fare.", "normale": "This is a normal fare.",
		"caro": "No, it is expensive today.", "dati-insufficienti": "We do not know yet.",
	},
	Hints:      map[string]string{"ottimo": "It looks like a great fare.", "buono": "It looks like a good fare.", "normale": "It looks like a normal fare.", "caro": "It looks expensive today."},
	Brief:      map[string]string{"ottimo": "a great fare", "buono": "a good fare", "normale": "a normal fare", "caro": "expensive today"},
	BriefHints: map[string]string{"ottimo": "it looks like a great fare", "buono": "it looks like a good fare", "normale": "it looks like a normal fare", "caro": "it looks expensive today"},
	Barely:     [2]string{"It is barely dearer than usual today.", "barely dearer than usual"},
	Sure:       map[string]string{"alta": "High certainty", "media": "Medium certainty", "bassa": "Low certainty"},
	Seasonal:   "Compared with the same season of all years.",
	History:    "Today and the last six months", HistoryNote: "The line is each week's lowest fare, the shade reaches up to the median. On the right, how many days had which fare. The bands are the verdicts: what each fare would be called today.",
	ScaleNote: "The dot is today among all observed days, from the cheapest to the most expensive. The bar is the margin: where it would stand, 9 times out of 10, in a much longer history.",
	Months:    "When to fly", MonthsNote: "Median fare by month of departure, in euros.",
	Window:     "When to book",
	WindowEnds: [2]string{"days before departure", "departure"},
	WindowNote: "This is how it has been: it does not tell whether to wait for one given departure.",
	NoMonths:   "There are not enough fares yet to compare months.", NoWindow: "There are not enough departures yet to say how early to book.",
	Numbers: "The numbers", Week: "Week from", Lowest: "Lowest", Median: "Median", Days: "Days", Month: "Month", Fares: "Fares",
	Destination: "Destination", Price: "Lowest fare", Change: "Change in a week",
	Share: "Link to this verdict", Back: "A new question", Others: "Other destinations from",
	Invented: "Demonstration: the fares are invented.",

	Alert: "Tell me when it drops", AlertLede: "One message when the fare becomes good, at most one a week. We ask you to confirm first; stopping takes one click.",
	Email: "E-mail", Threshold: "Threshold in euros", ThresholdNote: "optional; without it the verdict decides", Subscribe: "Tell me",
	Privacy: "The address is used for nothing else.",
	Pro:     "Pro, for those who ask often", ProLede: "A key for your programs: 120 verdicts a minute in place of 30 a day, and the whole history of every route.",
	Buy: "Buy by card", ProNote: "The price is the one shown at the checkout. The key appears right after paying; USDC is taken too.",

	UnknownTitle: "We do not know this city.", Perhaps: "Perhaps you meant:", SameTitle: "You are there already.",
	SameLede:        "Both names lead to the same city: choose two different ones.",
	NotCoveredTitle: "We do not watch this route yet.", NotCoveredLede: "We have noted it: with the next refresh, within 7 days, we ask for its fares.",
	NoFareTitle: "No recent fare.", TooManyTitle: "That is all for today.", TooManyLede: "You have used today's free questions: they begin anew at midnight (UTC). A Pro key has no daily limit.",
	FaultTitle: "Something is wrong on our side.", FaultLede: "The verdict could not be read. Try again in a minute.",
	BadTitle: "We cannot read the question.", BadLede: "Write two names of cities, each of at most 100 characters.",
	MissingTitle: "Where do you start?", MissingLede: "Write the city you leave from as well.",
	NothingTitle: "We know of no flights from here yet.", Nothing: "We have noted it: with the next refresh, within 7 days, we ask for its fares.",
	NoneLive:    "The routes from here are watched, but nobody has found a fare on them lately.",
	AlertAnyway: "You can ask for it already.",
	SendFailed:  "It was not sent: try again in a minute.", Sending: "One moment…",
	Sent: "Check your mail: if the address takes ours, the link to confirm is on its way.", Refused: "Check the address and the threshold.", RefusedEmail: "Check the address.", Later: "Too many requests: try again later.",
	Offered: "Cities: {n}; choose with the arrow keys", NoOffers: "No city of that name",

	route:       func(from, to string) string { return from + " to " + to },
	popularFrom: func(city string) string { return "Flights from " + city },
	unknown: func(name string) string {
		return "No city with scheduled flights is called “" + name + "”."
	},
	noFare: func(newest string) string {
		return "The route is watched, but nobody has found a fare on it lately; the newest is of " + newest + "."
	},
	today: func(price, depart string) string {
		return "Today from " + price + " (departure: " + depart + ")."
	},
	dearer: func(dearer, equal, size int) string {
		switch {
		case 2*equal >= size:
			return fmt.Sprintf("It cost the same on %d of %d days.", equal, size)
		case dearer == size:
			return fmt.Sprintf("Never seen so low in %d observed days.", size)
		case dearer == 0:
			return fmt.Sprintf("Never seen higher in %d observed days.", size)
		}
		return fmt.Sprintf("It cost more on %d of %d days.", dearer, size)
	},
	against: func(price, median fare.Cents, level string) string {
		usual := "It usually costs " + englishMoney(median)
		switch {
		case nearly(price, median) && price < median && level == verdict.Normale:
			return usual + ": too little a difference to call it good."
		case price == median, nearly(price, median) && level == verdict.Normale:
			return usual + ": about the same."
		case price < median:
			return usual + ": that is " + englishMoney(median-price) + " less."
		}
		return usual + ": that is " + englishMoney(price-median) + " more."
	},
	certainty: func(days int) string { return fmt.Sprintf("from %d observed days", days) },
	tooLittle: func(days, needed int) string {
		return fmt.Sprintf("We know %s of fares on this route; an honest verdict needs at least %d. Come back in a few weeks.", plural(days, "day", "days"), needed)
	},
	monthsBest: func(months []string, known int) string {
		if known < 12 {
			return fmt.Sprintf("Of the %d months that we know fares of, it usually costs least to leave in %s.", known, list(months, "and"))
		}
		return "It usually costs least to leave in " + list(months, "and") + "."
	},
	window: func(from, to int) string {
		return fmt.Sprintf("For one and the same departure, fares have been lowest %d to %d days ahead.", from, to)
	},
	fresh: func(when string, observations int) string {
		return fmt.Sprintf("Newest fare seen %s; fares observed in 400 days: %s.", when, grouped(observations, ","))
	},
	asOf: func(day string) string { return "as of " + day },
	scaleLabel: func(percentile, low, high int) string {
		return fmt.Sprintf("Days that cost less than today: %d per cent; margin: from %d to %d per cent.", percentile, low, high)
	},
	historyIs: func(price, low, median string) string {
		return fmt.Sprintf("Today %s; the lowest of the observed days is %s, the median %s.", price, low, median)
	},
	ago: func(days int) string {
		switch days {
		case 0:
			return "today"
		case 1:
			return "yesterday"
		}
		return fmt.Sprintf("%d days ago", days)
	},
	money:  englishMoney,
	count:  func(n int) string { return grouped(n, ",") },
	months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
}

func englishMoney(c fare.Cents) string { return "€" + whole(c, ".", ",") }

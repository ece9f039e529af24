package alerts

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/page"
	"verdetto/shared/store"
)

//go:embed alerts.html
var alertsTemplate string

// Made when the first page is shown: most starts end without one.
var alertsHTML = sync.OnceValue(func() *template.Template { return template.Must(template.New("alerts").Parse(alertsTemplate)) })

// view is what a page is written from.
type view struct {
	Block  string // of alerts.html
	Lang   string
	Row    alertRow
	Rows   []alertRow
	Action string // where the page's button posts to
	Manage string // the subscriber's list; empty where it is not to be shown
	Faults []string
	Ended  bool // something was ended just now
	Busy   bool // there were too many calls
	Most   int
}

// Italian tells the templates the language.
func (v view) Italian() bool { return v.Lang == "it" }

// alertRow is an alert as people read it.
type alertRow struct {
	Route     string // MIL-BUH
	Names     string // Milano–Bucarest
	Threshold string // 49,90 €; empty: by the verdict
}

func row(a store.Alert, lang string) alertRow {
	r := alertRow{Route: a.Route.String(), Names: notify.CityName(a.Route.Origin, lang) + "–" + notify.CityName(a.Route.Destination, lang)}
	if a.Threshold > 0 {
		r.Threshold = amount(a.Threshold, lang)
	}
	return r
}

// amount writes euro as its readers do.
func amount(cents fare.Cents, lang string) string {
	number := fmt.Sprintf("%d.%02d", cents/100, cents%100)
	if lang == "it" {
		return strings.Replace(number, ".", ",", 1) + " €"
	}
	return "€" + number
}

// titles of the pages, Italian and English.
var titles = map[string][2]string{
	"asked":        {"Controlla la posta", "Check your mail"},
	"refused":      {"Richiesta non riuscita", "Something is not right"},
	"confirm":      {"Conferma l'avviso", "Confirm the alert"},
	"confirmed":    {"Avviso attivo", "Your alert is on"},
	"used":         {"Già confermato", "Confirmed before"},
	"expired":      {"Link scaduto", "The link has expired"},
	"stopped":      {"Invii sospesi", "Mail is stopped"},
	"broken":       {"Link non valido", "The link is not valid"},
	"full":         {"Troppi avvisi", "Too many alerts"},
	"unsubscribe":  {"Disattiva l'avviso", "End the alert"},
	"ended":        {"Fatto", "Done"},
	"ended before": {"Già disattivato", "Ended before"},
	"manage":       {"I tuoi avvisi", "Your alerts"},
	"none":         {"Nessun avviso", "No alerts"},
}

// respond writes a page.
func respond(status int, v view) (*page.Response, error) {
	title := titles[v.Block][1]
	if v.Italian() {
		title = titles[v.Block][0]
	}
	var body bytes.Buffer
	if err := alertsHTML().ExecuteTemplate(&body, v.Block, v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return page.Respond(status, page.Page{Language: v.Lang, Title: title, Body: template.HTML(body.String())})
}

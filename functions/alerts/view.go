package alerts

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"verdetto/shared/i18n"
	"verdetto/shared/notify"
	"verdetto/shared/page"
	"verdetto/shared/store"
)

//go:embed alerts.html
var alertsTemplate string

var alertsHTML = template.Must(template.New("alerts").Parse(alertsTemplate))

// view is what a page is written from.
type view struct {
	Block  string // of alerts.html
	T      *i18n.Language
	Row    alertRow
	Rows   []alertRow
	Action string // where the page's button posts to
	Manage string // the subscriber's list; empty where it is not to be shown
	Faults []string
	Ended  bool // something was ended just now
	Busy   bool // there were too many calls
	Most   int
	Days   int // that a link to manage is good
}

// When says what the alert of Row waits for.
func (v view) When() template.HTML {
	if v.Row.Threshold == "" {
		return v.T.HTML("when.verdict")
	}
	return v.T.HTML("when.threshold", "Amount", v.Row.Threshold)
}

// alertRow is an alert as people read it.
type alertRow struct {
	Route     string // MIL-BUH
	Names     string // Milano–Bucarest
	Threshold string // 49,90 €; empty: by the verdict
}

func row(a store.Alert, l *i18n.Language) alertRow {
	r := alertRow{Route: a.Route.String(), Names: notify.CityName(a.Route.Origin, l.Code) + "–" + notify.CityName(a.Route.Destination, l.Code)}
	if a.Threshold > 0 {
		r.Threshold = l.Amount(a.Threshold)
	}
	return r
}

// respond writes a page.
func respond(status int, v view) (*page.Response, error) {
	var body bytes.Buffer
	if err := alertsHTML.ExecuteTemplate(&body, v.Block, v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return page.Respond(status, page.Page{Language: v.T, Title: v.T.Text("alerts." + v.Block + ".title"), Body: template.HTML(body.String())})
}

package pro

import (
	"context"
	"html/template"
	"net/http"
	"slices"

	"verdetto/shared/pay"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/page"
)

// Operator is who runs the service and sells the plan. What is empty the pages say
// has not been given: they never make it up.
type Operator struct {
	Name    string // of the person or the company
	Address string // postal, its parts with commas between
	Email   string // that customers write to
	Phone   string
	Number  string // of the register or for VAT
	Law     string // the country whose law applies, as its readers would say it
}

// aboutPage is a page about the service: sections of the catalogue, each a title
// and a text that the operator's particulars are filled into.
type aboutPage struct {
	summary, path, text string
	sections            []string
}

// aboutPages are the pages about the service, by their names in the table of routes.
var aboutPages = map[string]aboutPage{
	"termini": {"The terms under which the plan is sold", "/v1/termini", "terms",
		[]string{"what", "price", "renewal", "withdrawal", "key", "fares", "liability", "change", "law"}},
	"privacy": {"What is kept of people, how long, and why", "/v1/privacy", "privacy",
		[]string{"who", "visit", "alerts", "plan", "carriers", "kept", "rights"}},
	"contatti":    {"How to reach the operator", "/v1/contatti", "contact", []string{"write", "lost", "security"}},
	"note-legali": {"Who runs the service", "/v1/note-legali", "imprint", []string{"who", "data", "source"}},
}

// ofSale are the sections that say what is paid, and how.
var ofSale = []string{"price", "renewal", "withdrawal"}

type aboutSection struct {
	ID, Title string
	Text      template.HTML
}

// about shows a page about the service.
func (s *Service) about(name string) func(context.Context, *Reader) (*page.Response, error) {
	p := aboutPages[name]
	return func(_ context.Context, in *Reader) (*page.Response, error) {
		l := in.language()
		var sections []aboutSection
		for _, id := range p.sections {
			if !s.sells() && slices.Contains(ofSale, id) {
				continue
			}
			sections = append(sections, aboutSection{id, l.Text("about." + p.text + "." + id + ".title"),
				l.HTML("about."+p.text+"."+id+".text", s.particulars(l)...)})
		}
		title := l.Text("about." + p.text + ".title")
		return render(http.StatusOK, "about.html",
			page.Page{Language: l, Title: title, Index: true, Others: page.InAll(l, p.path),
				Found: page.FoundAt(s.BaseURL, l, p.path)}, struct {
				view
				Title    string
				Missing  bool
				Sections []aboutSection
			}{view{l}, title, s.Operator.Name == "" || s.Operator.Address == "" || s.Operator.Email == "", sections})
	}
}

// particulars are what the texts about the service are filled in with.
func (s *Service) particulars(l *i18n.Language) []any {
	o := s.Operator
	given := func(text string) string {
		if text == "" {
			return l.Text("about.not_given")
		}
		return text
	}
	return []any{
		"Name", given(o.Name), "Address", given(o.Address), "Email", given(o.Email), "Phone", given(o.Phone), "Number",
		given(o.Number), "Law", given(o.Law),
		"USDC", l.Decimals(pay.FormatUnits(s.Wallet.Units)), "Days", CryptoDays,
		"Offer", page.In(l, "/v1/pro"), "Manage", page.In(l, "/v1/pro/gestione"), "Recover",
		page.In(l, "/v1/pro/recupera"),
		"Contact", page.In(l, "/v1/contatti"), "Privacy", page.In(l, "/v1/privacy"), "Imprint",
		page.In(l, "/v1/note-legali"),
	}
}

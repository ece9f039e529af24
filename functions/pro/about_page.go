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

// Pages show empty fields of Operator as missing.
type Operator struct {
	Name    string
	Address string // postal address, with commas between its parts
	Email   string
	Phone   string
	Number  string // company register or VAT number
	Law     string // the country whose law applies
}

type aboutPage struct {
	summary, path, text string
	sections            []string
}

var aboutPages = map[string]aboutPage{
	"termini": {"The terms under which the plan is sold", "/v1/termini", "terms",
		[]string{"what", "price", "renewal", "withdrawal", "key", "fares", "liability", "change", "law"}},
	"privacy": {"Which personal data are stored, how long, and why", "/v1/privacy", "privacy",
		[]string{"who", "visit", "alerts", "plan", "carriers", "kept", "rights"}},
	"contatti":    {"How to reach the operator", "/v1/contatti", "contact", []string{"write", "lost", "security"}},
	"note-legali": {"Who runs the service", "/v1/note-legali", "imprint", []string{"who", "data", "source"}},
}

var saleSections = []string{"price", "renewal", "withdrawal"}

type aboutSection struct {
	ID, Title string
	Text      template.HTML
}

func (s *Service) about(name string) func(context.Context, *Reader) (*page.Response, error) {
	p := aboutPages[name]
	return func(_ context.Context, in *Reader) (*page.Response, error) {
		l := in.language()
		var sections []aboutSection
		for _, id := range p.sections {
			if !s.sells() && slices.Contains(saleSections, id) {
				continue
			}
			sections = append(sections, aboutSection{id, l.Text("about." + p.text + "." + id + ".title"),
				l.HTML("about."+p.text+"."+id+".text", s.particulars(l)...)})
		}
		title := l.Text("about." + p.text + ".title")
		return render(http.StatusOK, "about.html",
			page.Page{Language: l, Title: title, Index: true, Others: page.OtherLanguages(l, p.path),
				Search: page.NewSearchAddresses(s.BaseURL, l, p.path)}, struct {
				view
				Title    string
				Missing  bool
				Sections []aboutSection
			}{view{l}, title, s.Operator.Name == "" || s.Operator.Address == "" || s.Operator.Email == "", sections})
	}
}

func mark(condition bool) string {
	if condition {
		return "x"
	}
	return ""
}

func (s *Service) particulars(l *i18n.Language) []any {
	o := s.Operator
	given := func(text string) string {
		if text == "" {
			return l.Text("about.not_given")
		}
		return text
	}
	usdc := ""
	if s.inUSDC() {
		usdc = l.Decimals(pay.FormatUnits(s.Wallet.Units))
	}
	who := s.Processors
	stripe, solana := s.byCard() && !who.Simulated, s.inUSDC() && !who.Simulated
	return []any{
		"Stripe", mark(stripe), "Solana", mark(solana), "Cloud", mark(who.AWS), "Mailer", who.Mail,
		"Nobody", mark(!stripe && !solana && !who.AWS && who.Mail == ""),
		"Name", given(o.Name), "Address", given(o.Address), "Email", given(o.Email), "Phone", given(o.Phone), "Number",
		given(o.Number), "Law", given(o.Law),
		"Card", mark(s.byCard()), "USDC", usdc, "Days", CryptoDays,
		"Offer", page.AddressIn(l, "/v1/pro"), "Manage", page.AddressIn(l, "/v1/pro/gestione"), "Recover",
		page.AddressIn(l, "/v1/pro/recupera"),
		"Contact", page.AddressIn(l, "/v1/contatti"), "Privacy", page.AddressIn(l, "/v1/privacy"), "Imprint",
		page.AddressIn(l, "/v1/note-legali"),
	}
}

package pro

import (
	"context"
	"net/http"

	"verdetto/shared/apikey"
	"verdetto/shared/pay"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
	"verdetto/shared/web/routes"
)

func (s *Service) registerOffer(api *httpapi.API) {
	httpapi.JSON(api, "pro-offerta", httpapi.JSONDoc{
		Summary: "The paid plan and its prices",
		Description: "Returns the paid plan and its prices, as JSON or as the page to buy it. The price " +
			"by card is absent if the card processor has not stated it within the last hour.",
		Answer: planOffer{},
		Pages:  []int{http.StatusOK},
	}, nil, s.offer)
}

func (s *Service) registerPages(api *httpapi.API) {
	for name, about := range aboutPages {
		httpapi.Page(api, name, httpapi.PageDoc{Summary: about.summary, Statuses: []int{http.StatusOK}}, s.about(name))
	}
}

type offerInput struct {
	Accept string `header:"Accept"`
	Reader
}

type planOffer struct {
	Plan    string     `json:"plan" enum:"pro"`
	Offered bool       `json:"offered" doc:"False: nothing is sold"`
	Card    *cardPrice `json:"card,omitempty" doc:"By card: renews until it is cancelled. Absent if not sold"`
	USDC    *usdcPrice `json:"usdc,omitempty" doc:"In USDC on Solana: one payment, no renewal. Absent if not sold"`
}

type cardPrice struct {
	Amount   string `json:"amount" doc:"Amount in major units" example:"12.99"`
	Currency string `json:"currency" doc:"ISO 4217" example:"EUR"`
	Every    string `json:"every" enum:"day,week,month,year"`
	Count    int    `json:"count" doc:"Number of these periods between two charges"`
	PlusTax  bool   `json:"plusTax" doc:"Whether tax is added at the checkout"`
}

type usdcPrice struct {
	Amount string `json:"amount" doc:"In USDC" example:"12.99"`
	Days   int    `json:"days" doc:"Days of Pro for one payment"`
}

func (s *Service) offer(ctx context.Context, in *offerInput) (*page.Response, error) {
	var price pay.Price
	var known bool
	if s.byCard() {
		price, known = s.price(ctx)
	}
	if page.WantsHTML(in.Accept) {
		return s.offerPage(in.Reader, price, known)
	}
	answer := planOffer{Plan: "pro", Offered: s.sells()}
	if s.inUSDC() {
		answer.USDC = &usdcPrice{pay.FormatUnits(s.Wallet.Units), CryptoDays}
	}
	if known {
		answer.Card = &cardPrice{price.Amount, price.Currency, price.Every, price.Count, price.PlusTax}
	}
	return asJSON(http.StatusOK, answer)
}

func (s *Service) offerPage(r Reader, price pay.Price, known bool) (*page.Response, error) {
	l := r.language()
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	checkout, err := s.token() // a separate token, because token is in the URL of the waiting page
	if err != nil {
		return nil, err
	}
	verdicts := routes.Named("analisi")
	v := struct {
		view
		ProCalls, FreeCalls, Price, Every, USDC, Email, Token, Checkout string
		PlusTax, ByCard, InUSDC                                         bool
		Days, Grace                                                     int
	}{
		view: view{l}, ProCalls: l.Number(int(verdicts.Pro.Calls)), FreeCalls: l.Number(int(verdicts.Free.Calls)),
		USDC: l.Decimals(pay.FormatUnits(s.Wallet.Units)), Token: token, Checkout: checkout, Days: CryptoDays,
		Grace: int(apikey.Grace.Hours() / 24), ByCard: s.byCard(), InUSDC: s.inUSDC(),
	}
	if known {
		v.Price, v.Every, v.PlusTax = l.Price(price.Amount, price.Currency), l.Text("offer.once."+price.Every),
			price.PlusTax
		if price.Count > 1 {
			v.Every = l.Count("offer.every."+price.Every, price.Count)
		}
	}
	return render(http.StatusOK, "offer.html", page.Page{
		Language: l, Title: l.Text("offer.title"), Description: l.Text("offer.summary"), Index: s.sells(),
		Scripts: []string{"home.js"}, Others: page.OtherLanguages(l, "/v1/pro"),
		Search: page.NewSearchAddresses(s.BaseURL, l, "/v1/pro"),
	}, v)
}

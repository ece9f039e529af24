package pro

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// The waiting page has a secret token. The page's payment link contains a reference that is derived
// from the token and finds the transaction.

func (s *Service) registerWaiting(api *httpapi.API) {
	httpapi.JSON(api, "pro-attesa", httpapi.JSONDoc{
		Summary:     "Check whether a payment in USDC has arrived",
		Description: "Looks for transactions of the page's link, or for the given one, and returns the key. For 10 minutes it returns the same key again.",
		Answer:      waited{},
		Pages:       []int{http.StatusOK},
	}, s.checkWaiting, s.wait)
}

type waitInput struct {
	Accept string `header:"Accept"`
	Reader
	Body struct {
		Email     string `json:"email" maxLength:"254" doc:"Email address of the plan" example:"ada@example.com"`
		Token     string `json:"t" format:"hex32" doc:"Token of the page" example:"000102030405060708090a0b0c0d0e0f"`
		Signature string `json:"signature,omitempty" nullable:"true" maxLength:"200" doc:"Signature of a transaction that the page's link did not cause"`
	} `contentType:"application/json"`
}

type waited struct {
	Status    string     `json:"status" enum:"in-attesa,visto,pagato,esteso,insufficiente,fallito,di-altri,scaduto,usato,non-trovato,trattenuto" doc:"pagato: apiKey is the key. esteso: a plan was extended. visto: not final yet. trattenuto: not readable yet; the key is mailed later. Others: why nothing is bought"`
	APIKey    string     `json:"apiKey,omitempty" doc:"The key, if status is pagato"`
	Plan      string     `json:"plan,omitempty" enum:"pro"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"End of the plan, UTC"`
}

const (
	stillWaiting = "in-attesa"
	seen         = "visto"
	unknown      = "non-trovato"
	paidFor      = "pagato"
)

var stateOf = map[string]string{
	NoPayment.Code: seen, NotFinal.Code: seen, TooLittle.Code: "insufficiente", PaymentFailed.Code: "fallito",
	NotYours.Code: "di-altri", TooOld.Code: "scaduto", PaymentUsed.Code: "usato",
	Unjudged.Code: "trattenuto",
}

const tokenBytes = 16

func isToken(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == tokenBytes
}

var badToken = httpapi.Fault{Name: "t", Detail: "is not the token of a page: 32 hexadecimal digits"}

// secretOf includes the e-mail address, so a token is useless with another address.
func secretOf(token, email string) string { return token + " " + apikey.Normalize(email) }

func (s *Service) reference(token, email string) pay.Reference {
	return pay.Reference(s.mac("payment reference", secretOf(token, email)))
}

func (s *Service) token() (string, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(s.Random, b[:]); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

func (s *Service) checkWaiting(_ context.Context, in *waitInput) error {
	var wrong faults
	_, err := mail.ParseAddress(in.Body.Email)
	wrong.add(err != nil, badEmail)
	wrong.add(!isToken(in.Body.Token), badToken)
	_, err = pay.ParseSignature(in.Body.Signature)
	wrong.add(in.Body.Signature != "" && err != nil && !page.WantsHTML(in.Accept), badTransaction)
	return wrong.err()
}

func (s *Service) wait(ctx context.Context, in *waitInput) (*page.Response, error) {
	l, person := in.language(), page.WantsHTML(in.Accept)
	secret := secretOf(in.Body.Token, in.Body.Email)
	bought, until, ok, err := s.lookAgain(ctx, secret)
	state := stillWaiting
	if err == nil && !ok {
		bought, state, err = s.look(ctx, in, secret)
		until, ok = s.Now().Add(againTime), state == paidFor
	}
	switch {
	case err != nil:
		return nil, err
	case ok && person:
		return s.showIssued(l, bought, until, false)
	case ok:
		w := waited{Status: bought.Status, APIKey: bought.APIKey, Plan: bought.Plan, ExpiresAt: &bought.ExpiresAt}
		if w.Status == "" {
			w.Status = paidFor
		}
		return asJSON(http.StatusOK, w)
	case person:
		return s.waitingPage(l, in.Body.Email, in.Body.Token, in.Body.Signature, state)
	}
	return asJSON(http.StatusOK, waited{Status: state})
}

// mostJudged can be small: copies of a reference are newer than the real payment, which made the
// reference public.
const mostJudged = 5

// look tries the payment that the payer named, or else the first payments with the page's reference.
func (s *Service) look(ctx context.Context, in *waitInput, secret string) (issued, string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*pay.Timeout)
	defer cancel()
	signatures, none := []pay.Signature(nil), stillWaiting
	if in.Body.Signature != "" {
		signature, err := pay.ParseSignature(in.Body.Signature)
		if err != nil {
			return issued{}, unknown, nil
		}
		signatures, none = append(signatures, signature), unknown
	} else {
		if err := mayAskChain(ctx); err != nil {
			return issued{}, "", err
		}
		found, err := s.Chain.Find(ctx, s.reference(in.Body.Token, in.Body.Email))
		if err != nil {
			return issued{}, "", s.unavailable(ctx, noNode, err)
		}
		signatures = found[:min(len(found), mostJudged)]
	}
	state := none
	for _, signature := range signatures {
		bought, err := s.redeem(ctx, redemption{email: in.Body.Email, signature: signature, secret: secret,
			lang: in.language().Code})
		if err == nil {
			return bought, paidFor, nil
		}
		var p *httpapi.Problem
		if !errors.As(err, &p) || stateOf[p.Code] == "" {
			return issued{}, "", err
		}
		if p.Code == NoPayment.Code && none == unknown {
			continue // the payer named an unknown transaction
		}
		if state == none || stateOf[p.Code] == seen {
			state = stateOf[p.Code]
		}
	}
	return issued{}, state, nil
}

func (s *Service) payPage(in *detailsInput) (*page.Response, error) {
	l := in.language()
	if in.Email != "" && isToken(in.Token) {
		return s.waitingPage(l, in.Email, in.Token, "", stillWaiting)
	}
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	return render(http.StatusOK, "usdc-ask", page.Page{Language: l, Title: l.Text("usdc.title"),
		Others: page.OtherLanguages(l, "/v1/pro/cripta")}, struct {
		view
		USDC, Email, Token string
		Days               int
	}{view{l}, l.Decimals(pay.FormatUnits(s.Wallet.Units)), in.Email, token, CryptoDays})
}

type payView struct {
	view
	Details
	Email, Token, Typed, State string
	Spoken                     string // the amount, in the language's format
	Link                       template.URL
	QR                         template.HTML
}

func (v payView) Copy(id string) any {
	return struct {
		view
		Of, Label string
	}{v.view, id, v.T.Text("usdc." + id)}
}

func (s *Service) waitingPage(l *i18n.Language, email, token, typed, state string) (*page.Response, error) {
	d, err := s.detailsFor(email, s.reference(token, email).String())
	if err != nil {
		return nil, err
	}
	return render(http.StatusOK, "usdc-pay", page.Page{Language: l, Title: l.Text("usdc.title"),
		Scripts: []string{"pro.js"}}, payView{
		view: view{l}, Details: d, Email: email, Token: token, Typed: typed, State: l.Text("usdc.state." + state),
		Spoken: l.Decimals(d.Amount),
		// Link and QR hold no text of a caller, so they need no escaping.
		Link: template.URL(d.Link), QR: template.HTML(d.QR),
	})
}

package pro

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"rsc.io/qr"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func (s *Service) registerCrypto(api *httpapi.API) {
	httpapi.JSON(api, "pro-cripta", httpapi.JSONDoc{
		Summary: "How to pay in USDC",
		Description: "Returns how to pay. One payment buys 30 days and does not renew. With an email " +
			"address, the answer holds a Solana Pay link whose memo binds the payment to that address: " +
			"it can be claimed for no other. The HTML page waits for the payment.",
		Problems: []httpapi.ProblemType{NotOffered},
		Answer:   Details{},
		Pages:    []int{http.StatusOK},
	}, offered(s.inUSDC, s.checkCrypto), s.details)
	if s.inUSDC() {
		s.registerWaiting(api)
	}
	httpapi.JSON(api, "pro-verifica-cripta", httpapi.JSONDoc{
		Summary: "Get the key after paying in USDC",
		Description: "Each signature counts once. A payment " +
			"without a memo belongs to the first claim, unless the payer proves it with firma. If the " +
			"address already has a valid key, that key stays valid, no key is shown, and `status` is " +
			"`esteso`. A call with that key in X-Api-Key gets it as `apiKey` instead.",
		Problems: []httpapi.ProblemType{NoPayment, NotFinal, PaymentFailed, TooLittle, TooOld, NotYours, WrongProof,
			PaymentUsed, Unjudged, NotOffered},
	}, offered(s.inUSDC, s.checkVerify), s.verify)
}

type detailsInput struct {
	Email  string `query:"email" doc:"Email address of the plan" example:"ada@example.com"`
	Token  string `query:"t" doc:"Token of a page, by which its payment is found"`
	Accept string `header:"Accept"`
	Reader
}

type Details struct {
	Wallet       string `json:"wallet" doc:"Address of the receiving wallet"`
	TokenAccount string `json:"tokenAccount" doc:"The wallet's account for USDC"`
	Mint         string `json:"mint" doc:"Address of the USDC mint. No other coin is accepted"`
	Network      string `json:"network" enum:"mainnet-beta,devnet" doc:"Solana network"`
	Amount       string `json:"amount" doc:"The least amount to send, in USDC" example:"12.99"`
	Decimals     int    `json:"decimals" doc:"Decimals of USDC"`
	Days         int    `json:"days" doc:"Days of Pro for one payment. A second payment adds as many"`
	Link         string `json:"link,omitempty" doc:"Solana Pay link, for the given email address"`
	Memo         string `json:"memo,omitempty" doc:"Binds the payment to the email address"`
	ProofText    string `json:"proofText" doc:"For a payment without the memo: the text for the paying wallet to sign, with email address and signature filled in. The result is firma"`
	QR           string `json:"qr,omitempty" doc:"The link as a QR code: an SVG image"`
}

func (s *Service) checkCrypto(_ context.Context, in *detailsInput) error {
	if in.Email == "" {
		return nil
	}
	_, err := address(in.Email)
	return err
}

func (s *Service) details(_ context.Context, in *detailsInput) (*page.Response, error) {
	if page.WantsHTML(in.Accept) {
		return s.payPage(in)
	}
	d := s.bare()
	if in.Email != "" {
		var err error
		if d, err = s.detailsFor(in.Email, ""); err != nil {
			return nil, err
		}
	}
	return asJSON(http.StatusOK, d)
}

func (s *Service) bare() Details {
	return Details{
		Wallet: s.Wallet.Owner, TokenAccount: s.Wallet.TokenAccount, Mint: s.Wallet.Mint, Network: s.Wallet.Network,
		Amount: pay.FormatUnits(s.Wallet.Units), Decimals: 6, Days: CryptoDays,
		ProofText: pay.ProofText("EMAIL", "SIGNATURE"),
	}
}

func (s *Service) detailsFor(email, reference string) (Details, error) {
	email, err := address(email)
	if err != nil {
		return Details{}, err
	}
	d := s.bare()
	d.ProofText = pay.ProofText(email, "SIGNATURE")
	d.Memo = pay.BindingMemo(s.Pepper, email)
	d.Link = pay.Transfer{
		Recipient: d.Wallet, Mint: d.Mint, Units: s.Wallet.Units, Memo: d.Memo, Label: "Verdetto Pro",
		Reference: reference,
	}.Link()
	d.QR, err = svg(d.Link)
	return d, err
}

// svg adds the white border of four modules that scanners need.
func svg(text string) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw QR code: %w", err)
	}
	const border = 4
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+border, y+border)
			}
		}
	}
	size := code.Size + 2*border
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges" role="img" aria-label="QR"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`,
		size, size, size, size, path.String()), nil
}

type verifyInput struct {
	Key  string `header:"X-Api-Key" doc:"The valid key of the address, if it has one: the answer then holds it"`
	Body struct {
		Email     string `json:"email" maxLength:"254" doc:"Email address of the plan" example:"ada@example.com"`
		Signature string `json:"signature" maxLength:"200" doc:"Signature of the transaction: 64 bytes in base58"`
		Proof     string `json:"firma,omitempty" nullable:"true" maxLength:"200" doc:"For a payment without the memo: the paying wallet's ed25519 signature of proofText, in base58 or base64. For 30 days it outranks a claim without one"`
	} `contentType:"application/json"`
}

type verifyOutput struct{ Body issued }

func (s *Service) checkVerify(_ context.Context, in *verifyInput) error {
	var wrong faults
	_, err := mail.ParseAddress(in.Body.Email)
	wrong.add(err != nil, badEmail)
	_, err = pay.ParseSignature(in.Body.Signature)
	wrong.add(err != nil, badTransaction)
	_, err = pay.ParseProof(in.Body.Proof)
	wrong.add(in.Body.Proof != "" && err != nil, httpapi.Fault{Name: "firma", Detail: "is " + pay.ErrNotProof.Error()})
	return wrong.err()
}

// claimDays is how long after a payment its payer can claim the key.
const claimDays = 30

func (s *Service) verify(ctx context.Context, in *verifyInput) (*verifyOutput, error) {
	signature, err := pay.ParseSignature(in.Body.Signature)
	if err != nil {
		return nil, err
	}
	bought, err := s.redeem(ctx, redemption{email: in.Body.Email, key: in.Key, signature: signature,
		firma: in.Body.Proof})
	if err != nil {
		return nil, err
	}
	return &verifyOutput{bought}, nil
}

type redemption struct {
	email     string
	key       string
	signature pay.Signature
	firma     string // payer's signature of pay.ProofText; optional
	secret    string // whoever has the secret can see the key again
	lang      string
	claimedAt time.Time // when a kept claim was made, or zero if the caller waits for the answer
}

// redeem succeeds once per payment, unless a claim with proof takes the payment over.
func (s *Service) redeem(ctx context.Context, r redemption) (issued, error) {
	email, err := address(r.email)
	if err != nil {
		return issued{}, err
	}
	kept := !r.claimedAt.IsZero()
	if !kept {
		if s.unknown.has(r.signature, s.Now()) {
			return issued{}, s.noPayment(ctx, pay.ErrNotFound)
		}
		if err := mayAskChain(ctx); err != nil {
			return issued{}, err
		}
	}
	payment, err := s.Chain.Payment(ctx, r.signature)
	if errors.Is(err, pay.ErrNotFound) {
		s.unknown.add(r.signature, s.Now())
	}
	if errors.Is(err, pay.ErrUnreadable) && !kept {
		return issued{}, s.keepClaim(ctx, r, err)
	}
	if err != nil {
		return issued{}, s.noPayment(ctx, err)
	}
	now := s.Now()
	claimedAt := now
	if kept {
		claimedAt = r.claimedAt
	}
	switch {
	case payment.Units < s.Wallet.Units:
		return issued{}, TooLittle.Problem(fmt.Sprintf(
			"The transaction left %s USDC in our wallet; a plan costs %s. Send the whole price in one transaction.",
			pay.FormatUnits(max(0, payment.Units)), pay.FormatUnits(s.Wallet.Units)))
	case claimedAt.Sub(payment.At) > claimDays*24*time.Hour:
		return issued{}, TooOld.Problem(fmt.Sprintf(
			"The payment was made on %s; payments can be claimed for %d days. Write to us.",
			payment.At.UTC().Format(time.DateOnly), claimDays))
	case !pay.MayClaim(s.Pepper, email, payment.Memos):
		return issued{}, NotYours.Problem("The memo of the payment names another email address. Send " +
			"the address that the payment link was made for.")
	}
	claim, err := claimed(payment, email, r.firma)
	if err != nil {
		return issued{}, err
	}
	bought, err := s.buy(ctx, email, r.key, r.secret, kept, store.Once{
		What: "payment/" + r.signature.String(), Claim: claim, Change: func(c *store.Customer) {
			from := now
			if c.Crypto.After(now) {
				from = c.Crypto
			}
			c.Crypto = from.AddDate(0, 0, CryptoDays).UTC().Truncate(time.Second)
		},
	})
	if err != nil {
		return issued{}, onceFailed(err, PaymentUsed)
	}
	return bought, nil
}

// claimed returns nil if the memos bind the payment to exactly one e-mail address: then the first
// claim is final.
func claimed(payment pay.Payment, email, firma string) (*store.Claim, error) {
	proven := false
	if firma != "" {
		proof, err := pay.ParseProof(firma)
		if err != nil {
			return nil, err
		}
		if proven = payment.Proves(proof, email); !proven {
			return nil, WrongProof.Problem("firma is not the paying wallet's signature of proofText. " +
				"Sign the text of GET /v1/pro/cripta?email= with the transaction's signature filled in.")
		}
	}
	if pay.Bound(payment.Memos) {
		return nil, nil
	}
	takeBack := func(c *store.Customer) { c.Crypto = c.Crypto.AddDate(0, 0, -CryptoDays) }
	return &store.Claim{Proven: proven, TakeBack: takeBack}, nil
}

func (s *Service) noPayment(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return NoPayment.Problem("No transaction has that signature. If you have just sent it, wait for "+
			"the seconds in Retry-After and call again.").With("Retry-After", "15")
	case errors.Is(err, pay.ErrNotFinal):
		return NotFinal.Problem("The transaction is not final yet, which takes about 15 seconds. Call "+
			"again after that.").With("Retry-After", "15")
	case errors.Is(err, pay.ErrFailedTransaction):
		return PaymentFailed.Problem("The transaction is on the chain but failed and moved nothing. Send " +
			"the payment again.")
	case errors.Is(err, pay.ErrUnreadable):
		return Unjudged.Problem(err.Error())
	}
	return s.unavailable(ctx, noNode, err)
}

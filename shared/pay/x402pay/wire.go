package x402pay

import (
	"encoding/base64"
	"encoding/json"
)

// Headers that the protocol is spoken in, each JSON in base64.
const (
	RequiredHeader  = "PAYMENT-REQUIRED"  // with 402: what is asked for
	SignatureHeader = "PAYMENT-SIGNATURE" // with a request: the payment
	ResponseHeader  = "PAYMENT-RESPONSE"  // with an answer: what became of it
)

// Requirements are one way to pay.
type Requirements struct {
	Scheme            string `json:"scheme"`
	Network           string `json:"network"` // CAIP-2
	Amount            string `json:"amount"`  // the coin's smallest units
	Asset             string `json:"asset"`   // the coin's mint
	PayTo             string `json:"payTo"`   // a wallet
	MaxTimeoutSeconds int    `json:"maxTimeoutSeconds"`
	Extra             Extra  `json:"extra"`
}

// Extra is what the scheme wants to be known beside.
type Extra struct {
	FeePayer string `json:"feePayer"`
}

// Resource is what is paid for.
type Resource struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
	MimeType    string `json:"mimeType,omitempty"`
}

// Required asks for a payment.
type Required struct {
	X402Version int            `json:"x402Version"`
	Error       string         `json:"error,omitempty"`
	Resource    Resource       `json:"resource"`
	Accepts     []Requirements `json:"accepts"`
}

// Payload is a payment as a client sends it.
type Payload struct {
	X402Version int          `json:"x402Version"`
	Accepted    Requirements `json:"accepted"`
	Payload     struct {
		Transaction string `json:"transaction"` // base64; the first signature is still missing
	} `json:"payload"`
}

// Settlement says what became of a payment.
type Settlement struct {
	Success     bool   `json:"success"`
	ErrorReason string `json:"errorReason,omitempty"`
	Payer       string `json:"payer,omitempty"`
	Transaction string `json:"transaction"` // its signature; empty where there is none
	Network     string `json:"network"`
	Amount      string `json:"amount,omitempty"`
}

// Header is the value of RequiredHeader.
func (r Required) Header() (string, error) { return encode(r) }

// Header is the value of ResponseHeader.
func (s Settlement) Header() (string, error) { return encode(s) }

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	return base64.StdEncoding.EncodeToString(text), err
}

// maxHeader is far more than a payment takes: a transaction has at most 1,232 bytes.
const maxHeader = 8 << 10

// ParsePayload reads the value of SignatureHeader. What it cannot read is a Refusal.
func ParsePayload(header string) (p Payload, err error) {
	if len(header) > maxHeader {
		return Payload{}, refuse(invalidPayload, "the payment is longer than %d bytes", maxHeader)
	}
	text, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return Payload{}, refuse(invalidPayload, "the payment is not base64")
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return Payload{}, refuse(invalidPayload, "the payment is not JSON of its form")
	}
	return p, nil
}

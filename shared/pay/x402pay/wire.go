package x402pay

import (
	"encoding/base64"
	"encoding/json"
)

// The values of these headers are JSON in base64.
const (
	RequiredHeader  = "PAYMENT-REQUIRED"
	SignatureHeader = "PAYMENT-SIGNATURE"
	ResponseHeader  = "PAYMENT-RESPONSE"
)

type Requirements struct {
	Scheme            string `json:"scheme"`
	Network           string `json:"network"` // CAIP-2
	Amount            string `json:"amount"`  // in the coin's smallest units
	Asset             string `json:"asset"`
	PayTo             string `json:"payTo"`
	MaxTimeoutSeconds int    `json:"maxTimeoutSeconds"`
	Extra             Extra  `json:"extra"`
}

type Extra struct {
	FeePayer string `json:"feePayer"`
}

type Resource struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
	MimeType    string `json:"mimeType,omitempty"`
}

type Required struct {
	X402Version int            `json:"x402Version"`
	Error       string         `json:"error,omitempty"`
	Resource    Resource       `json:"resource"`
	Accepts     []Requirements `json:"accepts"`
}

type Payload struct {
	X402Version int          `json:"x402Version"`
	Accepted    Requirements `json:"accepted"`
	Payload     struct {
		Transaction string `json:"transaction"` // base64; the fee payer's signature is ignored
	} `json:"payload"`
}

type Settlement struct {
	Success     bool   `json:"success"`
	ErrorReason string `json:"errorReason,omitempty"`
	Payer       string `json:"payer,omitempty"`
	Transaction string `json:"transaction"` // base58 signature; may be empty
	Network     string `json:"network"`
	Amount      string `json:"amount,omitempty"`
}

func (r Required) Header() (string, error) { return encode(r) }

func (s Settlement) Header() (string, error) { return encode(s) }

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	return base64.StdEncoding.EncodeToString(text), err
}

const maxHeader = 8 << 10 // bytes

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

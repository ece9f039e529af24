package playmoney

import (
	"html/template"
	"net/http"

	"verdetto/shared/pay"
)

var nodePage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Invented payments</title></head><body>
<h1>Invented payments</h1>
<p>This stands in for a blockchain. No money moves.</p>
{{with .Signature}}<p>Paid. The transaction's signature:</p><p><code id="signature">{{.}}</code></p>{{end}}
{{with .Fault}}<p><strong>{{.}}</strong></p>{{end}}
<form method="post">
<p><label>Wallet <input name="wallet" size="50" value="{{.Wallet}}"></label></p>
<p><label>Mint <input name="mint" size="50" value="{{.Mint}}"></label></p>
<p><label>USDC <input name="amount" value="{{.Amount}}"></label></p>
<p><label>Memo <input name="memo" size="40" value="{{.Memo}}"></label></p>
<p><label>Reference <input name="reference" size="50" value="{{.Reference}}"></label></p>
<p><button>Pay</button></p>
</form></body></html>
`))

func (n *Node) page(w http.ResponseWriter, r *http.Request) {
	fields := struct{ Wallet, Mint, Amount, Memo, Reference, Signature, Fault string }{
		r.FormValue("wallet"), r.FormValue("mint"), r.FormValue("amount"), r.FormValue("memo"),
		r.FormValue("reference"), "", "",
	}
	if fields.Mint == "" {
		fields.Mint = pay.MainnetUSDC
	}
	if r.Method == http.MethodPost {
		units, err := pay.ParseUnits(fields.Amount)
		_, wallet := decode(fields.Wallet, 32)
		_, mint := decode(fields.Mint, 32)
		_, reference := decode(fields.Reference, 32)
		switch {
		case err != nil:
			fields.Fault = err.Error()
		case !wallet || !mint || fields.Reference != "" && !reference:
			fields.Fault = "The wallet, the mint or the reference is not an address."
		default:
			fields.Signature = n.Pay(Transfer{Wallet: fields.Wallet, Mint: fields.Mint, Units: uint64(units),
				Memo: fields.Memo, Reference: fields.Reference}).String()
		}
	}
	pageHeader(w, "'self'")
	_ = nodePage.Execute(w, fields)
}

func pageHeader(w http.ResponseWriter, forms string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action "+forms)
	w.Header().Set("Cache-Control", "no-store")
}

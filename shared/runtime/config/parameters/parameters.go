// Package parameters is the table of secrets in the Parameter Store: what each is
// called, which variable gives a function its name, and which functions read it.
//
// The deployment makes permissions and variables of it, what is asked before a
// deployment looks each of them up, and what stands in for AWS here puts each of
// them, so that none can be known to one of them only. It imports nothing.
package parameters

import "slices"

// Parameter is one of them.
type Parameter struct {
	Name     string // after the prefix, which is the service's
	Variable string
	ReadBy   []string // folders in functions/
	// For is the choice of the operator, as the configuration of the deployment names it,
	// without which nobody reads it and it need not be there; empty: it always has to.
	For string
}

// The choices without which some parameters are not read: a bot of Telegram, and a price and a wallet, with which the plan is sold.
const (
	TelegramBot  = "telegramBot"
	StripePrice  = "stripePrice"
	SolanaWallet = "solanaWallet"
)

// Table lists them all. Functions that do nothing with a pepper but count addresses
// have one of their own, with which no key, link or memo can be made. (Access tokens are signed with it.)
var Table = []Parameter{
	{"pepper", "VERDETTO_PEPPER", []string{"alerts", "pro", "refresh"}, ""},
	{"callers-pepper", "VERDETTO_PEPPER", []string{"analisi", "compat", "pricetrends", "x402"}, ""},
	{"origin-secrets", "VERDETTO_ORIGIN_SECRETS", []string{"alerts", "analisi", "compat", "pricetrends", "pro", "x402"},
		""},
	{"travelpayouts-token", "TRAVELPAYOUTS_TOKEN", []string{"refresh"}, ""},
	{"stripe-key", "STRIPE_KEY", []string{"pro"}, StripePrice},
	{"stripe-webhook-secrets", "STRIPE_WEBHOOK_SECRETS", []string{"pro"}, StripePrice},
	{"solana-nodes", "SOLANA_NODES", []string{"pro", "x402"}, SolanaWallet},
	{"x402-fee-key", "X402_FEE_KEY", []string{"x402"}, SolanaWallet},
	{"telegram-bot-token", "TELEGRAM_BOT_TOKEN", []string{"alerts"}, TelegramBot},
	{"telegram-secret", "TELEGRAM_SECRET", []string{"alerts"}, TelegramBot},
}

// Path is what a parameter is called in full, for a service of a name.
func (p Parameter) Path(service string) string { return "/" + service + "/" + p.Name }

// Needed lists what has to be there by what the operator has chosen.
func Needed(chosen ...string) (needed []Parameter) {
	for _, p := range Table {
		if p.For == "" || slices.Contains(chosen, p.For) {
			needed = append(needed, p)
		}
	}
	return needed
}

// Of lists what a function reads, by what the operator has chosen.
func Of(function string, chosen ...string) (read []Parameter) {
	for _, p := range Needed(chosen...) {
		if slices.Contains(p.ReadBy, function) {
			read = append(read, p)
		}
	}
	return read
}

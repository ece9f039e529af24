// Package parameters lists the secrets in the Parameter Store of AWS: the name of each, the
// variable that refers to it, and the functions that read it.
package parameters

import "slices"

type Parameter struct {
	Name     string // without the service's prefix
	Variable string
	ReadBy   []string // folders in functions/
	// Choice is the setting that makes the parameter necessary; empty means always.
	Choice string
}

const (
	TelegramBot  = "telegramBot"
	StripePrice  = "stripePrice"
	SolanaWallet = "solanaWallet"
)

// analisi, compat, pricetrends and x402 share a separate pepper, from which customer ids, links and memos cannot be
// computed.
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

func (p Parameter) Path(service string) string { return "/" + service + "/" + p.Name }

func Chosen(telegramBot, stripePrice, solanaWallet string) (chosen []string) {
	for choice, value := range map[string]string{TelegramBot: telegramBot, StripePrice: stripePrice, SolanaWallet: solanaWallet} {
		if value != "" {
			chosen = append(chosen, choice)
		}
	}
	return chosen
}

func Required(chosen ...string) (needed []Parameter) {
	for _, p := range Table {
		if p.Choice == "" || slices.Contains(chosen, p.Choice) {
			needed = append(needed, p)
		}
	}
	return needed
}

func ReadByFunction(function string, chosen ...string) (read []Parameter) {
	for _, p := range Required(chosen...) {
		if slices.Contains(p.ReadBy, function) {
			read = append(read, p)
		}
	}
	return read
}

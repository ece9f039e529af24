// Package config reads a function's configuration from its environment into
// one struct, and reports everything that is wrong with it at once.
//
// A value of the form ssm:/name stands for a secret that is kept elsewhere under
// that name. Such secrets are read once, all together, and only those that the
// function asks for. No error shows one.
package config

import (
	"errors"
	"time"
)

// Store names the table.
type Store struct {
	Table string `env:"VERDETTO_TABLE,notEmpty"`
}

// HTTP is what every function that answers HTTP needs.
type HTTP struct {
	// OriginSecrets are the accepted values of X-Origin-Secret, the current one
	// first; two while they are being rotated.
	OriginSecrets []string `env:"VERDETTO_ORIGIN_SECRETS,notEmpty"`
	Secret
}

// Secret is what every function needs that knows people by pseudonyms.
type Secret struct {
	// Pepper is the secret that pseudonyms and customer ids are derived with. It
	// is chosen once: with another one no key works any more.
	Pepper string `env:"VERDETTO_PEPPER,notEmpty"`
}

// Upstream is how the fare source is reached.
type Upstream struct {
	Token   string   `env:"TRAVELPAYOUTS_TOKEN,notEmpty"`
	URL     string   `env:"TRAVELPAYOUTS_URL"`
	Origins []string `env:"VERDETTO_ORIGINS"` // city codes; empty is every city with an airport
	// CallsADay is how many calls the source may be asked on a day (UTC), by all processes together; 0 is no limit.
	CallsADay int64 `env:"VERDETTO_CALLS_A_DAY"`
}

// Shown is what of the fares may be published.
type Shown struct {
	// Fares is today for the fares that are judged, and figures made of past ones;
	// all for fares of past days and of departures one by one as well.
	Fares string `env:"VERDETTO_FARES_SHOWN"`
}

// All tells whether fares may be shown one by one.
func (s Shown) All() bool { return s.Fares == "all" }

// Offer is what callers without a key are told when their calls are used up.
type Offer struct {
	PaidCalls string `env:"VERDETTO_PAID_CALLS"` // on: that the same answers are sold one by one
}

// Told tells whether they are told of it.
func (o Offer) Told() bool { return o.PaidCalls == "on" }

// Public is how the service is reached: links in answers and in mail begin so.
type Public struct {
	BaseURL string `env:"VERDETTO_BASE_URL,notEmpty"`
}

// Sale says on AWS whether the plan is sold: with both or neither of its settings.
type Sale struct {
	StripePrice  string `env:"STRIPE_PRICE"`
	SolanaWallet string `env:"SOLANA_WALLET"`
}

// Any reports whether anything is sold, and Pay therefore needed.
func (s Sale) Any() bool { return s.StripePrice != "" || s.SolanaWallet != "" }

// Pay is how money is taken.
type Pay struct {
	StripeKey     string   `env:"STRIPE_KEY,notEmpty"`
	StripePrice   string   `env:"STRIPE_PRICE,notEmpty"`           // id of the recurring price
	StripeFormer  []string `env:"STRIPE_FORMER_PRICES"`            // ids of prices that were sold before
	StripeSecrets []string `env:"STRIPE_WEBHOOK_SECRETS,notEmpty"` // of the webhook; two while it is being replaced
	StripeURL     string   `env:"STRIPE_URL"`                      // empty: Stripe's own
	SolanaNodes   []string `env:"SOLANA_NODES,notEmpty"`           // JSON-RPC endpoints, asked in order
	SolanaWallet  string   `env:"SOLANA_WALLET,notEmpty"`
	SolanaMint    string   `env:"SOLANA_MINT"` // USDC on mainnet-beta
	SolanaNetwork string   `env:"SOLANA_NETWORK"`
	USDC          string   `env:"VERDETTO_PRICE_USDC"`
}

// Telegram is the bot that people start to have alerts in Telegram. Without its name there is none.
type Telegram struct {
	Bot    string `env:"TELEGRAM_BOT"`       // its user name, without @
	Token  string `env:"TELEGRAM_BOT_TOKEN"` // that it writes with
	Secret string `env:"TELEGRAM_SECRET"`    // that Telegram sends along with what people tell it
	URL    string `env:"TELEGRAM_URL"`       // of its API; empty: Telegram's own
}

// Fault says what is missing of a bot of which only a part is given.
func (t Telegram) Fault() string {
	if (t.Bot == "") == (t.Token == "") && (t.Bot == "") == (t.Secret == "") {
		return ""
	}
	return "TELEGRAM_BOT: of it, TELEGRAM_BOT_TOKEN and TELEGRAM_SECRET only a part is given; give all three, or none where alerts do not come in Telegram"
}

// PerCall is how answers are paid one by one, by x402.
type PerCall struct {
	FeeKey  string   `env:"X402_FEE_KEY"` // empty or off: nothing is sold so
	Nodes   []string `env:"SOLANA_NODES"`
	Wallet  string   `env:"SOLANA_WALLET"`
	Mint    string   `env:"SOLANA_MINT"`
	Network string   `env:"SOLANA_NETWORK"`
}

// Sold tells whether anything is; it wants the settings of the chain then.
func (c PerCall) Sold() (bool, error) {
	if c.FeeKey == "" || c.FeeKey == Off {
		return false, nil
	}
	for name, missing := range map[string]bool{"SOLANA_NODES": len(c.Nodes) == 0, "SOLANA_WALLET": c.Wallet == ""} {
		if s, _ := Named(name); missing {
			return false, errors.New("configuration:\n  " + s.Missing() + ", since X402_FEE_KEY is set")
		}
	}
	return true, nil
}

// Off is the value of X402_FEE_KEY where the setting has to have one and nothing is sold.
const Off = "off"

// Operator is who runs the service, as the pages about it say. What is not given
// they say has not been given.
type Operator struct {
	Name    string `env:"VERDETTO_OPERATOR_NAME"`
	Address string `env:"VERDETTO_OPERATOR_ADDRESS"` // postal, its parts with commas between
	Email   string `env:"VERDETTO_OPERATOR_EMAIL"`   // that customers write to
	Phone   string `env:"VERDETTO_OPERATOR_PHONE"`
	Number  string `env:"VERDETTO_OPERATOR_NUMBER"` // of the register or for VAT
	Law     string `env:"VERDETTO_OPERATOR_LAW"`    // the country whose law applies
}

// Mail is how mail is sent.
type Mail struct {
	From             string `env:"VERDETTO_MAIL_FROM,notEmpty"` // Verdetto <mail@verdetto.example>
	ConfigurationSet string `env:"VERDETTO_MAIL_SET"`
	// Rate is how many messages alerts may send in a second. It is to be under SES's
	// quota for the account, which other mail is sent under as well.
	Rate float64 `env:"VERDETTO_MAIL_RATE"`
}

// SMTP is how a mail server is signed in to; one that asks for nothing has neither.
type SMTP struct {
	User     string `env:"VERDETTO_SMTP_USER"`
	Password string `env:"VERDETTO_SMTP_PASSWORD"`
}

// Fanout is how a refresh is spread over invocations.
type Fanout struct {
	QueueURL string `env:"VERDETTO_QUEUE_URL"` // empty: the refresh is done in the invocation that asks for it
	// Workers is how many invocations work the queue at a time. Each keeps to its
	// share of the calls that the source grants.
	Workers int `env:"VERDETTO_WORKERS"`
}

// Share is what one invocation may have of a rate that is granted to all of them.
func (f Fanout) Share(rate int) int {
	if f.QueueURL == "" {
		return rate
	}
	return max(1, rate/f.Workers)
}

// Work names the queue that signals a function that there is work in its outbox.
type Work struct {
	QueueURL string `env:"VERDETTO_WORK_QUEUE_URL"` // empty: a schedule alone sees to it
}

// Clock lets recorded fares be replayed at the time they were recorded.
type Clock struct {
	At time.Time `env:"VERDETTO_NOW"`
}

// Now is the service's clock: the system's, or one that began at At when the process began.
func (c Clock) Now() func() time.Time {
	if c.At.IsZero() {
		return time.Now
	}
	begun := time.Now()
	return func() time.Time { return c.At.Add(time.Since(begun)) }
}

// Package config reads settings from environment variables, and reports all their faults at once.
// Start reading at LoadWith and at Settings.
//
// A value of the form ssm:/name refers to a secret with that name in another store.
package config

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/caarlos0/env/v11"
)

type Store struct {
	Table string `env:"VERDETTO_TABLE,notEmpty"`
}

type HTTP struct {
	OriginSecrets []string `env:"VERDETTO_ORIGIN_SECRETS,notEmpty"`
	Secret
}

type Secret struct {
	Pepper string `env:"VERDETTO_PEPPER,notEmpty"`
}

type Cities struct {
	Origins []string `env:"VERDETTO_ORIGINS"`
}

type Upstream struct {
	Cities
	Token string `env:"TRAVELPAYOUTS_TOKEN,notEmpty"`
	URL   string `env:"TRAVELPAYOUTS_URL"`
	// CallsADay limits the calls to the fare source, of all processes together.
	CallsADay int64 `env:"VERDETTO_CALLS_A_DAY"`
}

type Publication struct {
	Fares string `env:"VERDETTO_FARES_SHOWN"`
}

func (s Publication) All() bool { return s.Fares == "all" }

type Quotas struct {
	Page  int64            `env:"VERDETTO_QUOTA_PAGE"`
	Free  int64            `env:"VERDETTO_QUOTA_FREE"`
	Calls map[string]int64 `env:"VERDETTO_QUOTA_CALLS" envKeyValSeparator:"="`
}

type Offer struct {
	PaidCalls string `env:"VERDETTO_PAID_CALLS"`
}

func (o Offer) MentionsPaid() bool { return o.PaidCalls == "on" }

type Public struct {
	BaseURL string `env:"VERDETTO_BASE_URL,notEmpty"`
}

type Sale struct {
	StripePrice  string `env:"STRIPE_PRICE"`
	SolanaWallet string `env:"SOLANA_WALLET"`
}

func (s Sale) Any() bool { return s.StripePrice != "" || s.SolanaWallet != "" }

type Pay struct {
	Card
	USDC
}

// If no required setting is given, Groups returns all groups, so that a fault names all required settings.
func (p *Pay) Groups() (chosen []any) {
	all := []any{&p.Card, &p.USDC}
	for _, group := range all {
		fields, err := env.GetFieldParams(group)
		if err != nil || slices.ContainsFunc(fields, func(f env.FieldParams) bool {
			return f.NotEmpty && os.Getenv(f.Key) != ""
		}) {
			chosen = append(chosen, group)
		}
	}
	if chosen == nil {
		return all
	}
	return chosen
}

type Card struct {
	StripeKey     string   `env:"STRIPE_KEY,notEmpty"`
	StripePrice   string   `env:"STRIPE_PRICE,notEmpty"`
	StripeFormer  []string `env:"STRIPE_FORMER_PRICES"`
	StripeSecrets []string `env:"STRIPE_WEBHOOK_SECRETS,notEmpty"`
	StripeURL     string   `env:"STRIPE_URL"` // if empty, Stripe's own address
}

type USDC struct {
	SolanaNodes   []string `env:"SOLANA_NODES,notEmpty"`
	SolanaWallet  string   `env:"SOLANA_WALLET,notEmpty"`
	SolanaMint    string   `env:"SOLANA_MINT"`
	SolanaNetwork string   `env:"SOLANA_NETWORK"`
	PriceUSDC     string   `env:"VERDETTO_PRICE_USDC"`
}

type Telegram struct {
	Bot    string `env:"TELEGRAM_BOT"`
	Token  string `env:"TELEGRAM_BOT_TOKEN"`
	Secret string `env:"TELEGRAM_SECRET"`
	URL    string `env:"TELEGRAM_URL"`
}

func (t Telegram) Fault() string {
	if (t.Bot == "") == (t.Token == "") && (t.Bot == "") == (t.Secret == "") {
		return ""
	}
	return "TELEGRAM_BOT: of it, TELEGRAM_BOT_TOKEN and TELEGRAM_SECRET only a part is given; give all three, or none where alerts do not come in Telegram"
}

type OneMachine struct {
	Backups        string   `env:"VERDETTO_BACKUPS"`
	Ping           string   `env:"VERDETTO_PING"`
	PrivateTargets []string `env:"VERDETTO_ALLOW_PRIVATE_TARGETS"`
	OperatorMail   string   `env:"VERDETTO_OPERATOR_EMAIL"`
}

type PerCall struct {
	FeeKey  string   `env:"X402_FEE_KEY"`
	Nodes   []string `env:"SOLANA_NODES"`
	Wallet  string   `env:"SOLANA_WALLET"`
	Mint    string   `env:"SOLANA_MINT"`
	Network string   `env:"SOLANA_NETWORK"`
}

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

// Off as X402_FEE_KEY means that no single answers are sold.
const Off = "off"

type Operator struct {
	Name    string `env:"VERDETTO_OPERATOR_NAME"`
	Address string `env:"VERDETTO_OPERATOR_ADDRESS"`
	Email   string `env:"VERDETTO_OPERATOR_EMAIL"`
	Phone   string `env:"VERDETTO_OPERATOR_PHONE"`
	Number  string `env:"VERDETTO_OPERATOR_NUMBER"`
	Law     string `env:"VERDETTO_OPERATOR_LAW"`
}

type Mail struct {
	From             string  `env:"VERDETTO_MAIL_FROM,notEmpty"`
	ConfigurationSet string  `env:"VERDETTO_MAIL_SET"`
	Rate             float64 `env:"VERDETTO_MAIL_RATE"` // mails a second
}

type SMTP struct {
	User     string `env:"VERDETTO_SMTP_USER"`
	Password string `env:"VERDETTO_SMTP_PASSWORD"`
}

type Fanout struct {
	QueueURL string `env:"VERDETTO_QUEUE_URL"` // if empty, one invocation refreshes all origins
	Workers  int    `env:"VERDETTO_WORKERS"`
}

func (f Fanout) Share(rate int) int {
	if f.QueueURL == "" {
		return rate
	}
	return max(1, rate/f.Workers)
}

type Work struct {
	QueueURL string `env:"VERDETTO_WORK_QUEUE_URL"` // if empty, only a schedule starts the jobs
}

type Clock struct {
	At time.Time `env:"VERDETTO_NOW"`
}

func (c Clock) Now() func() time.Time {
	if c.At.IsZero() {
		return time.Now
	}
	begun := time.Now()
	return func() time.Time { return c.At.Add(time.Since(begun)) }
}

// Package config reads a function's configuration from its environment into
// one struct, and reports everything that is wrong with it at once.
//
// A value of the form ssm:/name stands for a secret that is kept elsewhere under
// that name. Such secrets are read once, all together, and only those that the
// function asks for. No error shows one.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"strings"
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
	URL     string   `env:"TRAVELPAYOUTS_URL" envDefault:"https://api.travelpayouts.com"`
	Origins []string `env:"VERDETTO_ORIGINS"` // city codes; empty is every city with an airport
	// CallsADay is how many calls the source may be asked on a day (UTC), by all processes together; 0 is no limit.
	CallsADay int64 `env:"VERDETTO_CALLS_A_DAY" envDefault:"20000"`
}

// Shown is what of the fares may be published.
type Shown struct {
	// Fares is today for the fares that are judged, and figures made of past ones;
	// all for fares of past days and of departures one by one as well.
	Fares string `env:"VERDETTO_FARES_SHOWN" envDefault:"today"`
}

func (s Shown) check() []error {
	if s.Fares != "today" && s.Fares != "all" {
		return []error{fmt.Errorf("VERDETTO_FARES_SHOWN: %q is neither today nor all", s.Fares)}
	}
	return nil
}

// All tells whether fares may be shown one by one.
func (s Shown) All() bool { return s.Fares == "all" }

// Public is how the service is reached: links in answers and in mail begin so.
type Public struct {
	BaseURL string `env:"VERDETTO_BASE_URL,notEmpty"`
}

func (p Public) check() []error {
	if strings.HasSuffix(p.BaseURL, "/") || !strings.HasPrefix(p.BaseURL, "https://") && !strings.HasPrefix(p.BaseURL, "http://127.0.0.1:") {
		return []error{fmt.Errorf("VERDETTO_BASE_URL: %q is not an https address without a slash at the end", p.BaseURL)}
	}
	return nil
}

// Pay is how money is taken.
type Pay struct {
	StripeKey     string   `env:"STRIPE_KEY,notEmpty"`
	StripePrice   string   `env:"STRIPE_PRICE,notEmpty"`           // id of the recurring price
	StripeFormer  []string `env:"STRIPE_FORMER_PRICES"`            // ids of prices that were sold before
	StripeSecrets []string `env:"STRIPE_WEBHOOK_SECRETS,notEmpty"` // of the webhook; two while it is being replaced
	StripeURL     string   `env:"STRIPE_URL"`                      // empty: Stripe's own
	SolanaNodes   []string `env:"SOLANA_NODES,notEmpty"`           // JSON-RPC endpoints, asked in order
	SolanaWallet  string   `env:"SOLANA_WALLET,notEmpty"`
	SolanaMint    string   `env:"SOLANA_MINT" envDefault:"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"` // USDC on mainnet-beta
	SolanaNetwork string   `env:"SOLANA_NETWORK" envDefault:"mainnet-beta"`
	USDC          string   `env:"VERDETTO_PRICE_USDC" envDefault:"12.99"`
}

func (p Pay) check() []error {
	if p.SolanaNetwork != "mainnet-beta" && p.SolanaNetwork != "devnet" {
		return []error{fmt.Errorf("SOLANA_NETWORK: %q is neither mainnet-beta nor devnet", p.SolanaNetwork)}
	}
	return nil
}

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

func (o Operator) check() []error {
	if _, err := mail.ParseAddress("<" + o.Email + ">"); o.Email != "" && err != nil {
		return []error{fmt.Errorf("VERDETTO_OPERATOR_EMAIL: %q is not a bare e-mail address", o.Email)}
	}
	return nil
}

// Mail is how mail is sent.
type Mail struct {
	From             string `env:"VERDETTO_MAIL_FROM,notEmpty"` // Verdetto <mail@verdetto.example>
	ConfigurationSet string `env:"VERDETTO_MAIL_SET"`
	// Rate is how many messages alerts may send in a second. It is to be under SES's
	// quota for the account, which other mail is sent under as well.
	Rate float64 `env:"VERDETTO_MAIL_RATE" envDefault:"10"`
}

func (m Mail) check() []error {
	if !(m.Rate > 0 && m.Rate <= 1000) {
		return []error{fmt.Errorf("VERDETTO_MAIL_RATE: %v is not a number of messages per second above 0 and up to 1000", m.Rate)}
	}
	return nil
}

// SMTP is how a mail server is signed in to.
type SMTP struct {
	User         string `env:"VERDETTO_SMTP_USER"`
	Password     string `env:"VERDETTO_SMTP_PASSWORD"`
	PasswordFile string `env:"VERDETTO_SMTP_PASSWORD_FILE,file"` // its content, not its name
}

// Secret is the password, wherever it was given.
func (s SMTP) Secret() string { return cmp.Or(s.Password, strings.TrimRight(s.PasswordFile, "\r\n")) }

func (s SMTP) check() []error {
	var faults []error
	if s.Password != "" && s.PasswordFile != "" {
		faults = append(faults, errors.New("VERDETTO_SMTP_PASSWORD: it is given, and so is VERDETTO_SMTP_PASSWORD_FILE; give one"))
	}
	if (s.User == "") != (s.Secret() == "") {
		faults = append(faults, errors.New("VERDETTO_SMTP_USER: of it and VERDETTO_SMTP_PASSWORD (or VERDETTO_SMTP_PASSWORD_FILE) only one is given"))
	}
	return faults
}

// Fanout is how a refresh is spread over invocations.
type Fanout struct {
	QueueURL string `env:"VERDETTO_QUEUE_URL"` // empty: the refresh is done in the invocation that asks for it
	// Workers is how many invocations work the queue at a time. Each keeps to its
	// share of the calls that the source grants.
	Workers int `env:"VERDETTO_WORKERS" envDefault:"2"`
}

func (f Fanout) check() []error {
	var faults []error
	if f.Workers < 1 || f.Workers > 100 {
		faults = append(faults, fmt.Errorf("VERDETTO_WORKERS: %d is not from 1 to 100", f.Workers))
	}
	return append(faults, queueURL("VERDETTO_QUEUE_URL", f.QueueURL)...)
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

func (w Work) check() []error { return queueURL("VERDETTO_WORK_QUEUE_URL", w.QueueURL) }

func queueURL(name, url string) []error {
	if url == "" || strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://127.0.0.1:") {
		return nil
	}
	return []error{fmt.Errorf("%s: %q is neither https nor on this machine", name, url)}
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

// checker is a group that has more to say than that a value is missing.
type checker interface{ check() []error }

func (h HTTP) check() []error {
	var faults []error
	for i, s := range h.OriginSecrets {
		if len(s) < 16 {
			faults = append(faults, fmt.Errorf("VERDETTO_ORIGIN_SECRETS: value %d has fewer than 16 characters", i+1))
		}
	}
	return append(faults, h.Secret.check()...)
}

func (s Secret) check() []error {
	if len(s.Pepper) < 32 {
		return []error{fmt.Errorf("VERDETTO_PEPPER: it has fewer than 32 characters")}
	}
	return nil
}

func (u Upstream) check() []error {
	var faults []error
	if u.CallsADay < 0 {
		faults = append(faults, fmt.Errorf("VERDETTO_CALLS_A_DAY: %d is not a number of calls, or 0 for no limit", u.CallsADay))
	}
	for _, o := range u.Origins {
		if len(o) != 3 || strings.ToUpper(o) != o {
			faults = append(faults, fmt.Errorf("VERDETTO_ORIGINS: %q is not a city code of three capital letters", o))
		}
	}
	if !strings.HasPrefix(u.URL, "https://") && !strings.HasPrefix(u.URL, "http://127.0.0.1:") {
		faults = append(faults, fmt.Errorf("TRAVELPAYOUTS_URL: %q is neither https nor on this machine", u.URL))
	}
	return faults
}

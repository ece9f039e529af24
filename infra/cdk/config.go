package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"strings"

	"verdetto/shared/runtime/config/parameters"
)

// config holds the operator's choices. None is secret: secrets are in the Parameter Store, under
// names that start with Name.
type config struct {
	// Name is the name of the stack and the table, and the prefix of all other names. A second name
	// allows a second deployment in the account.
	Name    string `json:"name"`
	Account string `json:"account"`
	Region  string `json:"region"`

	// Certificate is the ARN of Domain's certificate in us-east-1, as CloudFront requires. Without
	// both, the service uses CloudFront's domain.
	Domain      string `json:"domain"`
	Certificate string `json:"certificate"`

	// If Origin is empty, API Gateway keeps the address that AWS gives it. Functions always require
	// the edge's secret.
	Origin origin `json:"origin"`

	MailFrom   string  `json:"mailFrom"` // Verdetto <mail@example.com>; SES verifies the domain
	MailRate   float64 `json:"mailRate"` // mails per second in the account's SES quota
	AlarmEmail string  `json:"alarmEmail"`

	Operator operator `json:"operator"` // missing details are reported, but are no fault

	// StripePrice is the id of the recurring price. If it is empty, nothing is sold by card.
	StripePrice string `json:"stripePrice"`
	// Subscriptions at StripeFormerPrices stay valid.
	StripeFormerPrices []string `json:"stripeFormerPrices"`

	SolanaWallet  string `json:"solanaWallet"`  // receives USDC; empty: nothing is sold in USDC
	SolanaNetwork string `json:"solanaNetwork"` // mainnet-beta or devnet
	SolanaMint    string `json:"solanaMint"`    // empty: USDC on mainnet-beta
	PriceUSDC     string `json:"priceUSDC"`

	// TelegramBot is a user name; empty means no bot.
	TelegramBot string `json:"telegramBot"`

	// Origins are the cities to refresh, by IATA code; empty: all of the fare source.
	Origins []string `json:"origins"`
	// Workers is how many refreshes run in parallel. Together they keep to the rate limit of the
	// fare source.
	Workers int `json:"workers"`
	// CallsADay limits calls to the fare source per UTC day; 0 means no limit.
	CallsADay int `json:"callsADay"`
	// FaresShown is "today" or "all". docs/fare-source.md says what the owner of the fares must
	// allow before "all" is set.
	FaresShown string `json:"faresShown"`
	// QuotaPage and QuotaFree are the free calls per day and IP address: on the page, and to each
	// of the endpoints for verdicts, calendars, places nearby and deals.
	QuotaPage int `json:"quotaPage"`
	QuotaFree int `json:"quotaFree"`
	// QuotaCalls holds other quotas and rate limits by name, such as analisi-pro.
	QuotaCalls map[string]int `json:"quotaCalls"`
	// PaidCalls tells callers without free calls that answers are sold one by one. It requires a
	// key in the parameter x402-fee-key.
	PaidCalls bool `json:"paidCalls"`
	// OriginSecret is the version of the secret NAME/origin that the distribution sends. Raising it
	// is the middle step of a rotation.
	OriginSecret int `json:"originSecret"`

	// RequestsPerSecond is divided among routes.Shares.
	RequestsPerSecond int `json:"requestsPerSecond"`
	// Instances is the account's quota of concurrent Lambda instances in the region, which is small
	// for a new account.
	Instances int `json:"instances"`
	// MonthlyBudget is in US dollars. AWS mails AlarmEmail when half or all of it is spent, and
	// when it forecasts a higher cost.
	MonthlyBudget int `json:"monthlyBudget"`
	// FreeTier is open or closed. If closed, the edge refuses anonymous calls that cost something
	// to answer.
	FreeTier string `json:"freeTier"`
	// Raising Generation makes the functions read their parameters again.
	Generation int `json:"generation"`

	LogDays       int `json:"logDays"`       // days
	AccessLogDays int `json:"accessLogDays"` // days; the edge's logs hold addresses

	// RequestsPerFiveMinutes is what the firewall allows one IP address. 0 means no firewall,
	// unless Firewall is the ARN of an existing one.
	RequestsPerFiveMinutes int    `json:"requestsPerFiveMinutes"`
	Firewall               string `json:"firewall"`

	// Reserved overrides the reserved concurrency of functions by name. 0 means none.
	Reserved map[string]int `json:"reserved"`
	// RestoredTable replaces the stack's own table.
	RestoredTable string `json:"restoredTable"`
}

func defaults() config {
	return config{
		Name: "verdetto", MailRate: 1, SolanaNetwork: "mainnet-beta", PriceUSDC: "12.99",
		Workers: 2, CallsADay: 20_000, FaresShown: "today", QuotaPage: 120, QuotaFree: 30, OriginSecret: 1, RequestsPerSecond: 840, LogDays: 30,
		AccessLogDays:          14,
		RequestsPerFiveMinutes: 2000, MonthlyBudget: 100, FreeTier: open, Generation: 1,
	}
}

const open, closed = "open", "closed"

const edgeRegion = "us-east-1"

// load fails with a list of all faults in the file.
func load(file string) (config, error) {
	c := defaults()
	if file == "" {
		return c, errors.New("no configuration: say -config FILE; infra/cdk/example.json shows what it holds")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return c, fmt.Errorf("read configuration %s: %w", file, err)
	}
	var faults []string
	for _, name := range sorted(fields) { // one by one, so that a fault does not hide others
		decoder := json.NewDecoder(strings.NewReader(fmt.Sprintf("{%q: %s}", name, fields[name])))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c); err != nil {
			faults = append(faults, name+": "+strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	if c.Origin.Authority != "" && !filepath.IsAbs(c.Origin.Authority) {
		c.Origin.Authority = filepath.Join(filepath.Dir(file), c.Origin.Authority)
	}
	if faults = append(faults, c.check()...); len(faults) > 0 {
		return c, fmt.Errorf("configuration %s:\n  %s", file, strings.Join(faults, "\n  "))
	}
	c.Workers = max(c.Workers, 2) // the minimum of SQS
	return c, nil
}

// choices returns the choices that require secrets, as parameters.Required expects.
func (c config) choices() (choices []string) {
	if c.TelegramBot != "" {
		choices = append(choices, parameters.TelegramBot)
	}
	if c.StripePrice != "" {
		choices = append(choices, parameters.StripePrice)
	}
	if c.SolanaWallet != "" {
		choices = append(choices, parameters.SolanaWallet)
	}
	return choices
}

func (c config) ownFirewall() bool { return c.Firewall == "" && c.RequestsPerFiveMinutes > 0 }

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

func (c config) mailDomain() string { return domainOf(c.mailAddress()) }

func (c config) mailAddress() string {
	from, err := mail.ParseAddress(c.MailFrom)
	if err != nil {
		panic(err) // check validated it
	}
	return from.Address
}

type operator struct {
	Name    string `json:"name"`    // of the person or the company
	Address string `json:"address"` // postal, with commas between the lines
	Email   string `json:"email"`   // customers write to it
	Phone   string `json:"phone"`
	Number  string `json:"number"` // of the register or for VAT
	Law     string `json:"law"`    // the country whose law applies
}

// particular is one detail of the operator, with its variable for functions/pro and the pages that
// show it.
type particular struct{ field, variable, value, wanted string }

func (o operator) particulars() []particular {
	return []particular{
		{"operator.name", "VERDETTO_OPERATOR_NAME", o.Name, "terms, privacy and imprint"},
		{"operator.address", "VERDETTO_OPERATOR_ADDRESS", o.Address, "terms, privacy and imprint"},
		{"operator.email", "VERDETTO_OPERATOR_EMAIL", o.Email, "all pages about the service, and mails about plans"},
		{"operator.phone", "VERDETTO_OPERATOR_PHONE", o.Phone, "contact and imprint"},
		{"operator.number", "VERDETTO_OPERATOR_NUMBER", o.Number, "the imprint"},
		{"operator.law", "VERDETTO_OPERATOR_LAW", o.Law, "the terms"},
	}
}

// missing returns a line for each missing detail. The service runs without them, and its pages
// say so.
func (o operator) missing() (lines []string) {
	for _, p := range o.particulars() {
		if strings.TrimSpace(p.value) == "" {
			lines = append(lines, fmt.Sprintf("%s is not given: %s will say so; the law may want it", p.field,
				p.wanted))
		}
	}
	return lines
}

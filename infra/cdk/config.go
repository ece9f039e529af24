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

// config holds the operator's choices, none of which is secret; see docs/aws.md.
type config struct {
	Name    string `json:"name"`
	Account string `json:"account"`
	Region  string `json:"region"`

	Domain      string `json:"domain"`
	Certificate string `json:"certificate"` // ARN in us-east-1
	Origin      origin `json:"origin"`      // empty: API Gateway keeps the address that AWS gives it

	MailFrom   string   `json:"mailFrom"`
	MailRate   float64  `json:"mailRate"`
	AlarmEmail string   `json:"alarmEmail"`
	Operator   operator `json:"operator"` // missing details are reported, but do not stop the deployment

	StripePrice        string   `json:"stripePrice"` // empty: nothing is sold by card
	StripeFormerPrices []string `json:"stripeFormerPrices"`
	SolanaWallet       string   `json:"solanaWallet"` // empty: nothing is sold in USDC
	SolanaNetwork      string   `json:"solanaNetwork"`
	SolanaMint         string   `json:"solanaMint"` // empty: USDC on mainnet-beta
	PriceUSDC          string   `json:"priceUSDC"`
	TelegramBot        string   `json:"telegramBot"`

	Origins    []string       `json:"origins"` // cities to refresh; empty: all that the source has
	Workers    int            `json:"workers"`
	CallsADay  int            `json:"callsADay"`
	FaresShown string         `json:"faresShown"`
	QuotaPage  int            `json:"quotaPage"`
	QuotaFree  int            `json:"quotaFree"`
	QuotaCalls map[string]int `json:"quotaCalls"`
	PaidCalls  bool           `json:"paidCalls"`
	// OriginSecret is the key, in the secret NAME/origin, of the value that the distribution sends.
	OriginSecret int `json:"originSecret"`

	RequestsPerSecond      int    `json:"requestsPerSecond"`
	Instances              int    `json:"instances"`
	MonthlyBudget          int    `json:"monthlyBudget"`
	FreeTier               string `json:"freeTier"`
	Generation             int    `json:"generation"` // a higher number makes the functions read their parameters again
	LogDays                int    `json:"logDays"`
	AccessLogDays          int    `json:"accessLogDays"`
	RequestsPerFiveMinutes int    `json:"requestsPerFiveMinutes"` // 0: no firewall, unless Firewall names one
	Firewall               string `json:"firewall"`

	Reserved      map[string]int `json:"reserved"`
	RestoredTable string         `json:"restoredTable"` // replaces the stack's own table
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
	for _, name := range sorted(fields) {
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
	c.Workers = max(c.Workers, 2) // the minimum that an SQS event source allows
	return c, nil
}

func (c config) choices() []string {
	return parameters.Chosen(c.TelegramBot, c.StripePrice, c.SolanaWallet)
}

func (c config) ownFirewall() bool { return c.Firewall == "" && c.RequestsPerFiveMinutes > 0 }

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

func (c config) mailDomain() string { return domainOf(c.mailAddress()) }

func (c config) mailAddress() string {
	from, err := mail.ParseAddress(c.MailFrom)
	if err != nil {
		panic(err)
	}
	return from.Address
}

type operator struct {
	Name    string `json:"name"`
	Address string `json:"address"` // postal, with commas between the lines
	Email   string `json:"email"`
	Phone   string `json:"phone"`
	Number  string `json:"number"` // in the company register, or for VAT
	Law     string `json:"law"`
}

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

func (o operator) missing() (lines []string) {
	for _, p := range o.particulars() {
		if strings.TrimSpace(p.value) == "" {
			lines = append(lines, fmt.Sprintf("%s is not given: %s will say so; the law may want it", p.field,
				p.wanted))
		}
	}
	return lines
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"strings"

	"verdetto/shared/runtime/config/parameters"
)

// config is what the operator chooses. None of it is secret: secrets are in the
// Parameter Store, under names that begin with Name.
type config struct {
	// Name is that of the stack, the table and the prefix of every other name;
	// with another name the service can be deployed twice in an account.
	Name    string `json:"name"`
	Account string `json:"account"`
	Region  string `json:"region"`

	// Domain is the service's own, and Certificate the ARN of its certificate in
	// us-east-1, where CloudFront wants it. Without both the service has
	// CloudFront's domain.
	Domain      string `json:"domain"`
	Certificate string `json:"certificate"`

	// Origin is how the distribution reaches API Gateway; without it API Gateway
	// keeps its own address. Functions ask for the edge's secret either way.
	Origin origin `json:"origin"`

	MailFrom   string  `json:"mailFrom"`   // Verdetto <mail@example.com>; the domain is verified with SES
	MailRate   float64 `json:"mailRate"`   // mails a second that SES allows the account
	AlarmEmail string  `json:"alarmEmail"` // who gets a mail when something is wrong

	Operator operator `json:"operator"` // what is missing of it is said, and is no fault

	StripePrice string `json:"stripePrice"` // id of the recurring price; without it and SolanaWallet nothing is sold
	// StripeFormerPrices were sold before: subscriptions to them go on.
	StripeFormerPrices []string `json:"stripeFormerPrices"`

	SolanaWallet  string `json:"solanaWallet"`  // that USDC is paid to
	SolanaNetwork string `json:"solanaNetwork"` // mainnet-beta or devnet
	SolanaMint    string `json:"solanaMint"`    // empty: USDC on mainnet-beta
	PriceUSDC     string `json:"priceUSDC"`

	// TelegramBot is the user name of the bot that tells subscribers who want it in Telegram; empty: there is none.
	TelegramBot string `json:"telegramBot"`

	// Workers is how many refreshes run at once; together they keep to the fare source's limit.
	Workers int `json:"workers"`
	// CallsADay is how many calls the fare source may be asked on a day (UTC); 0 is no limit.
	CallsADay int `json:"callsADay"`
	// FaresShown is today or all; docs/fare-source.md says what its owner has to allow first.
	FaresShown string `json:"faresShown"`
	// PaidCalls says that answers are sold one by one (x402-fee-key is a key), to who has used up the free calls.
	PaidCalls bool `json:"paidCalls"`
	// OriginSecret says which value of the secret NAME/origin the distribution
	// sends; raising it is the middle step of a rotation.
	OriginSecret int `json:"originSecret"`

	// RequestsPerSecond is how many reach the functions at most, whoever makes
	// them: the table of endpoints divides them among groups of paths.
	RequestsPerSecond int `json:"requestsPerSecond"`
	// Instances is the account's quota in the region: how many instances all its
	// functions have together. A new account has few.
	Instances int `json:"instances"`
	// MonthlyBudget in US dollars: whoever gets the alarms is told when half of
	// it, all of it, or by AWS's forecast more than it is spent.
	MonthlyBudget int `json:"monthlyBudget"`
	// FreeTier is open, or closed: then the edge refuses callers without a key
	// what costs something to answer.
	FreeTier string `json:"freeTier"`
	// Generation says how often the functions were started anew; raising it has
	// them read their parameters again.
	Generation int `json:"generation"`

	LogDays       int `json:"logDays"`       // that the functions' logs are kept
	AccessLogDays int `json:"accessLogDays"` // that the edge's logs are kept, which hold addresses

	// RequestsPerFiveMinutes is how often one address may ask before the firewall
	// stops it; 0 is no firewall, unless Firewall is the ARN of one made elsewhere.
	RequestsPerFiveMinutes int    `json:"requestsPerFiveMinutes"`
	Firewall               string `json:"firewall"`

	// Reserved is how many instances a function may have at most and always can, by
	// its name, where that is not to be what functions says. 0 is none.
	Reserved map[string]int `json:"reserved"`
	// RestoredTable is the table that functions use in place of the stack's own, after a restore.
	RestoredTable string `json:"restoredTable"`
}

// defaults are the choices that most operators need not make.
func defaults() config {
	return config{
		Name: "verdetto", MailRate: 1, SolanaNetwork: "mainnet-beta", PriceUSDC: "12.99",
		Workers: 2, CallsADay: 20_000, FaresShown: "today", OriginSecret: 1, RequestsPerSecond: 840, LogDays: 30,
		AccessLogDays:          14,
		RequestsPerFiveMinutes: 2000, MonthlyBudget: 100, FreeTier: open, Generation: 1,
	}
}

const open, closed = "open", "closed"

// edgeRegion is where CloudFront has its certificates, its firewalls, its logs and its metrics.
const edgeRegion = "us-east-1"

// load reads the choices, or reports everything that is wrong with them.
func load(file string) (config, error) {
	c := defaults()
	if file == "" {
		return c, errors.New("no configuration: say -config FILE; infra/cdk/example.json shows what it holds")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, fmt.Errorf("read configuration %s: %w", file, err)
	}
	if c.Origin.Authority != "" && !filepath.IsAbs(c.Origin.Authority) {
		c.Origin.Authority = filepath.Join(filepath.Dir(file), c.Origin.Authority)
	}
	if faults := c.check(); len(faults) > 0 {
		return c, fmt.Errorf("configuration %s:\n  %s", file, strings.Join(faults, "\n  "))
	}
	return c, nil
}

// chosen lists the choices that have some parameters needed.
func (c config) chosen() (chosen []string) {
	if c.TelegramBot != "" {
		chosen = append(chosen, parameters.TelegramBot)
	}
	if c.sells() {
		chosen = append(chosen, parameters.StripePrice, parameters.SolanaWallet)
	}
	return chosen
}

// sells reports whether the plan is sold.
func (c config) sells() bool { return c.StripePrice != "" && c.SolanaWallet != "" }

// ownFirewall tells whether the stack makes one.
func (c config) ownFirewall() bool { return c.Firewall == "" && c.RequestsPerFiveMinutes > 0 }

// domainOf is what stands behind the @ of an address.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// mailDomain is the domain that mail is sent from.
func (c config) mailDomain() string { return domainOf(c.mailAddress()) }

// mailAddress is the bare address that mail is sent from.
func (c config) mailAddress() string {
	from, err := mail.ParseAddress(c.MailFrom)
	if err != nil {
		panic(err) // it has been checked
	}
	return from.Address
}

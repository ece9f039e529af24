package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
		Workers: 2, CallsADay: 20_000, FaresShown: "today", OriginSecret: 1, RequestsPerSecond: 840, LogDays: 30, AccessLogDays: 14,
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

var (
	nameShape        = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)
	accountShape     = regexp.MustCompile(`^[0-9]{12}$`)
	regionShape      = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)
	domainShape      = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$`)
	certificateShape = regexp.MustCompile(`^arn:aws:acm:us-east-1:[0-9]{12}:certificate/[0-9a-f-]+$`)
	firewallShape    = regexp.MustCompile(`^arn:aws:wafv2:us-east-1:[0-9]{12}:global/webacl/[^/]+/[0-9a-f-]+$`)
	priceShape       = regexp.MustCompile(`^price_[A-Za-z0-9]+$`)
	base58Shape      = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)
	amountShape      = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6})?$`)
	botShape         = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{4,31}$`)
	tableShape       = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)
)

// keptDays are the retentions that CloudWatch Logs knows.
var keptDays = []int{1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653}

// check gives every fault, in words that say what to do.
func (c config) check() []string {
	var faults []string
	wrong := func(field, format string, args ...any) {
		faults = append(faults, field+": "+fmt.Sprintf(format, args...))
	}
	shape := func(field, value string, want *regexp.Regexp, is string) {
		switch {
		case value == "":
			wrong(field, "missing: give %s", is)
		case !want.MatchString(value):
			wrong(field, "%q is not %s", value, is)
		}
	}
	shape("name", c.Name, nameShape, "a name of at most 31 small letters, digits and dashes")
	shape("account", c.Account, accountShape, "the 12 digits of the AWS account")
	shape("region", c.Region, regionShape, "a region such as eu-west-1")
	if (c.Domain == "") != (c.Certificate == "") {
		wrong("domain, certificate", "give both or neither")
	}
	if c.Domain != "" {
		shape("domain", c.Domain, domainShape, "a domain such as api.example.com")
	}
	if c.Certificate != "" {
		shape("certificate", c.Certificate, certificateShape, "the ARN of a certificate in us-east-1")
	}
	c.Origin.check(c, wrong, shape)
	if from, err := mail.ParseAddress(c.MailFrom); c.MailFrom == "" {
		wrong("mailFrom", "missing: give the sender of mails, such as Verdetto <mail@example.com>")
	} else if err != nil || !domainShape.MatchString(domainOf(from.Address)) {
		wrong("mailFrom", "%q is not a sender such as Verdetto <mail@example.com>", c.MailFrom)
	}
	if alarm, err := mail.ParseAddress(c.AlarmEmail); c.AlarmEmail == "" {
		wrong("alarmEmail", "missing: give the address that alarms are sent to")
	} else if err != nil || alarm.Address != c.AlarmEmail {
		wrong("alarmEmail", "%q is not a bare e-mail address", c.AlarmEmail)
	}
	if c.MailRate <= 0 {
		wrong("mailRate", "%v is not a number of mails a second above 0", c.MailRate)
	}
	if fault := c.Operator.fault(); fault != "" {
		faults = append(faults, fault)
	}
	if c.CallsADay < 0 {
		wrong("callsADay", "%d is not a number of calls, or 0 for no limit", c.CallsADay)
	}
	if c.FaresShown != "today" && c.FaresShown != "all" {
		wrong("faresShown", "%q is neither today nor all", c.FaresShown)
	}
	if (c.StripePrice == "") != (c.SolanaWallet == "") {
		wrong("stripePrice, solanaWallet", "give both, or neither where nothing is sold")
	}
	if c.PaidCalls && !c.sells() {
		wrong("paidCalls", "it needs stripePrice and solanaWallet")
	}
	if c.sells() {
		shape("stripePrice", c.StripePrice, priceShape, "the id of a price in Stripe, price_...")
		shape("solanaWallet", c.SolanaWallet, base58Shape, "a Solana address in base 58")
	}
	for i, price := range c.StripeFormerPrices {
		shape(fmt.Sprintf("stripeFormerPrices[%d]", i), price, priceShape, "the id of a price in Stripe, price_...")
	}
	if c.SolanaNetwork != "mainnet-beta" && c.SolanaNetwork != "devnet" {
		wrong("solanaNetwork", "%q is neither mainnet-beta nor devnet", c.SolanaNetwork)
	}
	if c.SolanaMint != "" {
		shape("solanaMint", c.SolanaMint, base58Shape, "the address of a mint in base 58")
	} else if c.SolanaNetwork == "devnet" {
		wrong("solanaMint", "missing: devnet has no USDC of its own, so name the mint that stands for it")
	}
	shape("priceUSDC", c.PriceUSDC, amountShape, "an amount such as 12.99")
	if c.TelegramBot != "" {
		shape("telegramBot", c.TelegramBot, botShape, "the user name of a bot, without @")
	}
	between := func(field string, value, least, most int) {
		if value < least || value > most {
			wrong(field, "%d is not between %d and %d", value, least, most)
		}
	}
	between("workers", c.Workers, 2, 10) // 2 is the least that SQS takes
	between("originSecret", c.OriginSecret, 1, 1_000_000)
	between("requestsPerSecond", c.RequestsPerSecond, 1, 10_000)
	between("accessLogDays", c.AccessLogDays, 1, 3653)
	if !slices.Contains(keptDays, c.LogDays) {
		wrong("logDays", "%d is not one of %v", c.LogDays, keptDays)
	}
	if c.Instances == 0 {
		wrong("instances", "missing: give the account's quota, AccountLimit.ConcurrentExecutions of aws lambda get-account-settings")
	} else {
		between("instances", c.Instances, 10, 1_000_000)
	}
	between("monthlyBudget", c.MonthlyBudget, 1, 1_000_000)
	between("generation", c.Generation, 1, 1_000_000)
	if c.FreeTier != open && c.FreeTier != closed {
		wrong("freeTier", "%q is not offered: give open or closed", c.FreeTier)
	}
	if c.Firewall != "" {
		shape("firewall", c.Firewall, firewallShape, "the ARN of a firewall for CloudFront (arn:aws:wafv2:us-east-1:...:global/webacl/...)")
	} else if c.RequestsPerFiveMinutes != 0 {
		between("requestsPerFiveMinutes", c.RequestsPerFiveMinutes, 10, 2_000_000_000)
	}
	if c.FreeTier != open && !c.ownFirewall() {
		wrong("freeTier", "it is the stack's own firewall that closes it: leave firewall out, and give requestsPerFiveMinutes")
	}
	for _, name := range sorted(c.Reserved) {
		if !slices.ContainsFunc(functions, func(f function) bool { return f.name == name }) {
			wrong("reserved", "no function is named %q", name)
		}
		between("reserved."+name, c.Reserved[name], 0, 1000)
	}
	if most := c.Instances - unreserved; c.reservedAll() > max(0, most) {
		wrong("reserved", "%d instances of %d: Lambda leaves %d to functions that reserve none", c.reservedAll(), c.Instances, unreserved)
	}
	if least := c.Workers + 2; c.Reserved["refresh"] != 0 && c.Reserved["refresh"] < least {
		wrong("reserved.refresh", "%d is too few for %d workers, the plan and the mail; give at least %d", c.Reserved["refresh"], c.Workers, least)
	}
	if c.RestoredTable != "" {
		shape("restoredTable", c.RestoredTable, tableShape, "the name of a table")
		if c.RestoredTable == c.Name {
			wrong("restoredTable", "%q is the stack's own table", c.RestoredTable)
		}
	}
	return faults
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
func (c config) mailDomain() string {
	from, err := mail.ParseAddress(c.MailFrom)
	if err != nil {
		panic(err) // it has been checked
	}
	return domainOf(from.Address)
}

// mailAddress is the bare address that mail is sent from.
func (c config) mailAddress() string {
	from, err := mail.ParseAddress(c.MailFrom)
	if err != nil {
		panic(err) // it has been checked
	}
	return from.Address
}

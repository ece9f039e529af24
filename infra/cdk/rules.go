package main

import (
	"fmt"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strings"

	settings "verdetto/shared/runtime/config"
	"verdetto/shared/web/routes"
)

type rule struct{ field, fault string }

func (c config) check() (faults []string) {
	for _, rules := range [][]rule{c.place(), c.Origin.rules(c), c.people(), c.sale(), c.limits(), c.instances()} {
		for _, r := range rules {
			if r.fault != "" {
				faults = append(faults, r.field+": "+r.fault)
			}
		}
	}
	return faults
}

func when(bad bool, format string, args ...any) string {
	if !bad {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func (c config) quotaCalls() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.QuotaCalls)) {
		all = append(all, fmt.Sprintf("%s=%d", name, c.QuotaCalls[name]))
	}
	return strings.Join(all, ",")
}

func (c config) unknownQuota() string {
	for _, name := range slices.Sorted(maps.Keys(c.QuotaCalls)) {
		if fault := routes.UnknownLimit(name); fault != "" {
			return fault
		}
		if calls := c.QuotaCalls[name]; calls < 1 || calls > 1_000_000 {
			return fmt.Sprintf("%s: %d is not from 1 to 1000000", name, calls)
		}
	}
	return ""
}

func shaped(value string, shape *regexp.Regexp, is string) string {
	if value == "" {
		return "missing: give " + is
	}
	return when(!shape.MatchString(value), "%q is not %s", value, is)
}

func optional(value string, shape *regexp.Regexp, is string) string {
	if value == "" {
		return ""
	}
	return shaped(value, shape, is)
}

func between(value, least, most int) string {
	return when(value < least || value > most, "%d is not between %d and %d", value, least, most)
}

func isBareAddress(value string) bool {
	a, err := mail.ParseAddress(value)
	return err == nil && a.Address == value
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
	cityShape        = regexp.MustCompile(`^[A-Z]{3}$`)
	tableShape       = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)
)

// keptDays are the retention times that CloudWatch offers.
var keptDays = []int{1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653}

func (c config) place() []rule {
	return []rule{
		{"name", shaped(c.Name, nameShape, "a name of at most 31 small letters, digits and dashes")},
		{"account", shaped(c.Account, accountShape, "the 12 digits of the AWS account")},
		{"region", shaped(c.Region, regionShape, "a region such as eu-west-1")},
		{"domain, certificate", when((c.Domain == "") != (c.Certificate == ""), "give both or neither")},
		{"domain", optional(c.Domain, domainShape, "a domain such as api.example.com")},
		{"certificate", optional(c.Certificate, certificateShape, "the ARN of a certificate in us-east-1")},
	}
}

func (c config) people() []rule {
	from, err := mail.ParseAddress(c.MailFrom)
	isSender := err == nil && domainShape.MatchString(domainOf(from.Address))
	return []rule{
		{"mailFrom", when(c.MailFrom == "", "missing: give the sender of mails, such as Verdetto <mail@example.com>")},
		{"mailFrom", when(c.MailFrom != "" && !isSender, "%q is not a sender such as Verdetto <mail@example.com>",
			c.MailFrom)},
		{"alarmEmail", when(c.AlarmEmail == "", "missing: give the address that alarms are sent to")},
		{"alarmEmail", when(c.AlarmEmail != "" && !isBareAddress(c.AlarmEmail), "%q is not a bare email address",
			c.AlarmEmail)},
		{"mailRate", when(c.MailRate <= 0, "%v is not a number of mails a second above 0", c.MailRate)},
		{"operator.email", when(c.Operator.Email != "" && !isBareAddress(c.Operator.Email),
			"%q is not a bare email address", c.Operator.Email)},
	}
}

// Nothing can be deployed to exampleAccount, so a placeholder is no fault there.
const exampleAccount = "123456789012"

func (c config) wallet() string {
	if why := settings.Placeholder(c.SolanaWallet); why != "" {
		return when(c.Account != exampleAccount, "%s", why)
	}
	return shaped(c.SolanaWallet, base58Shape, "a Solana address in base 58")
}

func (c config) sale() []rule {
	const price = "the id of a price in Stripe, price_..."
	rules := []rule{
		{"callsADay", when(c.CallsADay < 0, "%d is not a number of calls, or 0 for no limit", c.CallsADay)},
		{"quotaPage", when(c.QuotaPage < 1, "%d is not a number of questions from 1 on", c.QuotaPage)},
		{"quotaFree", when(c.QuotaFree < 1, "%d is not a number of calls from 1 on", c.QuotaFree)},
		{"quotaCalls", c.unknownQuota()},
		{"faresShown", when(c.FaresShown != "today" && c.FaresShown != "all", "%q is neither today nor all",
			c.FaresShown)},
		{"stripePrice", optional(c.StripePrice, priceShape, price)},
		{"paidCalls", when(c.PaidCalls && c.SolanaWallet == "", "it needs solanaWallet")},
	}
	if c.SolanaWallet != "" {
		rules = append(rules, rule{"solanaWallet", c.wallet()})
	}
	for i, former := range c.StripeFormerPrices {
		rules = append(rules, rule{fmt.Sprintf("stripeFormerPrices[%d]", i), shaped(former, priceShape, price)})
	}
	return append(rules, []rule{
		{"solanaNetwork", when(c.SolanaNetwork != "mainnet-beta" && c.SolanaNetwork != "devnet",
			"%q is neither mainnet-beta nor devnet", c.SolanaNetwork)},
		{"solanaMint", optional(c.SolanaMint, base58Shape, "the address of a mint in base 58")},
		{"solanaMint", when(c.SolanaMint == "" && c.SolanaNetwork == "devnet",
			"missing: devnet has no USDC of its own, so name the mint that stands for it")},
		{"priceUSDC", shaped(c.PriceUSDC, amountShape, "an amount such as 12.99")},
		{"telegramBot", optional(c.TelegramBot, botShape, "the user name of a bot, without @")},
	}...)
}

func (c config) limits() []rule {
	quota := between(c.Instances, 10, 1_000_000)
	if c.Instances == 0 {
		quota = "missing: give the account's quota, AccountLimit.ConcurrentExecutions of aws lambda " +
			"get-account-settings"
	}
	asked := between(c.RequestsPerFiveMinutes, 10, 2_000_000_000)
	if c.RequestsPerFiveMinutes == 0 || c.Firewall != "" {
		asked = ""
	}
	return []rule{
		{"origins", when(slices.ContainsFunc(c.Origins, func(o string) bool { return !cityShape.MatchString(o) }),
			"%q: give IATA codes of cities, three capital letters each", c.Origins)},
		{"workers", between(c.Workers, 1, 10)},
		{"originSecret", between(c.OriginSecret, 1, 1_000_000)},
		{"requestsPerSecond", between(c.RequestsPerSecond, 1, 10_000)},
		{"accessLogDays", between(c.AccessLogDays, 1, 3653)},
		{"logDays", when(!slices.Contains(keptDays, c.LogDays), "%d is not one of %v", c.LogDays, keptDays)},
		{"instances", quota},
		{"monthlyBudget", between(c.MonthlyBudget, 1, 1_000_000)},
		{"generation", between(c.Generation, 1, 1_000_000)},
		{"freeTier", when(c.FreeTier != open && c.FreeTier != closed, "%q is not offered: give open or closed",
			c.FreeTier)},
		{"firewall", optional(c.Firewall, firewallShape,
			"the ARN of a firewall for CloudFront (arn:aws:wafv2:us-east-1:...:global/webacl/...)")},
		{"requestsPerFiveMinutes", asked},
		{"freeTier", when(c.FreeTier != open && !c.ownFirewall(),
			"it is the stack's own firewall that closes it: leave firewall out, and give requestsPerFiveMinutes")},
	}
}

func (c config) instances() (rules []rule) {
	for _, name := range sorted(c.Reserved) {
		isKnown := slices.ContainsFunc(functions, func(f function) bool { return f.name == name })
		rules = append(rules,
			rule{"reserved", when(!isKnown, "no function is named %q", name)},
			rule{"reserved." + name, between(c.Reserved[name], 0, 1000)},
		)
	}
	least := c.Workers + 2
	return append(rules, []rule{
		{"reserved", when(c.reservedAll() > max(0, c.Instances-unreserved),
			"%d instances of %d: Lambda leaves %d to functions that reserve none", c.reservedAll(), c.Instances,
			unreserved)},
		{"reserved.refresh", when(c.Reserved["refresh"] != 0 && c.Reserved["refresh"] < least,
			"%d is too few for %d workers, the plan and the mail; give at least %d", c.Reserved["refresh"], c.Workers,
			least)},
		{"restoredTable", optional(c.RestoredTable, tableShape, "the name of a table")},
		{"restoredTable", when(c.RestoredTable != "" && c.RestoredTable == c.Name, "%q is the stack's own table",
			c.RestoredTable)},
	}...)
}

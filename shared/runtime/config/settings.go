package config

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go/base58"
)

type Setting struct {
	Name    string
	Flag    string
	ReadBy  string
	Give    string
	Note    string
	Default string
	Without string // what a missing value means, if there is no Default
	Secret  bool
	List    bool // values are separated by commas
	Fits    func(value string) bool
}

var Settings = []Setting{
	{Name: "VERDETTO_STORE", Flag: "store", ReadBy: "the command line", Give: "`bolt:FILE` or dynamodb:TABLE",
		Note:    "where data is kept",
		Without: "serve uses a temporary file and deletes it at the end", Fits: store},
	{Name: "VERDETTO_UPSTREAM", Flag: "upstream", ReadBy: "the command line",
		Give:    "sample, `csv:FILE` or travelpayouts",
		Note:    "where fares come from. travelpayouts needs TRAVELPAYOUTS_TOKEN",
		Default: "sample", Fits: upstream},
	{Name: "VERDETTO_LISTEN", Flag: "listen", ReadBy: "serve",
		Give: "an `address` to listen on, such as 127.0.0.1:8080", Without: "127.0.0.1:8080, or :443 with VERDETTO_TLS",
		Fits: hostPort},
	{Name: "VERDETTO_TLS", Flag: "tls", ReadBy: "serve",
		Give: "`domains` that lead to this machine, such as verdetto.example",
		Note: "serves TLS for these domains. You accept the terms of the certificates' issuer",
		List: true, Without: "no TLS", Fits: domain},
	{Name: "VERDETTO_HTTP", Flag: "http", ReadBy: "serve, with VERDETTO_TLS",
		Give: "an `address` to listen on, such as :80",
		Note: "answers the issuer of certificates, and redirects other calls to https", Default: ":80",
		Fits: hostPort},
	{Name: "VERDETTO_ACME", Flag: "acme", ReadBy: "serve, with VERDETTO_TLS",
		Give: "the https `URL` of an ACME directory", Note: "where certificates come from",
		Without: "Let's Encrypt", Fits: encrypted},
	{Name: "VERDETTO_BEHIND", Flag: "behind", ReadBy: "serve",
		Give: "`addresses` or networks of your proxy, such as 127.0.0.1 or 10.0.0.0/8, never all addresses",
		Note: "only proxies at these addresses may state the address of the caller",
		List: true, Without: "callers reach the service without a proxy",
		Fits: func(v string) bool { _, ok := Network(v); return ok }},
	{Name: "VERDETTO_METRICS", Flag: "metrics", ReadBy: "serve",
		Give:    "an `address` to listen on, such as 127.0.0.1:9464",
		Note:    "serves metrics for Prometheus. Keep this address private",
		Without: "no metrics", Fits: hostPort},
	{Name: "VERDETTO_LOG", Flag: "log", ReadBy: "the command line", Give: "`text` or json",
		Note: "the format of the log", Default: "text", Fits: oneOf("text", "json")},
	{Name: "VERDETTO_BACKUPS", ReadBy: "backup, serve, status", Give: "a folder",
		Note:    "`verdetto backup` writes to this folder. The status and the metrics say how old the newest backup is",
		Without: "`verdetto backup` needs -to", Fits: anything},
	{Name: "VERDETTO_PING", ReadBy: "serve", Give: "a URL, in which {job} becomes refresh or backup",
		Note: "serve calls this URL after each good daily refresh and each new backup in VERDETTO_BACKUPS. Give the address of a check at " +
			"healthchecks.io or a similar service, which warns you when no call comes",
		Secret: true, Without: "nothing is called", Fits: callable},
	{Name: "VERDETTO_ALLOW_PRIVATE_TARGETS", ReadBy: "serve, hook-test",
		Give: "networks, addresses or host names of your own network, such as 192.168.1.0/24 or homeassistant.lan",
		Note: "alerts may go to these targets by webhook and ntfy, also by http and at any port. **Everyone who may create an alert can " +
			"make the service call these targets**",
		List: true, Without: "only public addresses by https at port 443",
		Fits: func(v string) bool { _, ok := Network(v); return ok || matches(`[A-Za-z0-9_][A-Za-z0-9._-]{0,252}`)(v) }},
	{Name: "VERDETTO_MAIL", Flag: "mail", ReadBy: "serve, mail-test, the command refresh",
		Give:    "how mail is sent (`carrier`): smtp://HOST:587 (STARTTLS), smtps://HOST:465, ses, or a folder for files",
		Note:    "a mail server and ses need VERDETTO_MAIL_FROM. Most servers also need VERDETTO_SMTP_USER and VERDETTO_SMTP_PASSWORD. mail-test and the command refresh have no default",
		Default: "mail", Fits: anything},
	{Name: "VERDETTO_SMTP_USER", ReadBy: "`-mail` of a server",
		Give: "the user name at the mail server", Without: "the server needs no user name",
		Fits: anything},
	{Name: "VERDETTO_SMTP_PASSWORD", ReadBy: "`-mail` of a server", Give: "the password at the mail server",
		Secret: true, Without: "the server needs no password", Fits: anything},
	{Name: "VERDETTO_MONEY", Flag: "money", ReadBy: "serve", Give: "none, `play`, demo or real",
		Note: "how Pro is paid. With none, the plan is not sold. With play, Stripe and Solana are simulated on this machine. With demo, Stripe " +
			"and Solana are simulated at a public address, and pages say that nothing is sold. With real, the settings of Stripe, of Solana or of both are needed",
		Without: "play where only this machine reaches the service, else none", Fits: oneOf("none", "play", "demo", "real")},
	{Name: "VERDETTO_BASE_URL", Flag: "base", ReadBy: "analisi, compat, pro, x402, alerts, refresh, serve",
		Give: "an https `URL`, or one on this machine, without a slash at the end, such as https://verdetto.example",
		Note: "the public address of the service, with which links begin",
		Without: "required on AWS. serve takes https:// and the first domain of VERDETTO_TLS, or, unless VERDETTO_MONEY is real, the " +
			"address of VERDETTO_LISTEN",
		Fits: publicURL},
	{Name: "VERDETTO_NOW", Flag: "now", ReadBy: "all functions, the command line",
		Give:    "a `time` (RFC 3339, such as 2016-03-01T12:00:00Z; on the command line a day as well)",
		Note:    "the service's clock starts at this time, to replay recorded fares",
		Without: "the system's clock", Fits: moment},
	{Name: "VERDETTO_PEPPER", ReadBy: "all functions, the command line",
		Give:    "32 characters or more, or what `verdetto pepper export` wrote",
		Note:    "pseudonyms, customer ids and links are derived from the pepper. **Never change it**",
		Secret:  true,
		Without: "required on AWS; on one machine the first start creates a pepper and stores it", Fits: isPepper},
	{Name: "VERDETTO_OPERATOR_NAME", ReadBy: "pro, serve", Give: "the name of the operator, for the legal pages",
		Without: "the pages say that it is missing", Fits: anything},
	{Name: "VERDETTO_OPERATOR_ADDRESS", ReadBy: "pro, serve",
		Give: "a postal address, with commas between its parts", Without: "the pages say that it is missing", Fits: anything},
	{Name: "VERDETTO_OPERATOR_EMAIL", ReadBy: "pro, serve",
		Give:    "a bare email address, such as help@verdetto.example",
		Note:    "pages and mails show this address to customers. If something fails for an hour, serve sends a mail to this address",
		Without: "the pages say that it is missing",
		Fits:    bareAddress},
	{Name: "VERDETTO_OPERATOR_PHONE", ReadBy: "pro, serve", Give: "a telephone number", Without: "the pages say that it is missing",
		Fits: anything},
	{Name: "VERDETTO_OPERATOR_NUMBER", ReadBy: "pro, serve", Give: "the number in the company register, or the VAT number",
		Without: "the pages say that it is missing", Fits: anything},
	{Name: "VERDETTO_OPERATOR_LAW", ReadBy: "pro, serve", Give: "the country whose law applies",
		Without: "the pages say that it is missing", Fits: anything},
	{Name: "TRAVELPAYOUTS_TOKEN", ReadBy: "refresh, `-upstream travelpayouts`",
		Give: "the token of a partner account (free)", Secret: true, Without: "required", Fits: word},
	{Name: "TRAVELPAYOUTS_URL", ReadBy: "refresh, `-upstream travelpayouts`",
		Give: "an https URL, or one on this machine", Note: "the address of the fare source",
		Default: "https://api.travelpayouts.com", Fits: outside},
	{Name: "VERDETTO_ORIGINS", ReadBy: "refresh, serve",
		Give: "IATA codes of cities to refresh, three capital letters each", List: true,
		Without: "every city of the source", Fits: matches(`[A-Z]{3}`)},
	{Name: "VERDETTO_CALLS_A_DAY", ReadBy: "refresh, `-upstream travelpayouts`",
		Give:    "a number of calls, or 0 for no limit",
		Note:    "limit of calls to the fare source in a day (UTC). Failed calls count too",
		Default: "20000", Fits: whole(0, 1_000_000_000)},
	{Name: "VERDETTO_FARES_SHOWN", ReadBy: "analisi, compat, pricetrends, x402, `-upstream travelpayouts`",
		Give: "today or all",
		Note: "which fares of travelpayouts are shown. `today`: judged fares, and statistics of past fares. `all`: also single fares of past " +
			"days and departures",
		Default: "today", Fits: oneOf("today", "all")},
	{Name: "VERDETTO_QUOTA_PAGE", ReadBy: "analisi, serve", Give: "a whole number from 1 to 1000000",
		Note: "questions that an IP address may ask on the page in a day (UTC)", Default: "120", Fits: whole(1, 1_000_000)},
	{Name: "VERDETTO_QUOTA_FREE", ReadBy: "analisi, compat, serve", Give: "a whole number from 1 to 1000000",
		Note: "calls that an IP address may make without a key in a day (UTC), counted separately for verdicts, calendars, " +
			"places nearby and deals", Default: "30", Fits: whole(1, 1_000_000)},
	{Name: "VERDETTO_QUOTA_CALLS", ReadBy: "analisi, compat, pricetrends, x402, pro, alerts, serve",
		Give: "quotas as NAME=CALLS, such as analisi-pro=240 or alerts-free=10, each from 1 to 1000000",
		Note: "other quotas and rate limits, by their names in the header RateLimit-Policy. Some names seldom or never appear in this " +
			"header: mailbox (mails to one mailbox that other people request, in 24 hours), x402-failed-hour and x402-failed-day (failed " +
			"or open payments of a payer or an address), x402-fees-day (failed or open payments of all payers), x402-guarded-day (failed " +
			"or open payments of all payers with assertions of the program Lighthouse), pro-chain-service and pro-card-service (calls of all buyers to payment services)", List: true, Without: "the usual quotas",
		Fits: func(v string) bool {
			name, calls, _ := strings.Cut(v, "=")
			return matches(`[a-z0-9-]+`)(name) && whole(1, 1_000_000)(calls)
		}},
	{Name: "VERDETTO_PAID_CALLS", ReadBy: "analisi", Give: "on or off",
		Note: "with on, callers without free calls left learn where single answers are sold, and the price. serve uses on if " +
			"X402_FEE_KEY holds a key",
		Default: "off", Fits: oneOf("on", "off")},
	{Name: "STRIPE_KEY", ReadBy: "pro, `-money real`", Give: "Stripe's secret key, which begins with sk_ or rk_",
		Secret: true, Without: "required to sell the plan by card", Fits: matches(`[sr]k_[A-Za-z0-9_]+`)},
	{Name: "STRIPE_PRICE", ReadBy: "analisi, compat, pricetrends, x402, pro, alerts, `-money real`", Give: "the id of a recurring price in Stripe, price_...",
		Without: "required to sell the plan by card", Fits: matches(`price_[A-Za-z0-9_]+`)},
	{Name: "STRIPE_FORMER_PRICES", ReadBy: "pro, `-money real`",
		Give: "ids of earlier prices, price_...", Note: "a subscription to a price that is neither in this list nor in STRIPE_PRICE is not Pro",
		List: true, Without: "none", Fits: matches(`price_[A-Za-z0-9_]+`)},
	{Name: "STRIPE_WEBHOOK_SECRETS", ReadBy: "pro, `-money real`",
		Give: "secrets of the webhook, whsec_...; two during a rotation", Secret: true, List: true,
		Without: "required to sell the plan by card", Fits: matches(`whsec_[A-Za-z0-9_]+`)},
	{Name: "STRIPE_URL", ReadBy: "pro, `-money real`", Give: "an https URL, or one on this machine",
		Note: "the address of Stripe", Without: "Stripe's own", Fits: outside},
	{Name: "X402_FEE_KEY", ReadBy: "x402, serve",
		Give:   "off, or a Solana key: 64 numbers in brackets, as solana-keygen writes, or 64 bytes in base 58",
		Note:   "the key that pays network fees of single answers. It needs SOLANA_NODES and SOLANA_WALLET",
		Secret: true, Without: "single answers are not sold",
		Fits: func(v string) bool { _, ok := SolanaKey(v); return ok || v == Off }},
	{Name: "SOLANA_NODES", ReadBy: "pro, x402, serve", Give: "https addresses of JSON-RPC nodes, in order of preference",
		Note: "addresses may contain keys of providers", Secret: true, List: true, Without: "required to sell the plan in USDC",
		Fits: outside},
	{Name: "SOLANA_WALLET", ReadBy: "analisi, compat, pricetrends, x402, pro, alerts, serve", Give: "a Solana address, 32 bytes in base 58",
		Note: "the wallet that receives USDC", Without: "required to sell the plan in USDC", Fits: solanaAddress},
	{Name: "SOLANA_MINT", ReadBy: "pro, x402, serve", Give: "a Solana address, 32 bytes in base 58",
		Note: "the mint of USDC", Default: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", Fits: solanaAddress},
	{Name: "SOLANA_NETWORK", ReadBy: "pro, x402, serve", Give: "mainnet-beta or devnet",
		Default: "mainnet-beta", Fits: oneOf("mainnet-beta", "devnet")},
	{Name: "VERDETTO_PRICE_USDC", ReadBy: "pro, `-money real`",
		Give: "an amount above 0 of at most 6 decimals, such as 12.99", Note: "price of 30 days, in USDC",
		Default: "12.99", Fits: amount},
	{Name: "VERDETTO_TABLE", ReadBy: "all functions", Give: "the name of a DynamoDB table", Without: "required",
		Fits: matches(`[A-Za-z0-9_.-]{3,255}`)},
	{Name: "VERDETTO_ORIGIN_SECRETS", ReadBy: "analisi, compat, pricetrends, x402, pro, alerts",
		Give: "16 characters or more",
		Note: "accepted values of the header `X-Origin-Secret`, which proves that a call comes from CloudFront", Secret: true, List: true,
		Without: "required", Fits: atLeast(16)},
	{Name: "VERDETTO_MAIL_FROM", ReadBy: "pro, alerts, refresh, `-mail` of a server or ses",
		Give: "a sender, such as Verdetto <mail@verdetto.example>", Without: "required", Fits: sender},
	{Name: "VERDETTO_MAIL_SET", ReadBy: "pro, alerts, refresh, `-mail ses`",
		Give: "the name of SES's configuration set", Without: "none", Fits: word},
	{Name: "VERDETTO_MAIL_RATE", ReadBy: "refresh, `-mail` of a server or ses",
		Give: "a number above 0 and up to 1000 (mails a second)", Note: "how fast alerts are sent. Keep it under the quota of your mail account",
		Default: "10", Fits: rate},
	{Name: "TELEGRAM_BOT", ReadBy: "alerts, analisi, serve",
		Give:    "the user name of a bot of Telegram, without @, such as verdetto_bot",
		Note:    "the bot that sends alerts. It needs TELEGRAM_BOT_TOKEN and TELEGRAM_SECRET",
		Without: "no alerts in Telegram", Fits: matches(`[A-Za-z][A-Za-z0-9_]{4,31}`)},
	{Name: "TELEGRAM_BOT_TOKEN", ReadBy: "alerts, serve", Give: "the bot's token, as @BotFather gives it",
		Secret: true, Without: "no alerts in Telegram", Fits: matches(`[0-9]{3,20}:[A-Za-z0-9_-]{20,100}`)},
	{Name: "TELEGRAM_SECRET", ReadBy: "alerts, serve", Give: "16 to 256 letters, digits, - and _",
		Note: "the secret_token of the bot's webhook", Secret: true, Without: "no alerts in Telegram",
		Fits: matches(`[A-Za-z0-9_-]{16,256}`)},
	{Name: "TELEGRAM_URL", ReadBy: "alerts, serve", Give: "an https URL, or one on this machine",
		Note: "the address of Telegram's bot API", Without: "Telegram's own", Fits: outside},
	{Name: "VERDETTO_QUEUE_URL", ReadBy: "refresh", Give: "an https URL, or one on this machine",
		Note: "the SQS queue of origins and series to refresh", Without: "one invocation refreshes all", Fits: outside},
	{Name: "VERDETTO_WORKERS", ReadBy: "refresh", Give: "a whole number from 1 to 100",
		Note: "how many invocations process the queue VERDETTO_QUEUE_URL at the same time", Default: "2",
		Fits: whole(1, 100)},
	{Name: "VERDETTO_WORK_QUEUE_URL", ReadBy: "pro, alerts", Give: "an https URL, or one on this machine",
		Note: "the SQS queue of signals that start work in the outbox", Without: "only a schedule starts the work",
		Fits: outside},
}

func Named(name string) (Setting, bool) {
	at := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == name })
	if at < 0 {
		return Setting{}, false
	}
	return Settings[at], true
}

func OfFlag(flag string) (Setting, bool) {
	at := slices.IndexFunc(Settings, func(s Setting) bool { return s.Flag != "" && s.Flag == flag })
	if at < 0 {
		return Setting{}, false
	}
	return Settings[at], true
}

func (s Setting) Faults(value string) (faults []string) {
	values := []string{value}
	if s.List {
		values = strings.Split(value, ",")
	}
	for i, v := range values {
		switch {
		case s.Fits(v):
		case !s.Secret:
			faults = append(faults, s.Name+": "+strconv.Quote(v)+" is not "+s.want())
		case s.List:
			faults = append(faults, s.Name+": value "+strconv.Itoa(i+1)+" is not "+s.want())
		default:
			faults = append(faults, s.Name+": its value, which is not shown, is not "+s.want())
		}
	}
	return faults
}

func (s Setting) Missing() string { return s.Name + ": missing; give " + s.want() }

func (s Setting) want() string { return strings.ReplaceAll(s.Give, "`", "") }

func anything(string) bool { return true }

func word(v string) bool { return v != "" && !strings.ContainsAny(v, " \t\r\n") }

func atLeast(characters int) func(string) bool {
	return func(v string) bool { return len(v) >= characters }
}

func oneOf(values ...string) func(string) bool {
	return func(v string) bool { return slices.Contains(values, v) }
}

// matches compiles the expression on first use, because a function uses only a few settings.
func matches(shape string) func(string) bool {
	expression := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + shape + `)$`) })
	return func(v string) bool { return expression().MatchString(v) }
}

func whole(least, most int64) func(string) bool {
	return func(v string) bool {
		n, err := strconv.ParseInt(v, 10, 64)
		return err == nil && n >= least && n <= most
	}
}

func rate(v string) bool {
	n, err := strconv.ParseFloat(v, 64)
	return err == nil && n > 0 && n <= 1000
}

func amount(v string) bool {
	return matches(`[0-9]{1,6}(\.[0-9]{1,6})?`)(v) && strings.Trim(v, "0.") != ""
}

func store(v string) bool {
	kind, at, _ := strings.Cut(v, ":")
	return at != "" && (kind == "bolt" || kind == "dynamodb")
}

func upstream(v string) bool {
	file, ok := strings.CutPrefix(v, "csv:")
	return ok && file != "" || v == "sample" || v == "travelpayouts"
}

func hostPort(v string) bool {
	_, port, err := net.SplitHostPort(v)
	return err == nil && whole(0, 65535)(port)
}

func domain(v string) bool {
	v = strings.ToLower(strings.TrimSpace(v))
	u, err := url.Parse("https://" + v)
	return err == nil && u.Host == v && u.Port() == "" && strings.Contains(v, ".") && strings.Trim(v, "0123456789.") != "" && !strings.ContainsAny(v, "*[]: ")
}

// Network rejects a network of all addresses, because any caller could then pose as a trusted proxy.
func Network(v string) (netip.Prefix, bool) {
	v = strings.TrimSpace(v)
	network, err := netip.ParsePrefix(v)
	if addr, single := netip.ParseAddr(v); err != nil && single == nil && addr.Zone() == "" {
		network, err = netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return network, err == nil && network.Masked() == network && network.Bits() > 0
}

func local(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// outside allows plain HTTP only to this machine, because requests may contain secrets.
func outside(v string) bool {
	u, err := url.Parse(v)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && local(u.Hostname()))
}

func callable(v string) bool {
	u, err := url.Parse(v)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

func encrypted(v string) bool {
	u, err := url.Parse(v)
	return err == nil && u.Scheme == "https" && u.Host != ""
}

func publicURL(v string) bool {
	u, err := url.Parse(v)
	return outside(v) && err == nil && u.User == nil && u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(v, "/")
}

func bareAddress(v string) bool {
	_, err := mail.ParseAddress("<" + v + ">")
	return err == nil
}

func sender(v string) bool {
	_, err := mail.ParseAddress(v)
	return err == nil
}

func moment(v string) bool {
	_, err := time.Parse(time.RFC3339, v)
	if err != nil {
		_, err = time.Parse(time.DateOnly, v)
	}
	return err == nil
}

func solanaAddress(v string) bool { return base58.Decode32(v, new([32]byte)) == nil }

// SolanaKey accepts a key as solana-keygen writes it, or 64 bytes in base 58.
func SolanaKey(v string) (ed25519.PrivateKey, bool) {
	var packed [ed25519.PrivateKeySize]byte
	var key []byte
	if base58.Decode64(v, &packed) == nil {
		key = packed[:]
	}
	if strings.HasPrefix(v, "[") {
		var list []int
		if json.Unmarshal([]byte(v), &list) != nil {
			return nil, false
		}
		for _, n := range list {
			if n < 0 || n > 255 {
				return nil, false
			}
			key = append(key, byte(n))
		}
	}
	if len(key) != ed25519.PrivateKeySize {
		return nil, false
	}
	derived := ed25519.NewKeyFromSeed(key[:ed25519.SeedSize])
	return derived, bytes.Equal(derived, key)
}

// Nobody has the keys of these published addresses: payments to such an address would be lost.
var keyless = []string{
	"GhTTiWm2vSPGCYdg23aoJKTosTgQcqyF1uWT7gXYTcs6",
	"9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
	"11111111111111111111111111111111",
}

func Placeholder(value string) string {
	switch {
	case strings.Contains(value, "YOUR-"):
		return "still a placeholder of the documents; give your own value"
	case slices.Contains(keyless, value):
		return "nobody has its key, so payments to it would be lost; give the address of your own wallet"
	}
	return ""
}

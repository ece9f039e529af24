package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "verdetto.json")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestMissingIsReportedAtOnce(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	err := run(write(t, "{}"), standIns(), out)
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{"account", "region", "mailFrom", "alarmEmail", "instances"} {
		if !strings.Contains(err.Error(), "\n  "+field+": missing") {
			t.Errorf("%s is not said to be missing: %v", field, err)
		}
	}
	if n := strings.Count(err.Error(), "\n  "); n != 5 {
		t.Errorf("%d faults instead of 5: %v", n, err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

func TestFaultsAreReported(t *testing.T) {
	good, err := load("example.json")
	if err != nil {
		t.Fatal(err)
	}
	if faults := good.check(); len(faults) > 0 {
		t.Fatalf("the example is wrong: %q", faults)
	}
	good.Origin.ClientCertificate, good.Origin.Authority = good.Certificate, "testdata/authority.pem"
	if faults := good.check(); len(faults) > 0 {
		t.Fatalf("mutual TLS is refused: %q", faults)
	}
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(keyFile, []byte("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		spoil func(*config)
		says  string
	}{
		{"name", func(c *config) { c.Name = "Verdetto!" }, "name: "},
		{"account", func(c *config) { c.Account = "12345" }, "account: "},
		{"region", func(c *config) { c.Region = "Ireland" }, "region: "},
		{"domain alone", func(c *config) { c.Certificate = "" }, "domain, certificate: give both or neither"},
		{"certificate elsewhere",
			func(c *config) { c.Certificate = strings.Replace(c.Certificate, "us-east-1", "eu-west-1", 1) },
			"certificate: "},
		{"domain", func(c *config) { c.Domain = "https://verdetto.example" }, "domain: "},
		{"sender", func(c *config) { c.MailFrom = "verdetto" }, "mailFrom: "},
		{"sender without a domain", func(c *config) { c.MailFrom = "me@localhost" }, "mailFrom: "},
		{"rate of mail", func(c *config) { c.MailRate = 0 }, "mailRate: "},
		{"alarm", func(c *config) { c.AlarmEmail = "Me <me@example.com>" }, "alarmEmail: "},
		{"price", func(c *config) { c.StripePrice = "12.99" }, "stripePrice: "},
		{"former price", func(c *config) { c.StripeFormerPrices = []string{"price_1", "9.99"} },
			"stripeFormerPrices[1]: "},
		{"answers sold without a wallet", func(c *config) { c.SolanaWallet, c.PaidCalls = "", true },
			"paidCalls: it needs solanaWallet"},
		{"a placeholder for a wallet", func(c *config) { c.Account = "210987654321" },
			"solanaWallet: still a placeholder"},
		{"a wallet without a key", func(c *config) {
			c.Account, c.SolanaWallet = "210987654321", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
		}, "solanaWallet: nobody has its key"},
		{"wallet", func(c *config) { c.SolanaWallet = "0xabc" }, "solanaWallet: "},
		{"network", func(c *config) { c.SolanaNetwork = "testnet" }, "solanaNetwork: "},
		{"devnet without a mint", func(c *config) { c.SolanaNetwork = "devnet" }, "solanaMint: missing"},
		{"mint", func(c *config) { c.SolanaMint = "usdc" }, "solanaMint: "},
		{"amount", func(c *config) { c.PriceUSDC = "12,99" }, "priceUSDC: "},
		{"fewer calls than none", func(c *config) { c.CallsADay = -1 }, "callsADay: -1 is not a number of calls"},
		{"fares of another kind", func(c *config) { c.FaresShown = "none" },
			`faresShown: "none" is neither today nor all`},
		{"no worker", func(c *config) { c.Workers = 0 }, "workers: 0 is not between 1 and 10"},
		{"an origin by name", func(c *config) { c.Origins = []string{"MIL", "Roma"} }, "origins: "},
		{"origin secret", func(c *config) { c.OriginSecret = 0 }, "originSecret: "},
		{"throttle", func(c *config) { c.RequestsPerSecond = 0 }, "requestsPerSecond: "},
		{"days of logs", func(c *config) { c.LogDays = 31 }, "logDays: 31 is not one of"},
		{"days of access logs", func(c *config) { c.AccessLogDays = 0 }, "accessLogDays: "},
		{"firewall that stops everybody", func(c *config) { c.RequestsPerFiveMinutes = 9 },
			"requestsPerFiveMinutes: 9 is not between"},
		{"no way to API Gateway elsewhere", func(c *config) { c.Origin = origin{} },
			"origin: missing: elsewhere than in us-east-1"},
		{"a way to API Gateway without a domain", func(c *config) { c.Domain, c.Certificate = "", "" },
			"origin: it needs the service's own domain"},
		{"the service's own domain twice", func(c *config) { c.Origin.Domain = c.Domain }, "origin.domain: "},
		{"origin without its certificate", func(c *config) { c.Origin.Certificate = "" },
			"origin.certificate: missing"},
		{"certificate of the origin elsewhere", func(c *config) { c.Origin.Certificate = c.Certificate },
			"is not the ARN of a certificate in eu-west-1"},
		{"client certificate elsewhere", func(c *config) { c.Origin.ClientCertificate = c.Origin.Certificate },
			"origin.clientCertificate: "},
		{"no authority", func(c *config) { c.Origin.Authority = "" },
			"origin.clientCertificate, origin.authority: give both or neither"},
		{"an authority alone", func(c *config) { c.Origin.ClientCertificate = "" },
			"origin.clientCertificate, origin.authority: give both or neither"},
		{"no such authority", func(c *config) { c.Origin.Authority = "/nowhere/ca.pem" },
			"origin.authority: open /nowhere/ca.pem"},
		{"authority without a certificate", func(c *config) { c.Origin.Authority = "example.json" },
			"holds no certificate"},
		{"a key among the authority", func(c *config) { c.Origin.Authority = keyFile }, "holds a PRIVATE KEY"},
		{"no quota", func(c *config) { c.Instances = 0 }, "instances: missing"},
		{"quota", func(c *config) { c.Instances = 9 }, "instances: 9 is not between"},
		{"budget", func(c *config) { c.MonthlyBudget = 0 }, "monthlyBudget: "},
		{"free tier", func(c *config) { c.FreeTier = "budget" },
			`freeTier: "budget" is not offered: give open or closed`},
		{"free tier closed by nothing", func(c *config) { c.FreeTier, c.RequestsPerFiveMinutes = closed, 0 },
			"freeTier: it is the stack's own firewall"},
		{"generation", func(c *config) { c.Generation = 0 }, "generation: "},
		{"reserved more than there is",
			func(c *config) { c.Instances, c.Reserved = 150, map[string]int{"analisi": 60} },
			"reserved: 60 instances of 150: Lambda leaves 100"},
		{"firewall of a region", func(c *config) { c.Firewall = strings.Replace(firewallARN, "global", "regional", 1) },
			"firewall: "},
		{"reserved for an unknown function", func(c *config) { c.Reserved = map[string]int{"refreshh": 5} },
			`reserved: no function is named "refreshh"`},
		{"reserved nothing", func(c *config) { c.Reserved = map[string]int{"pro": -1} },
			"reserved.pro: -1 is not between"},
		{"reserved too little", func(c *config) { c.Reserved = map[string]int{"refresh": 3} },
			"reserved.refresh: 3 is too few for 2 workers"},
		{"restored table", func(c *config) { c.RestoredTable = "verdetto" }, "restoredTable: "},
		{"restored table's name", func(c *config) { c.RestoredTable = "a b" }, "restoredTable: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := good
			c.spoil(&bad)
			faults := bad.check()
			if len(faults) == 0 {
				t.Fatal("no fault is reported")
			}
			if !strings.Contains(strings.Join(faults, "\n"), c.says) {
				t.Errorf("reported %q, want %q", faults, c.says)
			}
		})
	}
	withFirewall := good
	withFirewall.Firewall = firewallARN
	if faults := withFirewall.check(); len(faults) > 0 {
		t.Errorf("a firewall's ARN is refused: %q", faults)
	}
}

const firewallARN = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/rate/11111111-2222-3333-4444-555555555555"

func TestUnreadable(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"no file":         {"", "-config"},
		"no such file":    {"/nowhere/verdetto.json", "read configuration"},
		"not JSON":        {write(t, "name: verdetto"), "read configuration"},
		"misspelt choice": {write(t, `{"acount": "123456789012"}`), "\n  acount: unknown field"},
		"wrong type":      {write(t, `{"workers": "two"}`), "\n  workers: cannot unmarshal string"},
		"within a choice": {write(t, `{"origin": {"domian": "a.example"}}`), "\n  origin: unknown field \"domian\""},
		"one of several":  {write(t, `{"acount": "1", "workers": 99, "name": "?"}`), "\n  name: "},
		"the last of them": {write(t, `{"acount": "1", "workers": 99, "name": "?"}`),
			"\n  workers: 99 is not between 1 and 10"},
	} {
		if err := run(c.file, standIns(), filepath.Join(t.TempDir(), "out")); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotBuilt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	err := run("example.json", t.TempDir(), out)
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Fatalf("%v", err)
	}
	for _, f := range functions {
		if !strings.Contains(err.Error(), f.name) {
			t.Errorf("%s is not said to be missing: %v", f.name, err)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

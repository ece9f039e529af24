package main

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/setup"
	"verdetto/shared/runtime/config"
	"verdetto/shared/web/routes"
)

type serveOptions struct {
	options
	reach
	metrics, money, mail, base string

	first *setup.Setup // nil outside a set-up
}

func (o *serveOptions) isPublic() bool {
	base, err := url.Parse(o.base)
	return o.tls != "" || o.behind != "" || err == nil && base.Host != "" && !setup.IsLoopback(base.Hostname()+":0")
}

// Without -money, a service gets play money only if it is reachable on this machine alone, because
// the links to the payment pages lead to this machine.
func (o *serveOptions) chooseMoney() {
	switch {
	case o.money != "":
	case o.isPublic() || !setup.IsLoopback(o.address()):
		o.money = onemachine.NoMoney
	default:
		o.money = playMoney
	}
}

const (
	playMoney = "play"
	demoMoney = "demo" // play money at a public address
)

func (o *serveOptions) flags(c *cobra.Command) map[string]*string {
	all := map[string]*string{"metrics": &o.metrics, "money": &o.money, "mail": &o.mail, "base": &o.base}
	maps.Copy(all, o.options.flags(c))
	maps.Copy(all, o.reach.flags())
	return all
}

func (o *serveOptions) faults() (faults []string) {
	o.chooseMoney()
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if o.money == onemachine.RealMoney {
		faults = append(faults, config.Faults((&config.Pay{}).Groups()...)...)
		if o.base == "" && o.tls == "" {
			wrong("VERDETTO_BASE_URL: missing; real money needs an address that Stripe and customers can reach: set an https URL, such as https://verdetto.example, or VERDETTO_TLS")
		}
		if o.store == "" {
			wrong("VERDETTO_STORE: missing; with real money a temporary store would lose what customers paid for: set bolt:FILE")
		}
		if o.upstream == "sample" {
			wrong("VERDETTO_UPSTREAM: invented fares cannot be sold for real money: set travelpayouts or csv:FILE")
		}
	}
	if o.money == playMoney && o.isPublic() {
		wrong("VERDETTO_MONEY: play would offer a plan for play money to strangers; set none, or for a demonstration demo, with which every page says that nothing is sold")
	}
	if o.upstream == "travelpayouts" {
		faults = append(faults, config.Faults(&config.Upstream{}, &config.Publication{})...)
	}
	if panel, ok := strings.CutPrefix(o.upstream, "csv:"); ok {
		if f, err := os.Open(panel); err != nil {
			wrong("VERDETTO_UPSTREAM: %v; give the path of a panel", err)
		} else {
			f.Close()
		}
	}
	if file, ok := strings.CutPrefix(o.store, "bolt:"); ok {
		if why := unwritable(filepath.Dir(file)); why != "" {
			wrong("VERDETTO_STORE: %s; make the folder, writable by the service's user, or give another file", why)
		}
	}
	if o.metrics != "" && o.metrics == o.address() && !strings.HasSuffix(o.metrics, ":0") {
		wrong("VERDETTO_METRICS: %s is also VERDETTO_LISTEN; choose another address, for Prometheus only", o.metrics)
	}
	if o.tls != "" {
		if why := unwritable(nearest(certificatesFolder(o.store))); why != "" {
			wrong("VERDETTO_TLS: certificates are stored beside the store, but %s; make the folder writable by the service's user",
				why)
		}
	}
	faults = append(faults, mailFaults(o.mail)...)
	var bot config.Telegram
	faults = append(faults, config.Faults(&config.Operator{}, &config.Quotas{}, &bot)...)
	var quotas config.Quotas
	if config.Load(&quotas) == nil {
		for _, name := range slices.Sorted(maps.Keys(quotas.Calls)) {
			if fault := routes.UnknownLimit(name); fault != "" {
				wrong("VERDETTO_QUOTA_CALLS: %s", fault)
			}
		}
	}
	if fault := bot.Fault(); fault != "" {
		wrong("%s", fault)
	}
	return faults
}

func mailFaults(carrier string) []string {
	if carrier == "" {
		return []string{"VERDETTO_MAIL (-mail): missing; give smtp://HOST:587, ses, or a folder that mail is written into"}
	}
	if !onemachine.IsFolder(carrier) {
		return onemachine.CarrierFaults(carrier)
	}
	if info, err := os.Stat(carrier); err == nil && !info.IsDir() {
		return []string{fmt.Sprintf("VERDETTO_MAIL: %s is a file; give a folder that mail is written into", carrier)}
	}
	if why := unwritable(nearest(carrier)); why != "" {
		return []string{fmt.Sprintf("VERDETTO_MAIL: %s; make the folder writable by the service's user, or give another",
			why)}
	}
	return nil
}

func nearest(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

func unwritable(folder string) string {
	probe, err := os.CreateTemp(folder, ".verdetto-check-*")
	if err != nil {
		return fmt.Sprintf("the folder %s is not writable", folder)
	}
	probe.Close()
	_ = os.Remove(probe.Name())
	return ""
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"strings"

	"verdetto/shared/runtime/config/parameters"
)

type config struct {
	Name          string         `json:"name"`
	Account       string         `json:"account"`
	Region        string         `json:"region"`
	Domain        string         `json:"domain"`
	Instances     int            `json:"instances"`
	Certificate   string         `json:"certificate"`
	MailFrom      string         `json:"mailFrom"`
	MailRate      float64        `json:"mailRate"`
	StripePrice   string         `json:"stripePrice"`
	SolanaWallet  string         `json:"solanaWallet"`
	SolanaNetwork string         `json:"solanaNetwork"`
	SolanaMint    string         `json:"solanaMint"`
	PriceUSDC     string         `json:"priceUSDC"`
	TelegramBot   string         `json:"telegramBot"`
	PaidCalls     bool           `json:"paidCalls"`
	Workers       int            `json:"workers"`
	OriginSecret  int            `json:"originSecret"`
	Reserved      map[string]int `json:"reserved"`
	RestoredTable string         `json:"restoredTable"`
	adopt         bool
	Origin        struct {
		Domain            string `json:"domain"`
		Certificate       string `json:"certificate"`
		ClientCertificate string `json:"clientCertificate"`
	} `json:"origin"`
}

const edgeRegion = "us-east-1"

func (c config) required() []parameters.Parameter {
	return parameters.Required(parameters.Chosen(c.TelegramBot, c.StripePrice, c.SolanaWallet)...)
}

func (c config) regions() []region {
	if c.Region == edgeRegion {
		return []region{{c.Region, ""}}
	}
	return []region{{c.Region, ""}, {edgeRegion, "-edge"}}
}

type region struct{ name, suffix string }

const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"

func load(file string) (config, error) {
	c := config{Name: "verdetto", MailRate: 1, SolanaNetwork: "mainnet-beta", PriceUSDC: "12.99", Workers: 2,
		OriginSecret: 1}
	if file == "" {
		return c,
			errors.New("no configuration: make preflight CONFIG=verdetto.json; infra/cdk/example.json shows what it " +
				"holds")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read configuration %s: %w", file, err)
	}
	if c.SolanaMint == "" {
		c.SolanaMint = usdc
	}
	for field, value := range map[string]string{"account": c.Account, "region": c.Region, "mailFrom": c.MailFrom} {
		if value == "" {
			return c,
				fmt.Errorf("configuration %s: %s is missing; make synth CONFIG=%[1]s says all that is wrong with it",
					file, field)
		}
	}
	return c, nil
}

func (c config) mailDomain() string {
	address := c.MailFrom
	if from, err := mail.ParseAddress(c.MailFrom); err == nil {
		address = from.Address
	}
	return address[strings.LastIndexByte(address, '@')+1:]
}

func (c config) parameter(name string) string { return "/" + c.Name + "/" + name }

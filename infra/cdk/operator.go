package main

import (
	"fmt"
	"strings"
)

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

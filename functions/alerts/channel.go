package alerts

import (
	"maps"
	"slices"
	"strings"

	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/store"
)

// byMail is the public name of the channel that the store calls "".
const byMail = "mail"

type channel struct {
	email   bool
	address func(string) (string, error)
}

var channels = map[string]channel{
	byMail:         {email: true},
	store.Ntfy:     {address: ntfy.ParseTopic},
	store.Webhook:  {email: true, address: endpoint},
	store.Telegram: {}, // the chat is known when the user starts the bot
}

func channelNames() string { return strings.Join(slices.Sorted(maps.Keys(channels)), ", ") }

func endpoint(address string) (string, error) {
	u, err := outbound.ParseURL(address)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

func (p *pendingSubscription) setChannel(value string) *fault {
	if _, ok := channels[value]; !ok {
		return &fault{field: "channel", text: "channel", fill: []any{"Channels", channelNames()}}
	}
	if value != byMail {
		p.channel = value
	}
	return nil
}

// setAddress needs the request's channel to be set before.
func (p *pendingSubscription) setAddress(value string) *fault {
	read := p.carrier().address
	switch {
	case read == nil && value == "":
		return nil
	case read == nil:
		return p.refuseWith("address")
	case value == "":
		return &fault{field: "address", text: "missing"}
	}
	address, err := read(value)
	if err != nil {
		return &fault{field: "address", text: "address." + p.channel}
	}
	p.address = address
	return nil
}

func (p *pendingSubscription) carrier() channel { return channels[p.named()] }

func (p *pendingSubscription) named() string {
	if p.channel == "" {
		return byMail
	}
	return p.channel
}

func (p *pendingSubscription) refuseWith(field string) *fault {
	return &fault{field: field, text: "not_with", fill: []any{"Channel", p.named()}}
}

// Package ntfy publishes notifications to topics of ntfy servers: https://ntfy.sh and self-hosted
// ones.
//
// Anyone who knows the URL of a topic can usually read the messages. Callers choose the server, so
// every request goes through package outbound.
package ntfy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/outbound"
)

// The limits of ntfy.sh, which other servers have by default.
const (
	MaxText    = 4096 // bytes
	MaxActions = 3
	maxTopic   = 64 // characters of a topic or an ID
)

type Message struct {
	// ID has only ASCII letters, digits, - and _. From ntfy 2.16 on, a topic shows only the last
	// message with the same ID.
	ID      string
	Title   string
	Text    string
	Tags    []string
	Click   string
	Actions []Action
}

// Action is a button that opens a page. The page must change nothing when it is opened, because
// previews open links too.
type Action struct{ Label, URL string }

// Errors of Publisher wrap an error of package mail and do not contain the topic.
type Publisher struct {
	Outbound outbound.Poster
}

var name = regexp.MustCompile(fmt.Sprintf(`^[-_A-Za-z0-9]{1,%d}$`, maxTopic))

var ErrNotTopic = errors.New("not the https URL of a topic, such as https://ntfy.sh/my-topic")

// ParseTopic returns the canonical URL of a topic. It makes no request.
func ParseTopic(address string) (string, error) {
	u, err := outbound.ParseURL(strings.TrimSpace(address))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotTopic, err)
	}
	u.Host = strings.TrimSuffix(u.Host, ":443")
	server, topic, err := split(u.String())
	return server + topic, err
}

func split(address string) (server, topic string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", "", ErrNotTopic
	}
	topic = strings.TrimSuffix(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if !name.MatchString(topic) {
		return "", "", ErrNotTopic
	}
	return u.Scheme + "://" + u.Host + "/", topic, nil
}

type publication struct {
	Topic   string   `json:"topic"`
	ID      string   `json:"sequence_id,omitempty"`
	Title   string   `json:"title,omitempty"`
	Text    string   `json:"message"`
	Tags    []string `json:"tags,omitempty"`
	Click   string   `json:"click,omitempty"`
	Actions []button `json:"actions,omitempty"`
}

type button struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
}

func (p Publisher) Publish(ctx context.Context, topic string, m Message) error {
	server, inside, err := split(topic)
	if err != nil {
		return fmt.Errorf("publish: %w: %w", mail.ErrRefused, err)
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("publish: %w: %w", mail.ErrRefused, err)
	}
	sent := publication{Topic: inside, ID: m.ID, Title: m.Title, Text: m.Text, Tags: m.Tags, Click: m.Click}
	for _, a := range m.Actions {
		sent.Actions = append(sent.Actions, button{"view", a.Label, a.URL})
	}
	body, err := json.Marshal(sent)
	if err != nil {
		return fmt.Errorf("publish: %w: %w", mail.ErrRefused, err)
	}
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"Verdetto"}}
	answer, err := p.Outbound.Post(ctx, server, header, body)
	if err == nil {
		err = judge(answer, inside)
	} else {
		err = unanswered(err)
	}
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

func (m Message) check() error {
	switch {
	case m.ID != "" && !name.MatchString(m.ID):
		return errors.New("the message's ID holds something else than letters, digits, - and _")
	case m.Text == "" || len(m.Text) > MaxText:
		return fmt.Errorf("a text of %d bytes", len(m.Text))
	case len(m.Actions) > MaxActions:
		return fmt.Errorf("%d buttons", len(m.Actions))
	}
	for _, a := range m.Actions {
		if a.Label == "" || a.URL == "" {
			return errors.New("a button without a label or a page")
		}
	}
	return nil
}

func unanswered(err error) error {
	switch {
	case errors.Is(err, outbound.ErrForbidden):
		return fmt.Errorf("%w: %w", mail.ErrRefused, err)
	case errors.Is(err, outbound.ErrUnreachable):
		return fmt.Errorf("%w: %w", mail.ErrThrottled, err)
	}
	return fmt.Errorf("%w: %w", mail.ErrUnavailable, err)
}

// Any web server may answer 200, so the answer must repeat the topic.
func judge(answer outbound.Answer, topic string) error {
	status := answer.Status
	switch {
	case status == http.StatusOK:
		var published struct{ ID, Event, Topic string }
		if json.Unmarshal(answer.Body, &published) != nil || published.ID == "" || published.Event != "message" ||
			published.Topic != topic {
			return fmt.Errorf("%w: the answer is not that of an ntfy server", mail.ErrRefused)
		}
		return nil
	case status == http.StatusTooManyRequests, status == http.StatusInsufficientStorage,
		status == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: status %d", mail.ErrThrottled, status)
	case status >= 500, status == http.StatusRequestTimeout:
		return fmt.Errorf("%w: status %d", mail.ErrUnavailable, status)
	}
	return fmt.Errorf("%w: status %d", mail.ErrRefused, status)
}

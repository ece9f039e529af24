// Package ntfy publishes notifications to topics of ntfy servers (https://ntfy.sh
// and those that others run), by the JSON form of its interface.
//
// A topic is a URL such as https://ntfy.sh/some-topic: whoever knows it reads
// what is published there. The server is a stranger's choice, so it is asked
// through package outbound alone, and what it answers is believed as little as
// possible: a server that does not answer as ntfy does gets one message and no more.
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

// What ntfy takes, by default and on ntfy.sh.
const (
	MaxText    = 4096 // bytes of the text; of a longer one it makes a file
	MaxActions = 3
	maxTopic   = 64 // characters of a topic, and of an id
)

// Message is one notification.
type Message struct {
	// ID tells the message from all others of the topic: where a message of the
	// same ID is there, the new one takes its place (ntfy 2.16 and later; earlier
	// servers show both). Letters, digits, - and _ only.
	ID      string
	Title   string
	Text    string
	Tags    []string // emoji by their short names come before the title
	Click   string   // what a tap opens
	Actions []Action // buttons
}

// Action is a button that opens a page. Nothing happens without the page: what a
// notification shows may be pressed by mistake, and previews follow links.
type Action struct{ Label, URL string }

// Publisher publishes. Its errors are those of package mail: ErrRefused where the
// topic will never take the message, ErrThrottled where it was not published and
// may be later, ErrUnavailable where nobody knows. No error holds the topic.
type Publisher struct {
	Outbound outbound.Poster
}

var name = regexp.MustCompile(fmt.Sprintf(`^[-_A-Za-z0-9]{1,%d}$`, maxTopic))

// ErrNotTopic: an address is not one of a topic.
var ErrNotTopic = errors.New("not the https URL of a topic, such as https://ntfy.sh/my-topic")

// ParseTopic reads the URL of a topic as somebody gave it, and gives its one
// spelling. Whether an ntfy server is there is known when it is asked.
func ParseTopic(address string) (string, error) {
	u, err := outbound.ParseURL(strings.TrimSpace(address))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotTopic, err)
	}
	u.Host = strings.TrimSuffix(u.Host, ":443")
	server, topic, err := split(u.String())
	return server + topic, err
}

// split parts a topic's URL into the server's and the topic's name.
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

// Publish publishes a message to a topic.
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

// check holds a message to what every server takes.
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

// unanswered says what is known of a message where no answer came.
func unanswered(err error) error {
	switch {
	case errors.Is(err, outbound.ErrForbidden):
		return fmt.Errorf("%w: %w", mail.ErrRefused, err)
	case errors.Is(err, outbound.ErrUnreachable):
		return fmt.Errorf("%w: %w", mail.ErrThrottled, err)
	}
	return fmt.Errorf("%w: %w", mail.ErrUnavailable, err)
}

// judge says what an answer means. Any web server may answer 200: the message
// was published only where the answer is that message.
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
	return fmt.Errorf("%w: status %d", mail.ErrRefused, status) // also where it leads elsewhere, which is not followed
}

// Package telegram speaks with people through a bot of Telegram: it sends them
// messages (Bot.Send), reads what they write to the bot (ReadUpdate, which reads what
// Telegram posts to a webhook), and writes what is answered in the same exchange (Reply).
//
// Texts are plain: what stands in them is never markup. The client is
// go-telegram/bot, which keeps step with Telegram's API and depends on nothing else.
package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"verdetto/shared/carrier/mail"
)

// MaxText is the longest text, in UTF-16 code units, as Telegram counts.
const MaxText = 4096

// Message is what the bot says.
type Message struct {
	Title   string // its first line, in bold; may be empty
	Text    string
	Buttons []Button // one below the other
}

// Button opens a page, when it is pressed and not before: links in texts are looked up by Telegram, for previews.
type Button struct{ Label, URL string }

// Config is whose bot it is.
type Config struct {
	Token string
	URL   string // of another server of Telegram's Bot API; empty: Telegram's own
}

// Bot sends messages.
type Bot struct {
	client *bot.Bot
}

// timeout is how long a message may take.
const timeout = 10 * time.Second

// New makes a bot. Nobody is asked whether the token is right: the first message tells.
func New(c Config) (*Bot, error) {
	options := []bot.Option{bot.WithSkipGetMe(), bot.WithHTTPClient(timeout, bounded{&http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}})}
	if c.URL != "" {
		options = append(options, bot.WithServerURL(strings.TrimSuffix(c.URL, "/")))
	}
	client, err := bot.New(c.Token, options...)
	if err != nil {
		return nil, fmt.Errorf("set up Telegram: %w", err)
	}
	return &Bot{client}, nil
}

// maxAnswer is how much of an answer is read, in bytes: it repeats the message and says little more.
const maxAnswer = 1 << 20

// bounded reads no more of an answer than is sensible.
type bounded struct{ client *http.Client }

func (b bounded) Do(r *http.Request) (*http.Response, error) {
	response, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxAnswer), response.Body}
	return response, nil
}

// Send sends a message to a chat. Its errors are those of package mail:
// ErrRefused where the chat takes no message and never will, such as after the bot
// was blocked. Telegram knows no ids of messages: what is sent again is shown
// again. No error holds the chat or the token.
func (b *Bot) Send(ctx context.Context, chat string, m Message) error {
	params, err := m.params(chat)
	if err != nil {
		return fmt.Errorf("send by Telegram: %w: %w", mail.ErrThrottled, err)
	}
	if _, err := b.client.SendMessage(ctx, params); err != nil {
		return fmt.Errorf("send by Telegram: %w: %.300s", meaning(err), strings.ReplaceAll(err.Error(), chat, "(chat)"))
	}
	return nil
}

// meaning says what is known of a message by an error of the client.
func meaning(err error) error {
	var busy *bot.TooManyRequestsError
	var moved *bot.MigrateError
	var refused *net.OpError
	switch {
	case errors.As(err, &busy):
		return mail.ErrThrottled
	case errors.As(err, &moved), errors.Is(err, bot.ErrorForbidden):
		return mail.ErrRefused
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		return mail.ErrBlocked // the token is not a bot's
	case errors.Is(err, bot.ErrorBadRequest):
		if nobody(err.Error()) {
			return mail.ErrRefused
		}
		return mail.ErrThrottled // a fault of ours, and no reason to think ill of the chat
	case errors.As(err, &refused) && refused.Op == "dial":
		return mail.ErrThrottled
	}
	return mail.ErrUnavailable
}

// nobody tells whether a bad request is one because there is no such chat, which Telegram says in words alone.
func nobody(says string) bool {
	for _, words := range []string{"chat not found", "user not found", "PEER_ID_INVALID"} {
		if strings.Contains(says, words) {
			return true
		}
	}
	return false
}

func (m Message) params(chat string) (*bot.SendMessageParams, error) {
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil {
		return nil, errors.New("the chat is not a number")
	}
	p := &bot.SendMessageParams{ChatID: id, Text: m.Text}
	if m.Title != "" {
		p.Text = strings.TrimSuffix(m.Title+"\n\n"+m.Text, "\n\n")
		p.Entities = []models.MessageEntity{{Type: models.MessageEntityTypeBold, Length: length(m.Title)}}
	}
	if n := length(p.Text); n == 0 || n > MaxText {
		return nil, fmt.Errorf("a text of %d characters", n)
	}
	off := true
	p.LinkPreviewOptions = &models.LinkPreviewOptions{IsDisabled: &off}
	var rows [][]models.InlineKeyboardButton
	for _, b := range m.Buttons {
		rows = append(rows, []models.InlineKeyboardButton{{Text: b.Label, URL: b.URL}})
	}
	if rows != nil {
		p.ReplyMarkup = &models.InlineKeyboardMarkup{InlineKeyboard: rows}
	}
	return p, nil
}

func length(s string) int { return len(utf16.Encode([]rune(s))) }

// Reply is the answer to an update that has the bot say something to a chat.
func Reply(chat string, m Message) ([]byte, error) {
	params, err := m.params(chat)
	if err != nil {
		return nil, fmt.Errorf("answer an update: %w", err)
	}
	return json.Marshal(struct {
		Method string `json:"method"`
		*bot.SendMessageParams
	}{"sendMessage", params})
}

// IsSecret compares in constant time the secret that Telegram sends in X-Telegram-Bot-Api-Secret-Token. An empty secret is nobody's.
func IsSecret(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && secret != ""
}

// StartLink leads into a chat with the bot, where a button sends it /start and the
// payload: at most 64 letters, digits, - and _.
func StartLink(bot, payload string) string { return "https://t.me/" + bot + "?start=" + payload }

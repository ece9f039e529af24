// Package telegram is the client of a Telegram bot. Texts are plain, never markup.
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
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"verdetto/shared/carrier/mail"
)

// MaxText is the maximum length of a text, in UTF-16 code units, as Telegram counts.
const MaxText = 4096

type Message struct {
	Title   string // bold first line; may be empty
	Text    string
	Buttons []Button
}

type Button struct{ Label, URL string }

type Bot struct{ client *bot.Bot }

const timeout = 10 * time.Second

// New makes no request, so a wrong token may go unnoticed. If server is empty, messages go to
// Telegram's own server.
func New(token, server string) (*Bot, error) {
	options := []bot.Option{bot.WithSkipGetMe(), bot.WithHTTPClient(timeout, bounded{&http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}})}
	if server != "" {
		options = append(options, bot.WithServerURL(strings.TrimSuffix(server, "/")))
	}
	client, err := bot.New(token, options...)
	if err != nil {
		return nil, fmt.Errorf("set up Telegram: %w", err)
	}
	return &Bot{client}, nil
}

const maxAnswer = 1 << 20

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

// A message that is sent again is shown twice. Errors wrap an error of package mail and contain
// neither chat nor token.
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
		return mail.ErrBlocked
	case errors.Is(err, bot.ErrorBadRequest):
		if slices.ContainsFunc(unknownChat, func(says string) bool { return strings.Contains(err.Error(), says) }) {
			return mail.ErrRefused
		}
		return mail.ErrThrottled // a fault of this service, not of the chat
	case errors.As(err, &refused) && refused.Op == "dial":
		return mail.ErrThrottled
	}
	return mail.ErrUnavailable
}

// Telegram has no error code for an unknown chat.
var unknownChat = []string{"chat not found", "user not found", "PEER_ID_INVALID"}

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

// Reply returns the body for an HTTP response to an update. Telegram then sends the message.
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

// IsSecret compares in constant time. It returns false if secret is empty.
func IsSecret(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && secret != ""
}

// The parameter payload may have at most 64 letters, digits, - and _.
func StartLink(bot, payload string) string { return "https://t.me/" + bot + "?start=" + payload }

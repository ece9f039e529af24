package telegram

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"
)

// Blocked is the Name of a Command that reports that a user blocked the bot. No user can type this
// name.
const Blocked = "(blocked)"

// Command is a message or action of a user that the bot must handle.
type Command struct {
	Chat     string // a number that never changes
	Private  bool   // a chat with one person; in groups any member may write
	Name     string // start, stop, ...; empty if it is not a command; or Blocked
	Argument string // text after the name
	Language string // the user's language, as an IETF tag; may be empty
}

// ReadUpdate parses an update that Telegram posts to the webhook. The result ok is false for an
// update that the bot ignores, such as an edited message.
func ReadUpdate(body []byte) (c Command, ok bool, err error) {
	var u models.Update
	if err := json.Unmarshal(body, &u); err != nil {
		return Command{}, false, fmt.Errorf("read an update: %w", err)
	}
	switch {
	case u.Message != nil:
		c = commandFrom(u.Message.Chat, u.Message.From)
		c.Name, c.Argument = command(u.Message.Text)
		return c, true, nil
	case u.MyChatMember != nil && u.MyChatMember.NewChatMember.Type == models.ChatMemberTypeBanned:
		c = commandFrom(u.MyChatMember.Chat, &u.MyChatMember.From)
		c.Name = Blocked
		return c, true, nil
	}
	return Command{}, false, nil
}

func commandFrom(chat models.Chat, from *models.User) Command {
	c := Command{Chat: strconv.FormatInt(chat.ID, 10), Private: chat.Type == models.ChatTypePrivate}
	if from != nil {
		c.Language = from.LanguageCode
	}
	return c
}

// command splits a text such as "/start@some_bot payload" into the command "start" and its argument
// payload.
func command(text string) (name, argument string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return "", ""
	}
	name, argument, _ = strings.Cut(rest, " ")
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), strings.TrimSpace(argument)
}

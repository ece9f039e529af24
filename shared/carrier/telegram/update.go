package telegram

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"
)

// Blocked is the command of somebody who has blocked the bot, which is none that can be written.
const Blocked = "(blocked)"

// Command is what somebody tells the bot.
type Command struct {
	Chat     string // whose: a number that stays
	Private  bool   // a chat with one person; in others anybody of a group may write
	Name     string // start, stop, ...; empty where it is no command; or Blocked
	Argument string // what follows it
	Language string // of the person's Telegram, as an IETF tag; may be empty
}

// ReadUpdate reads what Telegram posts to a webhook. ok is false where it is about
// nothing that a bot is told, such as a message that was edited.
func ReadUpdate(body []byte) (c Command, ok bool, err error) {
	var u models.Update
	if err := json.Unmarshal(body, &u); err != nil {
		return Command{}, false, fmt.Errorf("read an update: %w", err)
	}
	switch {
	case u.Message != nil:
		c = of(u.Message.Chat, u.Message.From)
		c.Name, c.Argument = command(u.Message.Text)
		return c, true, nil
	case u.MyChatMember != nil && u.MyChatMember.NewChatMember.Type == models.ChatMemberTypeBanned:
		c = of(u.MyChatMember.Chat, &u.MyChatMember.From)
		c.Name = Blocked
		return c, true, nil
	}
	return Command{}, false, nil
}

func of(chat models.Chat, from *models.User) Command {
	c := Command{Chat: strconv.FormatInt(chat.ID, 10), Private: chat.Type == models.ChatTypePrivate}
	if from != nil {
		c.Language = from.LanguageCode
	}
	return c
}

// command parts "/start@some_bot payload" into start and payload.
func command(text string) (name, argument string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return "", ""
	}
	name, argument, _ = strings.Cut(rest, " ")
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), strings.TrimSpace(argument)
}

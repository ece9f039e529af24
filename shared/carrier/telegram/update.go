package telegram

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"
)

// Blocked is the Name of a Command that reports that a user blocked the bot. No user can type it,
// because a typed name ends at the first space.
const Blocked = "blocked the bot"

// Command is what a user did that the bot must handle.
type Command struct {
	Chat     string // its number
	Private  bool   // with one person; in groups any member may write
	Name     string // such as start, or Blocked; empty if the message is no command
	Argument string // text after the name
	Language string // of the user, an IETF tag; may be empty
}

// ReadUpdate parses an update that Telegram posts. ok is false for one that the bot ignores, such
// as an edited message.
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

// command splits "/start@some_bot payload" into start and payload.
func command(text string) (name, argument string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return "", ""
	}
	name, argument, _ = strings.Cut(rest, " ")
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), strings.TrimSpace(argument)
}

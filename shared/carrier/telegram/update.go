package telegram

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"
)

// Blocked is the Name of a Command after a user blocked the bot. No user can type this name,
// because a typed name ends at the first space.
const Blocked = "blocked the bot"

type Command struct {
	Chat     string
	Private  bool
	Name     string // in lower case; empty if the message is no command
	Argument string
	Language string // IETF tag; may be empty
}

// ok is false for an update that the bot ignores, such as an edited message.
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

func command(text string) (name, argument string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return "", ""
	}
	name, argument, _ = strings.Cut(rest, " ")
	name, _, _ = strings.Cut(name, "@")
	return strings.ToLower(name), strings.TrimSpace(argument)
}

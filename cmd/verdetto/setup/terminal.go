package setup

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

type Terminal interface {
	io.Writer
	SetPrompt(prompt string)
	ReadLine() (string, error)
	ReadPassword(prompt string) (string, error)
}

// If Ask returns an error, nothing was stored.
func (s *Setup) Ask(ctx context.Context, t Terminal) error {
	l := i18n.English()
	say := func(text string) { fmt.Fprintln(t, text) }
	say(l.Text("setup.token_lede") + " https://www.travelpayouts.com/")
	say(l.Text("setup.sample_lede") + " For that, press Enter alone.")
	for s.State().Step == Token {
		token, err := t.ReadPassword(l.Text("setup.token") + ": ")
		if err != nil {
			return err
		}
		if strings.TrimSpace(token) == "" {
			s.Invent()
			return nil
		}
		if fault := s.SetToken(ctx, token); fault != nil {
			say(fault.Text(l))
		}
	}
	say("The token is right.\n\n" + l.Text("setup.cities") + " " + l.Text("setup.cities_lede"))
	say("One or several, with commas between. Tab completes a name. -Paris removes Paris. Enter alone starts.")
	t.SetPrompt(l.Text("setup.city") + ": ")
	for s.State().Step == Cities {
		line, err := t.ReadLine()
		if err != nil {
			return err
		}
		var fault *Fault
		if strings.TrimSpace(line) == "" {
			fault = s.Start()
		} else {
			fault = s.change(line, say)
		}
		if fault != nil {
			say(fault.Text(l))
		}
		if s.State().Step == Cities {
			say("  " + cmp.Or(l.List(Names(s.State().Cities, l)), "No city is chosen."))
		}
	}
	say(l.Text("setup.written", "File", s.File))
	return nil
}

func (s *Setup) change(line string, say func(text string)) *Fault {
	for _, name := range separate(line) {
		name, removed := strings.CutPrefix(strings.TrimSpace(name), "-")
		if !removed {
			if _, fault := s.AddCities(name); fault != nil {
				return fault
			}
			continue
		}
		place, ok := places.Find(strings.TrimSpace(name))
		if !ok {
			return unknown(strings.TrimSpace(name))
		}
		if !s.Remove(place.City) {
			say(place.NameIn(i18n.English().Code) + " is not on the list.")
		}
	}
	return nil
}

func CompleteCity(line string, position int, key rune) (completed string, at int, ok bool) {
	if key != '\t' || position != len(line) {
		return "", 0, false
	}
	before, name := line[:strings.LastIndex(line, ",")+1], line[strings.LastIndex(line, ",")+1:]
	typed, minus := strings.TrimSpace(name), ""
	if after, ok := strings.CutPrefix(typed, "-"); ok {
		typed, minus = strings.TrimSpace(after), "-"
	}
	if typed == "" {
		return line, position, true
	}
	found := places.Complete(typed, i18n.English().Code, 1)
	if len(found) == 0 {
		return line, position, true
	}
	if before != "" {
		before += " "
	}
	completed = before + minus + places.Query(found[0].City, found[0].Name)
	return completed, len(completed), true
}

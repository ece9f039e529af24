// Command generate writes cldr.tsv, the words of package daytext, from a pinned release of the
// Unicode CLDR.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"

	"verdetto/shared/fare/places/generate/pinned"
)

var release = pinned.File{
	Package: "cldr-dates-full@48.2.0",
	SHA256:  "0256f1cefeca14f7d515be4872dda48fcdd7e75381430f25aafd0143eae5b430",
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

type names map[string]map[string]map[string]string // by context, then width, then number or code

type file struct {
	Main map[string]struct {
		Dates struct {
			Calendars struct{ Gregorian struct{ Months, Days names } }
			Fields    map[string]map[string]json.RawMessage
		}
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate words of days: ")
	var table bytes.Buffer
	for _, language := range []string{"de", "en", "es", "fr", "it", "pt"} {
		lines, err := words(language)
		if err != nil {
			log.Fatal(err)
		}
		slices.Sort(lines)
		for _, line := range slices.Compact(lines) {
			table.WriteString(language + "\t" + line + "\n")
		}
	}
	if err := os.WriteFile("cldr.tsv", table.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func words(language string) (lines []string, err error) {
	var calendar, relative file
	for part, parsed := range map[string]*file{"ca-gregorian": &calendar, "dateFields": &relative} {
		release.Member = "package/main/" + language + "/" + part + ".json"
		data, err := release.Fetch()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, parsed); err != nil {
			return nil, fmt.Errorf("read %s: %w", release.Member, err)
		}
	}
	gregorian := calendar.Main[language].Dates.Calendars.Gregorian
	fields := relative.Main[language].Dates.Fields
	add := func(meaning, text string) { lines = append(lines, meaning+"\t"+text) }
	for _, context := range []string{"format", "stand-alone"} {
		for _, width := range []string{"wide", "abbreviated", "short"} {
			for number, name := range gregorian.Months[context][width] {
				add("month "+number, name)
			}
			for code, name := range gregorian.Days[context][width] {
				add("weekday "+strconv.Itoa(slices.Index(weekdays, code)), name)
			}
		}
	}
	text := func(field, name string) (s string) {
		_ = json.Unmarshal(fields[field][name], &s) // an absent word stays empty
		return s
	}
	for days := -2; days <= 2; days++ {
		if word := text("day", "relative-type-"+strconv.Itoa(days)); word != "" {
			add("day "+strconv.Itoa(days), word)
		}
	}
	for code, name := range gregorian.Days["format"]["wide"] {
		add("this", strings.TrimSpace(strings.Replace(text(code, "relative-type-0"), name, "", 1)))
		add("next", strings.TrimSpace(strings.Replace(text(code, "relative-type-1"), name, "", 1)))
	}
	for field, days := range map[string]string{"day": "1", "week": "7"} {
		var future map[string]string
		if err := json.Unmarshal(fields[field]["relativeTime-type-future"], &future); err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", field, language, err)
		}
		for _, pattern := range future {
			before, after, _ := strings.Cut(pattern, "{0}")
			add("in", strings.TrimSpace(before))
			add("unit "+days, strings.TrimSpace(after))
		}
	}
	return lines, nil
}

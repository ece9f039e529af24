package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/settings"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
)

type inquiry struct {
	url, lang string
	out       output
	values    map[string]*string // by parameter of GET /v1/analisi
	nonstop   bool
}

var askFlags = map[string]struct{ flag, usage string }{
	"partenza": {"depart", "the `day` of departure, such as 2027-01-13, 13 Jan or tomorrow; default: any"},
	"ritorno":  {"return", "the `day` of the flight back; needs -depart"},
	"mese":     {"month", "the `month` of departure, such as 2027-01"},
	"prezzo":   {"paid", "judge this `price`, seen elsewhere or paid, instead of the lowest known fare"},
	"valuta":   {"currency", "the `currency` of -paid and of the answer, such as USD; default: EUR"},
}

func askCommand() *cobra.Command {
	q := inquiry{values: map[string]*string{}}
	c := newCommand("ask", "ask a running service whether a fare is cheap", nil)
	c.Use = "ask ORIGIN DESTINATION"
	c.Long = `Asks a running service whether a fare is cheap. Cities are names or IATA codes.

Exit codes: 0 answered, 1 the service fails or is not there, 2 the question is wrong,
4 the service knows no such fare.`
	c.Example = `  verdetto ask Milano Lisbona -depart 2027-01-13 -paid 89
  verdetto ask MIL NYC -month 2027-03 -currency USD`
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 2 {
			return fmt.Errorf(`%s needs two cities, such as Milano "New York"`, c.CommandPath())
		}
		return nil
	}
	file := settingsFile(c, nil)
	f := c.Flags()
	for parameter, flag := range askFlags {
		q.values[parameter] = f.String(flag.flag, "", flag.usage)
	}
	f.BoolVar(&q.nonstop, "nonstop", false, "only fares without stops")
	f.StringVar(&q.lang, "lang", "",
		"the `language` of the answer: "+i18n.SpokenCodes()+"; default: that of LC_ALL, LC_MESSAGES or LANG, else en")
	f.StringVar(&q.url, "url", "",
		"`URL` of the service (VERDETTO_URL); default: the service of this machine, by its settings")
	q.out.flag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if q.url = cmp.Or(q.url, os.Getenv("VERDETTO_URL")); q.url == "" {
			if _, faults := settings.Take(f, *file); len(faults) > 0 {
				return settingsError(faults)
			}
			q.url = serviceHere()
		}
		return q.ask(c.Context(), args[0], args[1])
	}
	return c
}

func serviceHere() string {
	at := reach{listen: os.Getenv("VERDETTO_LISTEN"), tls: os.Getenv("VERDETTO_TLS")}
	host, port, err := net.SplitHostPort(at.address())
	switch {
	case err != nil:
		return "http://" + at.address()
	case at.tls != "":
		return "https://" + net.JoinHostPort(at.tls, port)
	case host == "" || net.ParseIP(host).IsUnspecified():
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

type refusal struct {
	status     int
	Code       string
	Detail     string
	Parameters []struct{ Name string } `json:"errors"`
}

var parameterName = regexp.MustCompile(`\b(origine|destinazione|partenza|ritorno|mese|prezzo|valuta)\b`)

// Error names the flags of this command, not the parameters of the API.
func (r *refusal) Error() string {
	return parameterName.ReplaceAllStringFunc(r.Detail, func(name string) string {
		if flag, ok := askFlags[name]; ok {
			return "-" + flag.flag
		}
		return map[string]string{"origine": "origin", "destinazione": "destination"}[name]
	})
}

func (r *refusal) exitCode() int {
	switch {
	case r.status == http.StatusBadRequest, r.status == http.StatusNotFound && len(r.Parameters) > 0:
		return exitUsage
	case r.status == http.StatusNotFound:
		return exitNoFare
	}
	return 1
}

func wrongQuestion(format string, args ...any) error {
	return &refusal{status: http.StatusBadRequest, Detail: fmt.Sprintf(format, args...)}
}

func (q *inquiry) ask(ctx context.Context, from, to string) error {
	language, ok := i18n.Find(q.lang)
	if q.lang == "" {
		language = localeLanguage(os.Getenv)
	} else if !ok {
		return wrongQuestion("-lang %q: want %s", q.lang, i18n.SpokenCodes())
	}
	read, err := q.readDays(language, answer.Today(places.Read(from).Place, time.Now()))
	if err != nil {
		return err
	}
	parameters := url.Values{"origine": {from}, "destinazione": {to}}
	for name, value := range q.values {
		if *value != "" {
			parameters.Set(name, *value)
		}
	}
	if q.nonstop {
		parameters.Set("diretto", "true")
	}
	body, invented, err := q.call(ctx, parameters)
	var refused *refusal
	if q.out.json() && errors.As(err, &refused) {
		return errors.Join(err, q.out.print(json.RawMessage(body), nil))
	}
	if err != nil {
		return err
	}
	a := reply{language: language, invented: invented, asked: *q.values["partenza"] + *q.values["mese"]}
	if q.out.json() {
		return q.out.print(json.RawMessage(body), nil)
	}
	var text strings.Builder
	for _, sentence := range read {
		fmt.Fprintln(&text, sentence)
	}
	if err := a.write(&text, newPen(os.Stdout), body); err != nil {
		return fmt.Errorf("%s is no service of this version: %w", q.url, err)
	}
	_, err = os.Stdout.WriteString(text.String())
	return err
}

func (q *inquiry) readDays(language *i18n.Language, today fare.Day) (read []string, err error) {
	in := daytext.Reader{Language: language.Code, Today: today}
	for _, parameter := range []string{"partenza", "ritorno"} {
		typed := q.values[parameter]
		if *typed == "" {
			continue
		}
		day, err := in.Day(*typed)
		if err != nil {
			return nil, wrongQuestion("-%s: %s", askFlags[parameter].flag, wording.DayFault(i18n.English(), *typed, err))
		}
		if sentence := wording.Day(language, *typed, day); sentence != "" {
			read = append(read, sentence)
		}
		*typed, in.After = day.String(), day
	}
	return read, nil
}

func localeLanguage(env func(string) string) *i18n.Language {
	locale := cmp.Or(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))
	code, _, _ := strings.Cut(strings.NewReplacer(".", "_", "@", "_").Replace(locale), "_")
	if l, ok := i18n.Find(code); ok {
		return l
	}
	return i18n.English()
}

func (q *inquiry) call(ctx context.Context, parameters url.Values) (body []byte, invented bool, err error) {
	at, err := url.Parse(q.url)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, false, wrongQuestion("-url %q: want an address such as https://verdetto.example", q.url)
	}
	target := strings.TrimSuffix(q.url, "/") + "/v1/analisi?" + parameters.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, false, wrongQuestion("-url %q: %v", q.url, err)
	}
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	if err != nil {
		return nil, false, fmt.Errorf("no answer from %s: %w; start a service with verdetto serve, or name one with -url",
			q.url, errors.Unwrap(err))
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(io.LimitReader(response.Body, 1<<20)); err != nil {
		return nil, false, fmt.Errorf("no whole answer from %s: %w", q.url, err)
	}
	body = []byte(printable(string(body)))
	invented = response.Header.Get("X-Data") == "sample"
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case response.StatusCode == http.StatusOK && kind == "application/json":
		return body, invented, nil
	case kind == "application/problem+json":
		r := refusal{status: response.StatusCode}
		if json.Unmarshal(body, &r) == nil && r.Detail != "" && r.Code != httpapi.UnknownPath.Code {
			return body, invented, &r
		}
	}
	return nil, false, fmt.Errorf("%s answers %s, and not as a service does; check -url", q.url, response.Status)
}

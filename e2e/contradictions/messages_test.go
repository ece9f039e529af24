package contradictions

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/store"
)

type message struct {
	kind  string
	route fare.Route // if the destination is Anywhere, the message is a list
	dated bool
	text  string // the subject and the text of the message
}

type mailbox struct {
	sync.Mutex
	mails []mail.Message
}

func (b *mailbox) Send(_ context.Context, m mail.Message) error {
	b.Lock()
	defer b.Unlock()
	b.mails = append(b.mails, m)
	return nil
}

func (s *service) receive(o *onemachine.Options) {
	s.topics = ntfytest.New()
	s.t.Cleanup(s.topics.Close)
	o.Mail, o.Money, o.Outbound = filepath.Join(s.t.TempDir(), "mail"), onemachine.NoMoney, s.topics
	o.Carry = func(mail.Sender) mail.Sender { return &s.mailbox }
}

func (s *service) subscribe(table store.Table, routes []fare.Route, departures int) {
	alerts, begun := store.Alerts{Table: table}, s.last.Time()
	add := func(kind string, a store.Alert) {
		if a.Email = fmt.Sprintf("%s.%d.%s@example.com", kind, a.Trip.From, strings.ReplaceAll(a.Route.String(), "*", "any")); kind == "phone" {
			a.Channel, a.Address = store.Ntfy, "https://ntfy.sh/"+strings.ReplaceAll(a.Route.String(), "*", "any")
		}
		a.Subscriber, a.Language = fixture.Subscriber(a.Email), "en"
		err := alerts.AddPending(s.t.Context(), a.Email, a, begun.Add(48*time.Hour), store.Job{At: begun})
		if err == nil {
			_, err = alerts.Confirm(s.t.Context(), a.Email)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.alerts = append(s.alerts, a)
	}
	origins := map[fare.City]bool{}
	for _, r := range routes {
		any := store.Alert{Route: r, Threshold: 100_000_00}
		add("mail", any)
		add("phone", any)
		any.Digest = true
		add("digest", any)
		days := s.days[r]
		for i := 0; i < len(days); i += max(1, len(days)/departures) {
			add("mail", store.Alert{Route: r, Threshold: 100_000_00, Trip: store.Trip{From: days[i], To: days[i]}})
		}
		if !origins[r.Origin] {
			origins[r.Origin] = true
			for _, kind := range []string{"mail", "phone"} {
				add(kind, store.Alert{Route: fare.Route{Origin: r.Origin, Destination: store.Anywhere}})
			}
		}
	}
	digests := store.Digests{Table: table}
	progress, err := digests.Progress(s.t.Context())
	if err == nil {
		err = digests.Advance(s.t.Context(), &progress, s.last-7, "")
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) send() (sent []message) {
	if result, err := s.api.Sender.Work(s.t.Context()); err != nil || result.More {
		s.t.Fatalf("%+v %v", result, err)
	}
	for {
		done, err := s.api.Alerts.Pushes.Work(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if done == 0 {
			break
		}
	}
	for _, a := range s.alerts {
		m := message{route: a.Route, dated: a.Trip.From > 0}
		if m.kind, _, _ = strings.Cut(a.Email, "."); a.Channel == store.Ntfy {
			for _, shown := range s.topics.Messages(a.Address) {
				m.text = shown.Title + "\n" + shown.Text
				sent = append(sent, m)
			}
			continue
		}
		for _, written := range s.mailbox.mails {
			if written.To == a.Email {
				m.text = written.Subject + "\n" + written.Text
				sent = append(sent, m)
			}
		}
	}
	return sent
}

var (
	asked      = regexp.MustCompile(`(?s)You (?:get this message|asked for an alert).*`)
	statedFare = regexp.MustCompile(`(?m)^€([0-9.,]+)(?:[:,] (great|good|fair|expensive))?$`)
	row        = regexp.MustCompile(`(?m)^(?:[^\n–:]+–)?([^\n–:]+): €([0-9.,]+)(?:, (great|good|fair|expensive))?(?: \((€[0-9,]+ (?:less|more) than usual|about the usual price)\))?$`)
	departing  = regexp.MustCompile(`Departing on [A-Z][a-z]+ ([0-9]+ [A-Z][a-z]+ [0-9]{4})\.`)
	subject    = regexp.MustCompile(`now €[0-9.,]+, usually €([0-9.,]+)`)
	certain    = regexp.MustCompile(`(?i)\bcertainty(?:: +| {2,})(high|medium|low)\b|\b(high|medium|low) certainty`)
)

func (f facts) readMessage(m message, names map[string]fare.City) (faults []string) {
	text := strings.ReplaceAll(asked.ReplaceAllString(m.text, ""), "\u00a0", " ")
	if m.route.Destination != store.Anywhere {
		amount := statedFare.FindStringSubmatch(text)
		if amount == nil && m.kind == "digest" && strings.Contains(text, "We know of no fare at the moment.") {
			return nil
		}
		if amount == nil {
			return []string{fmt.Sprintf("%s of %s: no fare in %q", m.kind, m.route, text)}
		}
		return f.readTold(m, m.route, amount[1], amount[2], text)
	}
	rows := row.FindAllStringSubmatchIndex(text, -1)
	if rows = slices.DeleteFunc(rows, func(at []int) bool { return !departing.MatchString(text[at[0]:]) }); len(rows) == 0 {
		return []string{fmt.Sprintf("%s from %s: no row in %q", m.kind, m.route.Origin, text)}
	}
	for i, at := range rows {
		end := len(text)
		if i+1 < len(rows) {
			end = rows[i+1][0]
		}
		block := text[at[0]:end]
		part := row.FindStringSubmatch(block)
		if !departing.MatchString(block) { // the title of a message with one row looks like a row
			continue
		}
		to := fare.Route{Origin: m.route.Origin, Destination: names[part[1]]}
		faults = append(faults, f.readTold(m, to, part[2], part[3], block)...)
	}
	return faults
}

func (f facts) readTold(m message, r fare.Route, amount, word, text string) (faults []string) {
	where, words := m.kind, strings.Join(strings.Fields(text), " ")
	days := departing.FindStringSubmatch(words)
	if days == nil {
		return []string{fmt.Sprintf("%s of %s: no day in %q", where, r, words)}
	}
	day, err := time.Parse("2 January 2006", days[1])
	if err != nil {
		return []string{err.Error()}
	}
	key := fmt.Sprintf("%s %s %s", r, day.Format(time.DateOnly), whole(amount))
	if word != "" {
		f.add(key, "word", word, where)
	}
	for _, m := range subject.FindAllStringSubmatch(words, -1) {
		f.add(key, "usual", whole(m[1]), where)
	}
	sure := map[string]bool{}
	for _, c := range certain.FindAllStringSubmatch(text, -1) {
		sure[strings.ToLower(c[1]+c[2])] = true
	}
	if len(sure) > 1 {
		faults = append(faults, fmt.Sprintf("%s of %s has two certainties: %q", where, r, words))
	}
	if !m.dated {
		f.addLowest(r, whole(amount), day.Format(time.DateOnly), where)
		f.addMarket(r.String(), words, where)
		words = marketWord.ReplaceAllString(words, "")
	}
	if t := row.FindStringSubmatch(text); t != nil && t[4] != "" {
		d := than.FindStringSubmatch("<small>" + t[4] + "</small>")
		f.add(key, "difference", signed(d[1], d[2]), where)
	}
	return append(faults, f.read(key, where, words, false)...)
}

func (s *service) messages() {
	names := map[string]fare.City{}
	for _, r := range s.routes {
		names[places.Name(r.Destination, "en")] = r.Destination
	}
	for _, m := range s.send() {
		s.fail(s.facts.readMessage(m, names))
		kind := m.kind
		if m.route.Destination == store.Anywhere {
			kind += " with a list"
		} else if m.dated {
			kind += " of a day"
		}
		s.documents[kind]++
	}
}

func TestFaultsOfMessagesAreFound(t *testing.T) {
	const (
		about    = "Flights like this usually cost about €25: this is €3 less."
		leaves   = "\nDeparting on Monday 9 May 2016.\n"
		mailed   = "Milan–Bucharest: now €21.99, usually €25\n€21.99: good\nFares are low right now. " + about + leaves + "Certainty             high\n"
		mailedOf = "Milan–Bucharest: now €21.99, usually €25\n€21.99: good\n" + about + leaves + "Certainty             high\n"
		phone    = "Milan–Bucharest: now €21.99, usually €25\n€21.99, good\nFares are low right now.\n" + about + leaves + "Certainty: high\n"
		list     = "1 cheap destination\n\nBucharest: €21.99, good\n" + about + leaves
		pushed   = "Milan–Bucharest: €21.99, good (€3 less than usual)" + leaves
		entry    = "Bucharest for €21.99 on Monday 9 May 2016: good for that day"
	)
	milan := fare.Route{Origin: "MIL", Destination: "BUH"}
	anywhere := fare.Route{Origin: "MIL", Destination: store.Anywhere}
	const key = "MIL-BUH 2016-05-09 22"
	read := func(r fare.Route, dated bool, text string) func(facts) []string {
		return func(f facts) []string {
			return f.readMessage(message{"mail", r, dated, text}, map[string]fare.City{"Bucharest": "BUH"})
		}
	}
	feed := func(title, tag string) func(facts) []string {
		return func(f facts) []string { return f.readEntry(title, about, tag, map[string]string{"Bucharest": key}) }
	}
	page := func(body string) func(facts) []string {
		return func(f facts) []string {
			return f.checkPage(key, "page", `<article class="verdict caro"></article>`+body, published.Analysis{}, false)
		}
	}
	calendar := func(cent fare.Cents, hours int) func(facts) []string {
		now := time.Date(2016, 5, 1, 20, 0, 0, 0, time.UTC)
		found := now.Add(-time.Duration(hours) * time.Hour)
		return func(facts) []string {
			return lowestFaults(published.Analysis{Prezzo: published.Prezzo{Cent: 2199}},
				published.Calendario{AggiornatoIl: now, Giorni: []published.Giorno{{Cent: &cent, TrovatoIl: &found}}})
		}
	}
	replaced := func(text, old, planted string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in %q", old, text)
		}
		return strings.Replace(text, old, planted, 1)
	}
	for i, planted := range []struct {
		read  func(facts) []string
		found bool
	}{
		{read(milan, false, mailed), false},
		{read(milan, false, replaced(mailed, "€21.99: good", "€21.99: great")), true},
		{read(milan, false, replaced(mailed, "are low", "are high")), true},
		{read(milan, false, replaced(mailed, "usually €25", "usually €26")), true},
		{read(milan, false, replaced(mailed, "about €25", "about €26")), true},
		{read(milan, false, replaced(mailed, "€3 less", "€4 less")), true},
		{read(milan, false, replaced(mailed, "€21.99: good", "€20.99: good")), true},
		{read(milan, false, replaced(mailed, "9 May", "10 May")), true},
		{read(milan, false, mailed+"Medium certainty."), true},
		{read(milan, true, mailedOf), false},
		{read(milan, true, mailed), true},
		{read(milan, false, phone), false},
		{read(milan, false, replaced(phone, "good", "fair")), true},
		{read(milan, false, replaced(phone, "are low", "are usual")), true},
		{read(anywhere, false, list), false},
		{read(anywhere, false, replaced(list, "good", "great")), true},
		{read(anywhere, false, replaced(list, "about €25", "about €24")), true},
		{read(anywhere, false, replaced(list, "9 May", "8 May")), true},
		{read(anywhere, false, pushed), false},
		{read(anywhere, false, replaced(pushed, "€3 less", "€3 more")), true},
		{read(anywhere, false, replaced(pushed, "good", "expensive")), true},
		{feed(entry, "buono"), false},
		{feed(entry, "ottimo"), true},
		{feed(replaced(entry, "good", "great"), "buono"), true},
		{feed(replaced(entry, "€21.99", "€19.99"), "buono"), true},
		{page(`<details id="months">12% below average</details>`), false},
		{page(`<details id="months">€12 below average</details>`), true},
		{calendar(2199, 1), false}, {calendar(2000, 25), false},
		{calendar(2000, 1), true},
	} {
		f := facts{}
		f.read(key, "page", "A good fare for that day. "+about, false)
		f.addLowest(milan, "22", "2016-05-09", "page")
		f.add(milan.String(), "market", "low", "page")
		found := planted.read(f)
		if found = append(found, f.faults()...); (len(found) > 0) != planted.found {
			t.Errorf("%d: found %q", i, found)
		}
	}
}

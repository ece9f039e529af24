// Package script runs the scripts of e2e: stories of users, in files *.txtar, over the whole service
// in one process. The verbs of github.com/rogpeppe/go-internal/testscript work too, such as cmp, env,
// grep and stop. ! negates json, header, body, text, mail, store, status, metric and x402 got.
//
//	service WORD...              before the first call: hidden-fares, unsold, phones, operated, base=URL
//	clock TIME|+36h              sets the clock to TIME (2016-03-01T12:00:00Z), or moves it forward
//	fares sample|FILE.csv        chooses the fare source, and refreshes
//	refresh                      asks the fare source again
//	get TARGET STATUS [OPTION...]           calls the service
//	post TARGET BODY STATUS [OPTION...]     BODY is JSON that begins with {, or the name of a file
//	form TARGET FIELDS STATUS [OPTION...]   FIELDS are a=b&c=d, as a browser sends a form
//	mcp TOOL ARGUMENTS [OPTION...]          calls a tool of /mcp, whose answer becomes the body
//	repeat N VERB...             repeats a verb
//	json PATH [VALUE]            checks the value at PATH in the body
//	header NAME [VALUE]          checks a header of the answer
//	body WORDS                   checks that the body contains WORDS
//	text WORDS                   checks that the text of the page, or of the tool's answer, contains WORDS
//	mail WORDS                   checks that the last mail contains WORDS
//	mails ADDRESS N              sends what is due, and checks that N new mails came to ADDRESS
//	confirm ADDRESS [OPTION...]  as mails ADDRESS 1, and confirms what the mail is about
//	telegram PERSON WORDS        sends WORDS to the bot. A link starts the bot, and block blocks the bot.
//	open PART STATUS [OPTION...] opens the link that contains PART in the last mail or answer. $LINK is the
//	                             link, and $TOKEN the last value in the link.
//	pay card|later               pays the checkout of the last answer, and sets $SESSION and $SUBSCRIPTION
//	stripe expire                ends the checkout of the last answer, and sets $SESSION
//	stripe settle                settles the payment of $SESSION
//	stripe renew|fail|cancel|end|delete|reprice    changes $SUBSCRIPTION at Stripe
//	stripe sell ADDRESS          sells something else to ADDRESS
//	events [OPTION...]           delivers Stripe's new events to the webhook
//	pay usdc [AMOUNT] [NAME=VALUE...]    pays AMOUNT, or by the payment link of the last answer, and sets
//	                             $SIGNATURE
//	pay processed|confirmed|finalized|lost    changes the state of the transaction $SIGNATURE
//	pay proof PAYER ADDRESS      sets $PROOF, with which PAYER claims $SIGNATURE for ADDRESS
//	x402 got UNITS               checks the units of USDC that the wallet for single answers got
//	x402 fund PAYER|fails|works|expires|fees LAMPORTS    changes the chain for single answers
//	key                          sets $KEY to the Pro key in the last answer or mail, and $CUSTOMER
//	restart                      starts the service again over its store
//	fault KIND before|after      the next call of KIND fails before or after its effect. KIND is store,
//	                             mail, ntfy, stripe, chain or source.
//	fault KIND down|lost         each call of KIND fails, before or after its effect, until the next fault
//	fault none                   ends a fault
//	fault webhook down           webhooks answer 410
//	fault token down             the fare source refuses the token
//	store PARTITION[/SORT]       checks that the store has such an item
//	store *TEXT                  checks that an item in the store contains TEXT
//	unfaulted REASON             Faults does not repeat the script with failures
//
// After the verb service operated, the verbs of the operator, operator@verdetto.example, work too:
//
//	pass HOURS             moves the clock hour by hour, and does what is due in each hour
//	status WORDS           checks that verdetto status prints WORDS
//	log N WORDS            checks that N lines of the log contain WORDS
//	metric NAME VALUE      checks a metric
//	disk MB                sets the free space of the disk
//	certificate DAYS       sets the end of the certificate
//	backup | restore       makes a backup, or restores the newest
//	pings refresh|backup N checks the number of calls of VERDETTO_PING
//
// Options of calls are from ADDRESS, as KEY, in LANGUAGE, pays PAYER/NUMBER (by x402), with NAME VALUE
// (a header), text=WORDS, body=WORDS and PATH=VALUE (json PATH VALUE, where an empty VALUE means none).
// {a,b} in a target makes one call for each word. A VALUE in slashes is a regular expression.
//
// A PATH is, for example, a.0.b, where * stands for each element and count for the number of elements.
// Without a VALUE, json and header set $PATH or $NAME.
//
// The files body, text and mail hold the last answer and mail for cmp. What varies between runs is
// replaced in these files.
//
// After the verb service phones, an address may also be the URL of an ntfy topic or of a webhook, or
// the number of a person in Telegram. A message to such an address counts as a mail.
package script

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/carrier/telegram/telegramtest"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

type story struct {
	t       testing.TB
	dir     string
	unix    atomic.Int64
	options onemachine.Options
	log     fixture.Log
	source  *source
	faults  faults
	at      worker

	table    *boltstore.Store // nil while the service is not running
	service  *onemachine.Service
	operated *operator
	perCall  *fixture.PerCall
	signed   map[string]string
	handler  http.Handler

	status    int
	header    http.Header
	body      []byte
	toolText  string
	read      map[string]bool // names of the mail files that fresh has returned
	mail      maildir.Mail
	delivered int
	ntfy      *ntfytest.Server
	bot       *telegramtest.Server
	hooked    []maildir.Mail
	reader    *Reader

	unfaulted string
	retried   bool // a step was repeated after a failure, so a mail may have been sent twice
	cut       bool // the service refused a repeated step, and the script ended there
}

type worker struct{ atomic.Value }

func (a *worker) get() string {
	function, _ := a.Load().(string)
	return function
}

func (a *worker) work(function string) (end func()) {
	a.Store(function)
	return func() { a.Store("") }
}

type verb func(s *story, ts *testscript.TestScript, neg bool, args []string)

var verbs map[string]verb

func init() {
	verbs = map[string]verb{
		"clock": clock, "service": configure, "fares": fares, "refresh": refresh, "restart": restart,
		"get": call("GET"), "post": call("POST"), "form": call("FORM"), "mcp": call("MCP"), "repeat": repeat,
		"json": jsonValue, "header": header, "body": words("body"), "text": words("text"), "mail": words("mail"),
		"mails": mails, "confirm": confirm, "telegram": write, "open": openLink, "pay": pay, "stripe": stripe, "x402": perCall,
		"pass": pass, "status": status, "log": logged, "metric": metric, "disk": disk, "certificate": certificate,
		"backup": backup, "restore": restore, "pings": pings,
		"events": events, "key": key, "fault": fault, "store": stored,
		"unfaulted": func(s *story, _ *testscript.TestScript, _ bool, args []string) { s.unfaulted = strings.Join(args, " ") },
	}
}

type storyKey struct{}

// If update is set, a cmp that finds a difference updates the script instead of failing.
func Run(t *testing.T, update bool, files ...string) {
	run(t, testscript.Params{Files: files, UpdateScripts: update, ContinueOnError: true}, func(*story) {}, func(*story) {})
}

type Reader struct {
	Language string
	Page     func(t testing.TB, page string)
	Mail     func(t testing.TB, m maildir.Mail)
}

func Follow(t *testing.T, r Reader, files ...string) {
	run(t, testscript.Params{Files: files}, func(s *story) { s.reader = &r }, func(*story) {})
}

func run(t *testing.T, p testscript.Params, begin, end func(*story)) {
	p.RequireUniqueNames = true
	p.Setup = func(env *testscript.Env) error {
		s := &story{t: env.T().(testing.TB), dir: env.WorkDir, read: map[string]bool{}, signed: map[string]string{}}
		s.unix.Store(fixture.Today.Unix())
		log := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s.source = &source{Source: nothing{}, faults: &s.faults}
		s.options = onemachine.Options{Now: s.now, Log: log, Pepper: []byte(fixture.Pepper), BaseURL: "https://verdetto.example",
			Mail: filepath.Join(s.dir, ".mail"), Source: s.source,
			Carry: func(next mail.Sender) mail.Sender { return sender{next, &s.faults} }}
		env.Values[storyKey{}] = s
		begin(s)
		env.Defer(func() {
			end(s)
			s.close()
		})
		return nil
	}
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range verbs {
		p.Cmds[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			do(ts.Value(storyKey{}).(*story), ts, neg, args)
		}
	}
	testscript.Run(t, p)
}

func (s *story) now() time.Time { return time.Unix(s.unix.Load(), 0).UTC() }

func clock(s *story, ts *testscript.TestScript, _ bool, args []string) {
	one(ts, args)
	if ahead, ok := strings.CutPrefix(args[0], "+"); ok {
		d, err := time.ParseDuration(ahead)
		ts.Check(err)
		s.unix.Add(int64(d / time.Second))
		return
	}
	at, err := time.Parse(time.RFC3339, args[0])
	ts.Check(err)
	s.unix.Store(at.Unix())
}

func one(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("want one argument")
	}
}

func configure(s *story, ts *testscript.TestScript, _ bool, args []string) {
	if s.table != nil {
		ts.Fatalf("the service runs already")
	}
	for _, a := range args {
		base, isBase := strings.CutPrefix(a, "base=")
		switch {
		case a == "hidden-fares":
			s.source.Source = named{nothing{}, "travelpayouts"}
		case a == "phones":
			s.ntfy, s.bot = ntfytest.New(), telegramtest.New()
			s.options.Outbound = post{s.ntfy, s}
			s.options.Telegram = config.Telegram{Bot: telegramtest.Name, Token: telegramtest.Token,
				Secret: telegramtest.Secret, URL: s.bot.URL}
		case a == "operated":
			s.operated = newOperator(s)
		case a == "unsold":
			s.options.Money = onemachine.NoMoney
		case isBase:
			s.options.BaseURL = base
		default:
			ts.Fatalf("no option %q", a)
		}
	}
}

func (s *story) file() string { return filepath.Join(s.dir, ".store") }

func (s *story) up(ts *testscript.TestScript) {
	if s.table != nil {
		return
	}
	table, err := boltstore.Open(s.file(), s.now, boltstore.Scratch)
	ts.Check(err)
	s.table = table
	ts.Check(store.DropLeases(context.Background(), table)) // a killed process leaves its leases behind
	faulty := storetest.NewFaulty(table)
	faulty.Arm(func(int) (bool, storetest.Side) {
		switch s.faults.next("store") {
		case before:
			return true, storetest.Before
		case after:
			return true, storetest.After
		}
		return false, storetest.Before
	})
	s.options.Table = Accesses(s.t, faulty, s.at.get)
	if s.operated != nil {
		s.operated.start(s)
	}
	if s.options.StandIns == nil && s.options.Money == "" {
		s.options.StandIns, err = onemachine.StartStandIns(s.now, "")
		ts.Check(err)
		s.options.StandIns.Stripe.Wrap(s.faults.wire("stripe"))
		s.options.StandIns.Node.Wrap(s.faults.wire("chain"))
	}
	s.service, err = onemachine.New(s.options)
	ts.Check(err)
	s.service.Sender.Sleep = func(_ context.Context, d time.Duration) error {
		s.unix.Add(int64(math.Ceil(d.Seconds())))
		return nil
	}
	s.handler = fixture.Described(s.t, s.service.API)
	if s.perCall != nil {
		s.perCall.Handler = s.perCall.Instance(s.options.Table, s.now)
	}
	if s.bot != nil {
		s.bot.Webhook, s.bot.Path = s.handler, "/v1/alerts/telegram"
	}
}

func (s *story) down() {
	if s.table != nil {
		if s.operated != nil {
			s.operated.stop()
			onemachine.RemoveSocket("bolt:" + s.file())
		}
		if err := s.table.Close(); err != nil {
			s.t.Error(err)
		}
		s.table = nil
	}
}

func (s *story) close() {
	s.down()
	if s.options.StandIns != nil {
		s.options.StandIns.Close()
	}
	if s.bot != nil {
		s.ntfy.Close()
		s.bot.Close()
	}
	if found := fixture.Secret(s.log.String()); found != "" {
		s.t.Errorf("the log holds %q", found)
	}
}

func restart(s *story, ts *testscript.TestScript, _ bool, _ []string) {
	s.down()
	s.up(ts)
}

func (s *story) step(ts *testscript.TestScript, do func() (retry bool)) {
	for range 4 {
		s.up(ts)
		again := do()
		struck, killed := s.faults.struck()
		if killed {
			restart(s, ts, false, nil)
		}
		if !struck || !again {
			return
		}
		s.retried = true
	}
}

func (s *story) work(ts *testscript.TestScript) {
	ctx, at := context.Background(), s.unix.Load()
	defer func() { s.unix.Store(at) }()
	for idle := 0; ; {
		done := 0
		s.up(ts)
		for _, each := range []struct {
			function string
			do       func(context.Context) (int, error)
		}{{"pro", s.service.Pro.Work}, {"alerts", s.service.Alerts.Confirmations.Work},
			{"alerts", s.service.Alerts.Pushes.Work}, {"alerts", s.service.Alerts.Webhooks.Work},
			{"refresh", func(ctx context.Context) (int, error) {
				r, err := s.service.Sender.Work(ctx)
				return r.Sent + r.Settled, err
			}}} {
			end := s.at.work(each.function)
			n, err := each.do(ctx)
			end()
			if done += n; err != nil && s.faults.calm() {
				ts.Fatalf("work in the background: %v", err)
			}
		}
		struck, killed := s.faults.struck()
		if killed {
			restart(s, ts, false, nil)
		}
		switch {
		case struck:
			idle = 3
		case done == 0 && idle == 0:
			return
		case done == 0:
			idle--
		}
		if idle > 0 {
			s.unix.Add(240) // longer than a lease of the outboxes or of the sender
		}
	}
}

func stored(s *story, ts *testscript.TestScript, neg bool, args []string) {
	one(ts, args)
	s.up(ts)
	partition, sort, whole := strings.Cut(args[0], "/")
	var err error
	if text, ok := strings.CutPrefix(args[0], "*"); ok {
		found := ""
		ts.Check(s.table.All(context.Background(), func(i store.Item) error {
			counts := strings.HasPrefix(i.Partition, "LIMIT#") // counters of limits may contain a pseudonym until they expire
			if all := i.Partition + " " + i.Sort + " " + string(i.Data); !counts && strings.Contains(all, text) {
				found = i.Partition + " " + i.Sort
			}
			return nil
		}))
		if neg != (found == "") {
			ts.Fatalf("%s is in the item %q", text, found)
		}
		return
	}
	if whole {
		_, err = s.table.Get(context.Background(), store.Key{Partition: partition, Sort: sort}, store.Strong)
	} else {
		var items []store.Item
		if items, err = s.table.Query(context.Background(), store.Range{Partition: partition}); err == nil && len(items) == 0 {
			err = store.ErrNotFound
		}
	}
	if neg != errors.Is(err, store.ErrNotFound) {
		ts.Fatalf("%s: %v", args[0], err)
	}
}

var varying = []struct {
	pattern *regexp.Regexp
	becomes string
}{
	{fixture.KeyPattern, "vd_KEY"},
	{regexp.MustCompile(`([?&;](?:t|id|token)=)[A-Za-z0-9_.~*-]{16,}`), "${1}TOKEN"},
	{regexp.MustCompile(`cs_(test|live)_\w+`), "cs_SESSION"},
	{regexp.MustCompile(`sub_[0-9a-f]+`), "sub_SUBSCRIPTION"},
	{regexp.MustCompile(`OFFER#[0-9a-f]+`), "OFFER#ID"},
	{regexp.MustCompile(`test-[0-9a-f]{16}`), "test-ID"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "http://stand-in"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
}

func normal(b []byte) []byte {
	for _, v := range varying {
		b = v.pattern.ReplaceAll(b, []byte(v.becomes))
	}
	return append(bytes.TrimRight(b, "\n"), '\n')
}

func (s *story) write(ts *testscript.TestScript, name string, content []byte) {
	ts.Check(os.WriteFile(filepath.Join(s.dir, name), normal(content), 0o600))
}

func match(want, got string) bool {
	if len(want) > 1 && want[0] == '/' && want[len(want)-1] == '/' {
		return regexp.MustCompile(want[1 : len(want)-1]).MatchString(got)
	}
	return want == got
}

func require(ts *testscript.TestScript, neg bool, what, want, got string) {
	if match(want, got) == neg {
		ts.Fatalf("%s is %s, want %s%s", what, got, map[bool]string{true: "another than "}[neg], want)
	}
}

func environment(name string) string {
	return regexp.MustCompile(`\W`).ReplaceAllString(name, "_")
}

func text(args []string) string { return strings.Join(args, " ") }

package stored

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/functions/alerts"
	"verdetto/functions/analisi"
	"verdetto/functions/pricetrends"
	"verdetto/functions/pro"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// service is today's code over a copy of the old store file, with a clock of its own.
type service struct {
	now    time.Time
	facts  facts
	table  store.Table
	bank   *bank
	mails  *outbox
	api    *httpapi.API
	pro    *pro.Service
	alerts *alerts.Service
	sender *notify.Sender
	links  notify.Links
}

// open returns the service. Its clock shows the time at which version 303470a got the recorded
// requests.
func open(t *testing.T) *service {
	t.Helper()
	s := &service{facts: readFacts(t), bank: &bank{}, mails: &outbox{}}
	s.now = s.facts.Now
	now := func() time.Time { return s.now }
	table, err := boltstore.Open(unpacked(t), now, boltstore.Scratch)
	storetest.Must(t, err)
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	s.table = table
	pepper, quiet, limiter := s.pepper(t), slog.New(slog.DiscardHandler), limit.New(table, now)
	customers, fares := store.Customers{Table: table}, store.Fares{Table: table}
	s.api = httpapi.New(httpapi.Config{
		AllFares: true, Now: now, Log: quiet, Pepper: pepper, Data: "sample", Limiter: limiter, Customers: customers,
	})
	(&analisi.Service{Reader: answer.NewReader(fares, now, quiet), BaseURL: s.facts.Base}).Register(s.api)
	(&pricetrends.Service{
		Trends: &view.Reader{Reader: answer.NewReader(fares, now, quiet), AllFares: true},
	}).Register(s.api)
	s.pro = &pro.Service{
		Keys: customers, Outbox: store.Outbox{Table: table, Name: "pro"}, Checkout: s.bank, Chain: s.bank,
		Wallet: pro.Wallet{Units: price, Network: "devnet", Mint: pay.DevnetUSDC}, Sender: s.mails, Limiter: limiter,
		Pepper: pepper, BaseURL: s.facts.Base, Random: rand.Reader, Now: now, Log: quiet,
	}
	s.pro.Register(s.api)
	s.links = notify.Links{Pepper: pepper, BaseURL: s.facts.Base}
	records := store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}}
	s.alerts = &alerts.Service{
		Alerts: records, Links: s.links, Random: rand.Reader, Now: now, Log: quiet,
		Confirmations: &notify.Confirmations{
			Alerts: records, Mail: s.mails, Limiter: limiter, Links: s.links, Now: now, Log: quiet,
		},
		Pushes: &notify.Pushes{
			Alerts: records, Outbox: store.Outbox{Table: table, Name: notify.PushOutbox}, Links: s.links, Now: now,
			Log: quiet,
		},
	}
	s.alerts.Register(s.api)
	s.sender = &notify.Sender{
		Alerts: records, Notifications: store.Notifications{Table: table}, Mail: s.mails, Links: s.links,
		Rate: 1000, Now: now, Sleep: func(context.Context, time.Duration) error { return nil }, Log: quiet,
	}
	return s
}

// pepper reads the pepper from the store file. A service on one machine keeps its pepper there.
func (s *service) pepper(t *testing.T) []byte {
	t.Helper()
	item, err := s.table.Get(t.Context(), store.Key{Partition: "SECRET", Sort: "PEPPER"}, store.Strong)
	if err != nil || string(item.Data) != s.facts.Pepper {
		t.Fatalf("the pepper of the file: %q, %v", item.Data, err)
	}
	return item.Data
}

// unpacked returns the path of a writable copy of the store file of version 303470a.
func unpacked(t *testing.T) string { t.Helper(); return unpackedFile(t, "303470a.db.gz") }

// unpackedFile unpacks a compressed file of testdata, and returns the path of the copy.
func unpackedFile(t *testing.T, name string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name))
	storetest.Must(t, err)
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	storetest.Must(t, err)
	data, err := io.ReadAll(r)
	storetest.Must(t, err)
	path := filepath.Join(t.TempDir(), "verdetto.db")
	storetest.Must(t, os.WriteFile(path, data, 0o600))
	return path
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	storetest.Must(t, err)
}

func readFacts(t *testing.T) (f facts) {
	t.Helper()
	readJSON(t, "303470a.json", &f)
	if len(f.Asked) == 0 || len(f.Keys) == 0 {
		t.Fatal("303470a.json holds no answers or no keys")
	}
	return f
}

// price is the price of a plan, in millionths of a USDC.
const price = 12_990_000

// bank is a fake of the card processor and the blockchain. It repeats their answers from the time
// when the store file was made.
type bank struct {
	idempotencyKeys []string
	paidUntil       time.Time // of kim's subscription
}

func (b *bank) Start(_ context.Context, r pay.StartRequest) (pay.Page, error) {
	b.idempotencyKeys = append(b.idempotencyKeys, r.IdempotencyKey)
	return pay.Page{ID: "cs_test_kim", URL: "https://checkout.example/cs_test_kim"}, nil
}

func (b *bank) Session(_ context.Context, id string) (pay.Session, error) {
	return pay.Session{
		ID: id, Email: "kim@example.com", Status: pay.Complete, Paid: true, Subscription: "sub_kim", Ours: true,
		Customer: "cus_kim", PaidUntil: b.paidUntil,
	}, nil
}

// Subscription returns no mail address, so the service must find the customer in the store.
func (b *bank) Subscription(_ context.Context, id string) (pay.Subscription, error) {
	return pay.Subscription{ID: id, Ours: true, Status: pay.Active, PaidUntil: b.paidUntil}, nil
}

func (b *bank) Event([]byte, string, time.Time) (pay.Event, error) {
	return pay.Event{ID: "evt_kim", Kind: pay.InvoicePaid, Subscription: "sub_kim"}, nil
}

func (b *bank) Payment(_ context.Context, signature pay.Signature) (pay.Payment, error) {
	return pay.Payment{Signature: signature, Units: price, At: time.Date(2026, 10, 22, 10, 0, 0, 0, time.UTC)}, nil
}

func (b *bank) Find(context.Context, pay.Reference) ([]pay.Signature, error) { return nil, nil }

// The methods below are for calls that version 303470a never made.

func (b *bank) Price(context.Context) (pay.Price, error) { return pay.Price{}, pay.ErrUnavailable }

func (b *bank) Portal(context.Context, string, string) (string, error) {
	return "", pay.ErrNoSuchCustomer
}

func (b *bank) Readdress(context.Context, string, string) error { return pay.ErrNoSuchCustomer }

func (b *bank) Forget(context.Context, string) error { return nil }

// outbox is a mail carrier that stores the mails in memory.
type outbox struct {
	mu    sync.Mutex
	mails []mail.Message
}

func (o *outbox) Send(_ context.Context, m mail.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mails = append(o.mails, m)
	return nil
}

// take returns the mails sent since the last call, sorted by recipient.
func (o *outbox) take() []mail.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	mails := o.mails
	o.mails = nil
	slices.SortFunc(mails, func(a, b mail.Message) int { return strings.Compare(a.To+a.ID, b.To+b.ID) })
	return mails
}

// week is a fare source that returns the fares of the file week.csv.
type week struct{ fares []fare.Fare }

func readWeek(t *testing.T) week {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "week.csv"))
	storetest.Must(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	storetest.Must(t, err)
	var w week
	for _, row := range rows[1:] {
		found, err := strconv.ParseInt(row[2], 10, 64)
		storetest.Must(t, err)
		depart, err := time.Parse(time.DateOnly, row[3])
		storetest.Must(t, err)
		cents, err := strconv.ParseInt(row[4], 10, 64)
		storetest.Must(t, err)
		w.fares = append(w.fares, fare.Fare{
			Route:       fare.Route{Origin: fare.City(row[0]), Destination: fare.City(row[1])},
			Observation: fare.Observation{Found: found, Depart: fare.DayOf(depart), Price: fare.Cents(cents)},
		})
	}
	return w
}

// Name returns the name of the source that filled the store file. A store accepts only one source.
func (week) Name() string { return "sample" }

func (week) Origins(context.Context) ([]fare.City, error) {
	return []fare.City{"BLQ", "MIL", "ROM", "TRN"}, nil
}

func (w week) Fares(_ context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	var answer upstream.Answer
	for _, f := range w.fares {
		if f.Route.Origin == origin && f.Found > since.Unix() && f.Found <= until.Unix() {
			answer.Fares = append(answer.Fares, f)
		}
	}
	return answer, nil
}

// Package openapi tests that the OpenAPI description is generated from the service and agrees with
// what the service does.
package openapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/alerts"
	"verdetto/shared/carrier/telegram/telegramtest"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

var update = flag.Bool("update", false, "write the description anew")

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	d := newDescriber(t)
	d.showcase()
	for _, op := range d.operations() {
		for status, r := range op.Responses {
			content := r.Content["application/json"]
			if status < "300" && content != nil && len(content.Examples) == 0 && !itself[op.OperationID] {
				t.Errorf("%s has no example of %s: give its parameters and fields examples that it answers to, or "+
					"show it in purchases", op.OperationID, status)
			}
		}
	}
	for _, route := range routes.Table {
		if route.Described() && !slices.ContainsFunc(d.operations(),
			func(op *huma.Operation) bool { return op.OperationID == route.Name }) {
			t.Errorf("%s is not described: newDescriber is to make the whole service", route.Name)
		}
	}
	data, err := httpapi.WriteDescription(d.doc)
	if err != nil {
		t.Fatal(err)
	}
	var sent bytes.Buffer
	if err := json.Compact(&sent, data); err != nil || sent.Len() > largest {
		t.Errorf("%d bytes are published, at most %d fit: %v", sent.Len(), largest, err)
	}
	fixture.Golden(t, fixture.Path(t, fixture.DescriptionFile), data, *update)
}

// largest is the maximum length of the description in bytes, without white space.
const largest = 200_000

// Operations in itself answer with the description or with a part of the description, so an example of
// an answer would contain the description.
var itself = map[string]bool{"openapi": true, "docs": true}

type describer struct {
	fixture.Shop
	sold *fixture.PerCall
	doc  *huma.OpenAPI
}

func newDescriber(t *testing.T) *describer {
	t.Helper()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	table := fixture.Bolt(t, clock.Now)
	s := fixture.OpenShop(t, table, clock)
	s.Pro.Random = rand.NewChaCha8([32]byte{}) // the same examples in each run
	s.Alerts.Telegram = alerts.TelegramBot{Name: telegramtest.Name, Secret: telegramtest.Secret}
	s.Handler = s.API // not checked against the OpenAPI description, which is not complete yet
	o := onemachine.Options{Table: table, Source: sample.New(), Now: clock.Now, Log: slog.New(slog.DiscardHandler),
		Origins: []fare.City{"MIL", "TRN"}}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	return &describer{s, fixture.OpenPerCall(t, table, clock.Now), s.API.Describe()}
}

func (d *describer) operations() (all []*huma.Operation) {
	for _, item := range d.doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	slices.SortFunc(all, func(a, b *huma.Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

func (d *describer) showcase() {
	d.purchases()
	d.chats()
	d.kept()
	d.sales()
	for _, op := range d.operations() {
		if target, body, ok := d.sampleCall(op); ok && !itself[op.OperationID] {
			d.show(op.OperationID, d.Do(op.Method, target, body))
		}
	}
	d.problems()
}

func (d *describer) sampleCall(op *huma.Operation) (target, body string, ok bool) {
	query := url.Values{}
	for _, p := range op.Parameters {
		if p.In != "query" {
			continue
		}
		if p.Example != nil {
			query.Set(p.Name, fmt.Sprint(p.Example))
		} else if p.Required {
			return "", "", false
		}
	}
	if op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil {
		schema := op.RequestBody.Content["application/json"].Schema
		if schema.Ref != "" {
			schema = d.doc.Components.Schemas.SchemaFromRef(schema.Ref)
		}
		fields := map[string]any{}
		for name, property := range schema.Properties {
			if len(property.Examples) > 0 {
				fields[name] = property.Examples[0]
			} else if slices.Contains(schema.Required, name) {
				return "", "", false
			}
		}
		data, err := json.Marshal(fields)
		if err != nil || len(fields) == 0 {
			return "", "", false
		}
		body = string(data)
	}
	return op.Path + "?" + query.Encode(), body, true
}

func (d *describer) purchases() {
	const email = "ada@example.com"
	session, _ := d.Buy(email)
	var key string
	for _, s := range []string{"cs_test_unknown", session, session} {
		a := d.Confirm(s)
		d.show("pro-conferma", a)
		key += a.APIKey
	}
	d.show("pro-chiave", d.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", key))
	rotated := d.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", key)
	d.show("pro-ruota", rotated)
	d.show("pro-portale", d.Do("POST", "/v1/pro/portale", "", "X-Api-Key", rotated.APIKey))
	delivery := d.Payments.Stripe.Events()[0].Payload
	d.show("pro-webhook", d.Deliver(delivery))
	d.show("pro-webhook", d.Do("POST", "/v1/pro/webhook", "{}"))
	signature := d.Send(fixture.Price, "")
	for range 2 {
		d.show("pro-verifica-cripta", d.Verify(email, signature))
	}
}

func (d *describer) chats() {
	const update = `{"update_id":1,"message":{"message_id":1,"date":1,"text":"/list","chat":{"id":1,` +
		`"type":"private"},"from":{"id":1,"first_name":"Ada","language_code":"en"}}}`
	for _, secret := range []string{telegramtest.Secret, "another"} {
		d.show("alerts-telegram", d.Do("POST", "/v1/alerts/telegram", update,
			"X-Telegram-Bot-Api-Secret-Token", secret))
	}
}

func (d *describer) kept() {
	const email = "ada@example.com"
	now := d.Clock.Now()
	alert := store.Alert{
		Subscriber: fixture.Subscriber(email), Route: fixture.Route, Email: email, Language: "en",
		Kind: store.Drop, Percent: 15,
		Trip:       store.Trip{From: fare.DayOf(now) + 40, To: fare.DayOf(now) + 43, Nonstop: true},
		RequestDay: fare.DayOf(now),
		Since:      fare.DayOf(now),
	}
	alert.ID = alert.NewID()
	err := d.Alerts.Alerts.AddPending(d.T.Context(), email, alert, now.Add(time.Hour))
	if err == nil {
		_, err = d.Alerts.Alerts.Confirm(d.T.Context(), email)
	}
	if err != nil {
		d.T.Fatal(err)
	}
	d.show("alerts-manage-page", d.Do("GET", d.Alerts.Links.Manage(alert.Subscriber, now)+"&format=json", ""))
}

func (d *describer) sales() {
	for i, c := range []struct {
		operation, parameters string
	}{
		{"x402-analisi", "?origine=Milano&destinazione=Bucarest"},
		{"x402-calendario", "?origine=Milano&destinazione=Bucarest"}, {"x402-occasioni", "?origine=Milano"},
	} {
		route := routes.Named(c.operation)
		payment := d.sold.Payment("ada", route.Price, i)
		for _, p := range []string{"", payment, d.sold.Payment("ada", 1, i)} {
			w := d.sold.Ask(route.Path+c.parameters, p)
			a := fixture.Reply{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
			var problem struct{ Code string }
			if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
				d.T.Fatal(err)
			}
			a.Code = problem.Code
			d.show(c.operation, a)
		}
	}
}

func (d *describer) problems() {
	for _, c := range []struct{ operation, target string }{
		{"analisi", "/v1/analisi?origine=Milano"},
		{"analisi", "/v1/analisi?origine=Milano&destinazione=Bukarestt"},
		{"analisi", "/v1/analisi?origine=Milano&destinazione=MXP"},
		{"analisi", "/v1/analisi?origine=London&destinazione=Prague"},
		{"price-trends", "/v1/price-trends?origin=MIL&currency=xxx"},
		{"price-trends", "/v1/price-trends?origin=QQQ"},
	} {
		d.show(c.operation, d.Do("GET", c.target, ""))
	}
	d.show("analisi", d.Do("GET", fixture.Question, "", "X-Api-Key", "vd_mistyped"))
	for range 31 {
		if a := d.From("192.0.2.7:1", "GET", fixture.Question, ""); a.Status == http.StatusTooManyRequests {
			d.show("analisi", a)
		}
	}
}

// The name of an example is "answer" or, for an error response, its code.
func (d *describer) show(operation string, a fixture.Reply) {
	d.T.Helper()
	at := slices.IndexFunc(d.operations(), func(op *huma.Operation) bool { return op.OperationID == operation })
	if at < 0 {
		d.T.Fatalf("no operation is called %s", operation)
	}
	mediaType, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	response := d.operations()[at].Responses[strconv.Itoa(a.Status)]
	if response == nil || response.Content[mediaType] == nil {
		d.T.Errorf("%s answers %d %s, which is not described: %s", operation, a.Status, mediaType, a.Body)
		return
	}
	if !strings.HasSuffix(mediaType, "json") {
		return
	}
	// The fake card processor has another port in each run.
	body := strings.ReplaceAll(a.Body, d.Payments.StripeURL, "https://checkout.stripe.com")
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		d.T.Errorf("%s: %v in %s", operation, err, a.Body)
		return
	}
	value = shortened(value)
	name := "answer"
	if a.Status >= 400 {
		name = a.Code
	}
	content := response.Content[mediaType]
	if content.Examples == nil {
		content.Examples = map[string]*huma.Example{}
	}
	if content.Examples[name] == nil {
		content.Examples[name] = &huma.Example{Value: value}
	}
}

// Examples show only the beginning of lists and of long strings.
const (
	shownItems = 1
	shownRunes = 60
)

func shortened(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			value[name] = shortened(below)
		}
	case []any:
		value = value[:min(len(value), shownItems)]
		for i, below := range value {
			value[i] = shortened(below)
		}
		return value
	case string:
		if runes := []rune(value); len(runes) > shownRunes {
			first := string(runes[:shownRunes])
			if end := strings.LastIndexByte(first, ' '); end > 0 {
				first = first[:end]
			}
			return first + "..."
		}
	}
	return value
}

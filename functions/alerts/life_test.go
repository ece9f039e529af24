package alerts_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
)

func everything(t *testing.T, table store.Table, partitions ...string) string {
	t.Helper()
	var all strings.Builder
	for _, partition := range partitions {
		items, err := table.Query(context.Background(), store.Range{Partition: partition, Read: store.Strong})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			all.WriteString(item.Partition + "/" + item.Sort + " " + string(item.Data) + "\n")
		}
	}
	return all.String()
}

func TestAlertLife(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p := fixture.OpenSubscriptions(t, table, clock)

	// A request gets one answer and causes one mail. No alert is active yet.
	a := p.Ask("mil-OTP", "ada@example.com", "40.005", "Accept-Language", "en-GB")
	if a.Status != 202 || a.Header.Get("Cache-Control") != "no-store" || !strings.Contains(a.Body, `"accepted"`) {
		t.Fatalf("%d %v %s", a.Status, a.Header, a.Body)
	}
	mails := p.Received("ada@example.com")
	if len(mails) != 1 || mails[0].Subject != "Confirm the alert Milan–Bucharest" ||
		!strings.Contains(mails[0].Text, "€40.01") {
		t.Fatalf("mails %+v", mails)
	}
	if got := p.Thresholds("ada@example.com"); len(got) != 0 {
		t.Fatalf("alerts before confirming: %v", got)
	}

	// Mail scanners open the link several times. Nothing is confirmed.
	link := p.Link(mails[0])
	for range 3 {
		if a := p.Do("GET", link, "", "Accept-Language", "en"); a.Status != 200 ||
			!strings.Contains(a.Page(), "Alert for Milan–Bucharest") ||
			!strings.Contains(a.Page(), "€40.01 or less") {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		p.Do("HEAD", link, "").Want(t, 200)
	}
	if got := p.Thresholds("ada@example.com"); len(got) != 0 {
		t.Fatalf("alerts after a GET: %v", got)
	}

	if a := p.Form(link, ""); a.Status != 200 || !strings.Contains(a.Page(), "Your alert is on: Milan–Bucharest") ||
		!strings.Contains(a.Body, `href="/v1/alerts/manage?t=`) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for _, method := range []string{"GET", "POST"} {
		if a := p.Do(method, link, ""); a.Status != 410 || !strings.Contains(a.Page(), "già stato usato") {
			t.Errorf("%s again: %d %s", method, a.Status, a.Page())
		}
	}
	if got := p.Thresholds("ada@example.com"); len(got) != 1 || got["MIL-BUH"] != 4001 {
		t.Fatalf("alerts %v", got)
	}

	// A second request with another threshold changes the alert only after its confirmation.
	again := p.RequestAlert("MIL-BUH", "ada@example.com", "30")
	if got := p.Thresholds("ada@example.com"); got["MIL-BUH"] != 4001 {
		t.Errorf("changed by who knows the address: %v", got)
	}
	p.Form(again, "")
	p.Subscribe("MIL-LON", "Ada@Example.com", "")
	clock.Add(time.Hour)
	p.Subscribe("ROM-PAR", "ada@example.com", "99999.994")
	if got := p.Thresholds("ada@example.com"); len(got) != 3 || got["MIL-BUH"] != 3000 || got["MIL-LON"] != 0 ||
		got["ROM-PAR"] != 9999999 {
		t.Fatalf("alerts %v", got)
	}

	manage := p.ManageLink("ada@example.com")
	p.Do("GET", manage, "").Want(t, 200, "Milano–Bucarest a 30,00 € o meno", "Milano–Londra").Lacks(t,
		"example.com")
	p.Form(manage, "remove=MIL-LON").Want(t, 200, "Roma–Parigi").Lacks(t, "Londra")

	// GET with the link in a mail ends nothing.
	end := p.EndLink("MIL-BUH", "ada@example.com")
	if a := p.Do("GET", end, ""); a.Status != 200 ||
		!strings.Contains(a.Page(), "Disattivare l'avviso per Milano–Bucarest?") ||
		len(p.Thresholds("ada@example.com")) != 2 {
		t.Errorf("%d %s", a.Status, a.Page())
	}
	p.Form(end, "").Want(t, 200, "Fatto")
	for _, method := range []string{"GET", "POST"} {
		if a := p.Do(method, end, ""); a.Status != 410 || !strings.Contains(a.Page(), "già disattivato") {
			t.Errorf("%s again: %d %s", method, a.Status, a.Page())
		}
	}

	// A mail provider ends an alert with one request, in either form encoding.
	p.Do("POST", p.EndLink("ROM-PAR", "ada@example.com"), "List-Unsubscribe=One-Click", "Content-Type",
		"application/x-www-form-urlencoded").Want(t, 200)
	if got := p.Thresholds("ada@example.com"); len(got) != 0 {
		t.Errorf("alerts %v", got)
	}
	p.Subscribe("ROM-PAR", "ada@example.com", "")
	part := "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n"
	if a := p.Do("POST", p.EndLink("ROM-PAR", "ada@example.com"), part, "Content-Type",
		"multipart/form-data; boundary=x"); a.Status != 200 || len(p.Thresholds("ada@example.com")) != 0 {
		t.Errorf("%d %s", a.Status, a.Body)
	}

	// After all alerts are ended, no data of the address remain.
	clock.Add(time.Hour)
	p.Subscribe("MIL-BUH", "ada@example.com", "")
	p.Subscribe("MIL-LON", "ada@example.com", "10")
	p.Form(manage, "all=1").Want(t, 200, "il tuo indirizzo è stato cancellato")
	p.Do("GET", manage, "").Want(t, 410, "Non hai avvisi")
	ada := string(fixture.Subscriber("ada@example.com"))
	partitions := []string{"SUBSCRIBER#" + ada, "STOPPED#" + ada, "ALERTS#MIL-BUH", "ALERTS#MIL-LON",
		"ALERTS#ROM-PAR", "OUTBOX#alerts"}
	for _, link := range p.Links {
		partitions = append(partitions, "PENDING#"+link)
	}
	left := everything(t, table, partitions...)
	if strings.Contains(strings.ToLower(left), "example.com") || strings.Contains(left, "SUBSCRIBER#") ||
		strings.Contains(left, "ALERTS#") {
		t.Errorf("what is left:\n%s", left)
	}
}

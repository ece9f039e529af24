// Package smoke tests a new deployment with one call of every kind: pages, answers, error
// responses, /mcp for AI agents, payments, links in mails, and the edge's headers.
//
// No call sends a mail, costs money or needs a key. Start reading at Run.
package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

type call struct {
	name         string
	method, path string
	header, body string // header: NAME: VALUE, with a bar between headers
	status       []int
	code         string
	bodyPart     string
	headerPart   string // NAME: PART of the value
}

const (
	page     = "Accept: text/html"
	document = "Content-Type: application/json"
	noStore  = "Cache-Control: no-store"
)

var calls = []call{
	{"index", "GET", "/v1", "", "", []int{200}, "", `"endpoints"`, "Cache-Control: s-maxage"},
	{"index, by its other path", "GET", "/api/v1", "", "", []int{200}, "", `"endpoints"`, "Cache-Control: s-maxage"},
	{"index, its headers alone", "HEAD", "/v1", "", "", []int{200}, "", "", "Content-Type: application/json"},
	{"description", "GET", "/v1/openapi.json", "", "", []int{200}, "", `"openapi"`, "ETag: "},
	{"page", "GET", "/", page, "", []int{200}, "", "<form", "Content-Security-Policy: default-src"},
	{"service for agents, as a page of text", "GET", "/llms.txt", "", "", []int{200}, "", "# Verdetto", ""},
	{"cities", "GET", "/v1/citta?q=mila&lang=it", "", "", []int{200}, "", `"MIL"`, ""},
	{"verdict", "GET", "/v1/analisi?origine=Milano&destinazione=Londra", "", "", []int{200, 404}, "", `"`,
		"X-RateLimit-Remaining: "},
	{"verdict on no city", "GET", "/v1/analisi?origine=Milano&destinazione=Nessundove", "", "", []int{404},
		"citta-sconosciuta", "", noStore},
	{"verdict on nothing", "GET", "/v1/analisi", "", "", []int{400}, "richiesta-non-valida", "origine", noStore},
	{"price trends", "GET", "/v1/price-trends?origin=MIL&currency=eur", "", "", []int{200, 404}, "", `"`, ""},
	{"unknown key", "GET", "/v1/analisi?origine=Milano&destinazione=Londra", "X-Api-Key: vd_nobody", "", []int{401},
		"chiave-non-valida", "", noStore},
	{"question of another site's page", "OPTIONS", "/v1/analisi",
		"Origin: https://elsewhere.example|Access-Control-Request-Method: GET", "", []int{204}, "", "",
		"Access-Control-Allow-Origin: *"},
	{"nothing", "GET", "/nowhere", "", "", []int{404}, "percorso-sconosciuto", "", noStore},
	{"wrong method", "DELETE", "/v1/analisi", "", "", []int{405}, "metodo-non-ammesso", "", "Allow: GET"},
	{"agents", "POST", "/mcp", document + "|Accept: application/json, text/event-stream",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []int{200}, "", "flight_price_verdict", ""},
	{"checkout without an address", "POST", "/v1/pro/checkout", document, `{"email":"nobody"}`, []int{400},
		"richiesta-non-valida", "email", noStore},
	{"webhook that is not Stripe's", "POST", "/v1/pro/webhook", document + "|Stripe-Signature: t=1,v1=00", `{}`,
		[]int{400}, "firma-non-valida", "", noStore},
	{"price in USDC", "GET", "/v1/pro/cripta", "", "", []int{200}, "", `"wallet"`, ""},
	{"token of the compatible API", "POST", "/v1/security/oauth2/token",
		"Content-Type: application/x-www-form-urlencoded",
		"grant_type=client_credentials&client_id=smoke&client_secret=free", []int{200}, "", `"access_token"`, ""},
	{"paid answer on no city", "GET", "/x402/v1/analisi?origine=Milano&destinazione=Nessundove", "", "", []int{404}, "",
		`"code":`, noStore},
	{"link of a mail, cut off", "GET", "/v1/alerts/unsubscribe?t=cut", page, "", []int{400}, "", "<main", noStore},
}

func All(string) bool { return true }

// timeout is long, because the first calls start the Lambda functions.
const timeout = 15 * time.Second

type Result struct {
	Name         string  `json:"name"`
	Milliseconds float64 `json:"milliseconds"`
	Fault        string  `json:"fault,omitempty"`
}

func Run(ctx context.Context, client *http.Client, url string, w io.Writer, wanted func(path string) bool) error {
	made := 0
	err := Each(ctx, client, url, wanted, func(r Result) {
		made++
		outcome := "ok"
		if r.Fault != "" {
			outcome = "FAILED: " + r.Fault
		}
		fmt.Fprintf(w, "%6.0f ms  %-40s %s\n", r.Milliseconds, r.Name, outcome)
	})
	if err == nil {
		fmt.Fprintf(w, "all %d calls were answered as they should be\n", made)
	}
	return err
}

func Each(ctx context.Context, client *http.Client, url string, wanted func(path string) bool,
	each func(Result)) error {
	url = strings.TrimSuffix(url, "/")
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://127.0.0.1:") && !strings.HasPrefix(url,
		"http://localhost:") {
		return fmt.Errorf("smoke %q: want an address such as https://verdetto.example", url)
	}
	made, failed := 0, 0
	for _, c := range calls {
		if path, _, _ := strings.Cut(c.path, "?"); !wanted(path) {
			continue
		}
		made++
		begun := time.Now()
		r := Result{Name: c.name}
		if err := c.make(ctx, client, url); err != nil {
			failed++
			r.Fault = err.Error()
		}
		r.Milliseconds = float64(time.Since(begun).Microseconds()) / 1000
		each(r)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d calls were not answered as they should be; docs/aws.md says how to go back", failed,
			made)
	}
	return nil
}

func (c call) make(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, c.method, url+c.path, strings.NewReader(c.body))
	if err != nil {
		return err
	}
	for field := range strings.SplitSeq(c.header, "|") {
		if name, value, ok := strings.Cut(field, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 5<<20))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return errors.Join(c.faults(answer, body)...)
}

func (c call) faults(answer *http.Response, body []byte) (faults []error) {
	if !slices.Contains(c.status, answer.StatusCode) {
		faults = append(faults, fmt.Errorf("status %d, want %v: %.200q", answer.StatusCode, c.status, body))
	}
	if c.code != "" {
		var problem struct{ Code string }
		if err := json.Unmarshal(body, &problem); err != nil || problem.Code != c.code {
			faults = append(faults, fmt.Errorf("no problem with the code %s: %.200q", c.code, body))
		}
	}
	if !strings.Contains(string(body), c.bodyPart) {
		faults = append(faults, fmt.Errorf("%s is not in the answer: %.200q", c.bodyPart, body))
	}
	if name, part, ok := strings.Cut(c.headerPart, ": "); ok {
		if value := answer.Header.Get(name); value == "" || !strings.Contains(value, part) {
			faults = append(faults, fmt.Errorf("the header %s is %q, want %q in it", name, value, part))
		}
	}
	return faults
}

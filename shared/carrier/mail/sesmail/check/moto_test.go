// Package check tests package sesmail with moto, which stands in for SES.
package check

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/sesmail"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func client(endpoint string, options ...func(*sesv2.Options)) *sesv2.Client {
	return sesv2.New(sesv2.Options{
		Region: motolocal.Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, options...)
}

func sender(t *testing.T, c *sesv2.Client) *sesmail.Sender {
	t.Helper()
	s, err := sesmail.New(c, sesmail.Config{
		From: "Verdetto <verdetto@verdetto.example>", ConfigurationSet: "verdetto",
		Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func message() mail.Message {
	return mail.Message{
		To: "ada@example.com", Subject: "Milano → Bucarest: 39 €",
		Text: "È economico.\n", HTML: `<p>È economico.<img src="cid:a">`,
		Inline:      []mail.Attachment{{ContentID: "a", ContentType: "image/png", Name: "è.png", Data: []byte{0, 255}}},
		Unsubscribe: "https://verdetto.example/api/v1/alerts/unsubscribe?token=abc",
		Tag:         "alert",
	}
}

type stored struct {
	Source       string
	Destinations []string
	Raw          string `json:"raw_data"`
}

func storedBy(t *testing.T, endpoint string) []stored {
	t.Helper()
	response, err := http.Get(endpoint + "/moto-api/data.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var all map[string]map[string]json.RawMessage
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	var mails []stored
	if raw, ok := all["ses"]["RawMessage"]; ok {
		if err := json.Unmarshal(raw, &mails); err != nil {
			t.Fatal(err)
		}
	}
	return mails
}

func TestSESAcceptsMails(t *testing.T) {
	endpoint := motolocal.Endpoint(t)
	c := client(endpoint)
	s := sender(t, c)

	if err := s.Send(t.Context(), message()); err == nil {
		t.Fatal("sent from an identity that was not verified")
	}
	if _, err := c.CreateEmailIdentity(t.Context(),
		&sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("verdetto.example")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}

	mails := storedBy(t, endpoint)
	if len(mails) != 1 {
		t.Fatalf("moto holds %d mails, want 1", len(mails))
	}
	got := mails[0]
	if got.Source != "verdetto@verdetto.example" || got.Destinations[0] != "ada@example.com" {
		t.Errorf("from %s to %v", got.Source, got.Destinations)
	}
	read, err := netmail.ReadMessage(strings.NewReader(got.Raw))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"From":                  "Verdetto <verdetto@verdetto.example>",
		"To":                    "<ada@example.com>",
		"Subject":               "=?utf-8?b?TWlsYW5vIOKGkiBCdWNhcmVzdDogMzkg4oKs?=",
		"Date":                  "Sun, 01 Mar 2026 12:00:00 +0000",
		"List-Unsubscribe":      "<https://verdetto.example/api/v1/alerts/unsubscribe?token=abc>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
		"Auto-Submitted":        "auto-generated",
		"Mime-Version":          "1.0",
	} {
		if diff := cmp.Diff([]string{want}, read.Header[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if id := read.Header.Get("Message-Id"); !strings.HasSuffix(id, "@verdetto.example>") {
		t.Errorf("message id %s", id)
	}
	if kind := read.Header.Get("Content-Type"); !strings.HasPrefix(kind, "multipart/related;") {
		t.Errorf("content type %s", kind)
	}
	for _, want := range []string{"=C3=88 economico.\r\n", "Content-Id: <a>", "filename*=utf-8''%C3%A8.png", "AP8="} {
		if !strings.Contains(got.Raw, want) {
			t.Errorf("the mail holds no %q:\n%s", want, got.Raw)
		}
	}
}

func TestNothingReachesSES(t *testing.T) {
	endpoint := motolocal.Endpoint(t)
	m := message()
	m.Subject = "a\r\nBcc: bob@example.com"
	if err := sender(t, client(endpoint)).Send(t.Context(), m); !errors.Is(err, mail.ErrRefused) {
		t.Errorf("error %v, want ErrRefused", err)
	}
	if mails := storedBy(t, endpoint); len(mails) != 0 {
		t.Errorf("moto holds %d mails", len(mails))
	}
}

func TestSESTakesAnAlert(t *testing.T) {
	endpoint := motolocal.Endpoint(t)
	c := client(endpoint)
	if _, err := c.CreateEmailIdentity(t.Context(),
		&sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("verdetto.example")}); err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "notify", "testdata", "lows.png"))
	if err != nil {
		t.Fatal(err)
	}
	alert := mail.Message{ID: "20160301-MIL-BUH-abc", To: "ada@example.com", Subject: "Milano–Bucarest: ora 14,99 €",
		Text: "14,99 €", HTML: `<img src="cid:lows@verdetto" alt="14,99 €">`, Tag: mail.AlertTag,
		Inline:      []mail.Attachment{{ContentID: "lows@verdetto", ContentType: "image/png", Name: "verdetto.png", Data: picture}},
		Unsubscribe: "https://verdetto.example/v1/alerts/unsubscribe?t=a.MIL-BUH.b"}
	if err := sender(t, c).Send(t.Context(), alert); err != nil {
		t.Fatal(err)
	}
	mails := storedBy(t, endpoint)
	if len(mails) != 1 {
		t.Fatalf("moto holds %d mails, want 1", len(mails))
	}
	read, err := netmail.ReadMessage(strings.NewReader(mails[0].Raw))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"Message-Id":            "<20160301-MIL-BUH-abc@verdetto.example>",
		"List-Unsubscribe":      "<https://verdetto.example/v1/alerts/unsubscribe?t=a.MIL-BUH.b>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	} {
		if diff := cmp.Diff([]string{want}, read.Header[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if !strings.Contains(strings.ReplaceAll(mails[0].Raw, "\r\n", ""), base64.StdEncoding.EncodeToString(picture)) {
		t.Error("the picture did not arrive")
	}
}

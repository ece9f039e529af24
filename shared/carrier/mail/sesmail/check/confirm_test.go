package check

import (
	"mime"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
)

func TestSESTakesConfirmations(t *testing.T) {
	endpoint := motolocal.Endpoint(t)
	c := client(endpoint)
	if _, err := c.CreateEmailIdentity(t.Context(),
		&sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("verdetto.example")}); err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"it", "en"} {
		message, err := mail.ConfirmMail(mail.Confirm{
			To: "ada@example.com", Lang: lang, Origin: "Milano", Destination: "Città del Messico", Threshold: 4050,
			Link: "https://verdetto.example/v1/alerts/confirm?id=AAECAwQFBgcICQoLDA0ODw",
			Stop: "https://verdetto.example/v1/alerts/unsubscribe?t=abc",
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := sender(t, c).Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		mails := storedBy(t, endpoint)
		got := mails[len(mails)-1]
		read, err := netmail.ReadMessage(strings.NewReader(got.Raw))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
		if err != nil || subject != message.Subject || got.Destinations[0] != "ada@example.com" ||
			read.Header.Get("List-Unsubscribe") != "<"+message.Unsubscribe+">" {
			t.Errorf("%v, subject %q, to %v", err, subject, got.Destinations)
		}
	}
}

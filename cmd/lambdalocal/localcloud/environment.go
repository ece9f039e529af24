package localcloud

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/upstreamtest"
)

// Setup configures the local environment that Seed creates for an executable.
type Setup struct {
	Source upstream.Source
	Fill   upstream.Source // fills the table; nil: Source
	Now    func() time.Time
	Log    *slog.Logger
	// The stand-in for Stripe sends events to LocalURL, or none if it is empty.
	LocalURL string
	// If CreateTable is nil, Seed uses dynamostore.Create.
	CreateTable func(ctx context.Context, client *dynamodb.Client, name string) error
}

// Seed creates a table in DynamoDB Local, fills it on request, and starts the stand-ins for the
// fare source, Stripe and Solana. It returns the environment variables that point an executable at
// them.
func (s Setup) Seed(ctx context.Context, endpoint string, fill bool) (environment []string, done func(), err error) {
	name := "invoke-" + rand.Text()
	client := dynamolocal.Client(endpoint)
	create := s.CreateTable
	if create == nil {
		create = dynamostore.Create
	}
	if err := create(ctx, client, name); err != nil {
		return nil, nil, err
	}
	if fill {
		filling := onemachine.Options{Table: dynamostore.New(client, name, s.Now), Source: s.Fill, Now: s.Now, Log: s.Log}
		if filling.Source == nil {
			filling.Source = s.Source
		}
		if _, err := filling.Refresh(ctx, nil); err != nil {
			return nil, nil, err
		}
	}
	rows, err := Rows(ctx, s.Source, s.Now())
	if err != nil {
		return nil, nil, err
	}
	money, err := onemachine.StartStandIns(s.Now, s.LocalURL)
	if err != nil {
		return nil, nil, err
	}
	standIn := upstreamtest.New(rows, s.Now)
	// the service requests fares in the currency of the origin's country, so the stand-in converts
	// them
	standIn.Rates = ecb.Table().RatesOn
	environment = []string{
		// The fares do not come from Travelpayouts, so all may be shown.
		"VERDETTO_TABLE=" + name, "VERDETTO_FARES_SHOWN=all",
		"VERDETTO_ORIGIN_SECRETS=local-origin-secret",
		"VERDETTO_PEPPER=local-pepper-that-is-32-bytes-long",
		"VERDETTO_BASE_URL=https://verdetto.example", "VERDETTO_MAIL_FROM=Verdetto <mail@verdetto.example>",
		"STRIPE_KEY=" + playmoney.TestKey, "STRIPE_PRICE=" + playmoney.TestPrice,
		"STRIPE_WEBHOOK_SECRETS=" + playmoney.TestSecret,
		"STRIPE_URL=" + money.StripeURL, "SOLANA_NODES=" + money.NodeURL, "X402_FEE_KEY=off",
		"SOLANA_WALLET=" + onemachine.StandInWallet,
		"TRAVELPAYOUTS_TOKEN=" + standIn.Token,
		"TRAVELPAYOUTS_URL=" + standIn.URL,
		"VERDETTO_NOW=" + s.Now().UTC().Format(time.RFC3339),
		"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
	}
	for _, v := range os.Environ() { // they override these
		if strings.HasPrefix(v, "VERDETTO_") || strings.HasPrefix(v, "TRAVELPAYOUTS_") {
			environment = append(environment, v)
		}
	}
	return environment, func() {
		standIn.Close()
		money.Close()
	}, nil
}

// Rows returns the fares that were found until a moment, in the format of the real fare source.
func Rows(ctx context.Context, source upstream.Source, until time.Time) ([]upstream.Row, error) {
	origins, err := source.Origins(ctx)
	if err != nil {
		return nil, err
	}
	var rows []upstream.Row
	for _, origin := range origins {
		answer, err := source.Fares(ctx, origin, time.Time{}, until)
		if err != nil {
			return nil, err
		}
		for _, f := range answer.Fares {
			rows = append(rows, upstream.Row{
				Origin: string(f.Route.Origin), Destination: string(f.Route.Destination),
				Depart: f.Depart, Found: time.Unix(f.Found, 0).UTC(),
				Price: float64(f.Price) / 100, Currency: f.Currency.String(),
				Return: f.Return(), Stops: f.Stops, DayOnly: f.DayOnly,
			})
		}
	}
	return rows, nil
}

// Package localcloud creates the AWS resources that Lambda executables need besides the table: an
// identity to send mail from, queues, and secrets in the Parameter Store. The resources are in a
// local server that answers like AWS. Start reading at New.
package localcloud

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/runtime/config/parameters"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/upstreamtest"
)

const Region = "eu-south-1"

type Cloud struct {
	Queues             *sqs.Client
	Refreshes, Workers string // URLs of queues
	Environment        []string
}

// New uses the last value of a variable that environment sets twice.
func New(ctx context.Context, endpoint, service string, environment []string) (*Cloud, error) {
	settings := aws.Config{
		Region: Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	c := &Cloud{Queues: sqs.NewFromConfig(settings)}
	if _, err := sesv2.NewFromConfig(settings).CreateEmailIdentity(ctx,
		&sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("verdetto.example")}); err != nil {
		return nil, fmt.Errorf("make identity: %w", err)
	}
	for name, url := range map[string]*string{"refreshes": &c.Refreshes, "workers": &c.Workers} {
		out, err := c.Queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(name)})
		if err != nil {
			return nil, fmt.Errorf("make queue: %w", err)
		}
		*url = aws.ToString(out.QueueUrl)
	}
	c.Environment = []string{
		"AWS_ENDPOINT_URL_SESV2=" + endpoint, "AWS_ENDPOINT_URL_SQS=" + endpoint, "AWS_ENDPOINT_URL_SSM=" + endpoint,
		"VERDETTO_QUEUE_URL=" + c.Refreshes, "VERDETTO_WORK_QUEUE_URL=" + c.Workers,
	}
	given := map[string]string{}
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		given[name] = value
	}
	store := ssm.NewFromConfig(settings)
	for _, p := range parameters.Table {
		value, ok := given[p.Variable]
		if !ok {
			continue
		}
		if _, err := store.PutParameter(ctx, &ssm.PutParameterInput{
			Overwrite: aws.Bool(true), Name: aws.String(p.Path(service)), Value: aws.String(value),
			Type: types.ParameterTypeSecureString,
		}); err != nil {
			return nil, fmt.Errorf("put parameter %s: %w", p.Path(service), err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		if i := slices.IndexFunc(parameters.Table, func(p parameters.Parameter) bool { return p.Variable == name }); i >= 0 {
			value = "ssm:" + parameters.Table[i].Path(service)
		}
		c.Environment = append(c.Environment, name+"="+value)
	}
	return c, nil
}

type Setup struct {
	Source upstream.Source
	Fill   upstream.Source // fills the table; if nil, Source does
	Now    func() time.Time
	Log    *slog.Logger
	// If LocalURL is empty, the stand-in for Stripe sends no events.
	LocalURL    string
	CreateTable func(ctx context.Context, client *dynamodb.Client, name string) error
}

// Seed creates a table and starts stand-ins, which done stops.
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
	// The service requests fares in the currency of the origin's country.
	standIn.Rates = ecb.Table().RatesOn
	environment = []string{
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
	for _, v := range os.Environ() { // the operator's own values come last, so they take precedence
		if strings.HasPrefix(v, "VERDETTO_") || strings.HasPrefix(v, "TRAVELPAYOUTS_") {
			environment = append(environment, v)
		}
	}
	return environment, func() {
		standIn.Close()
		money.Close()
	}, nil
}

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

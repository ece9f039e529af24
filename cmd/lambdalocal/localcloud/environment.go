package onemachine

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"time"

	"verdetto/shared/pay/playmoney"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/upstreamtest"
)

// SeedEnvironment makes a table in a DynamoDB Local, fills it from the source if
// asked to, starts a stand-in for the real source that has the same fares and those
// for money, and gives the environment in which a Lambda executable finds them. Of
// the options it needs the source, the clock and the log; with LocalURL the
// stand-in for Stripe reports to it.
func (o Options) SeedEnvironment(ctx context.Context, endpoint string, fill bool) (environment []string, done func(), err error) {
	name := "invoke-" + rand.Text()
	client := dynamolocal.Client(endpoint)
	create := o.CreateTable
	if create == nil {
		create = dynamostore.Create
	}
	if err := create(ctx, client, name); err != nil {
		return nil, nil, err
	}
	if fill {
		filling := o
		filling.Table = dynamostore.New(client, name, o.Now)
		if o.Fill != nil {
			filling.Source = o.Fill
		}
		if _, err := filling.Refresh(ctx, nil); err != nil {
			return nil, nil, err
		}
	}
	rows, err := Rows(ctx, o.Source, o.Now())
	if err != nil {
		return nil, nil, err
	}
	money, err := startStandIns(o.Now, o.LocalURL)
	if err != nil {
		return nil, nil, err
	}
	standIn := upstreamtest.New(rows, o.Now)
	standIn.Rates = ecb.Table().On // it is asked in the currency of each origin's country, whatever the rows are in
	environment = []string{
		"VERDETTO_TABLE=" + name, "VERDETTO_FARES_SHOWN=all", // the fares are the source's, which is no real one
		"VERDETTO_ORIGIN_SECRETS=local-origin-secret",
		"VERDETTO_PEPPER=local-pepper-that-is-32-bytes-long",
		"VERDETTO_BASE_URL=https://verdetto.example", "VERDETTO_MAIL_FROM=Verdetto <mail@verdetto.example>",
		"STRIPE_KEY=" + playmoney.TestKey, "STRIPE_PRICE=" + playmoney.TestPrice, "STRIPE_WEBHOOK_SECRETS=" + playmoney.TestSecret,
		"STRIPE_URL=" + money.StripeURL, "SOLANA_NODES=" + money.NodeURL, "X402_FEE_KEY=off", "SOLANA_WALLET=" + StandInWallet,
		"TRAVELPAYOUTS_TOKEN=" + standIn.Token,
		"TRAVELPAYOUTS_URL=" + standIn.URL,
		"VERDETTO_NOW=" + o.Now().UTC().Format(time.RFC3339),
		"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
	}
	for _, v := range os.Environ() { // what the caller sets goes before
		if strings.HasPrefix(v, "VERDETTO_") || strings.HasPrefix(v, "TRAVELPAYOUTS_") {
			environment = append(environment, v)
		}
	}
	return environment, func() {
		standIn.Close()
		money.close()
	}, nil
}

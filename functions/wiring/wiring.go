// Package wiring builds what every Lambda executable needs: settings, table, clock and log. The
// packages below build what only some executables need, so that each executable links only its own
// dependencies.
package wiring

import (
	"context"
	"log"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/shared/runtime/awscall"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/config/ssmparams"
	"verdetto/shared/runtime/lambdalog"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
)

type Parts struct {
	AWS     aws.Config
	Table   store.Table
	Now     func() time.Time
	Log     *slog.Logger
	Metrics metrics.Source
}

// Load ends the process if the settings are wrong. groups are pointers to structs of package config.
func Load(groups ...any) Parts {
	var table config.Store
	var clock config.Clock
	log := lambdalog.New()
	settings, err := awsconfig.LoadDefaultConfig(context.Background(), awsconfig.WithLogger(awscall.Log(log)))
	Must(err)
	Must(config.LoadWith(ssmparams.NewReader(settings), append([]any{&table, &clock}, groups...)...))
	now := clock.Now()
	return Parts{
		AWS: settings, Table: dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now),
		Now: now, Log: log, Metrics: metrics.NewSource(lambdacontext.FunctionName),
	}
}

// CheckPepper ends the process if the table has the mark of another pepper.
func (p Parts) CheckPepper(pepper []byte) {
	Must(store.CheckPepper(context.Background(), p.Table, pepper))
}

// Must ends the process if err is not nil.
func Must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

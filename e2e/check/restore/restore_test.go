// Package restore makes the calls by which docs/aws.md restores a table. Other tests make backups
// of a service under load, kill a service, or fill its disk.
package restore

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail/sesmail/motolocal"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/schema"
	"verdetto/shared/store/storetest"
)

// moto, a local imitation of AWS, restores the current state of the table, not a past state.
func TestRestoreTable(t *testing.T) {
	ctx := t.Context()
	client := dynamodb.New(dynamodb.Options{
		Region: motolocal.Region, BaseEndpoint: aws.String(motolocal.Endpoint(t)), Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	const name, restored = "verdetto", "verdetto-2026-11-20"
	storetest.Must(t, dynamostore.Create(ctx, client, name))
	on := &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}
	if _, err := client.UpdateContinuousBackups(
		ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: aws.String(name), PointInTimeRecoverySpecification: on},
	); err != nil {
		t.Fatal(err)
	}
	first := dynamostore.New(client, name, time.Now)
	put := func(table *dynamostore.Store, sort string) {
		t.Helper()
		storetest.Must(
			t, table.Write(
				ctx, store.Op{Item: store.Item{Key: store.Key{Partition: "P", Sort: sort}, Data: []byte(sort)}},
			),
		)
	}
	held := func(table *dynamostore.Store) (sorts []string) {
		t.Helper()
		items, err := table.Query(ctx, store.Range{Partition: "P", Limit: 100})
		storetest.Must(t, err)
		for _, i := range items {
			sorts = append(sorts, i.Key.Sort+"="+string(i.Data))
		}
		return sorts
	}
	put(first, "a")
	put(first, "b")

	if _, err := client.RestoreTableToPointInTime(ctx, &dynamodb.RestoreTableToPointInTimeInput{
		SourceTableName: aws.String(name), TargetTableName: aws.String(restored), UseLatestRestorableTime: aws.Bool(true),
	}); err != nil {
		t.Fatal(err)
	}
	storetest.Must(t, dynamodb.NewTableExistsWaiter(client).Wait(
		ctx, &dynamodb.DescribeTableInput{TableName: aws.String(restored)}, time.Minute,
	))
	put(first, "c")
	second := dynamostore.New(client, restored, time.Now)
	if diff := cmp.Diff([]string{"a=a", "b=b"}, held(second)); diff != "" {
		t.Errorf("the restored table: %s", diff)
	}

	// A restored table has no TTL, no point-in-time recovery and no deletion protection.
	if _, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: aws.String(restored),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			Enabled: aws.Bool(true), AttributeName: aws.String(schema.Expires),
		}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.UpdateContinuousBackups(
		ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName: aws.String(restored), PointInTimeRecoverySpecification: on,
		},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := client.UpdateTable(
		ctx, &dynamodb.UpdateTableInput{TableName: aws.String(restored), DeletionProtectionEnabled: aws.Bool(true)},
	); err != nil {
		t.Fatal(err)
	}
	describe := func(name string) *types.TableDescription {
		t.Helper()
		out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		storetest.Must(t, err)
		return out.Table
	}
	was, is := describe(name), describe(restored)
	if len(was.KeySchema) != 2 || len(is.KeySchema) != 2 ||
		*was.KeySchema[0].AttributeName != *is.KeySchema[0].AttributeName ||
		*was.KeySchema[1].AttributeName != *is.KeySchema[1].AttributeName {
		t.Errorf("other keys: %v, %v", was.KeySchema, is.KeySchema)
	}
	put(second, "d")
	if diff := cmp.Diff([]string{"a=a", "b=b", "d=d"}, held(second)); diff != "" {
		t.Errorf("after it was written to: %s", diff)
	}
	if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(restored)}); err == nil {
		t.Error("a protected table was deleted")
	}
	expiry, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(restored)})
	if err != nil || aws.ToString(expiry.TimeToLiveDescription.AttributeName) != schema.Expires {
		t.Errorf("nothing expires: %v %v", expiry, err)
	}
}

package onemachine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore"
)

// Copy fails if a service has the file of either store open, but cannot tell whether a service
// uses a DynamoDB table.
func Copy(ctx context.Context, fromName, toName string, progress func(items int, doing string)) (items int, err error) {
	if fromName == toName {
		return 0, errors.New("copy: -from and -to are the same store")
	}
	var from store.Whole
	if file, ok := strings.CutPrefix(fromName, "bolt:"); ok {
		from, _, err = boltstore.Read(file, time.Now)
	} else {
		from, err = openPermanent(ctx, fromName, time.Now)
	}
	if err != nil {
		return 0, stopFirst(err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if table, ok := strings.CutPrefix(toName, "dynamodb:"); ok {
		client, err := dynamoClient(ctx)
		if err == nil {
			err = dynamostore.Create(ctx, client, table)
		}
		if err != nil {
			return 0, err
		}
	}
	to, err := openPermanent(ctx, toName, time.Now)
	if err != nil {
		return 0, stopFirst(err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	items, err = store.Copy{From: from, To: to, Name: fromName, Progress: progress}.Run(ctx)
	if err != nil {
		err = fmt.Errorf("copy %s to %s: %w", fromName, toName, err)
	}
	return items, err
}

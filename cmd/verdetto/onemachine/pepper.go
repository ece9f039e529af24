package onemachine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"

	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/config/ssmparams"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/socketstore"
)

func GivenPepper(ctx context.Context) ([]byte, error) {
	if os.Getenv("VERDETTO_PEPPER") == "" {
		return nil, nil
	}
	var secret config.Secret
	err := config.LoadWith(func(_ context.Context, names []string) (map[string]string, error) {
		settings, err := awsconfig.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, err
		}
		return ssmparams.NewReader(settings)(ctx, names)
	}, &secret)
	if err != nil {
		return nil, err
	}
	return secret.Key(), nil
}

// PepperInUse does not create a pepper: the service would refuse keys made with a new pepper.
func PepperInUse(ctx context.Context, table store.Table, name string, mark bool) ([]byte, error) {
	pepper, err := GivenPepper(ctx)
	if err == nil && pepper == nil {
		if pepper, err = store.StoredPepper(ctx, table); errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("-store %s holds no pepper, and VERDETTO_PEPPER is not set. Check the name, or set VERDETTO_PEPPER to what the service has", name)
		}
	}
	if err == nil {
		err = CheckPepper(ctx, table, pepper, mark)
	}
	return pepper, err
}

// Pepper returns VERDETTO_PEPPER or the pepper in the store, and creates a pepper for a new store. Pepper fails if the
// store has the mark of another pepper.
func Pepper(ctx context.Context, table store.Table) ([]byte, error) {
	pepper, err := GivenPepper(ctx)
	if err == nil && pepper == nil {
		pepper, err = pepperOfStore(ctx, table)
	}
	if err == nil {
		err = CheckPepper(ctx, table, pepper, true)
	}
	return pepper, err
}

func pepperOfStore(ctx context.Context, table store.Table) ([]byte, error) {
	pepper, err := store.StoredPepper(ctx, table)
	if !errors.Is(err, store.ErrNotFound) {
		return pepper, err
	}
	marked, err := store.HasPepperMark(ctx, table)
	if err != nil {
		return nil, err
	}
	if marked {
		return nil, errors.New("the store does not hold its pepper, because the service had it in VERDETTO_PEPPER: set VERDETTO_PEPPER to that again, or use verdetto pepper import with what was exported")
	}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	return store.Pepper(ctx, table, fresh)
}

// CheckPepper fails with store.ErrOtherPepper if the store has the mark of another pepper. If mark
// is true, a store without a mark gets one.
func CheckPepper(ctx context.Context, table store.Table, pepper []byte, mark bool) error {
	marked, err := store.HasPepperMark(ctx, table)
	if err != nil || !marked && !mark {
		return err
	}
	return store.CheckPepper(ctx, table, pepper)
}

// ReadStore does not change a store's file, so a backup stays intact.
func ReadStore(ctx context.Context, name string, now func() time.Time) (store.Table, error) {
	file, isFile := strings.CutPrefix(name, "bolt:")
	switch {
	case !isFile || file == "":
		return openPermanent(ctx, name, now)
	case served(ctx, file) != nil:
		return socketstore.Dial(socket(file)), nil //nolint:nilerr // the error says that a process serves the store
	}
	table, _, err := boltstore.Read(file, now)
	if err != nil {
		return nil, err
	}
	return table, nil
}

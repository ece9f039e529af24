package dynamostore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"verdetto/shared/store"
)

// translate adds ErrUnavailable to unknown errors, because the request may have taken effect.
func translate(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode() {
		case "ItemCollectionSizeLimitExceededException":
			return fmt.Errorf("%w: %w", store.ErrTooLarge, err)
		case "ValidationException":
			if strings.Contains(strings.ToLower(api.ErrorMessage()), "size") {
				return fmt.Errorf("%w: %w", store.ErrTooLarge, err)
			}
			return fmt.Errorf("%w: %w", store.ErrInvalid, err)
		}
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

func (t *Store) withRetryer(o *dynamodb.Options) { o.Retryer = t.retryer }

func withContention(r aws.Retryer) aws.Retryer {
	if v2, ok := r.(aws.RetryerV2); ok {
		return contentionRetryer{v2}
	}
	return r
}

type contentionRetryer struct{ aws.RetryerV2 }

func (r contentionRetryer) IsErrorRetryable(err error) bool {
	return r.RetryerV2.IsErrorRetryable(err) || contended(err)
}

// contended is false if a condition failed too, because the condition would fail again.
func contended(err error) bool {
	var conflict *types.TransactionConflictException
	var running *types.TransactionInProgressException
	if errors.As(err, &conflict) || errors.As(err, &running) {
		return true
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return false
	}
	passing := false
	for _, reason := range cancelled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "", "None":
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			passing = true
		default:
			return false
		}
	}
	return passing
}

package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"verdetto/shared/store"
)

// translate gives an error of the SDK the error of package store that it is.
// What may have taken effect all the same is ErrUnavailable.
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

// attempts learns whether any try of a request went unanswered, so that it may
// have taken effect all the same.
type attempts struct{ unsure bool }

// watch sits inside the SDK's retry loop.
func (a *attempts) watch(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions[:len(o.APIOptions):len(o.APIOptions)], func(s *middleware.Stack) error {
		return s.Finalize.Insert(middleware.FinalizeMiddlewareFunc("UnansweredTries",
			func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
				out, data, err := next.HandleFinalize(ctx, in)
				if err != nil && !refused(err) {
					a.unsure = true
				}
				return out, data, err
			}), "Retry", middleware.After)
	})
}

// refused tells whether the server answered that it did not carry a request out.
func refused(err error) bool {
	var response *smithyhttp.ResponseError
	return errors.As(err, &response) && response.HTTPStatusCode()/100 == 4
}

// withRetryer has the SDK also repeat what ran into a transaction of another.
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

// contended tells whether another transaction, or a throttle inside one, stood in
// the way and nothing else: a condition that failed fails again.
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

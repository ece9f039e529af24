package sesmail

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/runtime/awscall"
)

// safelyRetrying retries only requests that SES refused or that were never sent, so that no mail is
// sent twice.
func safelyRetrying(r aws.Retryer) aws.Retryer {
	v2, ok := r.(aws.RetryerV2)
	if !ok {
		v2 = retry.NewStandard()
	}
	return safeRetryer{v2}
}

type safeRetryer struct{ aws.RetryerV2 }

func (r safeRetryer) IsErrorRetryable(err error) bool {
	return (awscall.IsRefused(err) || awscall.IsUndialled(err)) && r.RetryerV2.IsErrorRetryable(err)
}

func wrapError(ctx context.Context, err error, tries *awscall.Tries, to string) error {
	text := mail.Redact(err.Error(), to)
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("send mail: %w: %w: %s", classify(ctx, err, tries), ended, text)
	}
	return fmt.Errorf("send mail: %w: %s", classify(ctx, err, tries), text)
}

func classify(ctx context.Context, err error, tries *awscall.Tries) error {
	var response *smithyhttp.ResponseError
	var api smithy.APIError
	switch {
	case tries.Ambiguous:
		return mail.ErrUnavailable
	case awscall.IsRefused(err) && errors.As(err, &response) && errors.As(err, &api):
		return classifyRefusal(response.HTTPStatusCode(), api.ErrorCode(), strings.ToLower(api.ErrorMessage()))
	case ctx.Err() != nil, awscall.IsUndialled(err):
		return mail.ErrThrottled
	}
	return mail.ErrBlocked
}

// An unknown refusal is ErrBlocked, so that the mail is not dropped.
func classifyRefusal(status int, code, text string) error {
	_, throttled := retry.DefaultThrottleErrorCodes[code]
	switch {
	case throttled, status == http.StatusTooManyRequests:
		return mail.ErrThrottled
	case code == "MessageRejected" && !strings.Contains(text, "not verified"):
		// A text with "not verified" leads to ErrBlocked below, because the operator must verify an
		// identity at SES.
		return mail.ErrRefused
	case code == "BadRequestException" && !strings.Contains(text, "configuration set"):
		return mail.ErrRefused
	}
	return mail.ErrBlocked
}

package sesmail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"verdetto/shared/carrier/mail"
)

// attempts learns whether any try of a request went over the network and was not
// answered by a refusal, so that it may have taken effect all the same.
type attempts struct{ sent, ambiguous bool }

// observe sits inside the SDK's retry loop, around the signing of a request and,
// a second time, between the signed request and the HTTP client.
func (a *attempts) observe(o *sesv2.Options) {
	each := middleware.FinalizeMiddlewareFunc("UnansweredTries",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			a.sent = false
			out, data, err := next.HandleFinalize(ctx, in)
			if err != nil && a.sent && !refused(err) && !undialled(err) {
				a.ambiguous = true
			}
			return out, data, err
		})
	last := middleware.DeserializeMiddlewareFunc("RequestHandedOver",
		func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			a.sent = true
			return next.HandleDeserialize(ctx, in)
		})
	o.APIOptions = append(o.APIOptions[:len(o.APIOptions):len(o.APIOptions)], func(s *middleware.Stack) error {
		return errors.Join(s.Finalize.Insert(each, "Retry", middleware.After), s.Deserialize.Add(last, middleware.After))
	})
}

// safelyRetrying tries again what a retryer would, if it certainly was not sent.
func safelyRetrying(r aws.Retryer) aws.Retryer {
	v2, ok := r.(aws.RetryerV2)
	if !ok {
		v2 = retry.NewStandard()
	}
	return safeRetryer{v2}
}

type safeRetryer struct{ aws.RetryerV2 }

func (r safeRetryer) IsErrorRetryable(err error) bool {
	return (refused(err) || undialled(err)) && r.RetryerV2.IsErrorRetryable(err)
}

// refused tells whether SES answered that it did not carry a request out.
func refused(err error) bool {
	var response *smithyhttp.ResponseError
	return errors.As(err, &response) && response.Response != nil && response.HTTPStatusCode()/100 == 4 &&
		response.HTTPStatusCode() != http.StatusRequestTimeout
}

// undialled tells whether there was no connection that a request could have gone over.
func undialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// wrapError wraps an error of the SDK with the one of package mail that it means. What is not known
// to have failed cleanly is ErrUnavailable. Of the SDK's error only the text is
// kept, without the recipient: SES repeats addresses in its messages.
func wrapError(ctx context.Context, err error, tries *attempts, to string) error {
	text := mail.Redact(err.Error(), to)
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("send mail: %w: %w: %s", classify(ctx, err, tries), ended, text)
	}
	return fmt.Errorf("send mail: %w: %s", classify(ctx, err, tries), text)
}

func classify(ctx context.Context, err error, tries *attempts) error {
	var response *smithyhttp.ResponseError
	var api smithy.APIError
	switch {
	case tries.ambiguous:
		return mail.ErrUnavailable
	case refused(err) && errors.As(err, &response) && errors.As(err, &api):
		return classifyRefusal(response.HTTPStatusCode(), api.ErrorCode(), strings.ToLower(api.ErrorMessage()))
	case ctx.Err() != nil, undialled(err):
		return mail.ErrThrottled
	}
	return mail.ErrBlocked // no credentials, no region, or an answer that is not of SES
}

// classifyRefusal says what a refusal by SES means for the mail. In doubt it is the
// service's own fault: a mail is never given up because of a setting.
func classifyRefusal(status int, code, text string) error {
	_, throttled := retry.DefaultThrottleErrorCodes[code]
	switch {
	case throttled, status == http.StatusTooManyRequests:
		return mail.ErrThrottled
	case code == "MessageRejected" && !strings.Contains(text, "not verified"):
		// The same code says that an identity is not verified: ours, or, in an account
		// still in SES's sandbox, that of anybody who is written to.
		return mail.ErrRefused
	case code == "BadRequestException" && !strings.Contains(text, "configuration set"):
		return mail.ErrRefused
	}
	return mail.ErrBlocked // suspended, paused, not verified, not permitted, or not known
}

package httpapi

import (
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// The text of a fault continues the name of the field: "email is missing".
func init() {
	huma.DefaultArrayNullable = false // schemas do not allow null in place of a list
	huma.NewError = problemOfHuma
	validation.MsgExpectedRequiredProperty = "%s" + missingField
	validation.MsgUnexpectedProperty = "is not a field of this request"
	validation.MsgExpectedObject = "is not an object"
	validation.MsgExpectedString = "is not a string"
	validation.MsgExpectedMinLength = "is shorter than %d characters"
	validation.MsgExpectedMaxLength = "is longer than %d characters"
	validation.MsgExpectedOneOf = `is not one of "%s"`
	validation.MsgExpectedBePattern = "is not %s"
	validation.MsgExpectedMatchPattern = "is not of the pattern %s"
}

const missingField = " is missing"

// problemOfHuma turns statuses without a type of problem, such as 413, 415 and 422, into 400.
func problemOfHuma(status int, msg string, errs ...error) huma.StatusError {
	if t, ok := byStatus[status]; ok {
		return t.Problem("Something went wrong on our side. Call again in a minute.")
	}
	var faults []Fault
	for _, err := range errs {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			faults = append(faults, faultOf(detail))
		}
	}
	if len(faults) > 0 {
		return Invalid(faults...)
	}
	return BadRequest.Problem(msg + ".")
}

// For a missing field, Huma's location is the object that should contain the field.
func faultOf(detail *huma.ErrorDetail) Fault {
	in, name, _ := strings.Cut(detail.Location, ".")
	if field, ok := strings.CutSuffix(detail.Message, missingField); ok {
		return Fault{strings.TrimPrefix(name+"."+field, "."), strings.TrimSpace(missingField)}
	}
	if name == "" {
		name = in
	}
	if kind, ok := strings.CutPrefix(detail.Message, "unknown content type: "); ok {
		return Fault{"Content-Type", "is " + kind + sendJSON}
	}
	if detail.Message == "invalid boolean" {
		return Fault{name, "is neither yes nor no: send true or false"}
	}
	if !strings.HasPrefix(detail.Message, "is ") { // the message is not ours: Huma could not parse the value
		return Fault{name, "cannot be read: " + detail.Message}
	}
	return Fault{name, detail.Message}
}

package compat

import (
	"net/http"

	"verdetto/shared/web/httpapi"
)

type kind struct {
	Code  int    `json:"code"`
	Title string `json:"title"`
}

var (
	invalidDate      = kind{425, "INVALID DATE"}
	invalidFormat    = kind{477, "INVALID FORMAT"}
	invalidOption    = kind{572, "INVALID OPTION"}
	notTogether      = kind{2668, "PARAMETER COMBINATION INVALID/RESTRICTED"}
	invalidData      = kind{4926, "INVALID DATA RECEIVED"}
	noData           = kind{6003, "ITEM/DATA NOT FOUND OR DATA NOT EXISTING"}
	missing          = kind{32171, "MANDATORY DATA MISSING"}
	systemError      = kind{141, "SYSTEM ERROR HAS OCCURRED"}
	invalidClient    = kind{38187, "Invalid parameters"}
	internalError    = kind{38189, "Internal error"}
	invalidToken     = kind{38190, "Invalid access token"}
	invalidHeader    = kind{38191, "Invalid HTTP header"}
	tokenExpired     = kind{38192, "Access token expired"}
	tokenRevoked     = kind{38193, "Access token revoked"}
	tooManyRequests  = kind{38194, "Too many requests"}
	notFound         = kind{38196, "Resource not found"}
	credentialsEnded = kind{39683, "API key revoked"}
)

var kinds = map[string]kind{
	httpapi.BadRequest.Code:   invalidFormat,
	httpapi.Forbidden.Code:    invalidHeader,
	httpapi.WrongMethod.Code:  notFound,
	httpapi.TooMany.Code:      tooManyRequests,
	httpapi.NoToken.Code:      invalidHeader,
	httpapi.BadToken.Code:     invalidToken,
	httpapi.BadKey.Code:       invalidToken,
	httpapi.TokenEnded.Code:   tokenExpired,
	httpapi.TokenRevoked.Code: tokenRevoked,
	httpapi.PlanEnded.Code:    credentialsEnded,
}

// A fault that is a warning has no status.
type fault struct {
	Status int `json:"status,omitempty"`
	kind
	Detail string  `json:"detail,omitempty"`
	Source *source `json:"source,omitempty"`
}

type source struct {
	Parameter string `json:"parameter"`
}

type refusal struct{ fault }

func (r *refusal) Error() string { return r.Detail }

// All faults must have the same status.
func writeErrors(w http.ResponseWriter, r *http.Request, faults ...fault) {
	write(w, r, faults[0].Status, mediaType, struct {
		Errors []fault `json:"errors"`
	}{faults})
}

func writeProblem(w http.ResponseWriter, r *http.Request, p *httpapi.Problem) {
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	k, ok := kinds[p.Code]
	if !ok {
		k = systemError
	}
	writeErrors(w, r, fault{Status: p.Status, kind: k, Detail: p.Detail})
}

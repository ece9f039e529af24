package reference

import (
	"context"
	_ "embed"

	"verdetto/shared/web/httpapi"
)

// description is the OpenAPI description of the whole service, not only of this function. `go
// test ./e2e/openapi -run TestOpenAPI -update` generates it from the handlers of all functions.
//
//go:embed openapi.json
var description []byte

type cachedInput struct {
	IfNoneMatch string `header:"If-None-Match"`
}

func registerOpenAPI(api *httpapi.API) {
	httpapi.JSON(api, "openapi", httpapi.JSONDoc{
		Summary: "The API in OpenAPI 3.1",
		Description: "Returns this description: every path, parameter, header, status and problem code, " +
			"with real answers as examples.",
		Answer: map[string]any{},
	}, nil, func(_ context.Context, in *cachedInput) (*httpapi.Tagged, error) {
		return httpapi.Tag(in.IfNoneMatch, "application/json", description), nil
	})
}

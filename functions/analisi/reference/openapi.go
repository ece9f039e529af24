package reference

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"verdetto/shared/web/httpapi"
)

// description also covers endpoints of other functions. `go test ./e2e/openapi -run TestOpenAPI
// -update` generates the file.
//
//go:embed openapi.json
var description []byte

var published = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, description)
	return b.Bytes(), err
})

type cachedInput struct {
	IfNoneMatch string `header:"If-None-Match"`
}

func registerOpenAPI(api *httpapi.API) {
	httpapi.JSON(api, "openapi", httpapi.JSONDoc{
		Summary: "The API in OpenAPI 3.1",
		Description: "Returns this description: the endpoints of the API with their parameters, headers, " +
			"statuses and problem codes, and with answers as examples, their lists shortened.",
		Answer: map[string]any{},
	}, nil, func(_ context.Context, in *cachedInput) (*httpapi.Tagged, error) {
		data, err := published()
		if err != nil {
			return nil, fmt.Errorf("write description: %w", err)
		}
		return httpapi.Tag(in.IfNoneMatch, "application/json", data), nil
	})
}

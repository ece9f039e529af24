package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type Tagged struct {
	Status      int
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Vary        string `header:"Vary"`
	Body        []byte
}

func Tag(ifNoneMatch, contentType string, body []byte) *Tagged {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	out := &Tagged{Status: http.StatusOK, ContentType: contentType, ETag: tag, Vary: varyByKey, Body: body}
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == tag { // * is ignored, because it names no answer
			out.Status, out.Body = http.StatusNotModified, nil
		}
	}
	return out
}

func TagJSON(ctx context.Context, ifNoneMatch string, document any, err error) (*Tagged, error) {
	if err != nil {
		return nil, err
	}
	if document, err = written(ctx, document); err != nil {
		return nil, fmt.Errorf("shorten answer: %w", err)
	}
	body, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return Tag(ifNoneMatch, "application/json", body), nil
}

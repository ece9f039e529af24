package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Tagged is an answer whose bytes the handler has written itself, under a tag that changes with them.
type Tagged struct {
	Status      int
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Vary        string `header:"Vary"`
	Body        []byte
}

// Tag answers with a body, or with 304 where the caller has it already.
func Tag(ifNoneMatch, contentType string, body []byte) *Tagged {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	out := &Tagged{Status: http.StatusOK, ContentType: contentType, ETag: tag, Vary: varyByKey, Body: body}
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == tag { // and not *: whoever sends that has shown no answer to be told that it still holds
			out.Status, out.Body = http.StatusNotModified, nil
		}
	}
	return out
}

// TagJSON answers with a document as JSON, unless making it failed.
func TagJSON(ifNoneMatch string, document any, err error) (*Tagged, error) {
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return Tag(ifNoneMatch, "application/json", body), nil
}

package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Tagged is an answer encoded by the handler, with an ETag of its content.
type Tagged struct {
	Status      int
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Vary        string `header:"Vary"`
	Body        []byte
}

// Tag returns a 200 with the body, or a 304 if the caller's ETag matches.
func Tag(ifNoneMatch, contentType string, body []byte) *Tagged {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	out := &Tagged{Status: http.StatusOK, ContentType: contentType, ETag: tag, Vary: varyByKey, Body: body}
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == tag { // not *, which means no certain answer
			out.Status, out.Body = http.StatusNotModified, nil
		}
	}
	return out
}

// TagJSON returns the document as tagged JSON, or err if it is not nil.
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

package solanapay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"verdetto/shared/pay"
)

const maxBody = 4 << 20 // bytes

const newestVersion = 1

// unsupportedVersion is the JSON-RPC error code for a transaction version that the caller does not
// accept.
const unsupportedVersion = -32015

type node struct {
	address string
	host    string // shown in errors instead of the address, which can contain a secret
	client  *http.Client
}

// transaction returns nil if the node has no final transaction with this signature.
func (n *node) transaction(ctx context.Context, signature pay.Signature) (json.RawMessage, error) {
	// In base64, the transaction does not depend on the node's parsers.
	return n.call(ctx, "getTransaction", signature.String(), map[string]any{
		"encoding": "base64", "commitment": "finalized", "maxSupportedTransactionVersion": newestVersion,
	})
}

type status struct {
	Confirmations      *uint64         `json:"confirmations"`
	ConfirmationStatus string          `json:"confirmationStatus"`
	Err                json.RawMessage `json:"err"`
}

// Old nodes send no ConfirmationStatus, but null confirmations for a final transaction.
func (s *status) final() bool {
	return s.ConfirmationStatus == "finalized" || s.ConfirmationStatus == "" && s.Confirmations == nil
}

// status returns nil if the node does not know the transaction.
func (n *node) status(ctx context.Context, signature pay.Signature) (*status, error) {
	body, err := n.call(ctx, "getSignatureStatuses", []string{signature.String()},
		map[string]any{"searchTransactionHistory": true})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value []*status `json:"value"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Value) != 1 {
		return nil, fmt.Errorf("%w: the statuses are not one", pay.ErrUnavailable)
	}
	return answer.Value[0], nil
}

func (n *node) signaturesFor(ctx context.Context, account string, most int) ([]pay.Signature, error) {
	body, err := n.call(ctx, "getSignaturesForAddress", account,
		map[string]any{"commitment": "confirmed", "limit": most})
	if err != nil {
		return nil, err
	}
	var answer []struct {
		Signature string          `json:"signature"`
		Err       json.RawMessage `json:"err"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer) > most {
		return nil, fmt.Errorf("%w: the transactions cannot be read", pay.ErrUnavailable)
	}
	var found []pay.Signature
	for _, a := range answer {
		if len(a.Err) > 0 && !bytes.Equal(a.Err, []byte("null")) {
			continue
		}
		signature, err := pay.ParseSignature(a.Signature)
		if err != nil {
			return nil, fmt.Errorf("%w: a transaction has no signature", pay.ErrUnavailable)
		}
		found = append(found, signature)
	}
	return found, nil
}

// call returns nil if the result is null.
func (n *node) call(ctx context.Context, method string, params ...any) (json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", method, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: the address is bad", pay.ErrRefused, method)
	}
	request.Header.Set("Content-Type", "application/json")
	// The empty header is not sent, but lets net/http retry if an idle connection was closed.
	request.Header["X-Idempotency-Key"] = []string{}
	response, err := n.client.Do(request)
	if err != nil {
		return nil, unavailable(ctx, method, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, unavailable(ctx, method, err)
	}
	return result(method, response.StatusCode, text)
}

type nodeError struct {
	Code    int
	Message string
	Data    struct{ Err json.RawMessage }
}

func (e *nodeError) Error() string { return fmt.Sprintf("node's error %d: %.200q", e.Code, e.Message) }

func result(method string, code int, text []byte) (json.RawMessage, error) {
	if len(text) > maxBody {
		return nil, fmt.Errorf("%w: %s: the answer is longer than %d bytes", pay.ErrUnavailable, method, maxBody)
	}
	var answer struct {
		Result json.RawMessage
		Error  *nodeError
	}
	err := json.Unmarshal(text, &answer)
	switch {
	case err == nil && answer.Error != nil && answer.Error.Code == unsupportedVersion:
		return nil, fmt.Errorf("%w: %s: %w", pay.ErrUnknownVersion, method, answer.Error)
	case err == nil && answer.Error != nil:
		return nil, fmt.Errorf("%w: %s: %w", pay.ErrUnavailable, method, answer.Error)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return nil, fmt.Errorf("%w: %s: status %d", pay.ErrRefused, method, code)
	case code != http.StatusOK:
		return nil, fmt.Errorf("%w: %s: status %d", pay.ErrUnavailable, method, code)
	case err != nil || answer.Result == nil:
		return nil, fmt.Errorf("%w: %s: the answer is not JSON-RPC", pay.ErrUnavailable, method)
	case bytes.Equal(answer.Result, []byte("null")):
		return nil, nil
	}
	return answer.Result, nil
}

// unavailable omits the HTTP client's text, which quotes the node's address and perhaps a secret.
func unavailable(ctx context.Context, method string, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%s: %w", method, context.Canceled)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %s: no answer in time", pay.ErrUnavailable, method)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %s: the connection broke", pay.ErrUnavailable, method)
	}
	return fmt.Errorf("%w: %s: the network failed", pay.ErrUnavailable, method)
}

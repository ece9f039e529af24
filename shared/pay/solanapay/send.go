package solanapay

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/pay"
	"verdetto/shared/runtime/retry"
)

var _ pay.Settler = (*Chain)(nil)

const pollEvery = 500 * time.Millisecond

// preflightFailed is the JSON-RPC error code of a failed simulation.
const preflightFailed = -32002

func (c *Chain) Settle(ctx context.Context, s pay.Signed) (pay.Outcome, error) {
	sent := c.send(ctx, s.Wire)
	if errors.Is(sent, pay.ErrRefusedTransaction) {
		// A node also refuses a transaction that already took effect or expired.
		outcome, err := c.Outcome(ctx, s.Signature, s.Until)
		if errors.Is(err, pay.ErrNotFound) {
			return "", sent
		}
		if !errors.Is(err, pay.ErrNotFinal) {
			return outcome, err
		}
	}
	for {
		outcome, err := c.status(ctx, s.Signature)
		if err == nil {
			return outcome, nil
		}
		if sent != nil && !errors.Is(err, pay.ErrNotFinal) && !errors.Is(sent, pay.ErrRefusedTransaction) {
			return "", sent // the transaction may still have arrived
		}
		if retry.Sleep(ctx, c.poll) != nil {
			return "", fmt.Errorf("wait for transaction %s: %w", s.Signature, err)
		}
	}
}

// send asks no other node after ErrRefusedTransaction. It replaces this error by ErrUnavailable if an
// earlier node may have passed the transaction on.
func (c *Chain) send(ctx context.Context, wire []byte) error {
	unsure := false
	_, err := ask(ctx, c, func(ctx context.Context, n *node) (struct{}, error) {
		_, err := n.call(ctx, "sendTransaction", base64.StdEncoding.EncodeToString(wire),
			map[string]any{"encoding": "base64", "preflightCommitment": "confirmed"})
		var reply *nodeError
		if errors.As(err, &reply) && reply.Code == preflightFailed {
			err = fmt.Errorf("%w: %.200q", pay.ErrRefusedTransaction, reply.Message)
			if reply.insufficient() {
				err = fmt.Errorf("%w: %w", pay.ErrInsufficientFunds, err)
			}
		}
		unsure = unsure || errors.Is(err, pay.ErrUnavailable) && reply == nil
		return struct{}{}, err
	}, pay.ErrRefusedTransaction)
	switch {
	case err != nil && unsure && errors.Is(err, pay.ErrRefusedTransaction):
		//nolint:errorlint // not wrapped: it is unknown whether the transaction was refused
		return fmt.Errorf("send transaction: %w: the node before may have passed it on; then %v", pay.ErrUnavailable,
			err)
	case err != nil:
		return fmt.Errorf("send transaction: %w", err)
	}
	return nil
}

// Error 1 of the token program means insufficient funds.
func (e *nodeError) insufficient() bool {
	var failed struct{ InstructionError []json.RawMessage }
	var custom struct{ Custom *int }
	return json.Unmarshal(e.Data.Err, &failed) == nil && len(failed.InstructionError) == 2 &&
		json.Unmarshal(failed.InstructionError[1], &custom) == nil && custom.Custom != nil && *custom.Custom == 1
}

func (c *Chain) Outcome(ctx context.Context, signature pay.Signature, until uint64) (pay.Outcome, error) {
	outcome, err := c.status(ctx, signature)
	if !errors.Is(err, pay.ErrNotFound) {
		return outcome, err
	}
	// A node whose finalized height is above until is assumed to store the earlier blocks: if such a
	// node does not know the transaction, no block contains it.
	return ask(ctx, c, func(ctx context.Context, n *node) (pay.Outcome, error) {
		height, err := n.height(ctx, "finalized")
		if err != nil {
			return "", err
		}
		if height <= until {
			return "", pay.ErrNotFound
		}
		body, err := n.transaction(ctx, signature)
		switch {
		case err != nil:
			return "", err
		case body == nil:
			return pay.TooLate, nil
		}
		return outcomeOf(body)
	}, nil)
}

func outcomeOf(body []byte) (pay.Outcome, error) {
	var rec record
	if err := json.Unmarshal(body, &rec); err != nil || rec.Meta == nil || rec.Meta.Err == nil {
		return "", unreadable("its outcome is missing")
	}
	if !bytes.Equal(rec.Meta.Err, []byte("null")) {
		return pay.MovedNothing, nil
	}
	return pay.TookEffect, nil
}

func (c *Chain) status(ctx context.Context, signature pay.Signature) (pay.Outcome, error) {
	return ask(ctx, c, func(ctx context.Context, n *node) (pay.Outcome, error) {
		s, err := n.status(ctx, signature)
		switch {
		case err != nil:
			return "", err
		case s == nil:
			return "", pay.ErrNotFound
		case s.ConfirmationStatus == "processed", s.ConfirmationStatus == "" && !s.final():
			return "", pay.ErrNotFinal
		case len(s.Err) > 0 && !bytes.Equal(s.Err, []byte("null")):
			return pay.MovedNothing, nil
		}
		return pay.TookEffect, nil
	}, nil)
}

func (c *Chain) Height(ctx context.Context) (uint64, error) {
	return ask(ctx, c, func(ctx context.Context, n *node) (uint64, error) { return n.height(ctx, "processed") }, nil)
}

func (c *Chain) Balance(ctx context.Context, address string) (int64, error) {
	return ask(ctx, c, func(ctx context.Context, n *node) (int64, error) {
		body, err := n.call(ctx, "getBalance", address, map[string]any{"commitment": "confirmed"})
		if err != nil {
			return 0, err
		}
		var answer struct{ Value *int64 }
		if err := json.Unmarshal(body, &answer); err != nil || answer.Value == nil {
			return 0, fmt.Errorf("%w: the balance cannot be read", pay.ErrUnavailable)
		}
		return *answer.Value, nil
	}, nil)
}

func (n *node) height(ctx context.Context, commitment string) (uint64, error) {
	body, err := n.call(ctx, "getBlockHeight", map[string]any{"commitment": commitment})
	if err != nil {
		return 0, err
	}
	var height uint64
	if err := json.Unmarshal(body, &height); err != nil {
		return 0, fmt.Errorf("%w: the height cannot be read", pay.ErrUnavailable)
	}
	return height, nil
}

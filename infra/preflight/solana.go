package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// genesis holds the hash of the first block of each network, which identifies a node's network.
var genesis = map[string]string{
	"mainnet-beta": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
	"devnet":       "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
}

// tokenProgram is the Solana program that owns the token accounts of USDC.
const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

func (p *preflight) nodeList() ([]string, error) {
	list := p.secrets["solana-nodes"]
	if list == "" {
		return nil, errors.New("there is no " + p.config.parameter("solana-nodes"))
	}
	return strings.Split(list, ","), nil
}

// call never puts the node's address into an error, because the address may hold a key.
func (p *preflight) call(ctx context.Context, node, method string, result any, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method,
		"params": append([]any{}, params...)})
	if err != nil {
		return fmt.Errorf("write %s: %w", method, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, node, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address is bad")
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return errors.New("it cannot be reached")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers with status %d", response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	answer := struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}{}
	if err != nil || json.Unmarshal(data, &answer) != nil {
		return errors.New("its answer is malformed")
	}
	if answer.Error != nil {
		return fmt.Errorf("it refuses %s with error %d", method, answer.Error.Code)
	}
	if json.Unmarshal(answer.Result, result) != nil {
		return errors.New("its answer is malformed")
	}
	return nil
}

func host(node string) string {
	if u, err := url.Parse(node); err == nil && u.Host != "" {
		return u.Host
	}
	return "a node"
}

func (p *preflight) nodes(ctx context.Context) (faults []fault, err error) {
	nodes, err := p.nodeList()
	if err != nil {
		return nil, err
	}
	other := "put other addresses as " + p.config.parameter("solana-nodes")
	for _, node := range nodes {
		var hash string
		if err := p.call(ctx, node, "getGenesisHash", &hash); err != nil {
			faults = append(faults, fault{host(node) + ": " + err.Error(), "ask its provider, or " + other})
		} else if hash != genesis[p.config.SolanaNetwork] {
			faults = append(faults, fault{host(node) + " is a node of another network than " + p.config.SolanaNetwork,
				other})
		}
	}
	return faults, nil
}

func (p *preflight) wallet(ctx context.Context) ([]fault, error) {
	nodes, err := p.nodeList()
	if err != nil {
		return nil, err
	}
	var account struct {
		Value *struct {
			Owner string `json:"owner"`
		} `json:"value"`
	}
	var accounts struct {
		Value []json.RawMessage `json:"value"`
	}
	wallet := p.config.SolanaWallet
	for _, node := range nodes {
		if err = p.call(ctx, node, "getAccountInfo", &account, wallet,
			map[string]string{"encoding": "base64"}); err != nil {
			continue
		}
		if err = p.call(ctx, node, "getTokenAccountsByOwner", &accounts, wallet,
			map[string]string{"mint": p.config.SolanaMint}, map[string]string{"encoding": "base64"}); err != nil {
			continue
		}
		switch {
		case account.Value != nil && account.Value.Owner == tokenProgram:
			return []fault{{"solanaWallet is an account for tokens, not a wallet",
				"give the address of the wallet that owns it"}}, nil
		case len(accounts.Value) == 0:
			return []fault{{"the wallet has no account for the token " + p.config.SolanaMint,
				"send it any amount of that token once, which opens one"}}, nil
		}
		return nil, nil
	}
	return nil, fmt.Errorf("no node answers: the last says: %w", err)
}

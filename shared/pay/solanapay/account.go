package solanapay

import (
	"fmt"

	"github.com/gagliardetto/solana-go"
)

func TokenAccount(wallet, mint string) (string, error) {
	owner, err := solana.PublicKeyFromBase58(wallet)
	if err != nil {
		return "", fmt.Errorf("read wallet address %q: %w", wallet, err)
	}
	coin, err := solana.PublicKeyFromBase58(mint)
	if err != nil {
		return "", fmt.Errorf("read mint address %q: %w", mint, err)
	}
	account, _, err := solana.FindAssociatedTokenAddress(owner, coin)
	if err != nil {
		return "", fmt.Errorf("derive token account: %w", err)
	}
	return account.String(), nil
}

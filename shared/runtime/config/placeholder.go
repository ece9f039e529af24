package config

import (
	"slices"
	"strings"
)

// keyless lists published addresses that look like wallets, but whose payments are lost because
// nobody has a key. The first is the wallet of play money; documents of earlier versions showed
// both.
var keyless = []string{
	"GhTTiWm2vSPGCYdg23aoJKTosTgQcqyF1uWT7gXYTcs6",
	"9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
	"11111111111111111111111111111111", // the system program
}

// Placeholder says why a value cannot be what the operator means, or returns "". Documents show
// values to be replaced as YOUR-...
func Placeholder(value string) string {
	switch {
	case strings.Contains(value, "YOUR-"):
		return "still a placeholder of the documents; give your own value"
	case slices.Contains(keyless, value):
		return "nobody has its key, so payments to it would be lost; give the address of your own wallet"
	}
	return ""
}

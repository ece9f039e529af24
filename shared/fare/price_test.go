package fare

import (
	"strings"
	"testing"
)

func TestParsePrice(t *testing.T) {
	for _, tt := range []struct {
		text, in string
		cents    Cents
		currency string
	}{
		{"45", "EUR", 4500, "EUR"},
		{"0", "EUR", 0, "EUR"},
		{"120.500 BHD", "EUR", 12050, "BHD"},
		{"OMR 1,250", "EUR", 125, "OMR"},
		{"Mex$ 6,000", "EUR", 600000, "MXN"},
		{"45", "USD", 4500, "USD"},
		{"45.5", "EUR", 4550, "EUR"},
		{" 45,50 ", "EUR", 4550, "EUR"},
		{"45 €", "EUR", 4500, "EUR"},
		{"45\u00a0€", "USD", 4500, "EUR"},
		{"€45", "EUR", 4500, "EUR"},
		{"45 euro", "EUR", 4500, "EUR"},
		{"Euro 45,-", "EUR", 4500, "EUR"},
		{"45.– Fr.", "EUR", 4500, "CHF"},
		{"$50", "EUR", 5000, "USD"},
		{"$50", "CAD", 5000, "CAD"},
		{"US$ 50", "CAD", 5000, "USD"},
		{"50 dollars", "EUR", 5000, "USD"},
		{"50 USD", "EUR", 5000, "USD"},
		{"usd50.25", "EUR", 5025, "USD"},
		{"£50", "EUR", 5000, "GBP"},
		{"500 kr", "NOK", 50000, "NOK"},
		{"500 kr", "EUR", 50000, "SEK"},
		{"1.234,50", "EUR", 123450, "EUR"},
		{"1,234.50", "EUR", 123450, "EUR"},
		{"1.234,50 €", "EUR", 123450, "EUR"},
		{"1 234,50 €", "EUR", 123450, "EUR"},
		{"1\u202f234,50\u00a0€", "EUR", 123450, "EUR"},
		{"1’234.50 CHF", "EUR", 123450, "CHF"},
		{"1.234", "EUR", 123400, "EUR"},
		{"1,234", "EUR", 123400, "EUR"},
		{"1.234.567", "IDR", 123456700, "IDR"},
		{"999999999", "IDR", 99999999900, "IDR"},
		{"₹1,00,000", "EUR", 10000000, "INR"},
		{"12,34,567.50 INR", "EUR", 123456750, "INR"},
		{"5,000円", "EUR", 500000, "JPY"},
		{"CN¥500", "EUR", 50000, "CNY"},
		{"¥500", "CNY", 50000, "CNY"},
		{"19.99!", "EUR", 1999, "EUR"},
		{"from 19.99", "EUR", 1999, "EUR"},
		{"ab 19,99 €", "USD", 1999, "EUR"},
		{"à partir de 45 €", "USD", 4500, "EUR"},
		{"da 45", "EUR", 4500, "EUR"},
		{"desde 1.234,50 €", "EUR", 123450, "EUR"},
		{"nur £50 p.P.", "EUR", 5000, "GBP"},
		{"~45 USD per person", "EUR", 4500, "USD"},
		{"Rs. 1,500", "EUR", 150000, "INR"},
		{"45 fr.", "EUR", 4500, "CHF"},
		{"1'234.50", "CHF", 123450, "CHF"},
		{"CA$45", "EUR", 4500, "CAD"},
		{"A$45", "EUR", 4500, "AUD"},
		{"45 US dollars", "EUR", 4500, "USD"},
		{"U$S 45", "EUR", 4500, "USD"},
		{"300 reais", "EUR", 30000, "BRL"},
		{"199 złotych", "EUR", 19900, "PLN"},
		{"199zl", "EUR", 19900, "PLN"},
		{"2000 pesos", "CLP", 200000, "CLP"},
		{"200 dirhams", "EUR", 20000, "AED"},
		{"200 NIS", "EUR", 20000, "ILS"},
		{"50,000 won", "EUR", 5000000, "KRW"},
		{"R1,500", "EUR", 150000, "ZAR"},
		{"￥5,000", "EUR", 500000, "JPY"},
		{"４５", "EUR", 4500, "EUR"},
		{"Rs.5,000/-", "EUR", 500000, "INR"},
		{"from just €19.99!", "USD", 1999, "EUR"},
		{"as low as $45 per person", "EUR", 4500, "USD"},
		{"schon ab 19,99 € pro Person", "USD", 1999, "EUR"},
		{"max 45", "EUR", 4500, "EUR"},
		{"45 € par personne", "USD", 4500, "EUR"},
		{"prezzo: 45 euro a testa", "USD", 4500, "EUR"},
		{"£45 return", "EUR", 4500, "GBP"},
		{"45 EUR/pax", "USD", 4500, "EUR"},
		{"45.", "EUR", 4500, "EUR"},
		{"(45 €)", "USD", 4500, "EUR"},
		{"total: €45", "USD", 4500, "EUR"},
		{"fino a 45 €", "USD", 4500, "EUR"},
		{"CAD $45", "EUR", 4500, "CAD"},
		{"U.S.$45", "EUR", 4500, "USD"},
		{"45€ aller-retour", "USD", 4500, "EUR"},
	} {
		in, err := ParseCurrency(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ParsePrice(tt.text, in); !ok || got.Amount != tt.cents || got.Currency.String() != tt.currency {
			t.Errorf("ParsePrice(%q, %s) = %d %s, %t, want %d %s", tt.text, tt.in, got.Amount, got.Currency, ok,
				tt.cents, tt.currency)
		}
	}
	for _, text := range []string{"", "€", "abc", "-45", "€-45", "45-50", "45 50", "4.5.6", "1,234,50", "1.234.50",
		"1.234 567", "12345.678", "0.123", "over 45", "at least 45", "45+", "45 x", "45 € USD", "1e3", "1234567890", "<b>45</b>", "EUR 300 $", "300 £$",
		strings.Repeat(" ", 100) + "45"} {
		if got, ok := ParsePrice(text, EUR); ok {
			t.Errorf("ParsePrice(%q) = %v, want none", text, got)
		}
	}
}

func FuzzParsePrice(f *testing.F) {
	f.Add("1.234,50 €")
	f.Add("45,- Fr.")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := ParsePrice(text, EUR); ok && (p.Amount < 0 || p.Amount > 999_999_999_99) {
			t.Errorf("ParsePrice(%q) = %v", text, p)
		}
	})
}

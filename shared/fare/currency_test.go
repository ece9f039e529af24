package fare

import "testing"

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		code           string
		amount         Cents
		decimal, short string
		fraction       bool
	}{
		{"EUR", 1290, "12.90", "12.90", false}, {"EUR", 5000, "50.00", "50", false}, {"EUR", -5, "-0.05", "-0.05", false},
		{"JPY", 386320, "3863", "3863", true}, {"KRW", 500050, "5001", "5001", true}, {"ISK", 500000, "5000", "5000", false},
		{"HUF", 1234567, "12345.67", "12345.67", false},
	} {
		in, err := ParseCurrency(c.code)
		if err != nil {
			t.Fatal(err)
		}
		m := Money{c.amount, in}
		if m.Decimal() != c.decimal || m.Short() != c.short || m.HasFraction() != c.fraction {
			t.Errorf("%s %d: %s, %s, %v", c.code, c.amount, m.Decimal(), m.Short(), m.HasFraction())
		}
	}
}

package places

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkFind(b *testing.B) {
	for _, bc := range []struct{ name, query string }{
		{"ASCII hit", "milano"},
		{"accented hit", "São Paulo"},
		{"non-Latin hit", "Москва"},
		{"code", "MXP"},
		{"ASCII miss", "pisticci"},
		{"accented miss", "Forlimpòpoli"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Find(bc.query)
			}
		})
	}
}

func BenchmarkCityOf(b *testing.B) {
	for b.Loop() {
		CityOf("BGY")
	}
}

func BenchmarkSuggest(b *testing.B) {
	for _, query := range []string{"milanoo", "francofrote sul meno", strings.Repeat("santa ", 20)[:100]} {
		b.Run(fmt.Sprintf("%d bytes", len(query)), func(b *testing.B) {
			for b.Loop() {
				Suggest(query, 5)
			}
		})
	}
}

func BenchmarkComplete(b *testing.B) {
	for _, prefix := range []string{"s", "mila"} {
		b.Run(prefix, func(b *testing.B) {
			for b.Loop() {
				Complete(prefix, "it", 8)
			}
		})
	}
}

package verdict

import (
	"math"
	"reflect"

	"verdetto/shared/fare"
)

// Convert returns a copy of an answer whose EUR amounts are converted to another currency. It sets
// every field Valuta to that currency. Quoted amounts and verdicts stay. Differences are computed
// from the converted amounts.
func Convert[A any](answer A, currency string, amount func(fare.Cents) fare.Cents) A {
	v := reflect.New(reflect.TypeFor[A]()).Elem()
	v.Set(reflect.ValueOf(&answer).Elem())
	converter{currency, amount}.value(v)
	return v.Interface().(A)
}

type converter struct {
	currency string
	amount   func(fare.Cents) fare.Cents
}

var (
	centsType    = reflect.TypeFor[fare.Cents]()
	quotedType   = reflect.TypeFor[Quotato]()
	verdictType  = reflect.TypeFor[Verdetto]()
	priceType    = reflect.TypeFor[Prezzo]()
	currencyName = "Valuta"
)

// value converts v and all values inside v that can be set. It copies pointers and slices first,
// which the original answer may share.
func (s converter) value(v reflect.Value) {
	switch {
	case !v.CanSet() || v.Type() == quotedType:
	case v.Type() == centsType:
		v.SetInt(int64(s.amount(fare.Cents(v.Int()))))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		s.value(own.Elem())
		v.Set(own)
	case v.Kind() == reflect.Slice && !v.IsNil():
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			s.value(own.Index(i))
		}
		v.Set(own)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			s.value(v.Field(i))
		}
		if f := v.FieldByName(currencyName); f.IsValid() && f.Kind() == reflect.String && f.CanSet() {
			f.SetString(s.currency)
		}
		if p, ok := v.Addr().Interface().(*Prezzo); ok && p.Dichiarato && p.Quotato.Valuta == s.currency {
			p.Cent = fare.Cents(math.Round(100 * p.Quotato.Importo)) // the caller's own amount, not rounded twice
		}
		differ(v.FieldByName("Verdetto"), v.FieldByName("Prezzo"))
	}
}

// differ recomputes the difference between price and median: after rounding both, the converted
// difference could be off by a cent.
func differ(of, price reflect.Value) {
	if !of.IsValid() || !price.IsValid() || of.Type() != verdictType || price.Type() != priceType {
		return
	}
	v := of.Addr().Interface().(*Verdetto)
	if v.MedianaCent != nil && v.ScartoMedianaCent != nil {
		*v.ScartoMedianaCent = price.Addr().Interface().(*Prezzo).Cent - *v.MedianaCent
	}
}

package store_test

import (
	"reflect"
	"testing"

	"verdetto/shared/store"
)

func TestFaresTakeValues(t *testing.T) {
	fares := reflect.TypeFor[store.Fares]()
	for i := range fares.NumMethod() {
		method := fares.Method(i)
		for in := range method.Type.Ins() {
			if in == reflect.TypeFor[[]byte]() {
				t.Errorf("%s takes bytes", method.Name)
			}
		}
		for out := range method.Type.Outs() {
			if out == reflect.TypeFor[[]byte]() {
				t.Errorf("%s returns bytes", method.Name)
			}
		}
	}
	t.Logf("%d methods", fares.NumMethod())
}

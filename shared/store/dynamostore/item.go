package dynamostore

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func keyOf(k store.Key) attributes {
	return attributes{schema.Partition: text(k.Partition), schema.Sort: text(k.Sort)}
}

func expiry(at time.Time) int64 {
	if at.IsZero() || at.Unix() > schema.Never {
		return schema.Never
	}
	return at.Unix()
}

func encode(item store.Item, version int64, writer string) attributes {
	a := keyOf(item.Key)
	a[schema.Version] = number(version)
	a[schema.Expires] = number(expiry(item.Expires))
	a[schema.Writer] = text(writer)
	if len(item.Data) > 0 {
		a[schema.Data] = &types.AttributeValueMemberB{Value: item.Data}
	}
	return a
}

func decode(a attributes) (store.Item, error) {
	var item store.Item
	var err error
	if item.Key, err = decodeKey(a); err != nil {
		return item, err
	}
	version, err := integer(a, schema.Version)
	if err != nil {
		return item, err
	}
	expires, err := integer(a, schema.Expires)
	if err != nil {
		return item, err
	}
	item.Version = version
	if expires != schema.Never {
		item.Expires = time.Unix(expires, 0).UTC()
	}
	if data, ok := a[schema.Data].(*types.AttributeValueMemberB); ok && len(data.Value) > 0 {
		item.Data = data.Value
	}
	if _, ok := a[schema.Taken]; ok {
		count, err := integer(a, schema.Taken)
		if err != nil {
			return item, err
		}
		item.Data = store.CounterData(count)
	}
	return item, nil
}

func decodeKey(a attributes) (store.Key, error) {
	pk, ok := a[schema.Partition].(*types.AttributeValueMemberS)
	sk, ok2 := a[schema.Sort].(*types.AttributeValueMemberS)
	if !ok || !ok2 {
		return store.Key{}, fmt.Errorf("decode item: no key")
	}
	return store.Key{Partition: pk.Value, Sort: sk.Value}, nil
}

func integer(a attributes, name string) (int64, error) {
	n, ok := a[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("decode item: no number %q", name)
	}
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("decode item: %q: %w", name, err)
	}
	return v, nil
}

func writtenBy(a attributes, writer string) bool {
	w, ok := a[schema.Writer].(*types.AttributeValueMemberS)
	return ok && w.Value == writer
}

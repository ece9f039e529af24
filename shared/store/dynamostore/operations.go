package dynamostore

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// operations are the calls of a client that the store makes, each by itself.
// The client as a whole would keep all its 57 operations in every executable
// that has a template as well: templates find methods by name, so the linker
// keeps each method of each type that an interface leads to, through whatever
// fields. That is 1.2 MB of code, and a third of the memory of a start.
type operations struct {
	GetItem            operation[dynamodb.GetItemInput, dynamodb.GetItemOutput]
	Query              operation[dynamodb.QueryInput, dynamodb.QueryOutput]
	PutItem            operation[dynamodb.PutItemInput, dynamodb.PutItemOutput]
	UpdateItem         operation[dynamodb.UpdateItemInput, dynamodb.UpdateItemOutput]
	DeleteItem         operation[dynamodb.DeleteItemInput, dynamodb.DeleteItemOutput]
	TransactWriteItems operation[dynamodb.TransactWriteItemsInput, dynamodb.TransactWriteItemsOutput]
}

type operation[I, O any] = func(context.Context, *I, ...func(*dynamodb.Options)) (*O, error)

func only(c *dynamodb.Client) operations {
	return operations{c.GetItem, c.Query, c.PutItem, c.UpdateItem, c.DeleteItem, c.TransactWriteItems}
}

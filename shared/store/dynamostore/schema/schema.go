// Package schema names the attributes of the table in DynamoDB.
package schema

const (
	Partition = "pk"
	Sort      = "sk"

	Version = "ver"

	// Expires is in Unix seconds. Every item has this attribute.
	Expires = "expires"

	Data = "body"

	Taken = "taken"

	Writer = "writer"
)

// Never is the value of Expires for items that do not expire: the last second of the year 9999.
const Never = 253402300799

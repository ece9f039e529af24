// Package schema names the attributes of the table in DynamoDB.
package schema

const (
	Partition = "pk"
	Sort      = "sk"

	Version = "ver"

	// Expires is in Unix seconds. Every item has this attribute.
	Expires = "expires"

	// Data is absent if there are no bytes.
	Data = "body"

	// Taken is the count of a counter.
	Taken = "taken"

	// Writer is the random name of the last write.
	Writer = "writer"
)

// Never is the value of Expires for items that do not expire: the last second of the year 9999.
const Never = 253402300799

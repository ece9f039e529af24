// Package schema names what the table in DynamoDB is made of. The storage
// adapter and the deployment both read these names from here, so neither can
// drift from the other. It imports nothing.
//
// One table holds everything. The whole key is two strings, which DynamoDB sorts
// by their UTF-8 bytes, as package store demands; there are no secondary indexes.
package schema

const (
	// Partition and Sort are the string attributes of the primary key.
	Partition = "pk"
	Sort      = "sk"

	// Version is a number that every write raises by one.
	Version = "ver"

	// Expires is the table's TTL attribute: seconds since 1970. Every item has
	// it, so that one comparison tells whether the item is live.
	Expires = "expires"

	// Data is the item's bytes. It is absent where there are none.
	Data = "body"

	// Taken is the count of a counter.
	Taken = "taken"

	// Writer is the random name of the write that made the item what it is. By it
	// a repeated request finds that its first try had landed.
	Writer = "writer"
)

// Never is the value of Expires for items that do not expire: the last second
// of the year 9999.
const Never = 253402300799

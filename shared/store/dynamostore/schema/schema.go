// Package schema names the attributes of the table in DynamoDB. The storage adapter and the
// deployment both use these names, so they cannot differ. The package imports no other package of
// the project.
//
// One table holds all data. Its key consists of two strings, which DynamoDB sorts by their UTF-8
// bytes, as package store requires. There are no secondary indexes.
package schema

const (
	// Partition and Sort form the primary key.
	Partition = "pk"
	Sort      = "sk"

	// Version is the version in store.Item.
	Version = "ver"

	// Expires is in Unix seconds. DynamoDB deletes expired items (TTL). Every item has this
	// attribute, so one comparison shows whether it has expired.
	Expires = "expires"

	// Data is absent if there are no bytes.
	Data = "body"

	// Taken is the count of a counter.
	Taken = "taken"

	// Writer is the random name of the last write. By it, a retry recognises that an earlier try
	// took effect.
	Writer = "writer"
)

// Never is the value of Expires for items that do not expire: the last second of the year 9999.
const Never = 253402300799

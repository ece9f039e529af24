// Package schema names the attributes of the table in DynamoDB. The storage adapter and the
// deployment both use these names, so they cannot differ. It imports no other package of
// the project.
//
// One table holds everything. Its key is two strings, which DynamoDB sorts by their UTF-8 bytes, as
// package store requires. There are no secondary indexes.
package schema

// The attributes of an item.
const (
	// Partition and Sort are the string attributes of the primary key.
	Partition = "pk"
	Sort      = "sk"

	// Version is a number that rises by one with every write.
	Version = "ver"

	// Expires is the TTL attribute of the table, in seconds since 1970. Every item has it, so one
	// comparison shows whether the item is live.
	Expires = "expires"

	// Data holds the bytes of the item. It is absent if there are none.
	Data = "body"

	// Taken is the count of a counter.
	Taken = "taken"

	// Writer is the random name of the last write of the item. With it, a retried request finds
	// that an earlier try took effect.
	Writer = "writer"
)

// Never is the value of Expires for items that do not expire: the last second of the year 9999.
const Never = 253402300799

// Package store is the interface to storage: one table of small items, and on
// top of it the records of the service.
//
// # What a Table promises
//
// An item is addressed by a partition and a sort key, holds at most MaxData
// bytes, and carries a version that the table raises by one with every write.
// Every write that depends on what was read says so by its Mode, so two
// writers never silently undo each other.
//
//   - A write that returned nil is durable and is seen by every later strong
//     read, in any process. An eventual read may lag behind by a moment, but
//     never shows part of an item.
//   - A write that returned an error other than ErrExists, ErrConflict or
//     ErrTooLarge may or may not have taken effect. Callers must be able to
//     try again.
//   - Several writes in one call take effect together or not at all.
//   - An item whose Expires has passed is as if deleted, whether or not the
//     storage has deleted it yet.
//   - Data handed in is copied; data handed out belongs to the caller.
//
// The package storetest holds the suite that proves this of an implementation.
//
// # All keys
//
// An origin and a destination are IATA codes of cities (MIL), a route is both
// (MIL-BUH), MIL-* one to all cities. A series is a route and a kind of trip: MIL-BUH
// for one-way fares, MIL-BUH#4-7 for returns after 4 to 7 nights. Subscribers and
// customers are pseudonyms. dynamostore/schema lists which function reads and writes what.
//
//	partition                    sort                      what                                 expires
//	ROUTE#<series>               BLOCK#<cycle>#<part>      fare.Block of a week                 400 days
//	ROUTE#<series>               SHEET                     verdict.RouteSummary                 never
//	ROUTE#<series>               DEPARTURES#any            departure.State of all fares         never
//	ROUTE#<series>               DEPARTURES#0              departure.State of non-stop fares    never
//	ROUTE#<series>               DEPARTURES#learning       departure.Learning                   never
//	LEFT#<cycle>                 <series>                  score.Left of a day                  31 days
//	FARES                        POOLED                    departure.Cycle                      never
//	SCORE                        SUM                       score.Sum of all weeks               never
//	SCORE                        WEEK#<monday>             score.Sum of a week                  never
//	ORIGIN#<origin>              ASKED                     when the source last answered        never
//	ORIGIN#<origin>              TRENDS                    trends.Origin                        never
//	ORIGIN#<origin>              DEALS                     deals.Origin                         never
//	ORIGIN#<origin>              DEALS#<nights>            deals.Origin of returns              never
//	COVERED                      <origin>                  that it is covered                   never
//	INTO#<destination>           <origin>                  Coverage of the route                never
//	FARES                        SOURCE                    name of the fare source              never
//	FARES                        RATES                     fare.Rates of the last refresh       never
//	FARES                        DISCOVERED                when all origins were asked          never
//	FARES                        DEEPENED                  when due departures were asked       never
//	DEMANDED                     <series>                  that it was asked for                8 days
//	WANTED                       <origin>                  that an uncovered one was asked for  16 days
//	SEEN#<route>                 HISTORY                   Past                                 400 days
//	SEEN#<route>                 TRIP#<trip>               Past of a trip with alerts           400 days
//	WAKES                        <route>                   Notification                         8 days
//	WAKES                        <route>#TRIPS             Notification for alerts for trips    8 days
//	ALERTS#<route>               <subscriber>              Alert                                never
//	ALERTS#<route>               <subscriber>#<id>         any further Alert                    never
//	SUBSCRIBER#<subscriber>      ROUTES                    Refs of its alerts                   never
//	WATCHED#<origin>             <destination>             that the route is subscribed         never
//	WATCHED#<origin>             <destination>#<nights>    that such trips are subscribed       never
//	DIGESTS#<weekday>            <subscriber>              Digest                               never
//	DIGESTS                      PROGRESS                  DigestProgress                       never
//	PENDING#<id>                 ALERT                     Alert to be confirmed                48 hours
//	STOPPED#<subscriber>         MARK                      that it is sent no mail              180 days or 10 years
//	MAILBOX#<subscriber>         MAILS                     Mailbox                              1 or 180 days
//	LEASE#<name>                 HOLDER                    the holder of a lease                minutes, if not renewed
//	MIGRATION                    SOURCE                    where the table is filled from       never
//	OUTBOX#<name>                <due>-<random>            Job                                  7 days
//	WEBHOOK#<subscriber>         ENDPOINT#<hash>           Endpoint                             400 days
//	WEBHOOK#<subscriber>         EVENT#<id>                Delivery                             8 days
//	DELIVERIES                   <time>#<subscriber>#<id>  when a Delivery is due               8 days
//	OFFER#<id>                   JOB                       Job to be accepted                   48 hours
//	CUSTOMER#<customer>          KEY                       Customer                             never
//	SUBSCRIPTION#<subscription>  CUSTOMER                  its owner                            never
//	CASHED#<payment>             MARK                      hash of its key, or its claim        never
//	PAID#<payment>               CALL                      Payment                              never
//	PAID#<payment>               ANSWER                    the answer, compressed               24 hours
//	CREDIT#<payer>               <payment>                 when it was taken                    30 days
//	FEES#<subject>               OPEN                      the open payment of a payer          2 minutes
//	FEES#<subject>               <kind>#<time>#<number>    when a slot was taken                with its window
//	NOTE#<name>                  TEXT                      Note                                 minutes to 24 hours
//	LIMIT#<limit>#<subject>      <time>                    counter of calls                     with its window
//	SECRET                       PEPPER                    the pepper                           never
//	SERVICE                      PEPPER                    an HMAC under the pepper             never
//	SERVICE                      PROBE                     nothing                              never
//
// # What a refresh of one route costs
//
// Observations are packed per route and week (fare.Block), not one item each.
// Measured from DynamoDB Local's ConsumedCapacity by TestCapacity in e2e/verdict,
// for a route with a year of history, in read and write units:
//
//	                              10 fares a week   100 fares a week   1,000 fares a week   a year of departures (300)
//	read its blocks (strongly)            3                 11                  91                      26
//	read the old summary, coverage     1 + 0.5            1 + 0.5            1 + 0.5                 2.5 + 0.5
//	write the blocks of two cycles        2                  2                   9                       3
//	write the summary, coverage         2 + 1              2 + 1              2 + 1                   2 + 1
//	read what departures are judged by    4                  4                   8                       6
//	write it, as a transaction           12                 14                  34                      26
//
// The last column is asking for departures (TestDepthCapacity), which reads the
// summary for the plan, for whether it was done, and to write over it. The observations
// take 94 KB a year with the summary, 6 bytes each. A call to the source is one write more,
// where a budget is counted; a verdict notes the route once a process and day, one write.
//
// The pooled part costs a refresh of everything 4 reads and 6 writes with what it adds to
// the score, a read of what the series add for each day, and once a week a read of the
// weeks of a year, at a unit for each 4 KB. GET /v1/pagella reads the sum, half a unit,
// and 53 weeks of under 1 KB, 7.
//
// The summary grows to 4 units after three years. For each origin come 3 reads and 4
// writes, more where its trends or its deals take over 1 KB: some 330 bytes a destination;
// and a read and a write for each class of nights away of which returns were seen. A
// subscribed route costs 1 read and a transaction of 2 small items more, whoever is
// notified. Each mail costs 2 reads and 1 write, and a page of 100 alerts of
// which none is notified about 2 reads (TestNotifyingCapacity in e2e/alerts).
package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Key addresses an item. Both parts are non-empty UTF-8 without a zero byte, at most 512 bytes.
type Key struct{ Partition, Sort string }

// MaxData is the largest Data an item can hold, in bytes. (DynamoDB allows 400 KB with names and keys.)
const MaxData = 390_000

// MaxWrites is how many writes one call to Write can hold, and MaxTogether how
// many bytes of Data they can have. (DynamoDB allows a transaction 4 MB.)
const (
	MaxWrites   = 100
	MaxTogether = 3_900_000
)

// Item is what is stored under a key.
type Item struct {
	Key
	Version int64     // set by the table; 1 after the first write
	Expires time.Time // whole seconds; zero means never
	Data    []byte
}

// Mode says on what a write depends.
type Mode int

const (
	// Set writes whatever was there before.
	Set Mode = iota
	// Create writes only where no item is, else ErrExists. An expired item is no item.
	Create
	// Replace writes only over an item that is still at Item.Version, else ErrConflict.
	Replace
	// Delete removes the item, and is content if there is none.
	Delete
	// Remove deletes an item that is still at Item.Version, else ErrConflict.
	Remove
	// Check writes nothing and fails with ErrConflict unless the item is still at
	// Item.Version; version 0 demands that there be no item.
	Check
)

// Op is one write.
type Op struct {
	Mode Mode
	Item Item
}

// Consistency of a read.
type Consistency int

const (
	// Eventual reads cost half and may lag behind the newest write by a moment.
	Eventual Consistency = iota
	// Strong reads see every write that had returned before they began.
	Strong
)

// Range asks for items of one partition in order of their sort keys (bytewise).
type Range struct {
	Partition string
	Prefix    string // sort keys that begin with this; empty: all
	After     string // only sort keys greater than this
	Limit     int    // at most so many; 0: all there are
	Read      Consistency
}

// Table is what an adapter provides.
type Table interface {
	// Get returns the item, or ErrNotFound.
	Get(ctx context.Context, key Key, read Consistency) (Item, error)

	// Query returns the items of a range. Fewer than Limit means that there are
	// no more. However large the answer, it comes back whole.
	Query(ctx context.Context, r Range) ([]Item, error)

	// Write carries out up to MaxWrites writes to different keys, all or none.
	// One write costs its plain price; more than one is a transaction and costs twice.
	// In a transaction any write whose condition fails fails the whole with that
	// condition's error.
	Write(ctx context.Context, ops ...Op) error

	// Take adds n, which is 1 or more, to a counter unless it stands at limit or above,
	// and returns the count after it, which can be up to n-1 above the limit. At the
	// limit it changes nothing and returns ErrLimit. A counter begins at 0 and again
	// at 0 once it has expired; expires is set by the call that begins it. It is one
	// conditional write. Get and Query read counters as items: see Count.
	Take(ctx context.Context, key Key, n, limit int64, expires time.Time) (int64, error)

	// Close releases what the table holds open.
	Close() error
}

var (
	// ErrNotFound: there is no such item, or it has expired.
	ErrNotFound = errors.New("not found")
	// ErrExists: a Create found an item.
	ErrExists = errors.New("already exists")
	// ErrConflict: the item is not at the version that the write was based on.
	ErrConflict = errors.New("changed meanwhile")
	// ErrLimit: the counter is at its limit.
	ErrLimit = errors.New("limit reached")
	// ErrTooLarge: an item holds more than MaxData, or all items of a call more than MaxTogether.
	ErrTooLarge = errors.New("item too large")
	// ErrInvalid: the call itself is wrong (empty key, too many writes, the same key twice).
	ErrInvalid = errors.New("invalid storage call")
	// ErrUnavailable: storage could not be reached or did not answer in time.
	ErrUnavailable = errors.New("storage unavailable")
)

// Validate checks a call to Write before any adapter acts on it.
func Validate(ops []Op) error {
	if len(ops) == 0 || len(ops) > MaxWrites {
		return fmt.Errorf("%w: %d writes in one call", ErrInvalid, len(ops))
	}
	seen := make(map[Key]bool, len(ops))
	together := 0
	for _, op := range ops {
		k := op.Item.Key
		if err := k.Validate(); err != nil {
			return err
		}
		if seen[k] {
			return fmt.Errorf("%w: two writes to %s/%s", ErrInvalid, k.Partition, k.Sort)
		}
		seen[k] = true
		if len(op.Item.Data) > MaxData {
			return fmt.Errorf("%w: %s/%s holds %d bytes", ErrTooLarge, k.Partition, k.Sort, len(op.Item.Data))
		}
		if together += len(op.Item.Data); together > MaxTogether {
			return fmt.Errorf("%w: the items of one call hold over %d bytes", ErrTooLarge, MaxTogether)
		}
	}
	return nil
}

// Refuses returns the error of an operation that may not be carried out over such an item, if
// it may not; an item that is not there has version 0.
func (op Op) Refuses(had Item) error {
	switch op.Mode {
	case Create:
		if had.Version != 0 {
			return ErrExists
		}
	case Replace, Remove:
		if had.Version == 0 || had.Version != op.Item.Version {
			return ErrConflict
		}
	case Check:
		if had.Version != op.Item.Version {
			return ErrConflict
		}
	}
	return nil
}

// ValidateTake checks a call to Take before any adapter acts on it.
func ValidateTake(key Key, n int64) error {
	if n < 1 {
		return fmt.Errorf("%w: take %d from a counter", ErrInvalid, n)
	}
	return key.Validate()
}

// Validate checks that a range can be asked for.
func (r Range) Validate() error {
	if r.Limit < 0 {
		return fmt.Errorf("%w: limit %d", ErrInvalid, r.Limit)
	}
	return Key{r.Partition, "-"}.Validate()
}

// Validate checks that a key can be stored.
func (k Key) Validate() error {
	for _, part := range []string{k.Partition, k.Sort} {
		if part == "" || len(part) > 512 || !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
			return fmt.Errorf("%w: key %.40q/%.40q", ErrInvalid, k.Partition, k.Sort)
		}
	}
	return nil
}

// Count reads the count of a counter that was read as an item; false where the item is none.
func (i Item) Count() (int64, bool) {
	if len(i.Data) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(i.Data)), true
}

// CounterData is the Data of a counter's item, as adapters give it.
func CounterData(count int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(count)) }

// Expired tells whether the item is to be treated as deleted at a moment.
func (i Item) Expired(now time.Time) bool {
	return !i.Expires.IsZero() && now.Unix() >= i.Expires.Unix()
}

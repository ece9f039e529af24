// Package store is the storage of the service. A Table holds small items. Start with Table.
//
// # What a Table promises
//
// A write raises the version of an item by one. A write can require the version that the writer has read: see Mode.
//
//   - A write that returned nil is durable, and later strong reads see the write.
//   - A write that failed with ErrExists, ErrConflict, ErrTooLarge or ErrInvalid had no effect. After any other error,
//     the write may have taken effect, so callers must be able to retry.
//   - Several writes in one call take effect together or not at all.
//   - An expired item counts as deleted, even while the storage still holds it.
//   - Data passed in is copied. Data returned belongs to the caller.
//
// # All keys
//
// A route is two cities (MIL-BUH); MIL-* is a route to all cities. A series is a route and a kind of trip: MIL-BUH for
// one-way fares, MIL-BUH#4-7 for returns after 4 to 7 nights, and MIL-LON@BGY-STN for one-way fares between two
// airports. Subscribers and customers are pseudonyms.
//
//	partition                    sort                      what                                 expires
//	ROUTE#<series>               BLOCK#<week>#<part>       fare.Block of a week                 400 days
//	ROUTE#<series>               SHEET                     verdict.RouteSummary                 never
//	ROUTE#<series>               DEPARTURES#any            departure.State of all fares         never
//	ROUTE#<series>               DEPARTURES#0              departure.State of non-stop fares    never
//	ROUTE#<series>               DEPARTURES#learning       departure.Learning                   never
//	LEFT#<day>                   <series>                  score.Contribution of a day         31 days
//	FARES                        POOLED                    departure.Cycle                      never
//	SCORE                        SUM                       score.Sum of all weeks               never
//	SCORE                        WEEK#<monday>             score.Sum of a week                  never
//	ORIGIN#<origin>              ASKED                     when the source last answered        never
//	ORIGIN#<origin>              TRENDS                    trends.Origin                        never
//	ORIGIN#<origin>              DEALS                     deals.Origin of one-way fares        never
//	ORIGIN#<origin>              DEALS#<nights>            deals.Origin of returns              never
//	COVERED                      <origin>                  marks a covered origin               never
//	INTO#<destination>           <origin>                  Coverage of the route                never
//	FARES                        SOURCE                    name of the fare source              never
//	FARES                        RATES                     fare.Rates of the last refresh       never
//	FARES                        DISCOVERED                time of the last Discovery run       never
//	FARES                        DEEPENED                  time of the last Depth run           never
//	FARES                        BEGAN                     time of the first Claim              never
//	DEMANDED                     <series>                  marks a series in demand             8 days
//	WANTED                       <origin>                  marks a requested uncovered origin   16 days
//	SEEN#<route>                 HISTORY                   Past                                 400 days
//	SEEN#<route>                 TRIP#<trip>               Past of a trip with alerts           400 days
//	WAKES                        <route>                   Notification                         8 days
//	WAKES                        <route>#TRIPS             Notification with Trips              8 days
//	ALERTS#<route>               <subscriber>              Alert                                never
//	ALERTS#<route>               <subscriber>#<id>         Alert with an ID                     never
//	SUBSCRIBER#<subscriber>      ROUTES                    Refs of the alerts                   never
//	WATCHED#<origin>             <destination>             marks a SubscribedRoute              never
//	WATCHED#<origin>             <destination>#<kind>      marks a kind of trip with alerts     never
//	WATCHED#<origin>             <destination>@<airports>  marks two airports with alerts       never
//	DIGESTS#<weekday>            <subscriber>              Digest                               never
//	DIGESTS                      PROGRESS                  DigestProgress                       never
//	PENDING#<id>                 ALERT                     Alert to be confirmed                48 hours
//	STOPPED#<subscriber>         MARK                      marks blocked messages               180 days or 10 years
//	MAILBOX#<subscriber>         MAILS                     Mailbox                              1 or 180 days
//	NETWORKS                     TURNS                     each Network                         2 days
//	LEASE#<name>                 HOLDER                    the holder of a lease                minutes, if not renewed
//	COPY                         MARK                      how far an incomplete copy is        never
//	OUTBOX#<name>                <due>-<random>            Job                                  7 days; a kept one 60
//	WEBHOOK#<subscriber>         ENDPOINT#<hash>           Endpoint                             400 days
//	WEBHOOK#<subscriber>         EVENT#<id>                Delivery                             8 days
//	DELIVERIES                   <time>#<subscriber>#<id>  due time of a Delivery               8 days
//	OFFER#<id>                   JOB                       Job to be accepted                   48 hours
//	CUSTOMER#<customer>          KEY                       Customer                             never
//	SUBSCRIPTION#<subscription>  CUSTOMER                  id of the owner                      never
//	CASHED#<payment>             MARK                      hash of the key, or a claim          never
//	PAID#<payment>               CALL                      Payment                              never
//	PAID#<payment>               ANSWER                    the paid answer, compressed          24 hours
//	CREDIT#<payer>               <payment>                 time of payment                      30 days
//	FEES#<subject>               OPEN                      the open payment of a payer          2 minutes
//	FEES#<subject>               <kind>#<time>#<number>    a reserved slot, with its payment    with its window
//	NOTE#<name>                  TEXT                      Note                                 minutes to 24 hours
//	LIMIT#<limit>#<subject>      <time>                    counter of calls                     after its window
//	SECRET                       PEPPER                    the pepper                           never
//	SERVICE                      PEPPER                    an HMAC under the pepper             never
//	SERVICE                      PROBE                     no data                              never
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

// Each part of a Key is non-empty UTF-8 without a zero byte, at most 512 bytes long.
type Key struct{ Partition, Sort string }

// MaxData is in bytes. DynamoDB allows 400 KB for an item, including keys and attribute names.
const MaxData = 390_000

// MaxTogether is in bytes. DynamoDB allows 100 writes and 4 MB in a transaction.
const (
	MaxWrites   = 100
	MaxTogether = 3_900_000
)

type Item struct {
	Key
	Version int64     // 1 after the first write
	Expires time.Time // in whole seconds; zero means never
	Data    []byte
}

// For the condition of a Mode, an expired item counts as no item.
type Mode int

const (
	Set Mode = iota
	// Create fails with ErrExists if the item exists.
	Create
	// Replace fails with ErrConflict unless the stored version is Item.Version.
	Replace
	// Delete succeeds even if there is no item.
	Delete
	// Remove fails with ErrConflict unless the stored version is Item.Version.
	Remove
	// Check writes nothing, and fails with ErrConflict unless the stored version is Item.Version; 0 means no item.
	Check
)

type Op struct {
	Mode Mode
	Item Item
}

type Consistency int

const (
	// In DynamoDB, an Eventual read costs half as much, and can miss recent writes.
	Eventual Consistency = iota
	// A Strong read sees every write that returned before the read began.
	Strong
)

// The items of a Range are returned in bytewise order of the sort keys.
type Range struct {
	Partition string
	Prefix    string // empty for all sort keys
	After     string
	Limit     int // 0 for no limit
	Read      Consistency
}

type Table interface {
	Get(ctx context.Context, key Key, read Consistency) (Item, error)

	// If Query returns fewer than r.Limit items, the range has no more.
	Query(ctx context.Context, r Range) ([]Item, error)

	// Write carries out at most MaxWrites operations on different keys, all or none.
	Write(ctx context.Context, ops ...Op) error

	// Take adds n to a counter and returns the new count. If the count has reached limit, Take fails with ErrLimit and
	// adds nothing. The first call sets the expiry. An expired counter starts at 0 again.
	Take(ctx context.Context, key Key, n, limit int64, expires time.Time) (int64, error)

	Close() error
}

var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrConflict = errors.New("changed meanwhile")
	ErrLimit    = errors.New("limit reached")
	// ErrTooLarge means that an item exceeds MaxData, or a call exceeds MaxTogether.
	ErrTooLarge = errors.New("item too large")
	// ErrInvalid means a programming error, such as an invalid key or two writes to one key.
	ErrInvalid = errors.New("invalid storage call")
	// ErrUnavailable means that the storage failed or did not answer. A write may have taken effect.
	ErrUnavailable = errors.New("storage unavailable")
)

// A Table must call Validate before it carries out a Write.
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

func (op Op) Refuses(stored Item) error {
	switch op.Mode {
	case Create:
		if stored.Version != 0 {
			return ErrExists
		}
	case Replace, Remove:
		if stored.Version == 0 || stored.Version != op.Item.Version {
			return ErrConflict
		}
	case Check:
		if stored.Version != op.Item.Version {
			return ErrConflict
		}
	}
	return nil
}

func ValidateTake(key Key, n int64) error {
	if n < 1 {
		return fmt.Errorf("%w: take %d from a counter", ErrInvalid, n)
	}
	return key.Validate()
}

func (r Range) Validate() error {
	if r.Limit < 0 {
		return fmt.Errorf("%w: limit %d", ErrInvalid, r.Limit)
	}
	return Key{r.Partition, "-"}.Validate()
}

func (k Key) Validate() error {
	for _, part := range []string{k.Partition, k.Sort} {
		if part == "" || len(part) > 512 || !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
			return fmt.Errorf("%w: key %.40q/%.40q", ErrInvalid, k.Partition, k.Sort)
		}
	}
	return nil
}

// Count returns false unless i has 8 bytes of data, as a counter has.
func (i Item) Count() (int64, bool) {
	if len(i.Data) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(i.Data)), true
}

func CounterData(count int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(count)) }

func (i Item) Expired(now time.Time) bool {
	return !i.Expires.IsZero() && now.Unix() >= i.Expires.Unix()
}

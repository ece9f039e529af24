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
// (MIL-BUH), MIL-* one to all cities; a series a route and a kind of trip: MIL-BUH for one-way fares,
// MIL-BUH#4-7 for returns after 4 to 7 nights; subscribers and customers are pseudonyms. Written by: a folder of
// functions or shared, or a command.
//
//	partition                    sort                  what                                               written by            expires
//	ROUTE#<series>               BLOCK#<cycle>#<part>  fare.Block: observations of a week                 refresh               400 days after the week
//	ROUTE#<series>               SHEET                 verdict.RouteSummary                               refresh               never
//	ROUTE#<series>               DEPARTURES#any        departure.State of all fares                       refresh               never
//	ROUTE#<series>               DEPARTURES#0          departure.State of fares without stops, where others have some  refresh  never
//	ROUTE#<series>               DEPARTURES#learning   departure.Learning: open questions                 refresh               never
//	LEFT#<cycle>                 <series>              score.Left of a day of refreshes                   refresh               31 days after the day
//	FARES                        POOLED                departure.Cycle: the pooled part after a day       refresh               never
//	SCORE                        SUM                   score.Sum: what came of what was said              refresh               never
//	SCORE                        WEEK#<monday>         score.Sum of the cycles of a week                  refresh               never
//	ORIGIN#<origin>              ASKED                 when the source last answered for it               refresh               never
//	ORIGIN#<origin>              TRENDS                trends.Origin                                      refresh               never
//	ORIGIN#<origin>              DEALS                 deals.Origin: the cheapest fares, judged           refresh               never
//	ORIGIN#<origin>              DEALS#<nights>        deals.Origin of returns with so many nights away   refresh               never
//	COVERED                      <origin>              that routes from it are stored                     refresh               never
//	INTO#<destination>           <origin>              Coverage of the route                              refresh               never
//	FARES                        SOURCE                name of the fare source                            refresh               never
//	FARES                        RATES                 fare.Rates of the last refresh                     refresh               never
//	FARES                        DISCOVERED            when all origins were asked last                   verdetto serve        never
//	FARES                        DEEPENED              when departures that were due were asked last      verdetto serve        never
//	DEMANDED                     <series>              that it was asked for                              analisi, compat, x402  8 days after that
//	WANTED                       <origin>              that it was asked for and is not covered           analisi, compat, pricetrends, x402  16 days after the request
//	SEEN#<route>                 HISTORY               Past                                               notify                400 days after the refresh
//	SEEN#<route>                 TRIP#<trip>           Past of a trip that alerts are for                 notify                400 days after the refresh
//	WAKES                        <route>               Notification                                       notify                8 days after the refresh
//	WAKES                        <route>#TRIPS         Notification of alerts for trips on the route, or to all cities  refresh    8 days after the refresh
//	ALERTS#<route>               <subscriber>          Alert                                              alerts, notify        never
//	ALERTS#<route>               <subscriber>#<id>     Alert beside the one for the route by mail         alerts, notify        never
//	SUBSCRIBER#<subscriber>      ROUTES                Refs of its alerts                                 alerts, notify        never
//	WATCHED#<origin>             <destination>         that somebody has, or had, an alert for the route  alerts, notify        never
//	WATCHED#<origin>             <destination>#<nights>  and one for such trips on it                     alerts, notify        never
//	DIGESTS#<weekday>            <subscriber>          Digest of one who is told once a week              alerts, notify        never
//	DIGESTS                      PROGRESS              DigestProgress                                     alerts, notify        never
//	PENDING#<id>                 ALERT                 Alert to be confirmed; nothing once it was         alerts                48 hours after the request
//	STOPPED#<subscriber>         MARK                  that it is sent no mail                            alerts, notify        180 days after a refusal, 10 years after a complaint
//	MAILBOX#<subscriber>         MAILS                 Mailbox: mails that anyone can cause               alerts, pro           a day after the last; 180 days after its reader stopped them
//	LEASE#<name>                 HOLDER                who does what one process at a time may do         notify, verdetto serve, verdetto migrate  minutes after it was renewed
//	MIGRATION                    SOURCE                that the table is being filled, and from where     verdetto migrate      never
//	OUTBOX#<name>                <due>-<random>        Job                                                alerts, notify, pro   7 days after it was left
//	WEBHOOK#<subscriber>         ENDPOINT#<hash>       Endpoint of a webhook                              alerts                400 days after it answered or was changed
//	WEBHOOK#<subscriber>         EVENT#<id>            Delivery to an endpoint                            alerts, notify        8 days after it was left
//	DELIVERIES                   <time>#<subscriber>#<id>  when a Delivery is due                         alerts, notify        8 days after it was left
//	OFFER#<id>                   JOB                   Job to be left when it is accepted; nothing once it was  pro                 48 hours after the request
//	CUSTOMER#<customer>          KEY                   Customer                                           pro, verdetto key     never
//	SUBSCRIPTION#<subscription>  CUSTOMER              whose it is                                        pro                   never
//	CASHED#<payment>             MARK                  hash of the key issued for it, or who claimed it   pro                   never
//	PAID#<payment>               CALL                  Payment: which answer it was taken for             x402                  never
//	PAID#<payment>               ANSWER                what it has bought, compressed                     x402                  a day after it was given
//	CREDIT#<payer>               <payment>             when it was taken, which was not answered yet      x402                  30 days after it was taken
//	FEES#<subject>               OPEN                  the payer's one open payment                       x402                  2 minutes after it was taken
//	FEES#<subject>               <kind>#<time>#<number>  Slots of a payer, an address or all: when each was taken  x402           end of the window
//	NOTE#<name>                  TEXT                  Note: what only the bearer of a secret can read    pro                   minutes to a day after it was left
//	LIMIT#<limit>#<subject>      <time>                counter of calls                                   limit, refresh        end of the window; of calls with a key, of the day; of calls to a source, a day later
//	SECRET                       PEPPER                the pepper where none is configured                verdetto serve        never
//	SERVICE                      PEPPER                which pepper it was made with: an HMAC under it    alerts, pro, refresh, verdetto serve  never
//	SERVICE                      PROBE                 nothing: it is written to see whether that works   verdetto serve        never
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
// summary for the plan, for whether it was done, and to write over it. Version 4a76271, which asked by
// city alone and judged no departures, wrote 4 units for ten fares a week. A week of a route that is not in
// demand now takes 5 and 6 of the same kind, 2.75 times as much for 31 times the observations, and
// 24 and 26 for what departures are judged by: 15 times as much in all. The observations
// take 94 KB a year with the summary, 6 bytes each. A call to the source is one write more, where a
// budget is counted; a verdict notes the route once a process and day, one write.
//
// What departures are judged by are the sheet, which answers read, the open
// questions, and what is left for the pooled part. It is read twice: to be carried
// on, and for the deals of the origin. The
// pooled part costs a refresh of everything 2 reads and 2 writes, and a read of
// what was left for each day; with what it adds to the score 4 and 6, and once a
// week a read of the weeks of a year, at a unit for each 4 KB. What was said of a series
// lies in what it has anyway, some 10 bytes for each of up to 36 departures: of the
// routes above none takes a unit more for it. GET /v1/pagella reads the sum, half a
// unit, and 53 weeks of under 1 KB, 7.
//
// The summary grows to 4 units after three years. For each origin come 3 reads
// and 4 writes, more where its trends or its deals take over 1 KB: some 330 bytes a
// destination with fares in every month, with stops and without; and a read and a write for
// each class of nights away of which returns were seen, some 30 to 50 bytes a destination. A route that somebody
// watches costs 1 read and a transaction of 2 small items more, whoever is
// notified; each mail costs 2 reads and 1 write, and a page of 100 alerts of
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

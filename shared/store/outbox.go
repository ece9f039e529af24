package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// A job may run more than once. Jobs also protect privacy: the answer to a request for a new key must not reveal
// whether the customer exists, so a job looks the customer up.
type Outbox struct {
	Table Table
	Name  string // part of the key, so Name must not change
	Delay func() time.Duration
	// If Choose is nil, Take takes due jobs in the order of InTurn.
	Choose func(ctx context.Context, due []Job, most int) ([]Job, error)
}

// As the Delay of an Outbox, RandomDelay hides what a job did from callers who measure answer times.
func RandomDelay() time.Duration { return time.Second + mathrand.N(9*time.Second) }

// Retries returns a separate outbox, so that failed jobs do not delay new jobs.
func (o Outbox) Retries() Outbox { return Outbox{Table: o.Table, Name: o.Name + "-retries"} }

type Job struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email"`
	Lang  string    `json:"lang"`
	Ref   string    `json:"ref,omitempty"`
	At    time.Time `json:"at"`
	// Caller is the pseudonym of the caller whose request added the job, if any.
	Caller string `json:"caller,omitempty"`
	// Network is the pseudonym of the caller's network, empty for a private address. To is the pseudonym of the
	// recipient.
	Network string          `json:"network,omitempty"`
	To      SubscriberID    `json:"to,omitempty"`
	New     bool            `json:"new,omitempty"`
	Leased  time.Time       `json:"leased"`
	Tries   int             `json:"tries,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	// First is the sort key that a postponed job had at first.
	First string `json:"first,omitempty"`

	item Item
}

// Name stays the same when the job is postponed.
func (j Job) Name() string { return cmp.Or(j.First, j.item.Sort) }

func (o Outbox) partition() string { return "OUTBOX#" + o.Name }

const jobDays = 7

func (o Outbox) Put(ctx context.Context, j Job) error {
	var w writes
	w.addJobs(o, j)
	return wrap(w.commit(ctx, o.Table), "leave a job")
}

// PutOnce does nothing if a job with the same name and j.At exists.
func (o Outbox) PutOnce(ctx context.Context, j Job, name string) error {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort = j.At.UTC().Format(jobTime) + "-" + name
		err = o.Table.Write(ctx, op)
	}
	return wrap(unless(err, ErrExists), "leave a job")
}

// Take must not be used on an outbox with kept jobs, which have no due time. fresh is false if a job with the same name
// is stored.
func (o Outbox) Keep(ctx context.Context, j Job, name string, expires time.Time) (fresh bool, err error) {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort, op.Item.Expires = name, expires
		err = o.Table.Write(ctx, op)
	}
	return err == nil, wrap(unless(err, ErrExists), "keep a job")
}

// Kept returns jobs in order of name, and omits malformed ones.
func (o Outbox) Kept(ctx context.Context, after string, most int) (jobs []Job, err error) {
	items, err := o.Table.Query(ctx, Range{Partition: o.partition(), After: after, Limit: most, Read: Strong})
	for _, item := range items {
		j := Job{}
		if json.Unmarshal(item.Data, &j) == nil {
			j.item = item
			jobs = append(jobs, j)
		}
	}
	return jobs, wrap(err, "look for kept jobs")
}

// Postpone moves a job to this outbox, and does nothing if another worker has taken the job.
func (o Outbox) Postpone(ctx context.Context, j Job, until time.Time) error {
	later := j
	later.Leased, later.First = until.UTC(), j.Name()
	later.Tries++
	op, err := o.put(later)
	if err == nil {
		op.Item.Sort, op.Item.Expires = until.UTC().Format(jobTime)+"-"+rand.Text(), j.item.Expires
		err = o.Table.Write(ctx, Op{Mode: Remove, Item: j.item}, op)
	}
	return wrap(unless(err, ErrConflict), "postpone a job")
}

func (o Outbox) Release(ctx context.Context, j Job) error {
	j.Leased = time.Time{}
	return wrap(unless(write(ctx, o.Table, replace(j.item), j), ErrConflict), "give back a job")
}

// jobTime makes sort keys sort by due time.
const jobTime = "20060102T150405.000000000"

func (o Outbox) put(j Job) (Op, error) {
	j.At = j.At.UTC()
	due := j.At
	if o.Delay != nil {
		due = due.Add(o.Delay())
		j.Leased = due
	}
	data, err := json.Marshal(j)
	return Op{Mode: Create, Item: Item{
		Key:     Key{o.partition(), due.Format(jobTime) + "-" + rand.Text()},
		Data:    data,
		Expires: j.At.AddDate(0, 0, jobDays),
	}}, err
}

// maxRead limits the memory and the time that a flood of jobs costs.
const maxRead = 20_000

// If a job is not deleted when the lease ends, another worker may take the job. Take may return both jobs and an error.
func (o Outbox) Take(ctx context.Context, most int, now time.Time, lease time.Duration) ([]Job, error) {
	items, err := o.Table.Query(ctx, Range{Partition: o.partition(), Limit: maxRead, Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	var jobs []Job
	var faults []error
	for _, item := range items {
		if due, _, _ := strings.Cut(item.Sort, "-"); due > now.UTC().Format(jobTime) {
			break
		}
		var j Job
		if err := json.Unmarshal(item.Data, &j); err != nil {
			// A malformed job cannot run, and would make later calls of Take fail too.
			faults = append(
				faults, fmt.Errorf("read job %s, which is given up: %w", item.Sort, err), o.Delete(ctx, Job{item: item}),
			)
			continue
		}
		if now.Before(j.Leased) {
			continue
		}
		j.item, j.Leased = item, now.Add(lease).UTC()
		jobs = append(jobs, j)
	}
	if o.Choose == nil {
		jobs = InTurn(jobs, func(string) int { return 0 })
		jobs = jobs[:min(most, len(jobs))]
	} else if jobs, err = o.Choose(ctx, jobs, most); err != nil {
		return nil, errors.Join(append(faults, err)...)
	}
	var all sync.WaitGroup // in parallel, so that boltstore can group the writes
	for i := range jobs {
		all.Go(func() {
			j := &jobs[i]
			tried := *j
			tried.Tries++
			data, err := json.Marshal(tried)
			if j.item.Data = data; err != nil || o.Table.Write(ctx, Op{Mode: Replace, Item: j.item}) != nil {
				j.item = Item{}
			}
			j.item.Version++
		})
	}
	all.Wait()
	return slices.DeleteFunc(jobs, func(j Job) bool { return j.item.Sort == "" }), errors.Join(faults...)
}

func (o Outbox) about(ctx context.Context, wanted func(Job) bool) (writes []Op, err error) {
	items, err := o.Table.Query(ctx, Range{Partition: o.partition(), Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	for _, item := range items {
		var j Job
		if json.Unmarshal(item.Data, &j) != nil || wanted(j) {
			writes = append(writes, remove(item.Key))
		}
	}
	return writes, nil
}

func (o Outbox) Delete(ctx context.Context, j Job) error {
	return wrap(o.Table.Write(ctx, Op{Mode: Delete, Item: j.item}), "end a job")
}

func (w *writes) addJobs(o Outbox, jobs ...Job) {
	for _, job := range jobs {
		op, err := o.put(job)
		w.err = errors.Join(w.err, err)
		w.add(op)
	}
}

// InTurn sorts jobs so that networks take turns. earlier returns how many jobs a network had before. Jobs without a
// network come first.
func InTurn(jobs []Job, earlier func(network string) int) []Job {
	next, turn, order := map[string]int{}, make([]int, len(jobs)), make([]int, len(jobs))
	for i, j := range jobs {
		order[i] = i
		if j.Network == "" {
			continue
		}
		if next[j.Network] == 0 {
			next[j.Network] = 1 + earlier(j.Network)
		}
		turn[i] = next[j.Network]
		next[j.Network]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return turn[a] - turn[b] })
	ordered := make([]Job, len(jobs))
	for at, i := range order {
		ordered[at] = jobs[i]
	}
	return ordered
}

func offerKey(id string) Key { return Key{"OFFER#" + id, "JOB"} }

// Offer does nothing if a job with the same id is on offer.
func (o Outbox) Offer(ctx context.Context, id string, j Job, until time.Time) error {
	err := write(ctx, o.Table, replace(Item{Key: offerKey(id), Expires: until}), j)
	return wrap(unless(err, ErrExists), "offer a job")
}

func (o Outbox) CheckOffer(ctx context.Context, id string) error {
	_, err := o.offer(ctx, id)
	return err
}

func (o Outbox) offer(ctx context.Context, id string) (Item, error) {
	item, err := o.Table.Get(ctx, offerKey(id), Strong)
	return item, wrap(err, "read offered job")
}

// A second Accept adds no second job.
func (o Outbox) Accept(ctx context.Context, id string, now time.Time) error {
	return RetryConflicts(ctx, func() error {
		item, err := o.offer(ctx, id)
		if err != nil || len(item.Data) == 0 {
			return err
		}
		var j Job
		if err := json.Unmarshal(item.Data, &j); err != nil {
			return fmt.Errorf("read offered job: %w", err)
		}
		j.At, item.Data = now, nil
		w := writes{ops: []Op{replace(item)}}
		w.addJobs(o, j)
		return w.commit(ctx, o.Table)
	})
}

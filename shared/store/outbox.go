package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Outbox stores work that an answer must not wait for until it is done: a
// request to mail a fresh key, of which the answer may not even tell whether
// there is anything to do. A job is done at least once (keys: OUTBOX, OFFER).
type Outbox struct {
	Table Table
	Name  string // whose it is: jobs are done by the function that left them
}

// Job is work to be done.
type Job struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email"`
	Lang  string    `json:"lang"`
	Ref   string    `json:"ref,omitempty"` // what it is about
	At    time.Time `json:"at"`
	// Caller is who asked for it, as a pseudonym; empty: nobody, or an earlier version left it.
	Caller string `json:"caller,omitempty"`
	// Leased is until when somebody has taken it on.
	Leased time.Time `json:"leased"`
	// Tries is how often it was taken on before.
	Tries int `json:"tries,omitempty"`
	// Data is what it is done with.
	Data json.RawMessage `json:"data,omitempty"`

	item Item
}

// Name tells a job that was taken from all others of its outbox, however often it is taken.
func (j Job) Name() string { return j.item.Sort }

func (o Outbox) partition() string { return "OUTBOX#" + o.Name }

// jobDays is how long a job is tried before it is given up.
const jobDays = 7

// Put leaves a job, in one write.
func (o Outbox) Put(ctx context.Context, j Job) error {
	op, err := o.put(j)
	if err == nil {
		err = o.Table.Write(ctx, op)
	}
	if err != nil {
		return fmt.Errorf("leave a job: %w", err)
	}
	return nil
}

// PutOnce leaves a job under a name. Where there is one of that name and time, it stays, and that is no error.
func (o Outbox) PutOnce(ctx context.Context, j Job, name string) error {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort = j.At.UTC().Format(jobTime) + "-" + name
		err = o.Table.Write(ctx, op)
	}
	if err != nil && !errors.Is(err, ErrExists) {
		return fmt.Errorf("leave a job: %w", err)
	}
	return nil
}

// Postpone puts a job that was taken behind all that are due before a moment, when
// it is due again. Where somebody else has taken it meanwhile, it is theirs.
func (o Outbox) Postpone(ctx context.Context, j Job, until time.Time) error {
	later := j
	later.Leased = until.UTC()
	later.Tries++
	op, err := o.put(later)
	if err == nil {
		op.Item.Sort, op.Item.Expires = until.UTC().Format(jobTime)+"-"+rand.Text(), j.item.Expires
		err = o.Table.Write(ctx, Op{Mode: Remove, Item: j.item}, op)
	}
	if err != nil && !errors.Is(err, ErrConflict) {
		return fmt.Errorf("postpone a job: %w", err)
	}
	return nil
}

// jobTime begins the name of a job, which so stands behind those that were left before.
const jobTime = "20060102T150405.000000000"

// put is the write that leaves a job, for those that leave it together with something else.
func (o Outbox) put(j Job) (Op, error) {
	j.At = j.At.UTC()
	data, err := json.Marshal(j)
	return Op{Mode: Create, Item: Item{
		Key:     Key{o.partition(), j.At.Format(jobTime) + "-" + rand.Text()},
		Data:    data,
		Expires: j.At.AddDate(0, 0, jobDays),
	}}, err
}

// Take gives the oldest jobs that nobody has taken on, each leased to the
// caller for a while: if it is not Done by then, somebody else may take it. An
// error does not mean that there are none.
func (o Outbox) Take(ctx context.Context, most int, now time.Time, lease time.Duration) ([]Job, error) {
	items, err := o.Table.Query(ctx, Range{Partition: o.partition(), Limit: 4 * most, Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	var jobs []Job
	var faults []error
	for _, item := range items {
		var j Job
		if err := json.Unmarshal(item.Data, &j); err != nil {
			// Nobody can ever do it, and it is the oldest: it would be met again each time.
			faults = append(faults, fmt.Errorf("read job %s, which is given up: %w", item.Sort, err), o.Done(ctx, Job{item: item}))
			continue
		}
		if now.Before(j.Leased) || len(jobs) == most {
			continue
		}
		j.Leased = now.Add(lease).UTC()
		tried := j
		tried.Tries++
		if item.Data, err = json.Marshal(tried); err != nil {
			return jobs, errors.Join(append(faults, fmt.Errorf("take job %s: %w", item.Sort, err))...)
		}
		if err := o.Table.Write(ctx, Op{Mode: Replace, Item: item}); err != nil {
			continue // somebody else was first, or it comes round again
		}
		item.Version++
		j.item = item
		jobs = append(jobs, j)
	}
	return jobs, errors.Join(faults...)
}

// about gives the writes that delete the jobs of which wanted holds, and those that nobody can read.
func (o Outbox) about(ctx context.Context, wanted func(Job) bool) (writes []Op, err error) {
	items, err := o.Table.Query(ctx, Range{Partition: o.partition(), Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	for _, item := range items {
		var j Job
		if json.Unmarshal(item.Data, &j) != nil || wanted(j) {
			writes = append(writes, Op{Mode: Delete, Item: Item{Key: item.Key}})
		}
	}
	return writes, nil
}

// Done removes a job that was taken.
func (o Outbox) Done(ctx context.Context, j Job) error {
	if err := o.Table.Write(ctx, Op{Mode: Delete, Item: j.item}); err != nil {
		return fmt.Errorf("end a job: %w", err)
	}
	return nil
}

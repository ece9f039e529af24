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

// Outbox stores work that an answer must not wait for until it is done: a
// request to mail a fresh key, of which the answer may not even tell whether
// there is anything to do. A job is done at least once (keys: OUTBOX, OFFER).
type Outbox struct {
	Table Table
	Name  string // whose it is: jobs are done by the function that left them
	// Delay returns how long after it was left a job is due; nil: at once.
	Delay func() time.Duration
}

// RandomDelay is a Delay of 1 to 10 s. A caller who watches the answers after the
// request of a job cannot tell from their times what the job did.
func RandomDelay() time.Duration { return time.Second + mathrand.N(9*time.Second) }

// Retries is the outbox in which the failed jobs of an outbox wait. It is one of
// its own, so that they hide no first attempt. Earlier versions do not look there:
// they would derive another key from the later name of a job.
func (o Outbox) Retries() Outbox { return Outbox{Table: o.Table, Name: o.Name + "-retries"} }

// Job is work to be done.
type Job struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email"`
	Lang  string    `json:"lang"`
	Ref   string    `json:"ref,omitempty"` // what it is about
	At    time.Time `json:"at"`
	// Caller is who asked for it, as a pseudonym; empty: the service itself, or an earlier version left it.
	Caller string `json:"caller,omitempty"`
	// Leased is when it is due: at first, after a failure, or because whoever took it has not ended it.
	Leased time.Time `json:"leased"`
	// Tries is how often it was taken on before.
	Tries int `json:"tries,omitempty"`
	// Data is what it is done with.
	Data json.RawMessage `json:"data,omitempty"`
	// First is the name under which it was left, of one that was postponed.
	First string `json:"first,omitempty"`

	item Item
}

// Name tells a job that was taken from all others of its outbox. It stays, however often the job is taken or postponed.
func (j Job) Name() string { return cmp.Or(j.First, j.item.Sort) }

func (o Outbox) partition() string { return "OUTBOX#" + o.Name }

// jobDays is how long a job is kept. Workers that run give it up before.
const jobDays = 7

// Put leaves a job, in one write.
func (o Outbox) Put(ctx context.Context, j Job) error {
	var w writes
	w.leave(o, j)
	return wrap(w.to(ctx, o.Table), "leave a job")
}

// PutOnce leaves a job under a name. Where there is one of that name and time, it stays, and that is no error.
func (o Outbox) PutOnce(ctx context.Context, j Job, name string) error {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort = j.At.UTC().Format(jobTime) + "-" + name
		err = o.Table.Write(ctx, op)
	}
	return wrap(unless(err, ErrExists), "leave a job")
}

// Postpone moves a job that was taken, from this outbox or another, behind all that are
// due before a moment. It is due again then. A job that somebody else has taken meanwhile stays theirs.
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

// Release gives back a job that was taken and not begun: it is as if it had not been taken.
func (o Outbox) Release(ctx context.Context, j Job) error {
	j.Leased = time.Time{}
	return wrap(unless(write(ctx, o.Table, over(j.item), j), ErrConflict), "give back a job")
}

// jobTime begins the name of a job: when it is due. Names are in the order of these times.
const jobTime = "20060102T150405.000000000"

// put is the write that leaves a job, for those that leave it together with something else.
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

// leasedAhead is how many jobs that workers have taken Take looks past. They keep
// their places, of which each worker holds some dozens.
const leasedAhead = 100

// Take returns the jobs that have been due the longest and nobody has taken, each leased to the
// caller for a while: if it is not Done by then, somebody else may take it. An
// error does not mean that there are none.
func (o Outbox) Take(ctx context.Context, most int, now time.Time, lease time.Duration) ([]Job, error) {
	items, err := o.Table.Query(ctx, Range{Partition: o.partition(), Limit: most + leasedAhead, Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	var jobs []Job
	var faults []error
	for _, item := range items {
		if due, _, _ := strings.Cut(item.Sort, "-"); due > now.UTC().Format(jobTime) || len(jobs) == most {
			break
		}
		var j Job
		if err := json.Unmarshal(item.Data, &j); err != nil {
			// Nobody can ever do it, and it is the oldest: it would be met again each time.
			faults = append(
				faults, fmt.Errorf("read job %s, which is given up: %w", item.Sort, err), o.Done(ctx, Job{item: item}),
			)
			continue
		}
		if now.Before(j.Leased) {
			continue
		}
		j.item, j.Leased = item, now.Add(lease).UTC()
		jobs = append(jobs, j)
	}
	var all sync.WaitGroup // together: a file is synced once
	for i := range jobs {
		all.Go(func() {
			j := &jobs[i]
			tried := *j
			tried.Tries++
			data, err := json.Marshal(tried)
			if j.item.Data = data; err != nil || o.Table.Write(ctx, Op{Mode: Replace, Item: j.item}) != nil {
				j.item = Item{} // somebody else was first, or it comes round again
			}
			j.item.Version++
		})
	}
	all.Wait()
	return slices.DeleteFunc(jobs, func(j Job) bool { return j.item.Sort == "" }), errors.Join(faults...)
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
			writes = append(writes, remove(item.Key))
		}
	}
	return writes, nil
}

// Done removes a job that was taken.
func (o Outbox) Done(ctx context.Context, j Job) error {
	return wrap(o.Table.Write(ctx, Op{Mode: Delete, Item: j.item}), "end a job")
}

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

// Outbox stores jobs, such as mails, that run after the request was answered. For example, the
// answer to a request for a new key must not reveal whether the customer exists. So a job, not the
// request, looks the customer up. A job runs at least once (partitions: OUTBOX, OFFER).
type Outbox struct {
	Table Table
	Name  string // of the function that adds and runs the jobs
	// Delay returns the time between adding a job and its due time. If Delay is nil, a job is due
	// at once.
	Delay func() time.Duration
}

// RandomDelay returns 1 to 10 s. As the Delay of an Outbox, it prevents callers from finding out,
// by the timing of later answers, what a job did.
func RandomDelay() time.Duration { return time.Second + mathrand.N(9*time.Second) }

// Retries returns the outbox for jobs that failed. It is a separate outbox, so failed jobs do not
// delay new jobs. Earlier versions of the program do not read it, because they would compute a
// different key from the name of a job.
func (o Outbox) Retries() Outbox { return Outbox{Table: o.Table, Name: o.Name + "-retries"} }

// Job is work to do after a request was answered.
type Job struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email"`
	Lang  string    `json:"lang"`
	Ref   string    `json:"ref,omitempty"` // the subject of the job
	At    time.Time `json:"at"`
	// Caller is the pseudonym of the caller whose request added the job. It is empty if the service
	// itself, or an earlier version, added the job.
	Caller string `json:"caller,omitempty"`
	// Leased is the time from which a worker may run the job. It is the due time, the end of the
	// pause after a failure, or the end of a worker's lease.
	Leased time.Time `json:"leased"`
	// Tries is the number of earlier attempts.
	Tries int `json:"tries,omitempty"`
	// Data is the input of the job.
	Data json.RawMessage `json:"data,omitempty"`
	// First is the name of a postponed job. A postponed job has a new sort key, but keeps its name.
	First string `json:"first,omitempty"`

	item Item
}

// Name returns the name of a job in its outbox. The name stays the same when the job is taken again
// or postponed.
func (j Job) Name() string { return cmp.Or(j.First, j.item.Sort) }

func (o Outbox) partition() string { return "OUTBOX#" + o.Name }

// jobDays is the number of days for which a job is stored. Workers give up a job before that.
const jobDays = 7

// Put adds a job in one write.
func (o Outbox) Put(ctx context.Context, j Job) error {
	var w writes
	w.addJobs(o, j)
	return wrap(w.commit(ctx, o.Table), "leave a job")
}

// PutOnce adds a job under a name. If a job with the same name and j.At exists, PutOnce changes
// nothing and returns nil.
func (o Outbox) PutOnce(ctx context.Context, j Job, name string) error {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort = j.At.UTC().Format(jobTime) + "-" + name
		err = o.Table.Write(ctx, op)
	}
	return wrap(unless(err, ErrExists), "leave a job")
}

// Keep stores a job under a name until it expires. The job has no due time: Kept returns it, and
// Take does not belong in an outbox of such jobs. If a job of that name is stored, Keep changes
// nothing and reports false.
func (o Outbox) Keep(ctx context.Context, j Job, name string, expires time.Time) (fresh bool, err error) {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort, op.Item.Expires = name, expires
		err = o.Table.Write(ctx, op)
	}
	return err == nil, wrap(unless(err, ErrExists), "keep a job")
}

// Kept returns at most the given number of kept jobs, in the order of their names, after a name.
// Malformed jobs are left out.
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

// Postpone makes a taken job due again at the given time. The job moves to this outbox if it comes
// from another one. If another worker has taken the job meanwhile, Postpone does nothing.
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

// Release gives back a job that was taken but not started. Other workers can then take the job at
// once.
func (o Outbox) Release(ctx context.Context, j Job) error {
	j.Leased = time.Time{}
	return wrap(unless(write(ctx, o.Table, replace(j.item), j), ErrConflict), "give back a job")
}

// jobTime is the format of the due time at the start of a job's sort key. So sort keys are in order
// of due time.
const jobTime = "20060102T150405.000000000"

// put returns the write that adds a job. Callers combine it with other writes.
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

// leasedAhead is the number of jobs leased by other workers that Take can skip. Leased jobs stay in
// the queue, and each worker leases a few dozen.
const leasedAhead = 100

// Take leases due jobs to the caller, the longest due first. The parameter most is their maximum
// number. If a job is not deleted when its lease ends, another worker may take the job. Take may
// return both jobs and an error.
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
			// The job is malformed and can never run. It is the oldest job, so it would make every
			// later Take fail too.
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
	var all sync.WaitGroup // in parallel, so that the file is synced once
	for i := range jobs {
		all.Go(func() {
			j := &jobs[i]
			tried := *j
			tried.Tries++
			data, err := json.Marshal(tried)
			if j.item.Data = data; err != nil || o.Table.Write(ctx, Op{Mode: Replace, Item: j.item}) != nil {
				j.item = Item{} // another worker took it first, or a later Take finds it again
			}
			j.item.Version++
		})
	}
	all.Wait()
	return slices.DeleteFunc(jobs, func(j Job) bool { return j.item.Sort == "" }), errors.Join(faults...)
}

// about returns the writes that delete all malformed jobs, and all jobs for which wanted returns
// true.
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

// Delete deletes a job that was taken.
func (o Outbox) Delete(ctx context.Context, j Job) error {
	return wrap(o.Table.Write(ctx, Op{Mode: Delete, Item: j.item}), "end a job")
}

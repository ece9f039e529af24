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
// answer to a request for a new key must not reveal whether the customer exists, so a job looks the
// customer up. A job may run more than once (partitions: OUTBOX, OFFER).
type Outbox struct {
	Table Table
	Name  string // part of the key, so it must not change
	// Delay, if set, returns the time until a new job is due.
	Delay func() time.Duration
	// Choose, if set, picks at most the given number of due jobs for Take. If nil, Take picks them
	// in turn; see InTurn.
	Choose func(ctx context.Context, due []Job, most int) ([]Job, error)
}

// RandomDelay returns 1 to 10 s. As the Delay of an Outbox, it hides what a job did from callers
// who measure the timing of later answers.
func RandomDelay() time.Duration { return time.Second + mathrand.N(9*time.Second) }

// Retries returns a separate outbox for jobs that failed, so that they do not delay new jobs.
func (o Outbox) Retries() Outbox { return Outbox{Table: o.Table, Name: o.Name + "-retries"} }

type Job struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email"`
	Lang  string    `json:"lang"`
	Ref   string    `json:"ref,omitempty"` // the subject of the job
	At    time.Time `json:"at"`
	// Caller is the pseudonym of the caller whose request added the job. It is empty if the service
	// itself, or an earlier version, added the job.
	Caller string `json:"caller,omitempty"`
	// Network is the pseudonym of the caller's network. It is empty if the caller has a loopback or private
	// address, or if the service itself added the job. To is the pseudonym of the recipient.
	Network string       `json:"network,omitempty"`
	To      SubscriberID `json:"to,omitempty"`
	// New is set by Choose if the job is the first of its network in 24 hours.
	New bool `json:"new,omitempty"`
	// Leased is the time before which Take does not return the job.
	Leased time.Time       `json:"leased"`
	Tries  int             `json:"tries,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	// First is the sort key that a postponed job had at first.
	First string `json:"first,omitempty"`

	item Item
}

// Name returns the name of a job in its outbox. It stays the same when the job is postponed.
func (j Job) Name() string { return cmp.Or(j.First, j.item.Sort) }

func (o Outbox) partition() string { return "OUTBOX#" + o.Name }

// jobDays is how long a job is stored. A worker that runs gives it up earlier.
const jobDays = 7

func (o Outbox) Put(ctx context.Context, j Job) error {
	var w writes
	w.addJobs(o, j)
	return wrap(w.commit(ctx, o.Table), "leave a job")
}

// PutOnce adds a job under a name. It does nothing if a job with that name and j.At exists.
func (o Outbox) PutOnce(ctx context.Context, j Job, name string) error {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort = j.At.UTC().Format(jobTime) + "-" + name
		err = o.Table.Write(ctx, op)
	}
	return wrap(unless(err, ErrExists), "leave a job")
}

// Keep stores a job under a name until it expires. The job has no due time: only Kept returns it,
// and Take must not be used on such an outbox. If a job of that name is stored, Keep changes
// nothing and reports false.
func (o Outbox) Keep(ctx context.Context, j Job, name string, expires time.Time) (fresh bool, err error) {
	op, err := o.put(j)
	if err == nil {
		op.Item.Sort, op.Item.Expires = name, expires
		err = o.Table.Write(ctx, op)
	}
	return err == nil, wrap(unless(err, ErrExists), "keep a job")
}

// Kept reads at most the given number of kept jobs after a name, in order of name, and returns them
// without malformed ones.
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

// Postpone makes a taken job due again at the given time, in this outbox even if it comes from
// another one. It does nothing if another worker has taken the job meanwhile.
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

// Release gives back a job that was taken but not started, for other workers to take at once.
func (o Outbox) Release(ctx context.Context, j Job) error {
	j.Leased = time.Time{}
	return wrap(unless(write(ctx, o.Table, replace(j.item), j), ErrConflict), "give back a job")
}

// jobTime is the format of the due time at the start of a job's sort key, so keys sort by due time.
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

// maxRead limits how many jobs Take reads, and thereby the memory and the time that a flood of jobs
// costs. It is high so that the jobs of one network do not hide those of the others.
const maxRead = 20_000

// Take leases at most the given number of due jobs, as Choose picks them. If a job is not deleted
// when its lease ends, another worker may take it. Take may return both jobs and an error.
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
			// A malformed job can never run and would make every later Take fail too.
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
	var all sync.WaitGroup // in parallel, so that boltstore syncs the disk once
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

// about returns the writes that delete all malformed and all wanted jobs.
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

// InTurn sorts jobs so that the callers' networks take turns: first one job of each network, then the
// second of each, and so on. earlier returns how many turns a network has had already; its first job
// comes after these turns. Jobs without a network come first.
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

// Offer stores a job under an id until the given time, for Accept. A second Offer with the same id
// changes nothing.
func (o Outbox) Offer(ctx context.Context, id string, j Job, until time.Time) error {
	err := write(ctx, o.Table, replace(Item{Key: offerKey(id), Expires: until}), j)
	return wrap(unless(err, ErrExists), "offer a job")
}

// CheckOffer returns ErrNotFound if there is no offer with the id or it has expired.
func (o Outbox) CheckOffer(ctx context.Context, id string) error {
	_, err := o.offer(ctx, id)
	return err
}

func (o Outbox) offer(ctx context.Context, id string) (Item, error) {
	item, err := o.Table.Get(ctx, offerKey(id), Strong)
	return item, wrap(err, "read offered job")
}

// Accept adds the job that was offered under an id to the outbox. A second Accept does nothing.
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

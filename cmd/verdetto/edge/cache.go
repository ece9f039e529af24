package edge

import (
	"bytes"
	"container/list"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"verdetto/shared/runtime/recorder"
	"verdetto/shared/web/routes"
)

const maxBytes = 32 << 20

// ownHeaders belong to one answer, so the cache does not store them.
var ownHeaders = []string{"X-Ratelimit-Remaining", "Ratelimit", "X-Request-Id", "X-Cache", "Date"}

// admit counts a call that the cache answers, and refuses the call if the caller has made too many.
type admit func(http.ResponseWriter, *http.Request) bool

// cache stores answers compressed, so the cache key contains the Content-Encoding.
type cache struct {
	admit admit
	now   func() time.Time
	most  int
	table map[string]routes.Route // by path, or by the part before {file}
	next  http.Handler

	mu     sync.Mutex
	byKey  map[string]*list.Element
	recent *list.List // of *cachedAnswer, most recently used first
	size   int
}

type cachedAnswer struct {
	key         string
	header      http.Header
	body        []byte
	since, ends time.Time
}

func (k *cachedAnswer) bytes() int { return len(k.key) + cap(k.body) + 1024 } // 1024 is an estimate for the headers

func newCache(next http.Handler, admit admit, now func() time.Time, most int) *cache {
	c := &cache{admit: admit, now: now, most: most, next: next, table: map[string]routes.Route{},
		byKey: map[string]*list.Element{}, recent: list.New()}
	for _, r := range routes.Table {
		if r.Edge.Free == 0 || r.Method != http.MethodGet {
			continue
		}
		for _, path := range r.Paths() {
			c.table[strings.TrimSuffix(path, "{file}")] = r
		}
	}
	return c
}

func (c *cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, ok := c.key(r)
	if !ok {
		c.next.ServeHTTP(w, r)
		return
	}
	if k := c.get(key); k != nil {
		if c.admit(w, r) {
			k.answer(w, r, "HIT", c.now())
		}
		return
	}
	if r.Method != http.MethodGet {
		c.next.ServeHTTP(w, r)
		return
	}
	whole := r.Clone(r.Context())
	whole.Header.Del("If-None-Match") // cache the whole answer, never a 304
	into := &recorder.Recorder{}
	c.next.ServeHTTP(into, whole)
	into.WriteHeader(http.StatusOK)
	if lifetime := sharedFor(into); lifetime > 0 {
		at := c.now()
		k := &cachedAnswer{key: key, header: into.Sent.Clone(), body: bytes.Clone(into.Body.Bytes()),
			since: at, ends: at.Add(lifetime)}
		for _, name := range ownHeaders {
			k.header.Del(name)
		}
		c.put(k)
		into.Sent.Set("X-Cache", "MISS")
		(&cachedAnswer{header: into.Sent, body: k.body, since: at}).answer(w, r, "MISS", at)
		return
	}
	maps.Copy(w.Header(), into.Sent)
	w.WriteHeader(into.Status)
	_, _ = w.Write(into.Body.Bytes())
}

func (c *cache) key(r *http.Request) (key string, ok bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return "", false
	}
	path := r.URL.Path
	route, ok := c.table[path]
	if !ok {
		folder := path[:strings.LastIndexByte(path, '/')+1]
		if route, ok = c.table[folder]; !ok || !strings.HasSuffix(route.Path, "{file}") {
			return "", false
		}
	}
	if route.Keyed() && len(r.Header["X-Api-Key"])+len(r.Header["Authorization"]) > 0 {
		return "", false
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", false
	}
	return codingFor(r) + " " + path + "?" + query.Encode(), true
}

func (c *cache) get(key string) *cachedAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	k := e.Value.(*cachedAnswer)
	if !c.now().Before(k.ends) {
		c.drop(e)
		return nil
	}
	c.recent.MoveToFront(e)
	return k
}

func (c *cache) put(k *cachedAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[k.key]; e != nil {
		c.drop(e)
	}
	if k.bytes() > c.most/8 {
		return // so large an answer would displace too many others
	}
	c.byKey[k.key] = c.recent.PushFront(k)
	c.size += k.bytes()
	for c.size > c.most {
		c.drop(c.recent.Back())
	}
}

func (c *cache) drop(e *list.Element) {
	k := c.recent.Remove(e).(*cachedAnswer)
	delete(c.byKey, k.key)
	c.size -= k.bytes()
}

func (k *cachedAnswer) answer(w http.ResponseWriter, r *http.Request, how string, now time.Time) {
	h := w.Header()
	maps.Copy(h, k.header) // the cache still uses the slices of k.header, so replace a header and do not append to a slice
	h.Set("X-Cache", how)
	if how == "HIT" {
		h.Set("Age", strconv.FormatInt(int64(now.Sub(k.since)/time.Second), 10))
	}
	if has(r.Header.Get("If-None-Match"), k.header.Get("ETag")) {
		h.Del("Content-Type")
		h.Del("Content-Length")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(k.body)
	}
}

func has(given, tag string) bool {
	for one := range strings.SplitSeq(given, ",") {
		if tag != "" && strings.TrimPrefix(strings.TrimSpace(one), "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

func sharedFor(r *recorder.Recorder) time.Duration {
	if r.Status != http.StatusOK || len(r.Sent["Set-Cookie"]) > 0 {
		return 0
	}
	var lifetime time.Duration
	for part := range strings.SplitSeq(strings.Join(r.Sent["Cache-Control"], ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), "=")
		switch name {
		case "no-store", "private", "no-cache":
			return 0
		case "s-maxage":
			if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
				lifetime = time.Duration(seconds) * time.Second
			}
		}
	}
	return lifetime
}

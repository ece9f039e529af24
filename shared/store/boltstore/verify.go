package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
)

// A damaged page can make bolt panic in a goroutine of its own, which cannot be recovered. So verifyPages checks the
// used pages before bolt reads items.
//
// A page starts with a header of id (8 bytes), flags (2), count (2) and overflow (4), followed by elements of 16 bytes.
const (
	pageHead    = 16
	elementSize = 16
	branchPage  = 0x01
	leafPage    = 0x02
	isBucket    = 0x01
	magic       = 0xED0CDAED
)

var order = binary.NativeEndian

type walker struct {
	file     *os.File
	pageSize uint64
	end      uint64
	seen     []bool
	last     []byte
	elements []element
}

func verifyPages(path string, pageSize int) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := walker{file: file, pageSize: uint64(pageSize)}
	root, err := w.head()
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if size := uint64(info.Size()); w.end > size/w.pageSize {
		return fmt.Errorf("it should have %d bytes and has %d", w.end*w.pageSize, size)
	}
	w.seen = make([]bool, w.end)
	return w.page(root, nil, nil)
}

func (w *walker) head() (root uint64, err error) {
	var newest uint64
	found := false
	for page := range int64(2) {
		b := make([]byte, 64)
		if _, err := w.file.ReadAt(b, page*int64(w.pageSize)+pageHead); err != nil {
			return 0, err
		}
		sum := fnv.New64a()
		sum.Write(b[:56])
		txid := order.Uint64(b[48:])
		if order.Uint32(b) != magic || order.Uint64(b[56:]) != sum.Sum64() || found && txid < newest {
			continue
		}
		found, newest, root, w.end = true, txid, order.Uint64(b[16:]), order.Uint64(b[40:])
	}
	if !found {
		return 0, errors.New("both of its heads are damaged")
	}
	return root, nil
}

// The keys must lie in [first, end). A nil end is no limit.
func (w *walker) page(id uint64, first, end []byte) error {
	damaged := func(what string) error { return fmt.Errorf("page %d is damaged: %s", id, what) }
	if id < 2 || id >= w.end {
		return damaged("it lies outside of the file")
	}
	data, err := w.read(id, 1)
	if err != nil {
		return err
	}
	last := id + uint64(order.Uint32(data[12:]))
	if order.Uint64(data) != id || last >= w.end {
		return damaged("its head")
	}
	for i := id; i <= last; i++ {
		if w.seen[i] {
			return damaged("it is in use twice")
		}
		w.seen[i] = true
	}
	if last > id {
		if data, err = w.read(id, last-id+1); err != nil {
			return err
		}
	}
	elements, err := parse(data, w.elements)
	w.elements = elements[:0]
	if slices.ContainsFunc(elements, func(e element) bool { return e.branch || e.bucket }) {
		// The recursive calls below overwrite the buffers.
		elements, err = parse(bytes.Clone(data), nil)
	}
	if err != nil {
		return damaged(err.Error())
	}
	if !inOrder(elements, first, end) {
		return damaged("its keys are not in order")
	}
	for i, e := range elements {
		switch {
		case e.branch:
			next := end
			if i+1 < len(elements) {
				next = elements[i+1].key
			}
			err = w.page(e.child, e.key, next)
		case e.bucket && len(e.value) < 16:
			err = damaged("a bucket is cut short")
		case e.bucket && order.Uint64(e.value) != 0:
			err = w.page(order.Uint64(e.value), nil, nil)
		case e.bucket:
			if _, bad := parse(e.value[16:], nil); bad != nil {
				err = damaged(bad.Error())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func inOrder(elements []element, first, end []byte) bool {
	for i, e := range elements {
		if i == 0 && bytes.Compare(e.key, first) < 0 || i > 0 && bytes.Compare(e.key, elements[i-1].key) <= 0 ||
			end != nil && bytes.Compare(e.key, end) >= 0 {
			return false
		}
	}
	return true
}

func (w *walker) read(id, pages uint64) ([]byte, error) {
	w.last = slices.Grow(w.last[:0], int(pages*w.pageSize))[:pages*w.pageSize]
	_, err := w.file.ReadAt(w.last, int64(id*w.pageSize))
	return w.last, err
}

type element struct {
	key, value     []byte
	child          uint64
	branch, bucket bool
}

// The result can use the memory of the parameter reuse.
func parse(page []byte, reuse []element) ([]element, error) {
	if len(page) < pageHead {
		return nil, errors.New("it is cut short")
	}
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if flags != branchPage && flags != leafPage || flags == branchPage && count == 0 {
		return nil, errors.New("its kind")
	}
	elements := slices.Grow(reuse[:0], count)[:count]
	for i := range elements {
		at := pageHead + i*elementSize
		if at+elementSize > len(page) {
			return nil, errors.New("it counts too many keys")
		}
		b := page[at:]
		e := element{branch: flags == branchPage}
		var position, key, value uint64
		if e.branch {
			position, key, e.child = uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), order.Uint64(b[8:])
		} else {
			e.bucket = order.Uint32(b)&isBucket != 0
			position, key, value = uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:])), uint64(order.Uint32(b[12:]))
		}
		if position+key+value > uint64(len(b)) {
			return nil, errors.New("a key lies outside the page")
		}
		e.key, e.value = b[position:position+key], b[position+key:position+key+value]
		elements[i] = e
	}
	return elements, nil
}

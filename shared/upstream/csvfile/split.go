package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of a file, and so each of its fields and what a file
// can make us hold.
const maxLine = 16 << 10

var (
	errLong  = fault{LongLine, fmt.Sprintf("longer than %d bytes", maxLine)}
	errQuote = fault{StrayQuote, "a quotation mark out of place"}
)

// lines hands out the lines of a text. A record is a line: a field may be
// quoted but may not hold a line break, so that a stray quotation mark costs
// one row and not the rest of the file.
type lines struct {
	in     *bufio.Reader
	number int // of the line last handed out, from 1
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, maxLine)} }

// next gives a line without its end, valid until the next call. errLong means
// that this line is lost and the next is to be had; io.EOF that all is read;
// any other error that the text broke off, and a line begun by then is not
// handed out, since a price may have lost its last digits.
func (l *lines) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.number++
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = l.in.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return nil, errLong
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	l.number++
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// split appends a record's fields to fields. They share memory with line unless one is quoted.
func split(line []byte, fields [][]byte) ([][]byte, error) {
	if !bytes.Contains(line, []byte{'"'}) {
		for more := true; more; {
			var field []byte
			field, line, more = bytes.Cut(line, []byte{','})
			fields = append(fields, field)
		}
		return fields, nil
	}
	record, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil {
		return fields, errQuote
	}
	for _, field := range record {
		fields = append(fields, []byte(field))
	}
	return fields, nil
}

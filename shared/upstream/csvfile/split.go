package csvfile

import (
	"bufio"
	"bytes"
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

// split appends a record's fields to fields. They share memory with line,
// which is rewritten where a quoted field holds doubled quotation marks.
func split(line []byte, fields [][]byte) ([][]byte, error) {
	for {
		if len(line) > 0 && line[0] == '"' {
			field, rest, err := unquote(line[1:])
			if err != nil {
				return fields, err
			}
			fields = append(fields, field)
			if len(rest) == 0 {
				return fields, nil
			}
			line = rest[1:] // a comma, as unquote has seen
			continue
		}
		field, rest, more := bytes.Cut(line, []byte(","))
		if bytes.IndexByte(field, '"') >= 0 {
			return fields, errQuote
		}
		fields = append(fields, field)
		if !more {
			return fields, nil
		}
		line = rest
	}
}

// unquote reads a field behind its opening mark; rest is empty or begins with a comma.
func unquote(line []byte) (field, rest []byte, err error) {
	kept := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '"' {
			if i+1 == len(line) || line[i+1] == ',' {
				return line[:kept], line[i+1:], nil
			}
			if line[i+1] != '"' {
				return nil, nil, errQuote
			}
			i++
		}
		line[kept] = line[i]
		kept++
	}
	return nil, nil, errQuote
}

package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

const maxLine = 16 << 10

var (
	errLong  = fault{reason: LongLine, detail: fmt.Sprintf("longer than %d bytes", maxLine)}
	errQuote = fault{reason: StrayQuote, detail: "a quotation mark out of place"}
)

// lines reads a text line by line. Each line is a record, even with an open quotation mark, so that
// a stray quotation mark damages only its own row.
type lines struct {
	in     *bufio.Reader
	number int
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(utf8From(in), maxLine)} }

// next returns a line without its line break, valid until the next call. After errLong, reading can
// continue.
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

// split appends the fields of line to fields. The new fields may share memory with line.
func split(line []byte, separator byte, fields [][]byte) ([][]byte, error) {
	if !bytes.Contains(line, []byte{'"'}) {
		for more := true; more; {
			var field []byte
			field, line, more = bytes.Cut(line, []byte{separator})
			fields = append(fields, field)
		}
		return fields, nil
	}
	in := csv.NewReader(bytes.NewReader(line))
	in.Comma = rune(separator)
	record, err := in.Read()
	if err != nil {
		return fields, errQuote
	}
	for _, field := range record {
		fields = append(fields, []byte(field))
	}
	return fields, nil
}

package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest accepted line of a file, in bytes. It limits the memory for a line and its
// fields.
const maxLine = 16 << 10

var (
	errLong  = fault{LongLine, fmt.Sprintf("longer than %d bytes", maxLine)}
	errQuote = fault{StrayQuote, "a quotation mark out of place"}
)

// lines reads a text line by line. A record is one line: a quoted field must not hold a line break.
// So a stray quotation mark damages one row and not the rest of the file.
type lines struct {
	in     *bufio.Reader
	number int // of the last returned line, from 1
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, maxLine)} }

// next returns a line without its line break. The line is valid until the next call. The error
// errLong means that this line is lost, and io.EOF means that the text is complete. Every other
// error means that the text broke off. Then an incomplete last line is dropped, because its price
// may lack digits.
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

// split appends the fields of a record to fields. The fields share memory with line, unless a field
// is quoted.
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

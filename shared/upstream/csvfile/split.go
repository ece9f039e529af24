package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds the memory for a line and its fields, in bytes.
const maxLine = 16 << 10

var (
	errLong  = fault{reason: LongLine, detail: fmt.Sprintf("longer than %d bytes", maxLine)}
	errQuote = fault{reason: StrayQuote, detail: "a quotation mark out of place"}
)

// lines reads a text line by line. A record is one line, without line breaks in quoted fields, so
// that a stray quotation mark damages one row and not the rest of the file.
type lines struct {
	in     *bufio.Reader
	number int // of the last returned line, from 1
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(utf8From(in), maxLine)} }

// next returns a line without its line break, valid until the next call. The error errLong means
// that this line is lost, and io.EOF that the text is complete. Any other error means that the text
// broke off; an incomplete last line is then dropped, because its price may lack digits.
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

// split appends the fields of a record, which share memory with line unless one is quoted.
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

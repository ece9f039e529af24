package boltstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// A backup is the file of a store followed by a seal. The length of a backup is no multiple of 512, so that a backup
// with a changed seal is not taken for a store.
const (
	sealText   = "\nverdetto backup; SHA-256 of all before this line: "
	sealLength = int64(len(sealText) + 2*sha256.Size + 1)
	leastPage  = 512 // divides every page size
)

var errChecksum = errors.New("its checksum is another than when it was backed up; use another backup")

func sealOf(sum []byte) string { return fmt.Sprintf("%s%x\n", sealText, sum) }

func Seal(w io.Writer, write func(io.Writer) error) error {
	sum := sha256.New()
	if err := write(io.MultiWriter(w, sum)); err != nil {
		return err
	}
	_, err := io.WriteString(w, sealOf(sum.Sum(nil)))
	return err
}

func checkSeal(path string) (sealed bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	switch info.Size() % leastPage {
	case 0:
		return false, nil
	case sealLength % leastPage:
	default:
		return false, fmt.Errorf("%d bytes is the length of neither a store nor a backup", info.Size())
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, file, info.Size()-sealLength); err != nil {
		return false, err
	}
	seal, err := io.ReadAll(file)
	if err != nil {
		return false, err
	}
	if string(seal) != sealOf(sum.Sum(nil)) {
		return false, errChecksum
	}
	return true, nil
}

// unseal requires that this process holds the lock of the file.
func unseal(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size()%leastPage != sealLength%leastPage {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err = file.Truncate(info.Size() - sealLength); err == nil {
		err = file.Sync() // the seal must be gone before the first change
	}
	return errors.Join(err, file.Close())
}

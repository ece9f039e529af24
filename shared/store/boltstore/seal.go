package boltstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// A backup is a store's file with a seal behind it: one line with the SHA-256 of
// all bytes before that line. The file of a store is whole pages, so its length alone says
// whether there is a seal: a damaged seal cannot pass for a backup that has none.
const (
	sealText   = "\nverdetto backup; SHA-256 of all before this line: "
	sealLength = int64(len(sealText) + 2*sha256.Size + 1)
	leastPage  = 512 // divides the size of every page
)

var errChecksum = errors.New("its checksum is another than when it was backed up; use another backup")

func sealOf(sum []byte) string { return fmt.Sprintf("%s%x\n", sealText, sum) }

// Seal writes what write writes, and its seal.
func Seal(w io.Writer, write func(io.Writer) error) error {
	sum := sha256.New()
	if err := write(io.MultiWriter(w, sum)); err != nil {
		return err
	}
	_, err := io.WriteString(w, sealOf(sum.Sum(nil)))
	return err
}

// checkSeal reports whether a file has a seal, and fails if it is not that of the file.
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

// unseal removes the seal, if there is one, of a file that this process holds the lock of.
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
		err = file.Sync() // before the first change
	}
	return errors.Join(err, file.Close())
}

package onemachine

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// backupName is the name of a backup in a folder of backups, which says when it was made (UTC).
const backupName = "verdetto-20060102T150405Z.db"

// BackupIn returns the file of a new backup in a folder.
func BackupIn(folder string, now time.Time) string {
	return filepath.Join(folder, now.UTC().Format(backupName))
}

// backups gives the complete backups of a folder, the oldest first.
func backups(folder string, give func(file string, made time.Time) error) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if made, bad := time.Parse(backupName, e.Name()); bad == nil {
			err = errors.Join(err, give(filepath.Join(folder, e.Name()), made))
		}
	}
	return err
}

// KeepBackups deletes the backups of a folder that were made before a time.
func KeepBackups(folder string, from time.Time) error {
	return backups(folder, func(file string, made time.Time) error {
		if made.Before(from) {
			return os.Remove(file)
		}
		return nil
	})
}

// failedBackup returns when systemd last noted in a folder that a backup failed.
func failedBackup(folder string) time.Time {
	info, err := os.Stat(filepath.Join(folder, "failed"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// lastBackup returns when the newest backup in a folder was made, the zero time if there is none, and
// false if the folder cannot be read. The first backup makes the folder.
func lastBackup(folder string) (newest time.Time, known bool) {
	err := backups(folder, func(_ string, made time.Time) error { newest = made; return nil })
	return newest, folder != "" && (err == nil || errors.Is(err, os.ErrNotExist))
}

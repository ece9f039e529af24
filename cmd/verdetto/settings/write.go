package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

// Write creates the file complete or not at all, and fails with fs.ErrExist if the file exists.
func Write(file string, values map[string]any) error {
	lines, err := toml.Marshal(values)
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("write settings: %s: %w", file, fs.ErrExist)
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".verdetto-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	_, err = fmt.Fprintf(part, "# Written at the first run. docs/configuration.md lists all settings.\n%s", lines)
	if err = errors.Join(err, part.Sync(), part.Close(), share(part.Name())); err == nil {
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write settings: %w", err), os.Remove(part.Name()))
	}
	return nil
}

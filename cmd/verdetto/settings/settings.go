// Package settings reads the settings of a command. A flag takes precedence over the environment, the
// environment over the settings file, and the file over the default. The package copies the file's
// values into the environment, where other code reads settings.
//
// If NAME is a secret, NAME_FILE may name a file that holds the value. Start reading at Take.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"

	"verdetto/shared/runtime/config"
)

const inFile = "_FILE"

var notSettings = []string{"VERDETTO_CONFIG", "VERDETTO_DATA", "VERDETTO_SAM_LISTENER",
	"VERDETTO_SAM_NETWORK", "VERDETTO_URL"}

type ValuedSetting struct {
	config.Setting
	Value, From string
}

func Flags(f *pflag.FlagSet, to map[string]*string) {
	for _, s := range config.Settings {
		if v, ok := to[s.Flag]; ok && s.Flag != "" {
			f.StringVar(v, s.Flag, s.Default, usage(s))
		}
	}
}

func usage(s config.Setting) string {
	text := s.Give
	if s.Note != "" {
		text += "; " + s.Note
	}
	if s.Without != "" {
		text += "; default: " + s.Without
	}
	return text + " (" + s.Name + ")"
}

// Take copies the settings of file into the environment, and the environment into the flags that
// were not given.
func Take(f *pflag.FlagSet, file string) (taken []ValuedSetting, faults []string) {
	inside, faults := read(file)
	outside := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if value == "" {
			continue
		}
		_, known := named(name)
		switch {
		case known:
			outside[name] = value
		case strings.HasPrefix(name, "VERDETTO_") && !slices.Contains(notSettings, name):
			faults = append(faults, unknown(name)+" (in the environment)")
		}
	}
	given := map[string]string{}
	f.Visit(func(g *pflag.Flag) { given[g.Name] = g.Value.String() })
	for _, s := range config.Settings {
		if value, ok := given[s.Flag]; ok && s.Flag != "" {
			for _, fault := range s.Faults(value) {
				faults = append(faults, "-"+s.Flag+strings.TrimPrefix(fault, s.Name))
			}
			taken = append(taken, ValuedSetting{s, value, "flag -" + s.Flag})
			continue
		}
		value, from, fault := find(s, outside, "", "the environment")
		if value == "" && fault == "" {
			value, from, fault = find(s, inside, filepath.Dir(file), file)
		}
		switch {
		case fault != "":
			faults = append(faults, fault)
			continue
		case value == "":
			continue
		}
		switch why := config.Placeholder(value); {
		case why != "":
			faults = append(faults, s.Name+": "+why)
		case s.Name == "VERDETTO_PEPPER" && strings.HasPrefix(value, config.SecretMark):
			// onemachine.GivenPepper reads and checks the pepper later.
		default:
			faults = append(faults, s.Faults(value)...)
		}
		taken = append(taken, ValuedSetting{s, value, from})
		_ = os.Setenv(s.Name, value)
		if s.Flag != "" && f.Lookup(s.Flag) != nil {
			_ = f.Set(s.Flag, value)
		}
	}
	return taken, faults
}

func find(s config.Setting, in map[string]string, folder, place string) (value, from, fault string) {
	value, file := in[s.Name], in[s.Name+inFile]
	switch {
	case value != "" && file != "":
		return "", "", fmt.Sprintf("%s: %s has both %[1]s and %[1]s%[3]s; leave one of them out", s.Name, place, inFile)
	case file == "":
		return value, place, ""
	case !filepath.IsAbs(file):
		file = filepath.Join(folder, file)
	}
	data, err := os.ReadFile(file)
	var system *fs.PathError
	switch {
	case errors.As(err, &system):
		return "", "", fmt.Sprintf("%s%s: %s: %v; put the value into that file, readable by the service's user", s.Name,
			inFile, file, system.Err)
	case err != nil:
		return "", "", fmt.Sprintf("%s%s: read %s: %v", s.Name, inFile, file, err)
	}
	if value = strings.TrimSpace(string(data)); value == "" {
		return "", "", fmt.Sprintf("%s%s: %s is empty; put the value into it", s.Name, inFile, file)
	}
	return value, file, ""
}

func read(file string) (values map[string]string, faults []string) {
	values = map[string]string{}
	if file == "" {
		return values, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		todo := "give the file with the settings"
		if errors.Is(err, fs.ErrPermission) {
			todo = "let this user read it, or give another file"
		}
		return values, []string{fmt.Sprintf("-config: %v; %s", err, todo)}
	}
	found, faults := parse(file, string(data))
	var secrets []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s, known := named(name)
		if !known {
			faults = append(faults, unknown(name)+" (in "+file+")")
			continue
		}
		value, fault := text(found[name])
		if fault != "" {
			faults = append(faults, name+": "+fault)
			continue
		}
		if s.Secret && name == s.Name {
			secrets = append(secrets, name)
		}
		values[name] = value
	}
	if info, err := os.Stat(file); err == nil && len(secrets) > 0 && info.Mode().Perm()&0o004 != 0 {
		faults = append(faults, fmt.Sprintf("%s: every user of this machine can read its secrets, %s; run chmod o-r %[1]s, or put each into a file of its own, named by NAME%[3]s",
			file, strings.Join(secrets, ", "), inFile))
	}
	return values, faults
}

// parse skips a line with a syntax error, so that the faults of other lines are reported too.
func parse(file, data string) (found map[string]any, faults []string) {
	lines := strings.Split(data, "\n")
	for range lines {
		found = nil
		_, err := toml.Decode(strings.Join(lines, "\n"), &found)
		var bad toml.ParseError
		switch {
		case err == nil:
			return found, faults
		case !errors.As(err, &bad) || bad.Position.Line < 1 || bad.Position.Line > len(lines):
			return nil, append(faults, fmt.Sprintf("%s: %v", file, err))
		}
		faults = append(faults, fmt.Sprintf(`%s, line %d: %s; write NAME = "value" on each line`, file, bad.Position.Line,
			bad.Message))
		lines[bad.Position.Line-1] = ""
	}
	return nil, faults
}

// text returns what the environment variable would hold, or what is wrong with value.
func text(value any) (string, string) {
	switch v := value.(type) {
	case string:
		return v, ""
	case int64, float64:
		return fmt.Sprint(v), ""
	case []any:
		var parts []string
		for _, element := range v {
			part, ok := element.(string)
			if !ok {
				return "", `a list may hold texts only, such as ["one", "two"]`
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ","), ""
	}
	return "", fmt.Sprintf(`%v is not a text, number or list; write NAME = "value"`, value)
}

func named(name string) (config.Setting, bool) {
	if s, ok := config.Named(name); ok {
		return s, true
	}
	s, ok := config.Named(strings.TrimSuffix(name, inFile))
	return s, ok && s.Secret && strings.HasSuffix(name, inFile)
}

func unknown(name string) string {
	if s, ok := config.Named(strings.TrimSuffix(name, inFile)); ok {
		return fmt.Sprintf("%s: only secrets can be in files of their own; set %s", name, s.Name)
	}
	var names []string
	for _, s := range config.Settings {
		names = append(names, s.Name)
	}
	if nearest := config.Nearest(strings.ToUpper(name), names, 3); nearest != "" {
		return fmt.Sprintf("%s: there is no such setting; was %s meant?", name, nearest)
	}
	return name + ": there is no such setting; docs/configuration.md lists all settings; remove this one"
}

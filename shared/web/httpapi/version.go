package httpapi

import "runtime/debug"

const Version = "1.0.0"

// commit is set by the linker in a release; see .goreleaser.yaml.
var commit string

func BuiltFrom() string {
	build, ok := debug.ReadBuildInfo()
	if commit != "" || !ok {
		return commit
	}
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.modified"] == "true" {
		return settings["vcs.revision"] + " with changes"
	}
	return settings["vcs.revision"]
}

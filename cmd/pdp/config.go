package main

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-pdp/pdp/internal/serverfile"
)

// configFlag is for commands that read the server file. What stands in it holds
// for each of their flags that has a setting tag.
type configFlag struct {
	Config string `placeholder:"FILE" setting:"PDP_CONFIG" help:"The server file: YAML with the flags of pdp serve as keys (state_dir for --state-dir), and auth for who may call."`
}

// badConfig is an error of the server file: no misuse of the command line.
type badConfig struct{ cause error }

func (b badConfig) Error() string { return "the server file: " + b.cause.Error() }
func (b badConfig) Unwrap() error { return b.cause }

// setting resolves a flag that the command line does not give: first from the
// environment, then from the server file.
func (a *app) setting(k *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name := flag.Tag.Get("setting")
	if name == "" {
		return nil, nil
	}
	if value := a.getenv(name); value != "" {
		return value, nil
	}
	if flag.Name == "config" {
		return nil, nil
	}
	file, err := a.serverFile(k)
	if err != nil || file == nil {
		return nil, err
	}
	if s, ok := file.Settings[keyOf(flag)]; ok {
		return s.Value, nil
	}
	return nil, nil
}

// keyOf is a flag's name in the server file.
func keyOf(flag *kong.Flag) string { return strings.ReplaceAll(flag.Name, "-", "_") }

// serverFile reads the file that the command line or the environment names, once.
// It is nil without one, and for commands that read none.
func (a *app) serverFile(k *kong.Context) (*serverfile.File, error) {
	if a.config != nil || a.configErr != nil {
		return a.config, a.configErr
	}
	path, ok := a.configPath(k)
	if !ok || path == "" {
		return nil, nil
	}
	settings, paths := a.serverSettings(k.Model)
	file, err := serverfile.Load(path, settings, paths)
	if err != nil {
		a.configErr = badConfig{err}
		return nil, a.configErr
	}
	a.config = file
	return file, nil
}

func (a *app) configPath(k *kong.Context) (path string, ok bool) {
	selected := k.Selected()
	if selected == nil {
		return "", false
	}
	for _, flag := range selected.Flags {
		if flag.Name == "config" {
			if given, ok := k.FlagValue(flag).(string); ok && given != "" {
				return given, true
			}
			return a.getenv("PDP_CONFIG"), true
		}
	}
	return "", false
}

// serverSettings names the keys of the server file, and those that are file
// names: the flags of pdp serve with a setting tag.
func (a *app) serverSettings(model *kong.Application) (all, paths []string) {
	for _, command := range model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, flag := range command.Flags {
			if flag.Tag.Get("setting") == "" || flag.Name == "config" {
				continue
			}
			all = append(all, keyOf(flag))
			if flag.Tag.Has("file") {
				paths = append(paths, keyOf(flag))
			}
		}
	}
	return all, paths
}

// misconfiguration is the part of an error that is about the server file; nil
// if it is about something else.
func misconfiguration(err error) error {
	var bad badConfig
	if !errors.As(err, &bad) {
		return nil
	}
	return bad.cause
}

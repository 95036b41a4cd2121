package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// Options say what to read. Env nil means the process's own environment.
type Options struct {
	Dirs       Dirs
	Workspace  string // the folder espy works in; "" reads no project file
	Accepted   bool   // the person accepted the workspace; else its file is not even opened
	Env        func(name string) (string, bool)
	Model      string // --model; "" not given
	Mode       string // --mode; "" not given
	Validators map[string]Validator

	// Project is the project's file as it was accepted; nil reads it from the workspace.
	Project func() ([]byte, error)
}

// Load reads and merges everything. It always returns usable settings: what is faulty is left out and named in a
// problem. Where a restriction may have been left out, Config.Unsafe is not empty and espy must not start.
func Load(o Options) (Config, []Problem) {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	l := &loader{options: o, valid: o.Validators, config: Default()}
	files := read(o)
	for _, f := range files {
		l.file(f)
	}
	l.overrides()
	if l.config.Model == "" && o.Dirs.State != "" {
		l.config.Model = Choice(o.Dirs)
	}
	l.config.Unsafe = l.unsafe
	l.config.Digest = digest(files)
	return l.config, l.problems
}

// Fingerprint is the Digest of the files as they are now.
func Fingerprint(o Options) string { return digest(read(o)) }

// layer is who a file speaks for.
type layer int

const (
	userLayer layer = iota
	permissionsLayer
	projectLayer
)

// source is a settings file as it was read. A file that is not there has no text and no error.
type source struct {
	layer layer
	path  string
	text  []byte
	err   error
}

// read reads the files in the order they are merged.
func read(o Options) []source {
	var files []source
	if o.Dirs.Config != "" {
		for i, path := range []string{o.Dirs.ConfigFile(), o.Dirs.PermissionsFile()} {
			text, err := readFile(path)
			files = append(files, source{layer(i), path, text, err})
		}
	}
	if o.Workspace != "" && o.Accepted {
		path := filepath.Join(o.Workspace, ProjectFile())
		if o.Project == nil {
			o.Project = func() ([]byte, error) { return readInside(o.Workspace, ProjectFile()) }
		}
		text, err := o.Project()
		files = append(files, source{projectLayer, path, text, err})
	}
	return files
}

// readFile reads a file of the user's, which may be a link. One that is not there is empty.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return readOpened(f, err)
}

// readInside reads a file of a workspace. No link leads out of it.
func readInside(workspace, name string) ([]byte, error) {
	root, err := os.OpenRoot(workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return readOpened(f, err)
}

func readOpened(f *os.File, err error) ([]byte, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		return nil, fmt.Errorf("it is larger than %d KiB", maxFileBytes>>10)
	}
	if err == nil && !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8 text")
	}
	return text, err
}

func digest(files []source) string {
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%q %d %v\n", f.path, len(f.text), f.err)
		sum.Write(f.text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// loader merges layers into a Config.
type loader struct {
	options  Options
	valid    validators
	config   Config
	problems []Problem
	unsafe   []Problem
}

// overrides applies the environment and then the flags.
func (l *loader) overrides() {
	model, _ := l.options.Env("ESPY_MODEL")
	mode, _ := l.options.Env("ESPY_MODE")
	l.override(environment, "ESPY_MODEL", model, CheckModel, &l.config.Model)
	l.override(environment, "ESPY_MODE", mode, CheckMode, &l.config.Mode)
	l.override(commandLine, "--model", l.options.Model, CheckModel, &l.config.Model)
	l.override(commandLine, "--mode", l.options.Mode, CheckMode, &l.config.Mode)
}

func (l *loader) override(place, name, value, check string, into *string) {
	if value == "" {
		return
	}
	if err := l.valid.check(check, value); err != nil {
		l.add(Problem{File: place, Key: name, Sentence: fmt.Sprintf("%s: %v", name, err)}, check == CheckMode)
		return
	}
	*into = value
	l.config.Sources[check] = place + " " + name
}

func (l *loader) add(p Problem, unsafe bool) {
	l.problems = append(l.problems, p)
	if unsafe {
		l.unsafe = append(l.unsafe, p)
	}
}

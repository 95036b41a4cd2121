package extend

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// mostFiles bounds how many declaring files one folder is read for.
	mostFiles = 500
	// mostBytes bounds one of them; what is longer is read this far and refused by its own limit.
	mostBytes = 256 << 10
)

// ReadDir reads the declaring files of the person's own configuration folder. A folder that is not there holds
// none; a file that cannot be read is a problem and leaves the others.
func ReadDir(dir string) (files []File, problems []string) {
	for _, kind := range []string{"tools", "skills", "commands", "extensions"} {
		err := filepath.WalkDir(filepath.Join(dir, kind), func(path string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case e.IsDir() || !Declares(path):
				return nil
			case len(files) == mostFiles:
				return fmt.Errorf("more than %d files", mostFiles)
			}
			data, err := readFile(path)
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s: %v", path, err))
				return nil
			}
			files = append(files, File{Path: path, Data: data})
			return nil
		})
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", filepath.Join(dir, kind), err))
		}
	}
	return files, problems
}

// readFile reads a regular file, links followed, bounded.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostBytes))
}

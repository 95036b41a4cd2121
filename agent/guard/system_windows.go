package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const openFlags = os.O_RDONLY

// kernelPath reports device names; os.Root refuses the reserved ones (NUL, COM1) itself.
func kernelPath(abs string) bool {
	return strings.HasPrefix(abs, `\\.\`) || strings.HasPrefix(abs, `\\?\`)
}

// hardLinked: the link count is not in a FileInfo here, so every file is compared.
func hardLinked(fs.FileInfo) bool { return true }

func keepOwner(*os.File, fs.FileInfo) {}

func syncFolder(*os.Root) {}

func splitName(abs string) (volume string, elements []string) {
	volume = filepath.VolumeName(abs)
	rest := strings.ReplaceAll(abs[len(volume):], "/", `\`)
	return volume + `\`, strings.Split(rest, `\`)
}

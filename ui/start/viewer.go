package start

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"time"
)

// viewerStart is how long the system's viewer is given to say that it cannot start.
const viewerStart = 3 * time.Second

// picturePath is the file a stored picture lies in: of the session, or of its draft.
func (f *Screen) picturePath(ref string) (string, error) {
	_, session := f.session()
	if _, err := session.StatBlob(ref); err != nil {
		return "", err
	}
	for _, folder := range []string{"blobs", "draft"} {
		name := filepath.Join(session.Dir(), folder, path.Base(ref))
		if _, err := os.Stat(name); err == nil {
			return name, nil
		}
	}
	return "", errors.New("the picture's file is gone")
}

// openPicture shows a picture in the system's viewer.
func (f *Screen) openPicture(ctx context.Context, ref string) (string, error) {
	name, err := f.picturePath(ref)
	if err != nil {
		return "", err
	}
	words := viewerCommand(runtime.GOOS, name)
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return "", fmt.Errorf("there is no desktop here to open it on; the file is %s", name)
	}
	if err := run(ctx, words); err != nil {
		return "", fmt.Errorf("%s could not show the picture (%w); the file is %s", words[0], err, name)
	}
	return "opened in the system's viewer", nil
}

// viewerCommand is how a system shows a file in the program that is for it.
func viewerCommand(system, name string) []string {
	switch system {
	case "darwin":
		return []string{"open", name}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", name}
	}
	return []string{"xdg-open", name}
}

// run starts a viewer and waits for its first complaint. One that goes on showing the picture is the person's from
// then on: it may outlive espy, and the goroutine that waits for it ends with whichever ends first.
func run(ctx context.Context, words []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	timer := time.NewTimer(viewerStart)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

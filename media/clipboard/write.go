package clipboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// WriteText puts text on the clipboard, within 2 s. Where nothing here can (an SSH session, no helper), the
// error is a *Error, and the caller asks the terminal itself by OSC 52.
func WriteText(ctx context.Context, env Env, text string) error {
	env = env.withDefaults()
	if len(text) > maxTextBytes {
		return &Error{Fault: FaultUnavailable, Sentence: fmt.Sprintf("%d bytes are too many to copy: the limit is %d MiB", len(text), maxTextBytes>>20)}
	}
	if env.isRemote() {
		return &Error{Fault: FaultRemote, Sentence: "the clipboard is on the machine you sit at and this is an SSH session"}
	}
	ctx, cancel := context.WithTimeout(ctx, env.waits.write)
	defer cancel()
	if env.GOOS == "windows" {
		return writeFault(windowsWrite(ctx, text), nil)
	}
	var tried, missing []string
	for _, w := range env.writers() {
		err := w.write(ctx, env, text)
		if err == nil {
			return nil
		}
		tried = append(tried, w.program+": "+err.Error())
		if errors.Is(err, errNotInstalled) {
			missing = append(missing, w.program)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return writeFault(errNoWay, append(tried, strings.TrimSuffix(env.remedy(missing), "; ")))
}

func writeFault(err error, tried []string) error {
	if err == nil {
		return nil
	}
	e := &Error{Fault: FaultUnavailable, Tried: tried, Sentence: "the text could not be copied: " + err.Error()}
	if words := strings.Trim(strings.Join(tried, "; "), "; "); words != "" {
		e.Sentence = "the text could not be copied (" + words + ")"
	}
	return e
}

// writer is a program that takes text on its input and keeps it on the clipboard.
type writer struct {
	program string
	args    []string
	wide    bool // wants UTF-16LE with a mark: clip.exe reads the console's code page otherwise
}

// writers lists the programs for this session, best first. On X11 and Wayland the text lives in the program
// that offered it, so they stay behind when they answer.
func (e Env) writers() []writer {
	if e.GOOS == "darwin" {
		return []writer{{program: "pbcopy"}}
	}
	var list []writer
	if e.isWSL() {
		list = append(list, writer{program: "clip.exe", wide: true},
			writer{program: e.driveRoot() + "/c/Windows/System32/clip.exe", wide: true})
	}
	if e.Getenv("WAYLAND_DISPLAY") != "" {
		list = append(list, writer{program: "wl-copy", args: []string{"--type", "text/plain;charset=utf-8"}})
	}
	if e.Getenv("DISPLAY") != "" {
		list = append(list, writer{program: "xclip", args: []string{"-selection", "clipboard", "-i"}},
			writer{program: "xsel", args: []string{"--clipboard", "--input"}})
	}
	return list
}

// write runs the program with its output thrown away: the process it leaves behind would keep a pipe open.
func (w writer) write(ctx context.Context, e Env, text string) error {
	path, err := e.LookPath(w.program)
	if err != nil {
		return errNotInstalled
	}
	cmd := e.command(ctx, path, w.args...)
	cmd.Stdin = strings.NewReader(text)
	if w.wide {
		cmd.Stdin = strings.NewReader("\xff\xfe" + string(utf16le(text)))
	}
	err = cmd.Run()
	if ctx.Err() != nil {
		return errors.New("no answer in time")
	}
	return err
}

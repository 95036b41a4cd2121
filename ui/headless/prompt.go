package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"espy/agent"
	"espy/agent/message"
)

// mostStdin bounds a prompt read from standard input, in bytes.
const mostStdin = 4 << 20

// ReadPrompt is the prompt's text: the argument, and what is piped or redirected in. Both together are the
// argument first, so that `git diff | espy run 'review this'` reads as it is written. "-" alone is standard input.
func ReadPrompt(ctx context.Context, arg string, stdin *os.File) (string, error) {
	switch {
	case arg == "-":
		return readStdin(ctx, stdin)
	case !piped(stdin):
		return arg, nil
	}
	text, err := readStdin(ctx, stdin)
	if err != nil || strings.TrimSpace(text) == "" {
		return arg, err
	}
	if strings.TrimSpace(arg) == "" {
		return text, nil
	}
	return arg + "\n\n" + text, nil
}

// piped reports whether something feeds standard input: a pipe or a file. Terminals, /dev/null and the sockets
// that some supervisors hand down and never close are not waited for.
func piped(stdin *os.File) bool {
	info, err := stdin.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// readStdin reads to the end, or until the person gives up. A read that blocks in the system cannot be called
// off; it ends with the program, which then has nothing more to do.
func readStdin(ctx context.Context, stdin *os.File) (string, error) {
	type outcome struct {
		data []byte
		err  error
	}
	read := make(chan outcome, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(stdin, mostStdin+1))
		read <- outcome{data, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-read:
		if got.err != nil {
			return "", fmt.Errorf("standard input cannot be read: %w", got.err)
		}
		if len(got.data) > mostStdin {
			return "", fmt.Errorf("standard input is longer than the %d MiB a prompt may have; save it to a file and name it as @file", mostStdin>>20)
		}
		return strings.TrimRight(string(got.data), "\n"), nil
	}
}

// Intake is what takes pictures and files in.
type Intake interface {
	AttachFile(ctx context.Context, name string) (agent.Attachment, error)
	AtFiles(ctx context.Context, text string) ([]message.Text, []agent.Attachment, error)
}

// Prompt puts text, its @files and attached pictures together. One file that cannot be taken refuses all.
func Prompt(ctx context.Context, in Intake, text string, attach []string) (agent.Prompt, error) {
	var p agent.Prompt
	for _, name := range attach {
		at, err := in.AttachFile(ctx, name)
		if err != nil {
			return p, err
		}
		p.Attachments = append(p.Attachments, at)
	}
	texts, pictures, err := in.AtFiles(ctx, text)
	if err != nil {
		return p, err
	}
	p.Text, p.Attachments = texts, append(p.Attachments, pictures...)
	if strings.TrimSpace(text) == "" && len(p.Attachments) == 0 {
		return p, errors.New("there is nothing to send: give a prompt, pipe one in, or attach a picture")
	}
	return p, nil
}

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

// ReadPrompt is the prompt's text: the argument, or standard input for "-" and, where something is piped in,
// for none.
func ReadPrompt(arg string, stdin *os.File) (string, error) {
	if arg != "-" && arg != "" {
		return arg, nil
	}
	if info, err := stdin.Stat(); arg == "" && (err != nil || info.Mode()&os.ModeCharDevice != 0) {
		return "", nil
	}
	data, err := io.ReadAll(io.LimitReader(stdin, mostStdin+1))
	if err != nil {
		return "", err
	}
	if len(data) > mostStdin {
		return "", fmt.Errorf("standard input is longer than %d bytes; attach it as a file with @name", mostStdin)
	}
	return strings.TrimRight(string(data), "\n"), nil
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

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
)

// mostFileText is how many bytes of a mentioned text file go along; the model reads more with its read tool.
const mostFileText = 128 << 10

// mention finds @names: at the start or after a blank or an opening bracket, bare or in double quotes.
var mention = regexp.MustCompile(`(^|[\s(\[{,;:])@(?:"([^"\n]+)"|([^\s"'` + "`" + `()\[\]{},;]+))`)

// AtFiles expands the @files of a text at sending: pictures are attached, text files go along as blocks of
// their own behind the text, which stays as it was typed. One name that cannot be taken refuses them all, so
// that nothing is sent without a file that was asked for. A word with an @ that looks like no file is a word.
func (in *Intake) AtFiles(ctx context.Context, text string) ([]message.Text, []Attachment, error) {
	blocks := []message.Text{{Text: text, Origin: message.OriginTyped}}
	var attached []Attachment
	seen := make(map[string]bool)
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		name, quoted := m[2], m[2] != ""
		if !quoted {
			name = strings.TrimRight(m[3], ".!?:")
		}
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		block, at, err := in.atFile(ctx, name)
		var fault *guard.PathError
		if errors.As(err, &fault) && fault.Kind == guard.FaultMissing && !quoted && !looksLikeFile(name) {
			continue
		}
		if err != nil {
			in.discardAll(attached)
			return nil, nil, err
		}
		if at != nil {
			attached = append(attached, *at)
		} else {
			blocks = append(blocks, block)
		}
	}
	return blocks, attached, nil
}

// looksLikeFile tells a mistyped file name, which must not go unnoticed, from a handle or a decorator.
func looksLikeFile(name string) bool {
	ext := filepath.Ext(name)
	return len(ext) > 1 && len(ext) <= 6 && !strings.ContainsAny(ext[1:], "/\\") && strings.Trim(ext[1:], "0123456789") != ""
}

// atFile opens a mentioned file inside the workspace and the trusted paths.
func (in *Intake) atFile(ctx context.Context, name string) (message.Text, *Attachment, error) {
	f, path, err := in.roots.Open(name)
	if err != nil {
		return message.Text{}, nil, err
	}
	defer f.Close()
	at, err := in.attachFile(ctx, f, path.Abs)
	if err == nil {
		return message.Text{}, &at, nil
	}
	if !notPicture(err) {
		return message.Text{}, nil, err
	}
	text, textErr := in.fileText(f, path)
	if textErr != nil {
		if isPicturePath(name) {
			return message.Text{}, nil, err
		}
		return message.Text{}, nil, textErr
	}
	return text, nil, nil
}

// fileText is a text file as a block. A file that goes along whole counts as read by the model.
func (in *Intake) fileText(f *os.File, path guard.Path) (message.Text, error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, mostFileText+1))
	if err != nil {
		return message.Text{}, err
	}
	if strings.ContainsRune(string(data), 0) || !utf8.Valid(trimPartialRune(data)) {
		kind := media.SniffKind(data)
		return message.Text{}, fmt.Errorf("%s is neither text nor a picture espy reads (it looks like %s); describe it, or have the model run a tool on it", path.Display, kind.Name)
	}
	note := ""
	if len(data) > mostFileText {
		data = trimPartialRune(data[:mostFileText])
		note = fmt.Sprintf("\n[only the first %d KiB; the rest can be read with the read tool]", mostFileText>>10)
	} else if info, err := f.Stat(); err == nil {
		in.agent.env.Ledger.Saw(path.Abs, info, data)
	}
	return message.Text{Origin: message.OriginFile, Text: fmt.Sprintf("File %s:\n```\n%s\n```%s", path.Display, strings.TrimRight(string(data), "\n"), note)}, nil
}

// trimPartialRune cuts a character that a byte limit left incomplete.
func trimPartialRune(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && len(b) > 0; i++ {
		if r, size := utf8.DecodeLastRune(b); r != utf8.RuneError || size != 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}

package tools

import (
	"bytes"
	"strings"
)

// recent keeps the end of an output whose lines come one by one, and counts all of it, so that a reader can go on
// from where it was. The zero value is empty.
type recent struct {
	text  []byte // the newest, at most twice recentBytes
	total int64  // bytes that ever came
}

func (r *recent) line(text string, ended bool) {
	text = strings.ReplaceAll(text, blobMark, "the whole output, which is stored when the command ends")
	r.text = append(r.text, text...)
	r.total += int64(len(text))
	if ended {
		r.text = append(r.text, '\n')
		r.total++
	}
	if len(r.text) > 2*recentBytes {
		r.text = append(r.text[:0], cutTail(string(r.text), recentBytes)...)
	}
}

// since is what came after a total that was seen before, and how many bytes of that are no longer kept.
func (r *recent) since(seen int64) (text string, lost int64) {
	first := r.total - int64(len(r.text))
	if seen < first {
		lost, seen = first-seen, first
	}
	return string(r.text[seen-first:]), lost
}

// lastLines is at most n lines from the end.
func (r *recent) lastLines(n int) string {
	text := bytes.TrimRight(r.text, "\n")
	from := len(text)
	for ; n > 0 && from > 0; n-- {
		from = bytes.LastIndexByte(text[:from], '\n')
		if from < 0 {
			from = 0
			break
		}
	}
	return strings.TrimPrefix(string(r.text[from:]), "\n")
}

// newest is the last line that says something.
func (r *recent) newest() string {
	text := bytes.TrimRight(r.text, " \t\n")
	return clip(string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])), maxProgressBytes)
}

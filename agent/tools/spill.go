package tools

import (
	"context"
	"fmt"
	"strings"

	"espy/agent/message"
)

// Spill keeps a tool's text within what the context has room for. A longer one is stored whole as a blob, and
// what is shown is its head and its tail with the blob's name between. Every tool's text goes through here,
// those of extensions too. The Ref is "" where nothing had to be stored. An error is broken machinery.
func Spill(ctx context.Context, env *Env, text string) (shown, ref string, err error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxOutputChars {
		return text, "", nil
	}
	ref, err = env.Blobs.PutBlob(ctx, "txt", strings.NewReader(text))
	if err != nil {
		return "", "", fmt.Errorf("storing %s of output: %w", size(int64(len(text))), err)
	}
	head := cutHead(text, maxOutputChars/2)
	tail := cutTail(text, maxOutputChars/2)
	gap := len(text) - len(head) - len(tail)
	return head + spillNote(int64(gap), message.BlobName(ref)) + tail, ref, nil
}

// spillNote stands between head and tail.
func spillNote(left int64, name string) string {
	return fmt.Sprintf("\n[%s characters left out here; the whole text is %s: read it with offset and limit, or grep it]\n", thousands(left), name)
}

// cutHead is at most n bytes from the start, ending at a line where one ends in the second half.
func cutHead(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head := text[:charStart(text, n)]
	if i := strings.LastIndexByte(head, '\n'); i > n/2 {
		return head[:i]
	}
	return head
}

// cutTail is at most n bytes from the end, starting at a line where one starts in the first half.
func cutTail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	start := len(text) - n
	for start < len(text) && text[start]&0xC0 == 0x80 {
		start++
	}
	tail := text[start:]
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < n/2 {
		return tail[i+1:]
	}
	return tail
}

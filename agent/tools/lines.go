package tools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// lineNumberBytes is about what a line's number, tab and end take.
const lineNumberBytes = 8

// page is the part of a text that is shown, its lines numbered.
type page struct {
	text  string
	first int // number of the first line shown
	last  int // number of the last line shown; below first where none is
	total int // lines of the whole text; -1 where reading stopped before its end
	cut   int // lines that were shortened
}

// readPage shows up to limit lines from line first on, within the bounds of one read. Lines beyond are counted
// where count asks for it, else reading stops there. It holds one line's beginning and the page, however large
// the text.
func readPage(ctx context.Context, r io.Reader, first, limit int, count bool) (page, error) {
	p := page{first: first, last: first - 1, total: -1}
	in := bufio.NewReaderSize(r, 64<<10)
	var out strings.Builder
	full := limit < 1
	for number := 1; count || !full; number++ {
		if number%1000 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		show := number >= first && !full
		line, size, err := readLine(ctx, in, show)
		if err != nil {
			return p, err
		}
		if size < 0 {
			p.total = number - 1
			break
		}
		if !show {
			continue
		}
		if size > len(line) {
			p.cut++
			line += fmt.Sprintf("… [line cut: %s bytes in all]", thousands(size))
		}
		if out.Len() > 0 && out.Len()+len(line)+lineNumberBytes > maxShownBytes {
			full = true
			continue
		}
		fmt.Fprintf(&out, "%6d\t%s\n", number, line)
		p.last = number
		full = p.last-first+1 >= limit
	}
	p.text = out.String()
	return p, nil
}

// readLine reads one line and keeps its beginning, without its end mark. Size is the line's whole length, and
// -1 at the end of the text.
func readLine(ctx context.Context, in *bufio.Reader, keep bool) (line string, size int, err error) {
	var kept []byte
	read := false
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 {
			read = true
		}
		ended := err == nil
		if ended {
			piece = piece[:len(piece)-1]
		}
		size += len(piece)
		if keep && len(kept) <= maxLineBytes {
			kept = append(kept, piece[:min(len(piece), maxLineBytes+1)]...)
		}
		switch {
		case ended:
			return trimLine(kept, size)
		case errors.Is(err, io.EOF) && read:
			return trimLine(kept, size)
		case errors.Is(err, io.EOF):
			return "", -1, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", 0, err
		case ctx.Err() != nil:
			return "", 0, ctx.Err()
		}
	}
}

func trimLine(kept []byte, size int) (string, int, error) {
	line := string(kept)
	if len(kept) == size && strings.HasSuffix(line, "\r") {
		line, size = line[:len(line)-1], size-1
	}
	if len(line) > maxLineBytes {
		line = line[:charStart(line, maxLineBytes)]
		return strings.ToValidUTF8(line, "\uFFFD"), max(size, len(line)+1), nil
	}
	valid := strings.ToValidUTF8(line, "\uFFFD")
	return valid, len(valid), nil
}

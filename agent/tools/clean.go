package tools

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cleaner turns what a program writes for a terminal into lines a model can read: escape sequences and control
// characters go, a line that was drawn over with carriage returns keeps its last state (a progress bar is one
// line), and bytes that are not UTF-8 become U+FFFD. It holds one unfinished line at most.
type cleaner struct {
	emit  func(text string, ended bool) // a line without its end mark, or a piece of one too long to hold
	line  []byte
	homed bool // a carriage return came: what is drawn next starts the line over
}

// Write takes a piece of output. It never fails.
func (c *cleaner) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexAny(p, "\r\n")
		if i != 0 {
			text := p
			if i > 0 {
				text = p[:i]
			}
			c.add(text)
			p = p[len(text):]
			continue
		}
		if p[0] == '\n' {
			c.flush()
		} else {
			c.homed = true
		}
		p = p[1:]
	}
	return n, nil
}

func (c *cleaner) add(text []byte) {
	if c.homed && draws(text) {
		c.line, c.homed = c.line[:0], false
	}
	for len(text) > 0 {
		room := maxPendingLine - len(c.line)
		if room <= 0 {
			c.breakLine()
			continue
		}
		n := min(room, len(text))
		c.line = append(c.line, text[:n]...)
		text = text[n:]
	}
}

// draws reports whether text puts anything on the line, or wipes it.
func draws(text []byte) bool {
	return bytes.Contains(text, []byte("\x1b[K")) || bytes.Contains(text, []byte("\x1b[2K")) || cleanLine(text) != ""
}

// breakLine passes on a line that is too long to hold, keeping back a character or escape sequence that may be
// unfinished.
func (c *cleaner) breakLine() {
	end := len(c.line)
	if i := bytes.LastIndexByte(c.line, 0x1b); i > end-maxEscape {
		end = i
	} else if i := charStart(string(c.line[end-utf8.UTFMax:]), utf8.UTFMax-1); !utf8.FullRune(c.line[end-utf8.UTFMax+i:]) {
		end += i - utf8.UTFMax
	}
	rest := bytes.Clone(c.line[end:])
	c.emit(cleanLine(c.line[:end]), false)
	c.line = append(c.line[:0], rest...)
}

// maxEscape is as long as an escape sequence may be to be kept whole where a line is broken.
const maxEscape = 64

func (c *cleaner) flush() {
	c.emit(cleanLine(c.line), true)
	c.line, c.homed = c.line[:0], false
}

// close passes on a last line that did not end.
func (c *cleaner) close() {
	if len(c.line) > 0 {
		c.emit(cleanLine(c.line), false)
		c.line = c.line[:0]
	}
}

func cleanLine(raw []byte) string {
	if printable(raw) {
		return string(raw)
	}
	line := strings.ToValidUTF8(string(raw), "\uFFFD")
	if strings.IndexFunc(line, control) < 0 {
		return line
	}
	line = rubOut(ansi.Strip(line))
	return strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, line)
}

// printable reports whether a line is ASCII that needs no cleaning, as most output is.
func printable(raw []byte) bool {
	for _, c := range raw {
		if (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}

func control(r rune) bool { return unicode.IsControl(r) && r != '\t' }

// rubOut obeys backspaces: man pages overstrike, prompts erase.
func rubOut(line string) string {
	if !strings.Contains(line, "\b") {
		return line
	}
	var out []rune
	for _, r := range line {
		switch {
		case r != '\b':
			out = append(out, r)
		case len(out) > 0:
			out = out[:len(out)-1]
		}
	}
	return string(out)
}

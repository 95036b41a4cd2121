package tools

import (
	"context"
	"strings"
	"testing"
	"time"
)

// heard is what a capture tells.
type heard chan string

// until waits for news that a condition holds of.
func (h heard) until(t *testing.T, what string, holds func(lines string) bool) {
	t.Helper()
	for last := ""; ; {
		select {
		case last = <-h:
			if holds(last) {
				return
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("waited in vain until %s; told last was %q", what, last)
		}
	}
}

func TestTheLastLinesBeforeASilenceAreTold(t *testing.T) {
	h := make(heard, 100)
	c := newCapture(context.Background(), nil, func(lines string) {
		if n := strings.Count(lines, "\n"); n >= progressLines {
			t.Errorf("%d lines are told, at most %d show", n+1, progressLines)
		}
		h <- lines
	})
	for _, line := range []string{"one", "two", "three", "four", "five", "six"} {
		if _, err := c.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	h.until(t, "the newest lines are told", func(l string) bool { return l == "two\nthree\nfour\nfive\nsix" })
	if _, err := c.Write([]byte("\x1b[31mContinue? [y/n] ")); err != nil {
		t.Fatal(err)
	}
	h.until(t, "a line that has not ended is told", func(l string) bool { return strings.HasSuffix(l, "six\nContinue? [y/n] ") })
	if _, err := c.Write([]byte("\r 10 %\r 20 %\r 30 %")); err != nil {
		t.Fatal(err)
	}
	h.until(t, "a progress bar is told as it stands", func(l string) bool { return strings.HasSuffix(l, "six\n 30 %") })
	if _, _, err := c.finish(); err != nil {
		t.Fatal(err)
	}
}

package media

import (
	"bufio"
	"fmt"
	"io"
)

// countFrames completes what the header says of an animation, whose first frame is what is shown.
func (j *job) countFrames() {
	h := &j.header
	if h.Frames == 0 {
		switch h.Format {
		case WebP:
			h.Frames = webpFrames(j.reader, j.src.Size)
		case GIF:
			h.Frames = gifFrames(bufio.NewReaderSize(io.NewSectionReader(j.reader, 0, j.src.Size), 32<<10))
		}
	}
	if h.Frames > 1 {
		j.warn(fmt.Sprintf("an animation of %d frames: only the first is shown", h.Frames))
	}
}

// gifFrames counts the frames of a GIF file as far as it can be followed.
func gifFrames(in *bufio.Reader) int {
	var screen [13]byte
	if _, err := io.ReadFull(in, screen[:]); err != nil || !skipTable(in, screen[10]) {
		return 0
	}
	for frames := 0; ; {
		b, err := in.ReadByte()
		if err != nil {
			return frames
		}
		switch b {
		case '!':
			if _, err := in.ReadByte(); err != nil || !skipBlocks(in) {
				return frames
			}
		case ',':
			frames++
			var d [9]byte
			if _, err := io.ReadFull(in, d[:]); err != nil || !skipTable(in, d[8]) {
				return frames
			}
			if _, err := in.ReadByte(); err != nil || !skipBlocks(in) {
				return frames
			}
		default:
			return frames
		}
	}
}

// skipTable steps over the colour table that flags announce.
func skipTable(in *bufio.Reader, flags byte) bool {
	if flags&0x80 == 0 {
		return true
	}
	_, err := in.Discard(3 << (flags&7 + 1))
	return err == nil
}

func skipBlocks(in *bufio.Reader) bool {
	for {
		n, err := in.ReadByte()
		if err != nil || n == 0 {
			return err == nil
		}
		if _, err := in.Discard(int(n)); err != nil {
			return false
		}
	}
}

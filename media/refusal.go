package media

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Every refusal is one plain sentence: the file, the figure found, the limit, what to do next.

// refuse words a refusal; the sentence begins with the file's name.
func refuse(src Source, fault Fault, format string, args ...any) *Refusal {
	name := shownName(src.Name)
	return &Refusal{Name: src.Name, Fault: fault, Sentence: name + " " + fmt.Sprintf(format, args...)}
}

// shownName is a name as it may stand in a sentence: one line, nothing a terminal would obey, not endless.
func shownName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
	if r := []rune(name); len(r) > 120 {
		name = string(r[:60]) + "..." + string(r[len(r)-50:])
	}
	if name == "" {
		return "the picture"
	}
	return name
}

// checkSize judges the file's size before a byte is read.
func checkSize(src Source) error {
	switch {
	case src.Bytes == nil || src.Size <= 0:
		return refuse(src, FaultEmpty, "is empty (0 bytes); save it again and attach it then")
	case src.Size > MaxSourceImageBytes:
		return refuse(src, FaultTooBig, "is %s; a picture file may be %s; save it smaller, or as JPEG, and attach it again",
			megabytes(src.Size), megabytes(MaxSourceImageBytes))
	}
	return nil
}

// checkHeader turns what Probe said into a refusal, or accepts a format that may come by this road.
func checkHeader(src Source, h Header, err error) error {
	if err == nil && (h.Format == BMP || h.Format == TIFF) && !src.Clipboard {
		name := map[Format]string{BMP: "a BMP picture", TIFF: "a TIFF picture"}[h.Format]
		return refuse(src, FaultUnsupported, "is %s; PNG, JPEG, GIF and WebP are read; %s", name, toPNG)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrHeader) && strings.Contains(string(headOf(src)), "CgBI"):
		return refuse(src, FaultUnsupported, "is a PNG picture in Apple's private form for apps; PNG, JPEG, GIF and WebP are read; %s", toPNG)
	case errors.Is(err, ErrHeader):
		return refuse(src, FaultBroken, "begins like %s and its header is damaged or cut short; save it again and attach it then",
			SniffKind(headOf(src)).Name)
	case !errors.Is(err, ErrNotPicture):
		return fmt.Errorf("reading %s: %w", shownName(src.Name), err)
	}
	k := SniffKind(headOf(src))
	if k.Picture {
		return refuse(src, FaultUnsupported, "is %s; PNG, JPEG, GIF and WebP are read; %s", k.Name, k.Remedy)
	}
	return refuse(src, FaultNotPicture, "is not a picture: it is %s; %s", k.Name, k.Remedy)
}

func headOf(src Source) []byte {
	head := make([]byte, min(kindHead, src.Size))
	n, _ := src.Bytes.ReadAt(head, 0)
	return head[:max(n, 0)]
}

// checkLimits judges the declared size, before anything is allocated for it.
func checkLimits(src Source, h Header) error {
	w, ht := h.Upright()
	switch {
	case max(w, ht) > MaxImageDimension:
		return refuse(src, FaultTooBig, "is %dx%d pixels; the longest side may be %d; cut it or shrink it and attach it again",
			w, ht, MaxImageDimension)
	case h.pixels() > MaxImagePixels:
		return refuse(src, FaultTooBig, "is %dx%d pixels, %d in all; it may have %d; cut it or shrink it and attach it again",
			w, ht, h.pixels(), MaxImagePixels)
	case h.Format == JPEG && (h.Lossless || h.Depth != 8 || h.coding&4 != 0):
		return refuse(src, FaultUnsupported, "is a JPEG of a kind that is not read (%s); %s", jpegKind(h), toPNG)
	}
	return nil
}

// jpegKind names what sets a JPEG apart from those that every program reads.
func jpegKind(h Header) string {
	switch {
	case h.Lossless:
		return "lossless coding"
	case h.coding&4 != 0:
		return "hierarchical coding"
	}
	return fmt.Sprintf("%d bits a sample", h.Depth)
}

// broken words a decode that failed.
func broken(src Source, h Header, err error) *Refusal {
	why := strings.TrimRight(err.Error(), ".")
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		why = "the file ends before the picture does"
	}
	why = shownName(why)
	return refuse(src, FaultBroken, "is %s of %dx%d pixels that cannot be decoded: %s; save it again and attach it then",
		SniffKind(headOf(src)).Name, h.Width, h.Height, why)
}

// megabytes is a size for people, in units of 2^20 bytes.
func megabytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	s := fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	if n > 1<<20 && n%(1<<20) != 0 && strings.HasSuffix(s, ".0 MiB") {
		return fmt.Sprintf("%.4f MiB", float64(n)/(1<<20)) // just past a limit must not read like the limit
	}
	return strings.Replace(s, ".0 MiB", " MiB", 1)
}

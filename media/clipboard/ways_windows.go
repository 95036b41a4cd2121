package clipboard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Clipboard formats, from winuser.h. "PNG", "JFIF" and "GIF" are names programs register.
const (
	cfDIB         = 8
	cfUnicodeText = 13
	cfHDrop       = 15
	cfDIBV5       = 17
	gmemMoveable  = 2
)

// openRetry is the pause between two tries for the clipboard while another program holds it.
const openRetry = 10 * time.Millisecond

// api holds the entry points; they are looked up when first called.
type api struct {
	open, close, empty, get, set, enum, formatName *windows.LazyProc
	lock, unlock, size, alloc, free, dragQuery     *windows.LazyProc
}

func newAPI() *api {
	user, kernel, shell := windows.NewLazySystemDLL("user32.dll"), windows.NewLazySystemDLL("kernel32.dll"), windows.NewLazySystemDLL("shell32.dll")
	return &api{
		open: user.NewProc("OpenClipboard"), close: user.NewProc("CloseClipboard"), empty: user.NewProc("EmptyClipboard"),
		get: user.NewProc("GetClipboardData"), set: user.NewProc("SetClipboardData"),
		enum: user.NewProc("EnumClipboardFormats"), formatName: user.NewProc("GetClipboardFormatNameW"),
		lock: kernel.NewProc("GlobalLock"), unlock: kernel.NewProc("GlobalUnlock"), size: kernel.NewProc("GlobalSize"),
		alloc: kernel.NewProc("GlobalAlloc"), free: kernel.NewProc("GlobalFree"), dragQuery: shell.NewProc("DragQueryFileW"),
	}
}

// nativeSource asks Windows itself. The clipboard belongs to a thread while it is open, so each question
// opens and closes it on a locked thread.
type nativeSource struct {
	*api
	numbers map[string]uintptr // flavour to format
}

func windowsWays() []source { return []source{&nativeSource{api: newAPI()}} }

func (s *nativeSource) name() string { return "the Windows clipboard" }
func (s *nativeSource) close()       {}

// hold runs f while the clipboard is open. Another program may hold it; it is tried until ctx ends.
func (a *api) hold(ctx context.Context, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		ok, _, err := a.open.Call(0)
		if ok != 0 {
			defer a.close.Call()
			return f()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another program holds it (%w): %w", err, ctx.Err())
		case <-time.After(openRetry):
		}
	}
}

func (s *nativeSource) offers(ctx context.Context) ([]offer, error) {
	s.numbers = make(map[string]uintptr)
	err := s.hold(ctx, func() error {
		for format, n := uintptr(0), 0; n < maxOffers; n++ {
			if format, _, _ = s.enum.Call(format); format == 0 {
				break
			}
			s.numbers[s.nameOf(format)] = format
		}
		return nil
	})
	var list []offer
	for rank, o := range nativeFlavours() {
		if _, ok := s.numbers[o.flavour]; ok {
			o.rank = rank
			list = append(list, o)
		}
	}
	return list, err
}

func nativeFlavours() []offer {
	return []offer{
		{flavour: "CF_HDROP", kind: kindFiles},
		{flavour: "PNG", kind: kindImage, media: "image/png"},
		{flavour: "image/png", kind: kindImage, media: "image/png"},
		{flavour: "JFIF", kind: kindImage, media: "image/jpeg"},
		{flavour: "image/jpeg", kind: kindImage, media: "image/jpeg"},
		{flavour: "image/webp", kind: kindImage, media: "image/webp"},
		{flavour: "GIF", kind: kindImage, media: "image/gif"},
		{flavour: "CF_DIBV5", kind: kindImage, media: "image/bmp"},
		{flavour: "CF_DIB", kind: kindImage, media: "image/bmp"},
		{flavour: "CF_UNICODETEXT", kind: kindText},
	}
}

func (s *nativeSource) nameOf(format uintptr) string {
	switch format {
	case cfDIB:
		return "CF_DIB"
	case cfDIBV5:
		return "CF_DIBV5"
	case cfHDrop:
		return "CF_HDROP"
	case cfUnicodeText:
		return "CF_UNICODETEXT"
	}
	var buf [256]uint16
	n, _, _ := s.formatName.Call(format, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	return windows.UTF16ToString(buf[:min(int(n), len(buf))])
}

func (s *nativeSource) fetch(ctx context.Context, o offer) (data []byte, err error) {
	err = s.hold(ctx, func() error {
		handle, _, callErr := s.get.Call(s.numbers[o.flavour])
		if handle == 0 {
			return fmt.Errorf("it does not hand %s over: %w", o.flavour, callErr)
		}
		if o.flavour == "CF_HDROP" {
			data = []byte(strings.Join(s.dropped(handle), "\n"))
			return nil
		}
		data, err = s.copyOut(handle)
		return err
	})
	if err != nil {
		return nil, err
	}
	switch o.flavour {
	case "CF_DIB", "CF_DIBV5":
		return bmpFromDIB(data)
	case "CF_UNICODETEXT":
		return fromUTF16(data), nil
	}
	return data, nil
}

// copyOut copies a global memory block.
func (a *api) copyOut(handle uintptr) ([]byte, error) {
	size, _, _ := a.size.Call(handle)
	if size > maxOutputBytes {
		return nil, errTooMuch
	}
	address, _, err := a.lock.Call(handle)
	if address == 0 {
		return nil, err
	}
	defer a.unlock.Call(handle)
	return append([]byte(nil), unsafe.Slice(pointer(address), size)...), nil
}

// pointer turns an address Windows returned into a pointer; the block is not Go's and does not move.
func pointer(address uintptr) *byte { return *(**byte)(unsafe.Pointer(&address)) }

func (a *api) dropped(handle uintptr) []string {
	count, _, _ := a.dragQuery.Call(handle, 0xFFFFFFFF, 0, 0)
	var names []string
	for i := uintptr(0); i < min(count, maxCopiedFiles); i++ {
		n, _, _ := a.dragQuery.Call(handle, i, 0, 0)
		buf := make([]uint16, n+1)
		a.dragQuery.Call(handle, i, uintptr(unsafe.Pointer(&buf[0])), n+1)
		names = append(names, windows.UTF16ToString(buf))
	}
	return names
}

func fromUTF16(data []byte) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
	}
	return []byte(strings.ReplaceAll(windows.UTF16ToString(units), "\r\n", "\n"))
}

// windowsWrite puts text on the clipboard, which takes the memory over.
func windowsWrite(ctx context.Context, text string) error {
	units, err := windows.UTF16FromString(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n"))
	if err != nil {
		return errors.New("text with NUL bytes cannot be copied")
	}
	a := newAPI()
	return a.hold(ctx, func() error {
		if ok, _, err := a.empty.Call(); ok == 0 {
			return err
		}
		size := uintptr(len(units) * 2)
		handle, _, err := a.alloc.Call(gmemMoveable, size)
		if handle == 0 {
			return err
		}
		address, _, err := a.lock.Call(handle)
		if address == 0 {
			a.free.Call(handle)
			return err
		}
		copy(unsafe.Slice((*uint16)(unsafe.Pointer(pointer(address))), len(units)), units)
		a.unlock.Call(handle)
		if ok, _, err := a.set.Call(cfUnicodeText, handle); ok == 0 {
			a.free.Call(handle)
			return err
		}
		return nil
	})
}

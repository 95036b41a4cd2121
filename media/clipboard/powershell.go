package clipboard

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf16"
)

// powershellScript prints what the Windows clipboard holds, one line a kind: "files", "image/png" or "text", a
// space, and Base64; and at last "end", so that an answer cut short is seen.
//
//go:embed powershell.ps1
var powershellScript string

// powershell reads the Windows clipboard from inside WSL. Starting PowerShell is the slow part, so one run
// fetches everything, and offers and fetch share it.
type powershell struct {
	env  Env
	held map[string][]byte
}

func (s *powershell) name() string { return "powershell.exe" }
func (s *powershell) slow()        {}
func (s *powershell) close()       {}

func (s *powershell) offers(ctx context.Context) ([]offer, error) {
	out, err := s.runScript(ctx)
	if err != nil {
		return nil, err
	}
	if s.held, err = parseAnswer(out); err != nil {
		return nil, err
	}
	var list []offer
	for _, o := range []offer{
		{flavour: "files", kind: kindFiles},
		{flavour: "image/png", kind: kindImage, media: "image/png"},
		{flavour: "text", kind: kindText},
	} {
		if _, ok := s.held[o.flavour]; ok {
			list = append(list, o)
		}
	}
	return list, nil
}

func (s *powershell) fetch(_ context.Context, o offer) ([]byte, error) { return s.held[o.flavour], nil }

// runScript finds PowerShell on PATH or, where Windows' PATH is not appended, in its place on the system drive.
func (s *powershell) runScript(ctx context.Context) ([]byte, error) {
	program := "powershell.exe"
	if _, err := s.env.LookPath(program); err != nil {
		program = s.env.driveRoot() + "/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe"
	}
	return s.env.run(ctx, nil, program, "-NoProfile", "-NonInteractive", "-STA", "-OutputFormat", "Text",
		"-EncodedCommand", encodeCommand(powershellScript))
}

// encodeCommand is what -EncodedCommand takes: Base64 of UTF-16LE. No quoting rule touches it on the way.
func encodeCommand(script string) string {
	return base64.StdEncoding.EncodeToString(utf16le(script))
}

func utf16le(s string) []byte {
	var buf bytes.Buffer
	_ = binary.Write(&buf, binary.LittleEndian, utf16.Encode([]rune(s)))
	return buf.Bytes()
}

// parseAnswer reads the script's lines; other lines, such as a profile's chatter, are passed over.
func parseAnswer(out []byte) (map[string][]byte, error) {
	held := make(map[string][]byte)
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if string(line) == "end" {
			return held, nil
		}
		kind, code, ok := bytes.Cut(line, []byte(" "))
		if !ok || string(kind) != "files" && string(kind) != "image/png" && string(kind) != "text" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(string(code))
		if err != nil {
			return nil, fmt.Errorf("its answer cannot be read: %w", err)
		}
		held[string(kind)] = data
	}
	return nil, errors.New("its answer was cut short")
}

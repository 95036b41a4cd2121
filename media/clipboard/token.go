package clipboard

import (
	"net/url"
	"path/filepath"
	"strings"
)

// absolute turns one token of a paste into the absolute name it stands for on this machine: matching quotes
// come off, file: URLs, Windows drives under WSL and ~/ are mapped. ok is false for anything else, relative
// names included.
func (f *Finder) absolute(token string) (name string, ok bool) {
	token = unquote(token)
	if token == "" {
		return "", false
	}
	if len(token) > 5 && strings.EqualFold(token[:5], "file:") {
		return f.fromURL(token[5:])
	}
	if rest, home := strings.CutPrefix(token, "~/"); home && f.Home != "" {
		return filepath.Join(f.Home, rest), true
	}
	return f.native(token)
}

// native maps an absolute name in this system's form, or in Windows form under WSL. Names of other machines
// (\\host\share) in text are never looked at: Windows would greet that machine with the user's credentials.
// Among files that a file manager copied they are welcome.
func (f *Finder) native(token string) (string, bool) {
	if f.GOOS == "windows" {
		if isDrive(token) || f.shares && strings.HasPrefix(token, `\\`) {
			return filepath.FromSlash(token), true
		}
		return "", false
	}
	if strings.HasPrefix(token, "/") {
		return token, true
	}
	if f.Drives == "" {
		return "", false
	}
	if isDrive(token) {
		return f.Drives + "/" + strings.ToLower(token[:1]) + slashes(token[2:]), true
	}
	return f.ownShare(token)
}

// ownShare maps \\wsl.localhost\Distro\path and \\wsl$\Distro\path to the path inside this distribution.
func (f *Finder) ownShare(token string) (string, bool) {
	rest, ok := strings.CutPrefix(slashes(token), "//")
	if !ok || !strings.HasPrefix(token, `\\`) {
		return "", false
	}
	host, rest, _ := strings.Cut(rest, "/")
	if !isShareHost(host) {
		return "", false
	}
	return f.inDistro(rest)
}

// inDistro maps "Distro/path" to "/path" if Distro is the one we run in.
func (f *Finder) inDistro(rest string) (string, bool) {
	distro, path, ok := strings.Cut(rest, "/")
	if !ok || f.Distro == "" || !strings.EqualFold(distro, f.Distro) {
		return "", false
	}
	return "/" + path, true
}

func isShareHost(host string) bool {
	return strings.EqualFold(host, "wsl.localhost") || strings.EqualFold(host, "wsl$")
}

// fromURL maps what follows "file:". The host must be empty, localhost or this machine. A name whose percent
// codes are broken is taken as it stands: some programs do not encode.
func (f *Finder) fromURL(rest string) (string, bool) {
	path := rest
	if after, has := strings.CutPrefix(rest, "//"); has {
		host, tail, _ := strings.Cut(after, "/")
		path = "/" + tail
		if isShareHost(host) && f.Drives != "" {
			return f.inDistro(unescape(tail))
		}
		if !f.isHere(host) {
			return "", false
		}
	}
	path = unescape(path)
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	if isDrive(path[1:]) && (f.GOOS == "windows" || f.Drives != "") {
		path = path[1:]
	}
	return f.native(path)
}

func (f *Finder) isHere(host string) bool {
	return host == "" || strings.EqualFold(host, "localhost") || (f.Host != "" && strings.EqualFold(host, f.Host))
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// unquote takes one pair of matching quotes off.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// isDrive says whether s begins like C:\ or C:/.
func isDrive(s string) bool {
	if len(s) < 3 || s[1] != ':' || (s[2] != '\\' && s[2] != '/') {
		return false
	}
	c := s[0] | 0x20
	return c >= 'a' && c <= 'z'
}

func slashes(s string) string { return strings.ReplaceAll(s, `\`, "/") }

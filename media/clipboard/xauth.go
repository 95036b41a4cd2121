package clipboard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// xCookie is the one authorisation protocol in use, and what it sends.
const xCookie = "MIT-MAGIC-COOKIE-1"

// Address families of an X authority file, from Xauth.h.
const (
	familyLocal = 256
	familyWild  = 65535
)

// xDisplay is a parsed DISPLAY: "[protocol/][host]:number[.screen]", or the path of a socket before ":".
type xDisplay struct {
	network, address string
	host             string // "" for this machine
	number           string
}

func parseDisplay(display string) (xDisplay, error) {
	colon := strings.LastIndexByte(display, ':')
	if colon < 0 {
		return xDisplay{}, fmt.Errorf("DISPLAY %q has no colon", display)
	}
	number, _, _ := strings.Cut(display[colon+1:], ".")
	port, err := strconv.ParseUint(number, 10, 15)
	if err != nil {
		return xDisplay{}, fmt.Errorf("DISPLAY %q has no number", display)
	}
	host := display[:colon]
	if strings.HasPrefix(host, "/") {
		return xDisplay{network: "unix", address: display, number: number}, nil
	}
	if i := strings.LastIndexByte(host, '/'); i >= 0 {
		host = host[i+1:]
	}
	if host == "" || host == "unix" {
		return xDisplay{network: "unix", address: "/tmp/.X11-unix/X" + number, number: number}, nil
	}
	return xDisplay{network: "tcp", address: net.JoinHostPort(host, strconv.Itoa(6000+int(port))), host: host, number: number}, nil
}

// xAuthority finds the cookie for a display in the X authority file; nil where there is none, which servers
// that trust the user without one accept.
func (e Env) xAuthority(d xDisplay) []byte {
	name := e.Getenv("XAUTHORITY")
	if name == "" {
		name = e.Getenv("HOME") + "/.Xauthority"
	}
	data, err := e.ReadFile(name)
	if err != nil {
		return nil
	}
	here, _ := os.Hostname()
	return findCookie(data, d, here)
}

// findCookie walks the entries: a family, then address, display number, protocol and data, each with a
// 16-bit length, all big-endian.
func findCookie(data []byte, d xDisplay, here string) []byte {
	for len(data) >= 2 {
		family := binary.BigEndian.Uint16(data)
		data = data[2:]
		var field [4][]byte
		for i := range field {
			if len(data) < 2 {
				return nil
			}
			n := int(binary.BigEndian.Uint16(data))
			if data = data[2:]; n > len(data) {
				return nil
			}
			field[i], data = data[:n], data[n:]
		}
		address, number, protocol, cookie := string(field[0]), string(field[1]), string(field[2]), field[3]
		local := d.network == "unix" || d.host == "localhost"
		match := family == familyWild || family == familyLocal && local && address == here ||
			family <= 6 && sameAddress(field[0], d.host)
		if match && (number == "" || number == d.number) && protocol == xCookie {
			return cookie
		}
	}
	return nil
}

func sameAddress(raw []byte, host string) bool {
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	return bytes.Equal(raw, ip) || bytes.Equal(raw, ip.To4())
}

// setupRequest is the first thing a client sends: byte order, version 11.0, and the cookie.
func setupRequest(cookie []byte) []byte {
	protocol := xCookie
	if cookie == nil {
		protocol = ""
	}
	pad := func(n int) int { return (n + 3) &^ 3 }
	buf := make([]byte, 12+pad(len(protocol))+pad(len(cookie)))
	buf[0] = 'l'
	binary.LittleEndian.PutUint16(buf[2:], 11)
	binary.LittleEndian.PutUint16(buf[6:], uint16(len(protocol)))
	binary.LittleEndian.PutUint16(buf[8:], uint16(len(cookie)))
	copy(buf[12:], protocol)
	copy(buf[12+pad(len(protocol)):], cookie)
	return buf
}

// authorised is a connection whose first write, the setup request of the library, is replaced by ours: the
// library knows the display's number only when it dials itself, and then without a deadline.
type authorised struct {
	net.Conn
	setup []byte
}

func (a *authorised) Write(p []byte) (int, error) {
	if a.setup == nil {
		return a.Conn.Write(p)
	}
	setup := a.setup
	a.setup = nil
	if _, err := a.Conn.Write(setup); err != nil {
		return 0, err
	}
	return len(p), nil
}

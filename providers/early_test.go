package providers

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestARefusalThatComesBeforeTheWholeBodyWasSentIsHeard(t *testing.T) {
	blobs := folder(t.TempDir())
	img := blobs.put(t, "a.png", make([]byte, 8<<20))
	for name, after := range map[string]func(net.Conn){
		"closing at once": func(c net.Conn) { c.Close() },
		"reading on":      func(c net.Conn) { io.Copy(io.Discard, c); c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				head := bufio.NewReader(c)
				for line := " "; line != "\r\n" && line != ""; {
					line, _ = head.ReadString('\n')
				}
				io.WriteString(c, "HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge")
				after(c)
			}()
			b := NewBody(blobs)
			if err := b.Encode(part{Data: b.Picture(img)}); err != nil {
				t.Fatal(err)
			}
			_, err = NewClient(Timeouts{}).Post(t.Context(), Exchange{URL: "http://" + l.Addr().String(), Body: b})
			if ClassOf(err) != ClassTooLarge || !strings.Contains(err.Error(), "large") {
				t.Errorf("got %v, want the server's 413", err)
			}
		})
	}
}

func TestAServerThatDoesNotKnowTheQuestionGetsTheBody(t *testing.T) {
	blobs := folder(t.TempDir())
	img := blobs.put(t, "a.png", make([]byte, 8<<20))
	b := NewBody(blobs)
	if err := b.Encode(part{Data: b.Picture(img)}); err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Expect") != "" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		if n, _ := io.Copy(io.Discard, r.Body); n != b.Len() {
			t.Errorf("%d bytes arrived, want %d", n, b.Len())
		}
		io.WriteString(w, "data: 1\n\n")
	})
	stream, err := NewClient(Timeouts{}).Post(t.Context(), Exchange{URL: s.URL, Body: b})
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
}

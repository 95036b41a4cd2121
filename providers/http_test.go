package providers

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func textExchange(t testing.TB, url string) Exchange {
	t.Helper()
	b := NewBody(nil)
	if err := b.Encode(map[string]string{"say": "hello"}); err != nil {
		t.Fatal(err)
	}
	return Exchange{URL: url, Header: http.Header{"Authorization": {"Bearer sk-very-secret-key"}}, Body: b, Secret: []string{"sk-very-secret-key"}}
}

func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestARequestArrivesWholeAndNamed(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.UserAgent() != "espy" || r.ContentLength != int64(len(body)) || string(body) != `{"say":"hello"}` {
			t.Errorf("agent %q, length %d, body %s", r.UserAgent(), r.ContentLength, body)
		}
		io.WriteString(w, "data: 1\n\n")
	})
	stream, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if kind, err := stream.Kind(); kind != KindEvents || err != nil {
		t.Errorf("kind %s (%v), want events", kind, err)
	}
}

func TestAnAnswersKindIsJudgedByItsFirstByte(t *testing.T) {
	for body, want := range map[string]Kind{
		"data: 1\n\n": KindEvents, ": ping\n": KindEvents, "\n\ndata: 1": KindEvents, "\ufeffdata: 1": KindEvents,
		"{}": KindJSON, " \n[{}]": KindJSON, "<!doctype html>": KindPage, "": KindEmpty,
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })
		stream, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, s.URL))
		if err != nil {
			t.Fatal(err)
		}
		if kind, _ := stream.Kind(); kind != want {
			t.Errorf("%q is %s, want %s", body, kind, want)
		}
		stream.Close()
	}
}

func TestAServerThatIsDownIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, err = NewClient(Timeouts{}).Post(t.Context(), textExchange(t, "http://"+addr+"/v1"))
	if ClassOf(err) != ClassNetwork || strings.Count(err.Error(), addr) != 1 || strings.Contains(err.Error(), "/v1") {
		t.Errorf("got %v, want a network error naming %s", err, addr)
	}
}

func TestTheKeyIsNotCarriedToAnotherHost(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("the request went on to another host") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1", http.StatusTemporaryRedirect)
	})
	_, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, s.URL))
	if err == nil || !strings.Contains(err.Error(), other.URL) {
		t.Errorf("got %v, want an error that names the new address", err)
	}
}

func TestARedirectWithinTheHostRepeatsTheRequest(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusPermanentRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if string(body) != `{"say":"hello"}` || r.Header.Get("Authorization") == "" {
			t.Errorf("the second request lost its body or its key: %q", body)
		}
	})
	stream, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, s.URL+"/old"))
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
}

func TestASilentServerIsGivenUp(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	for name, h := range map[string]http.HandlerFunc{
		"before the answer": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-hold
		},
		"in the answer": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "data: 1\n\n")
			w.(http.Flusher).Flush()
			<-hold
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			t.Cleanup(s.CloseClientConnections)
			client := NewClient(Timeouts{Connect: time.Second, Header: 30 * time.Millisecond, Idle: 30 * time.Millisecond})
			stream, err := client.Post(t.Context(), textExchange(t, s.URL))
			if err == nil {
				defer stream.Close()
				events := stream.Events()
				for err == nil {
					_, err = events.Next()
				}
				err = stream.ReadError(err)
			}
			if ClassOf(err) != ClassNetwork {
				t.Errorf("got %v, want a network error", err)
			}
		})
	}
}

func TestAnInterruptEndsARequestWhereverItIs(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	arrived := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-hold
	}))
	t.Cleanup(s.CloseClientConnections)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := NewClient(Timeouts{}).Post(ctx, textExchange(t, s.URL)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// Proxy variables are read once a process, so these tests run in processes of their own.
func TestTheProxyIsUsedForTheWorldAndNeverForThisMachine(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "data: 1\n\n") })
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for _, host := range []string{"127.0.0.1", "localhost", "local.localhost"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestChildPosts$")
		base := "http://" + net.JoinHostPort(host, strings.TrimPrefix(s.Listener.Addr().String(), "127.0.0.1:"))
		cmd.Env = append(os.Environ(), "ESPY_TEST_POST="+base, "HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=")
		out, err := cmd.CombinedOutput()
		if err != nil && host == "local.localhost" && strings.Contains(string(out), "no such host") {
			continue // not every resolver knows names under localhost
		}
		if err != nil {
			t.Errorf("%s:%d through a dead proxy: %v\n%s", host, port, err, out)
		}
	}
}

func TestChildPosts(t *testing.T) {
	base := os.Getenv("ESPY_TEST_POST")
	if base == "" {
		t.Skip("runs as the child of another test")
	}
	far, _ := url.Parse("https://models.example/v1")
	if proxy, err := proxyFor(&http.Request{URL: far}); err != nil || proxy == nil || proxy.Host != "127.0.0.1:1" {
		t.Errorf("a far host goes through %v (%v), want the proxy", proxy, err)
	}
	stream, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, base))
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
}

func TestThisMachineIsKnownByAllItsNames(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost.": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true, "0.0.0.0": true,
		"a.localhost": true, "localhost.example": false, "10.0.0.1": false, "": false, "api.example.com": false,
	} {
		if IsLoopback(host) != want {
			t.Errorf("%q is this machine: %v, want %v", host, !want, want)
		}
	}
}

func TestAHeaderThatHTTPDoesNotAllowIsNamedAndNotSent(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("the request was sent") })
	ex := textExchange(t, s.URL)
	ex.Header.Set("X-Team", "a\nb")
	if _, err := NewClient(Timeouts{}).Post(t.Context(), ex); ClassOf(err) != ClassBadRequest || !strings.Contains(err.Error(), "X-Team") {
		t.Errorf("got %v, want a refusal that names the header", err)
	}
}

func TestAWrongAddressIsShownWhole(t *testing.T) {
	s := serve(t, http.NotFound)
	_, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, s.URL+"/v2/chat/completions"))
	if ClassOf(err) != ClassNotFound || !strings.Contains(err.Error(), s.URL+"/v2/chat/completions") {
		t.Errorf("got %v, want the address that is not there", err)
	}
}

func TestWithoutAnAddressNothingIsTried(t *testing.T) {
	for _, url := range []string{"/chat/completions", "host:1/v1", "ftp://host/v1", "http:///v1", "http://[::1/v1"} {
		if _, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, url)); ClassOf(err) != ClassBadRequest || !strings.Contains(err.Error(), "base_url") {
			t.Errorf("%q gave %v, want a refusal that speaks of base_url", url, err)
		}
	}
}

func TestWhatNoWaitCuresIsNotTriedAgain(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := serve(t, http.NotFound)
	for url, want := range map[string]string{secure.URL: "certificate", "https" + strings.TrimPrefix(plain.URL, "http"): "http://"} {
		_, err := NewClient(Timeouts{}).Post(t.Context(), textExchange(t, url))
		var e *Error
		if !errors.As(err, &e) || e.Advice != AdviceStop || !strings.Contains(e.Message, want) {
			t.Errorf("%s gave %#v, want an error that says %q and stops", url, err, want)
		}
	}
}

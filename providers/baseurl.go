package providers

import (
	"fmt"
	"net/url"
	"strings"
)

// NormaliseBaseURL turns what people paste as a server's address into the form that adapters append to:
// "https://host/v1" for chat and responses, "https://host" for anthropic. A missing scheme is https, or http
// for this machine; a missing path is /v1; a pasted endpoint is cut off.
func NormaliseBaseURL(protocol, raw string) (string, error) {
	text := strings.TrimSpace(raw)
	if text == "" {
		return "", fmt.Errorf("base_url is empty; give the server's address, for example http://127.0.0.1:8080/v1")
	}
	if !strings.Contains(text, "://") {
		host, _, _ := strings.Cut(text, "/")
		name := &url.URL{Host: host}
		if text = "https://" + text; IsLoopback(name.Hostname()) {
			text = "http" + strings.TrimPrefix(text, "https")
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "":
		return "", fmt.Errorf("base_url %q is not an address; write it like https://host/v1", raw)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("base_url starts with %s://; it must start with http:// or https://", u.Scheme)
	case u.User != nil:
		return "", fmt.Errorf("base_url holds a user name or password; put the key into api_key")
	}
	u.RawQuery, u.Fragment, u.RawFragment, u.RawPath = "", "", "", ""
	u.Path = basePath(protocol, u.Path)
	return u.String(), nil
}

func basePath(protocol, path string) string {
	path = strings.TrimRight(path, "/")
	switch protocol {
	case "anthropic":
		for _, end := range []string{"/messages", "/v1"} {
			path = strings.TrimRight(strings.TrimSuffix(path, end), "/")
		}
		return path
	case "chat":
		path = strings.TrimSuffix(path, "/chat/completions")
	case "responses":
		path = strings.TrimSuffix(path, "/responses")
	}
	if path = strings.TrimRight(path, "/"); path == "" {
		return "/v1"
	}
	return path
}

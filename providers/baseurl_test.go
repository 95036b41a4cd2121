package providers

import "testing"

func TestPastedAddressesBecomeBaseURLs(t *testing.T) {
	for _, c := range []struct{ protocol, in, want string }{
		{"chat", "http://127.0.0.1:4010", "http://127.0.0.1:4010/v1"},
		{"chat", "http://127.0.0.1:4010/v1/", "http://127.0.0.1:4010/v1"},
		{"chat", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1"},
		{"chat", "https://api.openai.com/v1/chat/completions/?x=1#y", "https://api.openai.com/v1"},
		{"chat", "https://generativelanguage.googleapis.com/v1beta/openai/", "https://generativelanguage.googleapis.com/v1beta/openai"},
		{"chat", "localhost:11434", "http://localhost:11434/v1"},
		{"chat", "[::1]:8080", "http://[::1]:8080/v1"},
		{"chat", " openrouter.ai/api/v1 ", "https://openrouter.ai/api/v1"},
		{"responses", "https://api.openai.com/v1/responses", "https://api.openai.com/v1"},
		{"anthropic", "https://api.anthropic.com", "https://api.anthropic.com"},
		{"anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com"},
		{"anthropic", "https://api.deepseek.com/anthropic/v1/", "https://api.deepseek.com/anthropic"},
	} {
		got, err := NormaliseBaseURL(c.protocol, c.in)
		if err != nil || got != c.want {
			t.Errorf("%s %q became %q (%v), want %q", c.protocol, c.in, got, err, c.want)
		}
		if again, err := NormaliseBaseURL(c.protocol, got); err != nil || again != got {
			t.Errorf("%q became %q the second time (%v)", got, again, err)
		}
	}
	for _, bad := range []string{"", "  ", "ftp://host/v1", "https://user:pass@host/v1", "https://", "http://[::1", "file:///etc/passwd"} {
		if got, err := NormaliseBaseURL("chat", bad); err == nil {
			t.Errorf("%q passed as %q", bad, got)
		}
	}
}

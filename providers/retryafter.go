package providers

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter is how long the server asked to wait: retry-after-ms, else retry-after. Servers write seconds,
// decimals, HTTP dates, points in Unix time and durations such as "1m30s". Zero means that it did not say, or
// that the time has passed.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("retry-after-ms")), 64); err == nil {
		return wait(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("retry-after"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		const unixSeconds, unixMillis = 1e9, 1e12 // beyond any wait: it must be a point in time
		switch {
		case seconds >= unixMillis:
			seconds = seconds/1000 - float64(now.Unix())
		case seconds >= unixSeconds:
			seconds -= float64(now.Unix())
		}
		return wait(seconds)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	if d, err := time.ParseDuration(text); err == nil {
		return max(d, 0)
	}
	return 0
}

// wait turns seconds into a duration; what is no sensible wait is none.
func wait(seconds float64) time.Duration {
	const longest = 365 * 24 * 3600 // seconds; keeps the product inside a Duration
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(math.Min(seconds, longest) * float64(time.Second))
}

// advice reads x-should-retry.
func advice(h http.Header) Advice {
	switch strings.ToLower(h.Get("x-should-retry")) {
	case "true":
		return AdviceRetry
	case "false":
		return AdviceStop
	}
	return ""
}

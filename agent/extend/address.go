package extend

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// unreachable are the networks that are not the public internet, beyond those net/netip knows by name. From
// IANA's special-purpose address registries, and with them the ways an IPv4 address hides in an IPv6 one.
var unreachable = sync.OnceValue(func() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", // IPv4: this network, carrier NAT (with Alibaba's metadata service), protocols, examples, benchmarks, reserved
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
})

// public reports whether an address is on the public internet. Metadata services of clouds are not: they are on
// link-local, private or carrier addresses.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(unreachable(), func(p netip.Prefix) bool { return p.Contains(a) })
}

// privateError is a target that is not on the public internet, in a sentence.
type privateError struct{ host, address string }

func (e *privateError) Error() string {
	at := ""
	if e.host != e.address {
		at = " (" + e.address + ")"
	}
	return fmt.Sprintf("%s%s is not on the public internet, and fetch does not go there; the user can list the host in [tools] private_hosts of their configuration", e.host, at)
}

// publicDialer connects to the public internet and to the hosts that are allowed by name, as HOST or HOST:PORT.
// It judges the very address that is dialled, after names were resolved, so no name and no redirect leads past it.
func publicDialer(allowed []string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		dialer := net.Dialer{Timeout: fetchDialTimeout}
		if !slices.ContainsFunc(allowed, func(a string) bool { return sameHost(a, address, host) }) {
			dialer.Control = func(_, dialled string, _ syscall.RawConn) error {
				at, err := netip.ParseAddrPort(dialled)
				if err != nil || !public(at.Addr()) {
					return &privateError{host: host, address: at.Addr().String()}
				}
				return nil
			}
		}
		return dialer.DialContext(ctx, network, address)
	}
}

func sameHost(allowed, address, host string) bool {
	return strings.EqualFold(allowed, address) || strings.EqualFold(strings.Trim(allowed, "[]"), host)
}

package fetch

import "net/netip"

// public says whether an address is one of the public internet. Of IPv6 only what is handed out (2000::/3) is. An
// address that carries an IPv4 address inside, as in translation and tunnels, is not: what it leads to is another.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	if a.Is6() && !netip.MustParsePrefix("2000::/3").Contains(a) {
		return false
	}
	for _, p := range special() {
		if netip.MustParsePrefix(p).Contains(a) {
			return false
		}
	}
	return true
}

// special lists the blocks that look public and are not (IANA's registries of special-purpose IPv4 and IPv6
// addresses, RFC 6890), and addresses at which clouds answer their own machines, link-local ones aside.
func special() []string {
	return []string{
		"0.0.0.0/8",        // this network
		"100.64.0.0/10",    // shared by providers (RFC 6598); one cloud's metadata too
		"168.63.129.16/32", // a cloud's own service, at a public address
		"192.0.0.0/24",     // protocol assignments; another cloud's metadata too
		"192.0.2.0/24",     // documentation
		"192.88.99.0/24",   // 6to4 relays
		"198.18.0.0/15",    // benchmarks
		"198.51.100.0/24",  // documentation
		"203.0.113.0/24",   // documentation
		"240.0.0.0/4",      // reserved, broadcast included
		"2001::/23",        // protocol assignments: Teredo, ORCHID, benchmarks
		"2001:db8::/32",    // documentation
		"2002::/16",        // 6to4
		"3fff::/20",        // documentation
	}
}

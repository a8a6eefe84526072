package fakegithub

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// The page sizes of every list.
const (
	pageDefault = 30
	pageMax     = 100
)

// page cuts the asked page out of a list and names the others in the Link header.
func page[T any](c *call, all []T) []T {
	per := positive(c.r.URL.Query().Get("per_page"), pageDefault)
	per = min(per, pageMax)
	n := positive(c.r.URL.Query().Get("page"), 1)
	last := max(1, (len(all)+per-1)/per)
	var links []string
	link := func(to int, rel string) {
		q, _ := url.ParseQuery(c.r.URL.RawQuery)
		q.Set("page", strconv.Itoa(to))
		links = append(links, fmt.Sprintf("<%s%s?%s>; rel=%q", c.base, c.r.URL.EscapedPath(), q.Encode(), rel))
	}
	if n > 1 {
		link(n-1, "prev")
	}
	if n < last {
		link(n+1, "next")
		link(last, "last")
	}
	if n > 1 {
		link(1, "first")
	}
	if len(links) > 0 {
		c.header.Set("Link", strings.Join(links, ", "))
	}
	from := min((n-1)*per, len(all))
	return all[from:min(from+per, len(all))]
}

// positive is a number from 1 up, or what is used instead.
func positive(s string, instead int) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return instead
}

// each makes a JSON list, never null.
func each[T any](all []T, shape func(T) obj) []obj {
	out := make([]obj, 0, len(all))
	for _, v := range all {
		out = append(out, shape(v))
	}
	return out
}

package collect

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Digests gives the SHA-256 (lower-case hex) of every file that the globs match and that can be read, by name as
// evidence names it. A file that breaks the rules of evidence files, such as a link out of the workspace, is left
// out; an error says that the files could not be listed.
func (w *Workspace) Digests(ctx context.Context, globs []string) (map[string]string, error) {
	found := w.list(ctx, [][]string{globs})[0]
	if found.problem != "" {
		return nil, fmt.Errorf("list files: %s: %s", found.problem, found.detail)
	}
	r := newReader(w, nil, nil, &atomic.Int64{})
	all := make([]*reading, 0, len(found.names))
	for _, name := range found.names {
		all = append(all, r.next(ctx, name, need{}))
	}
	r.leave()
	out := make(map[string]string, len(all))
	for _, f := range all {
		if f.trouble == nil {
			out[printable(f.name)] = f.scanned.sha256
		}
	}
	return out, nil
}

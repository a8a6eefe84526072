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
	out := make(map[string]string, len(found.names))
	for _, name := range found.names {
		if f := r.file(ctx, name, need{}); f.trouble == nil {
			out[printable(name)] = f.scanned.sha256
		}
	}
	return out, nil
}

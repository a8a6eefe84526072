package stage

import (
	"fmt"
	"io"
	"os"

	"github.com/outcome-gate/outcome-gate/internal/action"
)

// Fresh starts the program anew if earlier steps planted variables, without them, and then does not return. The
// Go runtime and its packages read some before main begins (with GODEBUG set to http2debug=2, net/http logs
// every header of a request, the token's among them), so that clearing them later is too late.
func Fresh(log io.Writer) error {
	planted := action.Scrub()
	if len(planted) == 0 {
		return nil
	}
	action.New(os.Getenv, log).Ignored(planted)
	if err := restart(); err != nil {
		return fmt.Errorf("start anew without what earlier steps set: %w", err)
	}
	return nil
}

package evidence

import "github.com/outcome-gate/outcome-gate/internal/evidence/testresult"

// TestSet is one result file's model together with its records, collected while the file streamed by.
type TestSet struct {
	*testresult.Results
	Cases []testresult.Case
}

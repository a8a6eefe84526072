package contract_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/outcome-gate/outcome-gate/internal/contract"
)

func documentation(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The table of keys is rendered by KeyTable; the page keeps a place for it.
func TestDocumentationHasMarkers(t *testing.T) {
	page := documentation(t)
	begin, end := strings.Index(page, "<!-- keys:begin -->"), strings.Index(page, "<!-- keys:end -->")
	if begin < 0 || end < begin {
		t.Error("docs/contract.md has no place for the table of keys")
	}
}

// Every example of the page is a contract, or becomes one inside the least frame, and the mistake that the
// page shows is the one that its first example gives.
func TestDocumentationExamples(t *testing.T) {
	page := documentation(t)
	whole := ""
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	for _, block := range blocks {
		text := block[1]
		switch {
		case strings.HasPrefix(text, "version:"):
			whole = text
		case strings.HasPrefix(text, "  - id:"):
			text = "version: 1\noutcomes:\n" + text + "  - id: another\n    validators: [ { step: a } ]\n"
		case strings.HasPrefix(text, "    validators:"):
			text = "version: 1\noutcomes:\n  - id: a\n    artifact: { files: a.xml }\n" + text
		default:
			text += "version: 1\noutcomes:\n  - id: a\n    validators: [ { step: a } ]\n"
		}
		if _, problems := contract.Parse("example.yml", []byte(text), kinds()); len(problems) > 0 {
			t.Errorf("%v\n%s", problems, text)
		}
	}
	if len(blocks) < 6 || whole == "" {
		t.Fatalf("%d examples", len(blocks))
	}
	_, problems := contract.Parse(".github/outcome-contract.yml", []byte(strings.Replace(whole, "artifact:", "artifakt:", 1)), kinds())
	if len(problems) != 1 || !strings.Contains(page, problems[0].String()) {
		t.Errorf("the page does not show %v", problems)
	}
}

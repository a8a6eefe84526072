package runstep

import (
	"fmt"
	"os"
	"strings"
)

// maxSummary is the size over which the runner drops a step's summary with an error.
const maxSummary = 1 << 20

// commandFiles are the files by which a stage talks back: the variable that names each, and the beginning of
// its name at the runner.
func commandFiles() map[string]string {
	return map[string]string{
		"GITHUB_OUTPUT": "set_output_", "GITHUB_STATE": "save_state_", "GITHUB_ENV": "set_env_",
		"GITHUB_PATH": "add_path_", "GITHUB_STEP_SUMMARY": "step_summary_",
	}
}

// collectFiles reads what a stage wrote, after it ended. A file that is gone counts as empty.
func (r *Result) collectFiles(files map[string]string) {
	for variable, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		switch variable {
		case "GITHUB_STEP_SUMMARY":
			if len(data) > maxSummary {
				r.fail("$GITHUB_STEP_SUMMARY upload aborted, it has %d bytes", len(data))
				continue
			}
			r.Summary += string(data)
		case "GITHUB_PATH":
			for line := range strings.Lines(string(data)) {
				if line = strings.TrimRight(line, "\r\n"); line != "" {
					r.Path = append(r.Path, line)
				}
			}
		default:
			into := map[string]map[string]string{"GITHUB_OUTPUT": r.Outputs, "GITHUB_STATE": r.State, "GITHUB_ENV": r.Env}[variable]
			if err := parsePairs(string(data), into); err != nil {
				r.fail("Unable to process file command %q successfully: %v", variable, err)
			}
		}
	}
}

// parsePairs reads NAME=VALUE lines and NAME<<DELIMITER blocks: whichever of = and << comes first in a line
// decides, and a block ends at the first line that equals its delimiter.
func parsePairs(text string, into map[string]string) error {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		if line == "" {
			continue
		}
		equals, here := strings.Index(line, "="), strings.Index(line, "<<")
		switch {
		case equals >= 0 && (here < 0 || equals < here):
			into[line[:equals]] = line[equals+1:]
		case here >= 0:
			name, delimiter := line[:here], line[here+2:]
			if name == "" || delimiter == "" {
				return fmt.Errorf("invalid format %q: name and delimiter must not be empty", line)
			}
			value, after, ok := block(lines, i+1, delimiter)
			if !ok {
				return fmt.Errorf("matching delimiter not found %q", delimiter)
			}
			into[name], i = value, after
		default:
			return fmt.Errorf("invalid format %q", line)
		}
	}
	return nil
}

// block is the text up to the line that is the delimiter, and that line's index.
func block(lines []string, from int, delimiter string) (value string, end int, ok bool) {
	var b strings.Builder
	for i := from; i < len(lines); i++ {
		if strings.TrimSuffix(lines[i], "\n") == delimiter {
			return strings.TrimSuffix(b.String(), "\n"), i, true
		}
		b.WriteString(lines[i])
	}
	return "", len(lines), false
}

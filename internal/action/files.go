package action

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Pair is one output or state value.
type Pair struct{ Name, Value string }

// maxValue is the runner's own limit of one output.
const maxValue = 1 << 20

// names of outputs and states are ours, so they are held to letters, digits and the two joiners.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`) })

// SetOutputs appends the step's outputs in one write.
func (r *Runner) SetOutputs(pairs []Pair) error { return r.appendPairs("GITHUB_OUTPUT", pairs) }

// SaveState appends values for the later stages of this action in one write.
func (r *Runner) SaveState(pairs []Pair) error { return r.appendPairs("GITHUB_STATE", pairs) }

// State reads a value that an earlier stage saved. Anybody who could set variables of this job could have
// planted it: the caller must not believe it without asking the API.
func (r *Runner) State(name string) string { return r.getenv("STATE_" + name) }

// appendPairs writes pairs in the runner's NAME<<DELIMITER form with a random delimiter, so that no value can
// end its own block and begin another. A value that holds the delimiter is refused.
func (r *Runner) appendPairs(variable string, pairs []Pair) error {
	path := r.getenv(variable)
	if path == "" {
		return fmt.Errorf("write %s: the runner named no file", variable)
	}
	text, err := formatPairs(pairs, rand.Text())
	if err != nil {
		return fmt.Errorf("write %s: %w", variable, err)
	}
	return appendFile(path, text)
}

func formatPairs(pairs []Pair, delimiter string) (string, error) {
	var b strings.Builder
	for _, p := range pairs {
		switch {
		case !nameForm().MatchString(p.Name):
			return "", fmt.Errorf("%q is no name", p.Name)
		case len(p.Value) > maxValue:
			return "", fmt.Errorf("%s has %d bytes, at most %d fit", p.Name, len(p.Value), maxValue)
		case strings.Contains(p.Value, delimiter), strings.Contains(p.Name, delimiter):
			return "", fmt.Errorf("%s holds the delimiter", p.Name)
		}
		value := strings.ToValidUTF8(strings.ReplaceAll(p.Value, "\x00", "\uFFFD"), "\uFFFD")
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", p.Name, delimiter, value, delimiter)
	}
	return b.String(), nil
}

// maxSummary is the runner's limit of one step's summary; over it nothing at all is shown.
const maxSummary = 1 << 20

// WriteSummary appends Markdown to the job summary.
func (r *Runner) WriteSummary(markdown string) error {
	path := r.getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return errors.New("write the job summary: the runner named no file")
	}
	if len(markdown) > maxSummary {
		return fmt.Errorf("write the job summary: it has %d bytes, at most %d are shown", len(markdown), maxSummary)
	}
	if !strings.HasSuffix(markdown, "\n") {
		markdown += "\n"
	}
	return appendFile(path, markdown)
}

// appendFile adds text to a file of the runner, whole or not at all: of a part the runner would take what it can read.
func appendFile(path, text string) (err error) {
	// Earlier steps can put a pipe in the file's place: it must not be waited for.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is no regular file", path)
	}
	if _, err := f.WriteString(text); err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, f.Truncate(info.Size())))
	}
	return nil
}

// Level is the weight of an annotation.
type Level string

// The three levels that the runner knows.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNotice  Level = "notice"
)

// Annotation is one message on a file's line. Text may come from the change.
type Annotation struct {
	Level     Level
	File      string
	Line, Col int
	Title     string
	Text      string
}

// Limits of annotations (the runner's ExecutionContext): so many of each level in a step, so many characters.
const (
	maxAnnotations    = 10
	maxAnnotationText = 4096
)

// Annotate shows up to ten annotations of each level, in the order given, and returns how many were left out.
func (r *Runner) Annotate(all []Annotation) (left int) {
	shown := map[Level]int{}
	for _, a := range all {
		if shown[a.Level]++; shown[a.Level] > maxAnnotations {
			left++
			continue
		}
		fields := map[string]string{}
		if a.File != "" {
			fields["file"] = Inert(a.File)
			if a.Line > 0 {
				fields["line"] = fmt.Sprint(a.Line)
			}
			if a.Col > 0 {
				fields["col"] = fmt.Sprint(a.Col)
			}
		}
		if a.Title != "" {
			fields["title"] = Inert(a.Title)
		}
		g, text := r.gh.WithFieldsMap(fields), Inert(cut(a.Text, maxAnnotationText))
		switch a.Level {
		case LevelError:
			g.Errorf("%s", text)
		case LevelWarning:
			g.Warningf("%s", text)
		case LevelNotice:
			g.Noticef("%s", text)
		}
	}
	return left
}

func cut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// Group writes lines into a folded group of the log. Lines may hold text from the change: each is made inert,
// and no command is obeyed in between, since a random token that nobody knows switches commands off.
func (r *Runner) Group(title string, lines []string) {
	r.gh.Group(Inert(title))
	r.Print(lines)
	r.gh.EndGroup()
}

// Print writes lines to the log, inert.
func (r *Runner) Print(lines []string) {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	token := hex.EncodeToString(raw[:])
	out := []string{"::stop-commands::" + token}
	for _, l := range slices.Clone(lines) {
		for part := range strings.SplitSeq(l, "\n") {
			out = append(out, Inert(part))
		}
	}
	out = append(out, "::"+token+"::")
	_, _ = fmt.Fprintln(r.log, strings.Join(out, "\n")) // a log that cannot be written is nobody's verdict
}

// Notice writes our own message as a notice of the log.
func (r *Runner) Notice(text string) { r.gh.Noticef("%s", Inert(text)) }

// Error writes our own message as an error of the log.
func (r *Runner) Error(text string) { r.gh.Errorf("%s", Inert(text)) }

// Inert makes one piece of text harmless in the log: the runner obeys ::command:: at the start of a line and
// ##[command] anywhere in it (ActionCommand.cs), and a terminal obeys control characters.
func Inert(s string) string {
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case c == '\t', c == '\n', c == '\r':
			b.WriteByte(' ')
		case c < 0x20, c == 0x7f, c >= 0x80 && c < 0xa0, c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069, c == 0x200e, c == 0x200f:
			fmt.Fprintf(&b, "<U+%04X>", c)
		default:
			b.WriteRune(c)
		}
	}
	out := strings.ReplaceAll(b.String(), "##[", "# #[")
	if strings.HasPrefix(strings.TrimLeft(out, " \u00a0\u3000"), "::") {
		out = strings.Replace(out, "::", ": :", 1)
	}
	return out
}

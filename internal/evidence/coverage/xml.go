package coverage

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/outcome-gate/outcome-gate/internal/evidence/codepage"
)

const (
	// maxToken bounds what one tag, comment or text of a document takes, in bytes.
	maxToken = 4 << 20
	// maxDepth bounds nesting: a build's groups, and some ten levels below them.
	maxDepth = 64
)

// errToken says that a token is longer than what is read.
var errToken = errors.New("a tag or text is too long")

// rationed gives so many bytes and no more, so that one token cannot take all memory.
type rationed struct {
	r    *bufio.Reader
	left int
}

// ReadByte gives one byte of the ration.
func (r *rationed) ReadByte() (byte, error) {
	if r.left <= 0 {
		return 0, errToken
	}
	r.left--
	return r.r.ReadByte()
}

// Read gives at most what is left of the ration.
func (r *rationed) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errToken
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// element is a start tag.
type element struct {
	name  string
	attrs map[string]string
	depth int // 1 for the root
}

// document reads the tags of one XML document. Entities other than XML's own are errors, and so is a document type
// with declarations of its own; what it refers to is never fetched.
type document struct {
	dec   *xml.Decoder
	in    *rationed
	depth int
	ended bool
}

func openDocument(r *bufio.Reader) *document {
	in := &rationed{r: r}
	d := &document{dec: xml.NewDecoder(in), in: in}
	d.dec.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		name := strings.ToLower(label)
		switch e := codepage.Named(name); {
		case codepage.IsASCII(name), strings.HasPrefix(name, "utf-16"): // its byte order mark has said so, and it is decoded
			return input, nil
		case e != nil:
			return e.NewDecoder().Reader(input), nil
		}
		return nil, invalid("encoding %q is not known", clip(label))
	}
	return d
}

// next gives the next start tag, or an end tag as nil with its name, and text that stands between tags.
func (d *document) next() (start *element, end, text string, err error) {
	d.in.left = maxToken
	tok, err := d.dec.Token()
	if err != nil {
		return nil, "", "", d.failed(err)
	}
	switch t := tok.(type) {
	case xml.StartElement:
		if d.ended {
			return nil, "", "", d.bad("there is a second root")
		}
		if d.depth++; d.depth > maxDepth {
			return nil, "", "", d.bad("it is nested deeper than 64")
		}
		e := &element{name: t.Name.Local, attrs: make(map[string]string, len(t.Attr)), depth: d.depth}
		for _, a := range t.Attr {
			if a.Name.Space != "" {
				continue
			}
			if _, twice := e.attrs[a.Name.Local]; twice {
				return nil, "", "", d.bad("attribute " + clip(a.Name.Local) + " occurs twice")
			}
			e.attrs[a.Name.Local] = a.Value
		}
		return e, "", "", nil
	case xml.EndElement:
		d.depth--
		d.ended = d.depth == 0
		return nil, t.Name.Local, "", nil
	case xml.CharData:
		text := string(t)
		if d.depth == 0 && strings.TrimSpace(text) != "" {
			return nil, "", "", d.bad("there is text outside of the root")
		}
		return nil, "", text, nil
	case xml.Directive:
		if strings.ContainsRune(string(t), '[') {
			return nil, "", "", d.bad("its document type declares entities or elements of its own")
		}
	}
	return nil, "", "", nil
}

func (d *document) bad(why string) error {
	line, _ := d.dec.InputPos()
	return &defect{problem: ProblemInvalid, detail: why, line: line}
}

// failed says what an error of the decoder means.
func (d *document) failed(err error) error {
	var syntax *xml.SyntaxError
	var known *defect
	line, _ := d.dec.InputPos()
	switch {
	case errors.Is(err, io.EOF) && d.ended:
		return io.EOF
	case errors.Is(err, io.EOF):
		return &defect{problem: ProblemIncomplete, detail: "it holds no whole document", line: line}
	case errors.As(err, &known):
		return known
	case errors.Is(err, errToken):
		return &defect{problem: ProblemOverLimit, detail: err.Error(), line: line}
	case errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		return &defect{problem: ProblemIncomplete, detail: "it ends in the middle", line: line}
	case errors.As(err, &syntax):
		return &defect{problem: ProblemInvalid, detail: clip(syntax.Msg), line: syntax.Line}
	}
	return err
}

// dialect is how the tags of one format are read.
type dialect struct {
	name  string
	start func(e *element) error
	end   func(name string, depth int) error // depth is that of the tag that ended
	text  func(text string)
	done  func()
}

// readXML reads a document in the format that its root shows.
func readXML(b *builder, r *bufio.Reader) error {
	d := openDocument(r)
	var as *dialect
	var root *element
	for {
		start, end, text, err := d.next()
		switch {
		case errors.Is(err, io.EOF):
			if as == nil {
				return unknownFormat("its root " + clip(root.name) + " holds nothing that tells the format")
			}
			as.done()
			return nil
		case err == nil && as == nil && start != nil:
			if root == nil {
				root = start
			}
			if as = b.dialect(root, start); as != nil {
				b.p.Format = as.name
				err = as.begin(root, start)
			} else if start != root || root.name != "coverage" {
				return unknownFormat("its root is " + clip(root.name))
			}
			if as != nil && b.want != "" && b.want != as.name {
				return unknownFormat("it is " + as.name + ", not " + b.want)
			}
		case err == nil && as != nil && start != nil:
			err = as.start(start)
		case err == nil && as != nil && end != "":
			err = as.end(end, d.depth+1)
		case err == nil && as != nil:
			as.text(text)
		}
		if err != nil {
			return d.placed(err)
		}
	}
}

// begin shows a dialect the root, and the first tag below it if that told the format.
func (a *dialect) begin(root, first *element) error {
	if err := a.start(root); err != nil || first == root {
		return err
	}
	return a.start(first)
}

// placed adds the line to a defect that has none.
func (d *document) placed(err error) error {
	var known *defect
	if errors.As(err, &known) && known.line == 0 {
		known.line, _ = d.dec.InputPos()
	}
	return err
}

// dialect tells the format by the root, and where Cobertura and Clover share theirs, by its attributes or first child;
// nil if that does not tell it.
func (b *builder) dialect(root, start *element) *dialect {
	_, generated := root.attrs["generated"]
	_, byClover := root.attrs["clover"]
	_, rate := root.attrs["line-rate"]
	_, valid := root.attrs["lines-valid"]
	switch {
	case root.name == "report" && start == root:
		return b.jacoco()
	case root.name != "coverage":
	case rate || valid:
		return b.cobertura()
	case generated || byClover:
		return b.clover()
	case start == root:
	case start.name == "project":
		return b.clover()
	case start.name == "sources" || start.name == "packages":
		return b.cobertura()
	}
	return nil
}

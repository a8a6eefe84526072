package collect

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git names objects by SHA-1
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxObject bounds one commit, tree or tag, in bytes: a directory of half a million files takes less.
const maxObject = 32 << 20

// errMissing says that no pack and no loose file holds an object. It never means that a path is not tracked.
var errMissing = errors.New("the object is not in this clone")

// store finds objects by name. Whatever it returns hashes to the name that was asked for.
type store struct {
	dirs []*objectDir
}

// objectDir is one objects directory: the repository's own or an alternate.
type objectDir struct {
	root  *os.Root
	packs []*pack // nil until needed
	ready bool

	inflater io.ReadCloser // of the last loose object, nil before the first
}

// openStore opens the objects directory and those it borrows from.
func openStore(common *os.Root) (*store, error) {
	s := &store{}
	own, err := common.OpenRoot("objects")
	if err != nil {
		return nil, err
	}
	s.dirs = append(s.dirs, &objectDir{root: own})
	if err := s.borrow(own, filepath.Join(common.Name(), "objects"), 1, map[string]bool{}); err != nil {
		return nil, errors.Join(fmt.Errorf("alternates: %w", err), s.close())
	}
	return s, nil
}

// borrow opens the alternates of one objects directory (gitrepository-layout: objects/info/alternates;
// relative paths begin at the objects directory).
func (s *store) borrow(root *os.Root, dir string, depth int, seen map[string]bool) error {
	data, err := readGit(root, "info/alternates", maxGitText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		path := filepath.FromSlash(strings.TrimRight(line, "\r\n"))
		if path == "" || path[0] == '#' {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if path = filepath.Clean(path); seen[path] {
			continue
		}
		seen[path] = true
		if depth > maxAltDepth || len(s.dirs) > maxAlternates {
			return errors.New("too many")
		}
		alt, err := openDirRoot(path)
		if err != nil {
			return err
		}
		s.dirs = append(s.dirs, &objectDir{root: alt})
		if err := s.borrow(alt, path, depth+1, seen); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() error {
	var errs []error
	for _, d := range s.dirs {
		for _, p := range d.packs {
			errs = append(errs, p.close())
		}
		errs = append(errs, d.root.Close())
	}
	s.dirs = nil
	return errors.Join(errs...)
}

// object reads an object of at most maxBytes and holds its bytes against its name.
func (s *store) object(name plumbing.Hash, maxBytes int64) (plumbing.ObjectType, []byte, error) {
	for _, d := range s.dirs {
		typ, data, err := d.object(name, maxBytes)
		if errors.Is(err, errMissing) {
			continue
		}
		if err != nil {
			return 0, nil, fmt.Errorf("object %s: %w", name, err)
		}
		h := sha1.New() //nolint:gosec // see the import
		h.Write(fmt.Appendf(nil, "%s %d\x00", typ, len(data)))
		h.Write(data)
		if plumbing.Hash(h.Sum(nil)) != name {
			return 0, nil, fmt.Errorf("object %s: its bytes do not hash to its name", name)
		}
		return typ, data, nil
	}
	return 0, nil, fmt.Errorf("object %s: %w", name, errMissing)
}

// typed reads an object that has to be of one type.
func (s *store) typed(name plumbing.Hash, want plumbing.ObjectType, maxBytes int64) ([]byte, error) {
	typ, data, err := s.object(name, maxBytes)
	if err == nil && typ != want {
		err = fmt.Errorf("object %s is a %s, not a %s", name, typ, want)
	}
	return data, err
}

func (d *objectDir) object(name plumbing.Hash, maxBytes int64) (plumbing.ObjectType, []byte, error) {
	if err := d.openPacks(); err != nil {
		return 0, nil, err
	}
	for _, p := range d.packs {
		typ, data, err := p.object(name, maxBytes)
		if !errors.Is(err, errMissing) {
			return typ, data, err
		}
	}
	return d.loose(name, maxBytes)
}

func (d *objectDir) openPacks() error {
	if d.ready {
		return nil
	}
	dir, err := d.root.OpenFile("pack", openDirFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		d.ready = true
		return nil
	}
	if err != nil {
		return err
	}
	defer release(dir)
	entries, err := dir.ReadDir(4*maxPacks + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(entries) > 4*maxPacks {
		return fmt.Errorf("over %d packs", maxPacks)
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !strings.HasPrefix(base, "pack-") {
			continue
		}
		p, err := openPack(d.root, "pack/"+base)
		if err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
		d.packs = append(d.packs, p)
	}
	d.ready = true
	return nil
}

// loose reads an object that has its own file: zlib over "type size NUL bytes" (gitformat-loose).
func (d *objectDir) loose(name plumbing.Hash, maxBytes int64) (plumbing.ObjectType, []byte, error) {
	text := hex.EncodeToString(name[:])
	f, err := openGit(d.root, text[:2]+"/"+text[2:], maxBytes+maxGitText)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, errMissing
	}
	if err != nil {
		return 0, nil, err
	}
	defer release(f)
	z, err := d.inflate(f)
	if err != nil {
		return 0, nil, err
	}
	const headerBytes = 32 // the type's name, a space, a number and NUL
	data, err := io.ReadAll(io.LimitReader(z, maxBytes+headerBytes))
	if err != nil {
		return 0, nil, err
	}
	header, body, ok := bytes.Cut(data, []byte{0})
	kind, size, _ := strings.Cut(string(header), " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || err != nil || len(header) >= headerBytes {
		return 0, nil, errors.New("malformed header")
	}
	if n > maxBytes {
		return 0, nil, tooLarge(n, maxBytes)
	}
	typ, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return 0, nil, err
	}
	if int64(len(body)) != n {
		return 0, nil, errors.New("its length is not the declared one")
	}
	return typ, body, nil
}

// inflate reads f with the inflater of the object before, as a new one takes more memory than most objects.
func (d *objectDir) inflate(f io.Reader) (io.Reader, error) {
	if again, ok := d.inflater.(zlib.Resetter); ok {
		return d.inflater, again.Reset(f, nil)
	}
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil, err
	}
	d.inflater = z
	return z, nil
}

func tooLarge(n, limit int64) error {
	return fmt.Errorf("it has %d bytes, the limit is %d", n, limit)
}

// Package archive reads the entries of a zip archive that somebody else made, in memory and under limits.
//
// It decides whether an archive is one that may be read at all: nothing in it may lead out of it, be hidden, stand
// for something else, or swell. It trusts none of the sizes that the archive declares, extracts nothing to any disk, and
// follows nothing. Names are data and are never used as paths.
package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is read. What is over one of them is not read in part.
const (
	// MaxBytes bounds an archive as it was uploaded: evidence are result files, reports and packages.
	MaxBytes = 64 << 20
	// MaxEntries bounds its entries, folders included.
	MaxEntries = 10_000
	// MaxEntryBytes bounds one entry, unpacked: as much as is read of an address.
	MaxEntryBytes = 64 << 20
	// MaxTotalBytes bounds all entries together, unpacked.
	MaxTotalBytes = 256 << 20
	// MaxRatio bounds how much larger what is unpacked may be than what is packed. Repetitive result files come to
	// about 100; what is made to swell comes to 1000.
	MaxRatio = 250
	// MaxNameBytes bounds an entry's name.
	MaxNameBytes = 1024
)

const (
	// ratioFrom is the unpacked size in bytes from which the ratio counts: less does no harm.
	ratioFrom = 1 << 20
	// maxHeads bounds what looks like an entry of the directory, before anything is kept of it. Archives within
	// archives have such heads too, if they are not compressed; more than this many cost memory.
	maxHeads = 100_000
	// directoryHead begins each entry of the directory (APPNOTE 4.3.12).
	directoryHead = "PK\x01\x02"
)

// Errors that a caller may want to tell apart, by errors.Is.
var (
	// ErrTooLarge is an archive or an entry over a limit.
	ErrTooLarge = errors.New("over the limit")
	// ErrRefused is an archive with an entry that no honest upload has, or that cannot be read.
	ErrRefused = errors.New("refused")
	// ErrDamaged is what is no whole zip archive, or not what it says of itself.
	ErrDamaged = errors.New("damaged")
)

// limits are the bounds of one reading.
type limits struct{ bytes, entries, entry, total, ratio, name int64 }

func standard() limits {
	return limits{MaxBytes, MaxEntries, MaxEntryBytes, MaxTotalBytes, MaxRatio, MaxNameBytes}
}

// Archive is an archive whose directory was read and found harmless. It may be read by several at the same time.
type Archive struct {
	files map[string]*zip.File
	names []string
}

// Open reads the directory of an archive. data must not change as long as the archive is used.
func Open(data []byte) (*Archive, error) { return open(data, standard()) }

func open(data []byte, l limits) (*Archive, error) {
	if int64(len(data)) > l.bytes {
		return nil, fmt.Errorf("%w: the archive has %d bytes, at most %d are read", ErrTooLarge, len(data), l.bytes)
	}
	if n := bytes.Count(data, []byte(directoryHead)); n > maxHeads {
		return nil, fmt.Errorf("%w: the archive has over %d entries", ErrTooLarge, maxHeads)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // such paths are refused by name below
		return nil, fmt.Errorf("%w: it is no whole zip archive", ErrDamaged)
	}
	if int64(len(z.File)) > l.entries {
		return nil, fmt.Errorf("%w: the archive has %d entries, at most %d are read", ErrTooLarge, len(z.File), l.entries)
	}
	a := &Archive{files: make(map[string]*zip.File, len(z.File))}
	var total uint64
	for _, f := range z.File {
		if err := a.add(f, l); err != nil {
			return nil, fmt.Errorf("entry %.200q: %w", f.Name, err)
		}
		total += f.UncompressedSize64 // each is bounded, and so is their number
	}
	switch {
	case total > uint64(l.total):
		return nil, fmt.Errorf("%w: its entries have %d bytes, at most %d are read", ErrTooLarge, total, l.total)
	case swells(total, uint64(len(data)), l): // entries may share their bytes
		return nil, fmt.Errorf("%w: its entries have more than %d times the bytes of the archive", ErrTooLarge, l.ratio)
	}
	slices.Sort(a.names)
	return a, nil
}

// swells reports whether so much comes out of so little that it was made for that.
func swells(out, in uint64, l limits) bool {
	ratio := uint64(l.ratio)
	return out > ratioFrom && (out+ratio-1)/ratio > in
}

// add takes one entry, or says why the archive is refused for it.
func (a *Archive) add(f *zip.File, l limits) error {
	dir := strings.HasSuffix(f.Name, "/")
	name := strings.TrimSuffix(f.Name, "/")
	if err := plainName(name, l); err != nil {
		return err
	}
	switch mode := f.Mode(); {
	case f.Flags&flagsHidden != 0:
		return fmt.Errorf("%w: it is encrypted", ErrRefused)
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: it is a symbolic link", ErrRefused)
	case mode.Type()&^fs.ModeDir != 0 || mode.IsDir() != dir:
		return fmt.Errorf("%w: it is no regular file", ErrRefused)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Errorf("%w: its compression, %d, is not known here", ErrRefused, f.Method)
	case f.UncompressedSize64 > uint64(l.entry):
		return fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrTooLarge, f.UncompressedSize64, l.entry)
	case swells(f.UncompressedSize64, f.CompressedSize64, l):
		return fmt.Errorf("%w: it has more than %d times its compressed bytes", ErrTooLarge, l.ratio)
	case dir && f.UncompressedSize64 > 0:
		return fmt.Errorf("%w: it is a folder with contents", ErrRefused)
	}
	if _, taken := a.files[name]; taken {
		return fmt.Errorf("%w: its name is there twice", ErrRefused)
	}
	a.files[name] = f
	if !dir {
		a.names = append(a.names, name)
	}
	return nil
}

// flagsHidden are the flags of entries that are encrypted, whole or in their heads (APPNOTE 4.4.4, bits 0, 6 and 13).
const flagsHidden = 1<<0 | 1<<6 | 1<<13

// plainName refuses names that mean a place outside of the archive, or nothing, on some system.
func plainName(name string, l limits) error {
	switch {
	case int64(len(name)) > l.name:
		return fmt.Errorf("%w: its name has %d bytes, at most %d are read", ErrTooLarge, len(name), l.name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("%w: its name is no plain text", ErrRefused)
	case strings.Contains(name, `\`):
		return fmt.Errorf("%w: its name has a backslash", ErrRefused)
	case strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':':
		return fmt.Errorf("%w: its name is an absolute path", ErrRefused)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("%w: its name is no path below the archive", ErrRefused)
		}
	}
	return nil
}

// Names lists the regular files, in byte order. The list is the archive's own.
func (a *Archive) Names() []string { return a.names }

// Size is the number of bytes that an entry declares; Read gives as many, or an error.
func (a *Archive) Size(name string) int64 {
	f := a.files[name]
	if f == nil {
		return 0
	}
	return int64(f.UncompressedSize64) // at most MaxEntryBytes
}

// Read unpacks one file. Its bytes have the size and the checksum that the archive gives.
func (a *Archive) Read(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil || f.Mode().IsDir() {
		return nil, fmt.Errorf("entry %.200q: %w", name, fs.ErrNotExist)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("entry %.200q: %w: %w", name, ErrDamaged, err)
	}
	size := a.Size(name)
	var out bytes.Buffer
	out.Grow(int(min(size, ratioFrom))) // not more on a mere declaration
	n, err := io.Copy(&out, io.LimitReader(r, size+1))
	err = errors.Join(err, r.Close())
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &corrupt), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("entry %.200q: %w: its bytes are not those that the archive names", name, ErrDamaged)
	case err != nil:
		return nil, fmt.Errorf("entry %.200q: %w: %w", name, ErrDamaged, err)
	case n != size:
		return nil, fmt.Errorf("entry %.200q: %w: it has not the size that the archive names", name, ErrDamaged)
	}
	return out.Bytes(), nil
}

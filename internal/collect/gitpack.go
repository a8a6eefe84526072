package collect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

const (
	maxPackBytes = 1 << 40   // only a bound for arithmetic: packs are read in place
	maxChain     = 4096      // deltas on deltas; git repack --depth allows 4095
	packCache    = 16 << 20  // bytes of resolved objects kept as bases for the next ones
	maxBase      = 256 << 20 // bytes of one object within a chain
)

// pack is one pack file with its index. Chains of deltas are followed here, by a loop with a bound, because
// a crafted chain may be a circle.
type pack struct {
	idx   *idxfile.MemoryIndex
	file  *os.File
	scan  *packfile.Scanner
	cache map[int64]packed // by offset
	held  int
}

// packed is one resolved object of a pack.
type packed struct {
	typ  plumbing.ObjectType
	data []byte
}

// openPack opens base.pack and reads base.idx.
func openPack(root *os.Root, base string) (*pack, error) {
	f, err := openGit(root, base+".idx", maxIndexBytes)
	if err != nil {
		return nil, err
	}
	defer release(f)
	idx := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(f).Decode(idx); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	file, err := openGit(root, base+".pack", maxPackBytes)
	if err != nil {
		return nil, err
	}
	return &pack{idx: idx, file: file, scan: packfile.NewScanner(file), cache: map[int64]packed{}}, nil
}

func (p *pack) close() error { return p.file.Close() }

// object resolves one object. Its chain is read from the object down to a whole one, then applied upwards.
func (p *pack) object(name plumbing.Hash, maxBytes int64) (plumbing.ObjectType, []byte, error) {
	offset, err := p.idx.FindOffset(name)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return 0, nil, errMissing
	}
	if err != nil {
		return 0, nil, err
	}
	base, deltas, err := p.chain(offset)
	if err != nil {
		return 0, nil, err
	}
	for i, d := range slices.Backward(deltas) {
		limit := int64(maxBase)
		if i == 0 {
			limit = maxBytes
		}
		if n, err := deltaTarget(d.data); err != nil {
			return 0, nil, err
		} else if n > uint64(limit) {
			return 0, nil, tooLarge(int64(min(n, 1<<62)), limit)
		}
		if base.data, err = packfile.PatchDelta(base.data, d.data); err != nil {
			return 0, nil, err
		}
		p.keep(d.offset, base)
	}
	if int64(len(base.data)) > maxBytes {
		return 0, nil, tooLarge(int64(len(base.data)), maxBytes)
	}
	return base.typ, base.data, nil
}

// delta is one step of a chain.
type delta struct {
	offset int64
	data   []byte
}

// chain reads from offset down to the object that is no delta.
func (p *pack) chain(offset int64) (packed, []delta, error) {
	var deltas []delta
	total := 0
	for range maxChain {
		if hit, ok := p.cache[offset]; ok {
			return hit, deltas, nil
		}
		h, err := p.scan.SeekObjectHeader(offset)
		if err != nil {
			return packed{}, nil, err
		}
		if h.Length > maxBase {
			return packed{}, nil, tooLarge(h.Length, maxBase)
		}
		var buf bytes.Buffer
		if _, _, err := p.scan.NextObject(&buf); err != nil {
			return packed{}, nil, err
		}
		if total += buf.Len(); total > maxBase {
			return packed{}, nil, tooLarge(int64(total), maxBase)
		}
		switch h.Type {
		case plumbing.OFSDeltaObject:
			deltas, offset = append(deltas, delta{offset, buf.Bytes()}), h.OffsetReference
		case plumbing.REFDeltaObject:
			deltas = append(deltas, delta{offset, buf.Bytes()})
			if offset, err = p.idx.FindOffset(h.Reference); err != nil {
				return packed{}, nil, fmt.Errorf("base %s: %w", h.Reference, err)
			}
		case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
			base := packed{h.Type, buf.Bytes()}
			p.keep(offset, base)
			return base, deltas, nil
		default:
			return packed{}, nil, fmt.Errorf("object type %d", h.Type)
		}
	}
	return packed{}, nil, fmt.Errorf("over %d deltas in a chain", maxChain)
}

// keep remembers a resolved object; the next ones mostly build on it.
func (p *pack) keep(offset int64, o packed) {
	if len(o.data) > packCache/4 {
		return
	}
	if p.held += len(o.data); p.held > packCache {
		clear(p.cache)
		p.held = len(o.data)
	}
	p.cache[offset] = o
}

// deltaTarget is the size that a delta says its result has (gitformat-pack: two sizes, little-endian base 128).
func deltaTarget(d []byte) (uint64, error) {
	_, n := binary.Uvarint(d)
	if n <= 0 {
		return 0, errors.New("malformed delta")
	}
	size, m := binary.Uvarint(d[n:])
	if m <= 0 {
		return 0, errors.New("malformed delta")
	}
	return size, nil
}

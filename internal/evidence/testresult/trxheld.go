package testresult

// The bounds of records that wait for the definitions behind them, as `dotnet test` writes them. A file with more
// goes by its tests' ids.
const (
	maxWaiting      = 50_000
	maxWaitingBytes = 8 << 20
)

// trxHeld is one record that waits for its class: its names and message are in one piece of the arena.
type trxHeld struct {
	at, id, name, message int // where the piece begins, and the lengths of its parts
	status                Status
}

// hold keeps the record just closed until its class is known, and reports whether it did.
func (r *trxReader) hold(st Status) bool {
	if r.settled || len(r.held) == 0 && len(r.definitions) > 0 {
		return false
	}
	message := r.message.line
	if st != Failed && st != Errored {
		message = nil
	}
	h := trxHeld{at: len(r.arena), id: len(r.names.key), name: len(r.names.name), message: len(message), status: st}
	r.arena = append(append(append(r.arena, r.names.key...), r.names.name...), message...)
	r.held = append(r.held, h)
	return true
}

// crowded reports whether no more records may wait.
func (r *trxReader) crowded() bool {
	return len(r.held) >= maxWaiting || len(r.arena) >= maxWaitingBytes
}

// settle hands out the records that waited, with the classes that are known by now.
func (r *trxReader) settle() {
	r.settled = true
	for _, h := range r.held {
		b := r.arena[h.at:]
		id, b := b[:h.id], b[h.id:]
		name, message := b[:h.name], b[h.name:h.name+h.message]
		r.names.hold(nameParts{class: []byte(r.definitions[string(id)]), key: id, name: name})
		r.emit(h.status, message)
	}
	r.held, r.arena = nil, nil
}

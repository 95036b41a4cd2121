package tools

// Ledger remembers which files the model has read, so that an edit can tell whether the file changed since.
type Ledger struct{}

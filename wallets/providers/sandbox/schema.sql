-- Store of the sandbox. Amounts are decimal texts, times are seconds since 1970.
CREATE TABLE IF NOT EXISTS transfers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    reference TEXT NOT NULL UNIQUE,
    account_number TEXT NOT NULL,
    bank_code TEXT NOT NULL,
    bank_name TEXT NOT NULL,
    full_name TEXT NOT NULL,
    currency TEXT NOT NULL,
    debit_currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    fee TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('NEW', 'PENDING', 'SUCCESSFUL', 'FAILED')),
    complete_message TEXT NOT NULL DEFAULT '',
    narration TEXT NOT NULL,
    meta TEXT NOT NULL,
    callback_url TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('succeed', 'fail', 'return')),
    returned INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    next_at REAL
);
CREATE INDEX IF NOT EXISTS transfers_due ON transfers (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    transfer_id INTEGER NOT NULL REFERENCES transfers (id),
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    forged INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'given_up')),
    next_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS webhooks_due ON webhooks (next_at) WHERE state = 'waiting';
CREATE TABLE IF NOT EXISTS floats (
    currency TEXT PRIMARY KEY,
    amount TEXT NOT NULL
);

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
-- References whose transfers stay open until a control settles them.
CREATE TABLE IF NOT EXISTS held (
    reference TEXT PRIMARY KEY
);
CREATE TABLE IF NOT EXISTS webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
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
CREATE TABLE IF NOT EXISTS virtual_accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    order_ref TEXT NOT NULL UNIQUE,
    flw_ref TEXT NOT NULL,
    account_number TEXT NOT NULL UNIQUE,
    bank_name TEXT NOT NULL,
    currency TEXT NOT NULL,
    tx_ref TEXT NOT NULL,
    email TEXT NOT NULL,
    holder TEXT NOT NULL,
    phone TEXT NOT NULL,
    narration TEXT NOT NULL,
    amount TEXT,
    created_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS checkouts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    tx_ref TEXT NOT NULL,
    amount TEXT NOT NULL,
    currency TEXT NOT NULL,
    redirect_url TEXT NOT NULL,
    email TEXT NOT NULL,
    holder TEXT NOT NULL,
    phone TEXT NOT NULL,
    title TEXT NOT NULL,
    meta TEXT NOT NULL,
    created_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS transactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER REFERENCES virtual_accounts (id),
    checkout_id INTEGER REFERENCES checkouts (id),
    account_number TEXT NOT NULL,
    tx_ref TEXT NOT NULL,
    flw_ref TEXT NOT NULL UNIQUE,
    amount TEXT NOT NULL,
    currency TEXT NOT NULL,
    app_fee TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'successful', 'failed')),
    outcome TEXT NOT NULL CHECK (outcome IN ('successful', 'failed')),
    payment_type TEXT NOT NULL,
    processor_response TEXT NOT NULL,
    narration TEXT NOT NULL,
    email TEXT NOT NULL,
    holder TEXT NOT NULL,
    phone TEXT NOT NULL,
    meta TEXT NOT NULL,
    webhook TEXT NOT NULL,
    refunded TEXT NOT NULL DEFAULT '0',
    charged_back INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL,
    next_at REAL
);
CREATE INDEX IF NOT EXISTS transactions_due ON transactions (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS transactions_tx_ref ON transactions (tx_ref);
CREATE TABLE IF NOT EXISTS chargebacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    transaction_id INTEGER NOT NULL REFERENCES transactions (id),
    flw_ref TEXT NOT NULL,
    tx_ref TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS refunds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    transaction_id INTEGER NOT NULL REFERENCES transactions (id),
    amount TEXT NOT NULL,
    created_at REAL NOT NULL
);

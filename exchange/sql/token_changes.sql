-- The history of tokens is written by triggers and rewritten by nobody.
SELECT make_append_only('exchange_tokenchange');

-- Numbers the states of each book: raised in every transaction that changes one, under the lock of its token.
-- Streams read which books changed, and a follower that none of its changes is missing.
CREATE FUNCTION raise_book_sequence(p_token uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.orders_booksequence AS b (token_id, seq) VALUES (p_token, 1)
        ON CONFLICT (token_id) DO UPDATE SET seq = b.seq + 1;
END $$;
REVOKE ALL ON FUNCTION raise_book_sequence FROM PUBLIC;
REVOKE INSERT, UPDATE, DELETE ON orders_booksequence FROM exchange_runtime;

-- Returns why money in `p_currency` may not leave an owner (the organisation without a member), or NULL:
-- 'account_frozen' or 'receivable_due' (wallets/holds/errors.py). Asked after the balance check, under
-- the locks of the owner's accounts. Nothing is frozen yet.
CREATE FUNCTION owner_block(p_organisation uuid, p_member uuid, p_currency text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN NULL;
END $$;

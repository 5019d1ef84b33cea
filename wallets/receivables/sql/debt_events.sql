-- Emits what changed of a debt, whatever posting changed it: `debt.opened` when more is owed than before,
-- `debt.repaid` when less is. Its record is the owner.
CREATE FUNCTION emit_debt_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.emit_event(
        public.new_id(), NEW.organisation_id,
        CASE WHEN NEW.balance < OLD.balance THEN 'debt.opened' ELSE 'debt.repaid' END, NEW.owner_id,
        '{"debt":{"currency":' || to_json(NEW.asset_id)::text || ',"amount":'
        || trim_scale(abs(NEW.balance - OLD.balance)) || ',"owed":' || trim_scale(-NEW.balance)
        || '},"user":' || coalesce(public.member_json(NEW.member_id, NEW.organisation_id), 'null') || '}');
    RETURN NULL;
END $$;
CREATE TRIGGER debt_events AFTER UPDATE OF balance ON wallets_account
    FOR EACH ROW WHEN (NEW.kind = 'receivable' AND NEW.balance <> OLD.balance)
    EXECUTE FUNCTION emit_debt_event();

-- The database of release 0.1.0, with rows in every table. Made by `make dump`, never
-- edited. PostgreSQL 15 and later; the role exchange_runtime must be there. The secrets in it were
-- made for it: they are good for nothing else. The next line says how to get in.
-- {"client_id": "EMxzTYAhdUE1h5SZTZL8Q0krD6wL80KVSXCHkBVs", "client_secret": "UhJKIuJA34PgcazGmpwIIGtoUmxILmkBV88bFF4TrTgCBom4G7ohrWUU80dSIaV21ZFqiN8ZHuUTkhLtcpzrG2V4uYaXrqgdou8wMcGXQsa0WFscqBdXnC7DGoj9YF3e", "username": "amina.finance", "password": "correct horse battery", "totp_secret": "TPWG5MKRN2CO3MG6ZKJ3XJB4Z7RIMPSF", "member_id": "01a20576-f60c-7448-b022-08df2c2a2b58", "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665"}
--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: idempotency_claim; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.idempotency_claim AS (
	request uuid,
	organisation uuid,
	method text,
	path text,
	key text,
	body_hash text
);


--
-- Name: order_fill; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_fill AS (
	seq bigint,
	price numeric,
	units numeric,
	maker uuid,
	organisation uuid,
	member uuid,
	owner uuid,
	taker_value numeric,
	taker_fee numeric,
	maker_value numeric,
	maker_fee numeric,
	filled numeric,
	filled_value numeric,
	charged numeric,
	charged_fee numeric,
	fulfilled boolean,
	trade uuid,
	taker uuid
);


--
-- Name: order_legs; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_legs AS (
	transfers uuid[],
	kinds text[],
	actors text[],
	memos text[],
	leg_transfers uuid[],
	accounts uuid[],
	amounts numeric[],
	refs text[]
);


--
-- Name: order_match; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_match AS (
	fills public.order_fill[],
	dust public.order_fill[],
	stopped text,
	completes boolean
);


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: orders_order; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.orders_order (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    owner_id uuid GENERATED ALWAYS AS (COALESCE(member_id, organisation_id)) STORED,
    owner_model character varying(12) NOT NULL,
    type character varying(4) NOT NULL,
    price numeric(38,8) NOT NULL,
    tokens numeric(38,8) NOT NULL,
    amount numeric(38,8) NOT NULL,
    fee_percent numeric(12,4) NOT NULL,
    status character varying(10) NOT NULL,
    filled numeric(38,8) NOT NULL,
    filled_value numeric(54,16) NOT NULL,
    charged numeric(38,8) NOT NULL,
    charged_fee numeric(38,8) NOT NULL,
    reserved numeric(38,8) NOT NULL,
    customer_name character varying(200) NOT NULL,
    customer_email character varying(254) NOT NULL,
    client_order_id character varying(64) NOT NULL,
    placed_by character varying(80) NOT NULL,
    reason character varying(100) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    document text NOT NULL,
    api_key_id uuid,
    member_id uuid,
    organisation_id uuid NOT NULL,
    token_id uuid NOT NULL
)
WITH (fillfactor='80');


--
-- Name: order_plan; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_plan AS (
	o public.orders_order,
	fills public.order_fill[],
	dust public.order_fill[],
	completes boolean,
	legs public.order_legs
);


--
-- Name: order_request; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_request AS (
	id uuid,
	organisation uuid,
	member uuid,
	api_key uuid,
	owner_model character varying(12),
	token uuid,
	type character varying(4),
	price numeric,
	tokens numeric,
	customer_name character varying(200),
	customer_email character varying(254),
	client_order_id character varying(64),
	actor character varying(80),
	method text,
	path text,
	key text,
	body_hash text
);


--
-- Name: order_terms; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_terms AS (
	id uuid,
	symbol text,
	issuer uuid,
	currency text,
	gives text,
	gets text,
	decimals integer,
	fee numeric,
	lowest numeric,
	highest numeric,
	"least" numeric,
	most numeric,
	cancelled boolean,
	exited boolean,
	closed boolean,
	secondaries boolean,
	completed boolean,
	offer numeric,
	needed numeric,
	unsold numeric,
	smallest numeric,
	visible boolean,
	member_known boolean,
	account uuid,
	available numeric,
	reserve uuid,
	minor numeric
);


--
-- Name: transfer_leg; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.transfer_leg AS (
	kind text,
	owner_id uuid,
	balance numeric,
	asset_id text,
	amount numeric,
	fits boolean
);


--
-- Name: withdrawal_order; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.withdrawal_order AS (
	withdrawal uuid,
	bank uuid,
	transfer uuid,
	event uuid,
	new_escrow uuid,
	organisation uuid,
	member uuid,
	currency text,
	amount numeric,
	reference text,
	bank_name text,
	bank_code text,
	provider_bank_id bigint,
	account_number text,
	account_name text,
	given_name text,
	name_resolved boolean,
	branch_code text,
	recipient_first_name text,
	recipient_last_name text,
	recipient_email text,
	recipient_phone text,
	recipient_address text,
	actor text,
	method text,
	path text,
	key text,
	body_hash text
);


--
-- Name: withdrawal_hold; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.withdrawal_hold AS (
	o public.withdrawal_order,
	available uuid,
	escrow uuid,
	available_after numeric,
	event_user text,
	fee numeric,
	usd_rate numeric,
	second_approval numeric,
	internal_fee numeric
);


--
-- Name: access_proposal_once(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.access_proposal_once() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.proposed_by_id IS NOT NULL AND NEW.proposed_by_id IS DISTINCT FROM OLD.proposed_by_id
        OR OLD.person_id IS NOT NULL AND NEW.person_id IS DISTINCT FROM OLD.person_id
        OR OLD.collected_at IS NOT NULL AND (NEW.collected_at, NEW.key_id)
            IS DISTINCT FROM (OLD.collected_at, OLD.key_id)
    THEN
        RAISE EXCEPTION 'access proposal % was taken up or collected before', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: access_token_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.access_token_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.scope <> OLD.scope OR NEW.expires > OLD.expires
        OR NEW.application_id IS DISTINCT FROM OLD.application_id
    THEN
        RAISE EXCEPTION 'access token % gets no more power than it was issued with', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: account_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.account_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'what account % is never changes', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;


--
-- Name: account_of(uuid, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.account_of(p_owner uuid, p_asset text, p_kind text) RETURNS uuid
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF p_owner IS NULL THEN
        RETURN (SELECT id FROM public.wallets_account
                WHERE owner_id IS NULL AND asset_id = p_asset AND kind = p_kind);
    END IF;
    RETURN (SELECT id FROM public.wallets_account
            WHERE owner_id = p_owner AND asset_id = p_asset AND kind = p_kind);
END $$;


--
-- Name: account_starts_right(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.account_starts_right() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.kind IN ('clearing', 'fees', 'expenses', 'issuance', 'loans') THEN
        IF NEW.organisation_id IS NOT NULL OR NEW.member_id IS NOT NULL
            OR NEW.balance IS NOT NULL
        THEN
            RAISE EXCEPTION 'a % account belongs to nobody', NEW.kind
                USING ERRCODE = 'check_violation', CONSTRAINT = 'account_owner_fits_kind';
        END IF;
    ELSIF NEW.organisation_id IS NULL OR NEW.balance IS NULL THEN
        RAISE EXCEPTION 'a % account needs an owner', NEW.kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_owner_fits_kind';
    ELSIF NEW.balance <> 0 THEN
        RAISE EXCEPTION 'account % must start empty', NEW.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: accounts_to_move(public.orders_order, public.order_terms, public.order_match); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.accounts_to_move(o public.orders_order, t public.order_terms, m public.order_match) RETURNS uuid[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    f order_fill;
    s record;
    v_roles uuid[];
    v_owners uuid[] := ARRAY[o.owner_id];
    v_assets text[] := ARRAY[t.gives];
    v_kinds text[] := ARRAY['available'];
BEGIN
    IF cardinality(m.fills) > 0 THEN
        v_owners := v_owners || o.owner_id;
        v_assets := v_assets || t.gets;
        v_kinds := v_kinds || 'available'::text;
    END IF;
    IF o.status = 'Active' THEN
        v_owners := v_owners || o.owner_id;
        v_assets := v_assets || t.gives;
        v_kinds := v_kinds || 'reserved'::text;
    END IF;
    FOREACH f IN ARRAY m.fills LOOP
        v_owners := v_owners || f.owner || f.owner;
        v_assets := v_assets || t.gets || t.gives;
        v_kinds := v_kinds || CASE WHEN t.completed THEN 'reserved' ELSE 'unsold' END
            || CASE WHEN t.completed THEN 'available' ELSE 'raise' END;
    END LOOP;
    -- What `close_order` will move of makers whose rest is worth nothing, and `complete_raise` of the
    -- issuer's, besides what the order moves itself.
    FOREACH f IN ARRAY m.dust LOOP
        v_owners := v_owners || f.owner || f.owner;
        v_assets := v_assets || t.gets || t.gets;
        v_kinds := v_kinds || 'reserved'::text || 'available'::text;
    END LOOP;
    IF m.completes THEN
        v_owners := v_owners || t.issuer || t.issuer;
        v_assets := v_assets || t.gets || t.gives;
        v_kinds := v_kinds || 'available'::text || 'available'::text;
    END IF;
    LOOP
        SELECT array_agg(a.id ORDER BY x.n) INTO v_roles
            FROM unnest(v_owners, v_assets, v_kinds) WITH ORDINALITY x (owner, asset, kind, n)
            LEFT JOIN public.wallets_account a
                ON a.owner_id = x.owner AND a.asset_id = x.asset AND a.kind = x.kind;
        EXIT WHEN array_position(v_roles, NULL) IS NULL;
        FOR s IN
            SELECT DISTINCT x.owner, x.asset, x.kind, y.organisation, y.member
            FROM unnest(v_owners, v_assets, v_kinds) x (owner, asset, kind)
            JOIN (
                SELECT o.owner_id AS owner, o.organisation_id AS organisation,
                       o.member_id AS member
                UNION
                SELECT z.owner, z.organisation, z.member FROM unnest(m.fills || m.dust) z
            ) y ON y.owner = x.owner
            ORDER BY x.owner, x.asset, x.kind
        LOOP
            PERFORM public.open_account(
                public.new_id(), s.asset, s.kind, s.organisation, s.member);
        END LOOP;
    END LOOP;
    IF m.completes OR cardinality(m.dust) > 0 THEN
        -- `close_order` and `complete_raise` lock again what is locked here, so neither ever waits.
        PERFORM FROM public.wallets_account
            WHERE id = ANY (v_roles) ORDER BY id FOR NO KEY UPDATE;
    END IF;
    RETURN v_roles;
END $$;


--
-- Name: act_as(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.act_as(p_actor text, p_label text, p_via text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    PERFORM set_config('exchange.actor', p_actor, true),
            set_config('exchange.actor_label', p_label, true),
            set_config('exchange.via', p_via, true);
    RETURN true;
END $$;


--
-- Name: api_key_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.api_key_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT NEW.scopes <@ OLD.scopes
        OR NEW.organisation_id <> OLD.organisation_id
        OR OLD.expires_at IS NOT NULL AND coalesce(NEW.expires_at > OLD.expires_at, true)
        OR OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL
    THEN
        RAISE EXCEPTION 'API key % gets no more power than it was issued with', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: approval_requirement(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.approval_requirement(p_withdrawal uuid, OUT needed integer, OUT owner_total numeric, OUT account_total numeric, OUT organisation_total numeric, OUT second_above numeric, OUT second_daily_above numeric) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
    w record;
BEGIN
    SELECT x.owner_id, x.organisation_id, x.currency_id, x.amount,
           x.created_at - interval '24 hours' AS since, x.created_at + interval '24 hours' AS until,
           b.code, b.account_number
        INTO STRICT w
        FROM public.wallets_withdrawal x
        JOIN public.wallets_bankaccount b ON b.id = x.bank_id
        WHERE x.id = p_withdrawal;
    second_above := public.figure_in_force('SECOND_APPROVAL_ABOVE_' || w.currency_id);
    second_daily_above :=
        public.figure_in_force('SECOND_APPROVAL_DAILY_ABOVE_' || w.currency_id);

    SELECT w.amount + coalesce(sum(x.amount) FILTER (WHERE x.owner_id = w.owner_id), 0),
           w.amount + coalesce(sum(x.amount), 0)
        INTO owner_total, organisation_total
        FROM public.wallets_withdrawal x
        WHERE x.organisation_id = w.organisation_id
            AND x.created_at > w.since AND x.created_at < w.until
            AND x.currency_id = w.currency_id AND x.id <> p_withdrawal
            AND x.status IN ('Pending', 'Approved', 'Processing', 'Unknown', 'Completed');
    SELECT w.amount + coalesce(sum(x.amount), 0) INTO account_total
        FROM public.wallets_bankaccount b
        JOIN public.wallets_withdrawal x ON x.bank_id = b.id
        LEFT JOIN public.wallets_payout p ON p.withdrawal_id = x.id
        WHERE b.account_number = w.account_number AND b.code = w.code
            AND x.currency_id = w.currency_id AND x.id <> p_withdrawal
            AND (x.status IN ('Pending', 'Approved', 'Processing', 'Unknown')
                 OR x.status = 'Completed'
                    AND (x.created_at > w.since AND x.created_at < w.until
                         OR p.settled_at > clock_timestamp() - interval '24 hours'));
    needed := CASE WHEN greatest(owner_total, account_total) >= second_above
                        OR organisation_total >= second_daily_above
                   THEN 2 ELSE 1 END;
END $$;


--
-- Name: audit_row(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
DECLARE
    v_old jsonb := to_jsonb(OLD);
    v_new jsonb := to_jsonb(NEW);
    v_row jsonb := coalesce(v_new, v_old);
    v_hidden text[] := TG_ARGV[2];
    v_before jsonb;
    v_after jsonb;
BEGIN
    SELECT jsonb_object_agg(c.name, c.old), jsonb_object_agg(c.name, c.new)
        INTO v_before, v_after
    FROM (
        SELECT k,
               CASE WHEN k = ANY (v_hidden) AND v_old -> k NOT IN ('null', '""')
                    THEN '"(hidden)"' ELSE v_old -> k END,
               CASE WHEN k = ANY (v_hidden) AND v_new -> k NOT IN ('null', '""')
                    THEN '"(hidden)"' ELSE v_new -> k END
        FROM jsonb_object_keys(v_row) k
        WHERE v_old -> k IS DISTINCT FROM v_new -> k
            AND (TG_OP = 'UPDATE' OR v_row -> k <> 'null')
            AND k <> ALL (TG_ARGV[3]::text[])
    ) c (name, old, new);
    IF TG_OP = 'UPDATE' AND v_after IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM public.write_change(
        TG_TABLE_NAME, TG_OP, v_row ->> TG_ARGV[0], v_row ->> TG_ARGV[1],
        CASE WHEN TG_OP <> 'INSERT' THEN v_before END,
        CASE WHEN TG_OP <> 'DELETE' THEN v_after END);
    RETURN NULL;
END $$;


--
-- Name: audit_table(regclass, text, text, text[], text[], text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_table(target regclass, record text DEFAULT 'id'::text, about text DEFAULT ''::text, hidden text[] DEFAULT '{}'::text[], left_out text[] DEFAULT '{}'::text[], inserts text DEFAULT 'true'::text, updates text DEFAULT 'true'::text, deletes text DEFAULT 'true'::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_columns text;
    v_unknown text;
    v_arguments text := format('%L, %L, %L, %L', record, about, hidden, left_out);
    v_operation text;
    v_when text;
BEGIN
    SELECT string_agg(name, ', ') INTO v_unknown
    FROM unnest(hidden || left_out || record || nullif(about, '')) name
    WHERE name IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = target AND attname = name AND attnum > 0 AND NOT attisdropped);
    IF v_unknown IS NOT NULL THEN
        RAISE EXCEPTION '% has no columns %', target, v_unknown;
    END IF;
    IF left_out <> '{}' THEN
        SELECT ' OF ' || string_agg(quote_ident(attname), ', ') INTO v_columns
        FROM pg_attribute
        WHERE attrelid = target AND attnum > 0 AND NOT attisdropped AND attname <> ALL (left_out);
    END IF;
    FOR v_operation, v_when IN
        VALUES ('INSERT', inserts), ('UPDATE', updates), ('DELETE', deletes)
    LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS audit_%s ON %s', lower(v_operation), target);
        CONTINUE WHEN v_when IS NULL;
        EXECUTE format(
            'CREATE TRIGGER audit_%s AFTER %s%s ON %s FOR EACH ROW WHEN (%s)
             EXECUTE FUNCTION audit_row(%s)',
            lower(v_operation), v_operation,
            CASE WHEN v_operation = 'UPDATE' THEN v_columns END, target, v_when, v_arguments);
    END LOOP;
    EXECUTE format('DROP TRIGGER IF EXISTS audit_truncate ON %s', target);
    EXECUTE format('CREATE TRIGGER audit_truncate AFTER TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION audit_truncate()', target);
END $$;


--
-- Name: audit_truncate(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_truncate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    PERFORM public.write_change(TG_TABLE_NAME, TG_OP, '', '', NULL, NULL);
    RETURN NULL;
END $$;


--
-- Name: bank_account_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.bank_account_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'bank records are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.id, OLD.organisation_id, OLD.name, OLD.code, OLD.provider_bank_id,
        OLD.account_number, OLD.account_name, OLD.given_name, OLD.name_resolved,
        OLD.currency_id, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.name, NEW.code, NEW.provider_bank_id,
        NEW.account_number, NEW.account_name, NEW.given_name, NEW.name_resolved,
        NEW.currency_id, NEW.created_at)
    THEN
        RAISE EXCEPTION 'bank record % is a snapshot', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.branch_code, OLD.recipient_first_name, OLD.recipient_last_name, OLD.recipient_email,
        OLD.recipient_phone, OLD.recipient_address)
        IS DISTINCT FROM
       (NEW.branch_code, NEW.recipient_first_name, NEW.recipient_last_name, NEW.recipient_email,
        NEW.recipient_phone, NEW.recipient_address)
        AND EXISTS (SELECT FROM public.wallets_withdrawal w
                    WHERE w.bank_id = OLD.id AND w.status <> 'Pending')
    THEN
        RAISE EXCEPTION 'bank record % belongs to a decided withdrawal', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: bank_words(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.bank_words(p_account_name text, p_given_name text, p_number text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector('simple'::regconfig, regexp_replace(((((((p_account_name || ' '::text) || p_given_name) || ' '::text) || p_number) || ' r'::text) || reverse(p_number)), '[^[:alnum:]]+'::text, ' '::text, 'g'::text));


--
-- Name: break_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.break_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_wanted text := 'Open';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.status = 'Closed'
            AND (NEW.status, NEW.owner_id) IS DISTINCT FROM (OLD.status, OLD.owner_id)
        THEN
            RAISE EXCEPTION 'break % is closed', OLD.id USING ERRCODE = 'restrict_violation';
        END IF;
        SELECT CASE status WHEN 'Approved' THEN 'Closed' ELSE 'Explained' END INTO v_wanted
        FROM public.wallets_breakexplanation
        WHERE subject_id = NEW.id AND status IN ('Approved', 'Pending')
        ORDER BY status LIMIT 1;
        v_wanted := coalesce(v_wanted, 'Open');
    END IF;
    IF NEW.status <> v_wanted THEN
        RAISE EXCEPTION 'break % is not % by its explanations', NEW.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'break_status_by_explanations';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: broken_rule(public.order_request, public.orders_order, public.order_terms); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.broken_rule(q public.order_request, o public.orders_order, t public.order_terms) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE
        -- Asked of the request: columns have rounded them.
        WHEN q.price <> round(q.price, 8) THEN 'price_decimals'
        WHEN q.tokens <> round(q.tokens, 8) THEN 'tokens_decimals'
        WHEN NOT t.member_known THEN 'user_not_found'
        WHEN t.cancelled THEN 'token_cancelled'
        WHEN t.exited THEN 'token_exited'
        WHEN t.closed THEN 'token_closed'
        WHEN o.price <> round(o.price, t.decimals) THEN 'price_decimals'
        WHEN NOT t.completed AND o.type <> 'Buy' THEN 'in_primary_raise'
        WHEN NOT t.completed AND t.issuer = o.owner_id THEN 'own_raise'
        WHEN NOT t.completed AND o.price < t.offer THEN 'below_offer'
        WHEN t.completed AND NOT t.secondaries THEN 'not_in_secondaries'
        WHEN t.lowest > 0 AND o.price < t.lowest OR t.highest > 0 AND o.price > t.highest
            THEN 'price_out_of_band'
        WHEN o.amount = 0 THEN 'worth_nothing'
        WHEN o.amount > 1000000000000000 THEN 'amount_too_large'
        WHEN t.least > 0 AND o.amount < t.least THEN 'below_min_trade'
        WHEN t.most > 0 AND o.amount > t.most THEN 'above_max_trade'
        WHEN t.available IS NULL OR t.available < o.reserved
            THEN CASE o.type WHEN 'Buy' THEN 'insufficient_balance' ELSE 'insufficient_units' END
    END
$$;


--
-- Name: buy_from_issuer(public.orders_order, public.order_terms, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.buy_from_issuer(o public.orders_order, t public.order_terms, p_stem text) RETURNS public.order_match
    LANGUAGE plpgsql
    AS $$
DECLARE
    r order_match;
    f order_fill;
    v_value numeric;
    v_left numeric;
BEGIN
    SELECT balance + coalesce(t.unsold, 0) INTO t.unsold FROM public.wallets_account
        WHERE owner_id = t.issuer AND asset_id = t.gets AND kind = 'unsold';
    r.fills := '{}';
    r.dust := '{}';
    r.completes := false;
    r.stopped := 'The raise has no more units';
    f.organisation := t.issuer;
    f.owner := t.issuer;
    f.price := t.offer;
    f.units := least(o.tokens, public.for_sale(t));
    v_value := t.offer * f.units;
    IF v_value < t.minor THEN
        IF f.units = o.tokens THEN
            r.stopped := 'The rest is worth nothing';
        END IF;
        RETURN r;
    END IF;
    f.taker_value := public.order_value('Buy', v_value, t.minor);
    f.taker_fee := public.order_total('Buy', v_value, o.fee_percent, t.minor) - f.taker_value;
    f.maker_value := f.taker_value;
    f.maker_fee := 0;
    f.fulfilled := false;
    f.seq := nextval('public.orders_seq');
    f.trade := public.nth_id(p_stem, '2', f.seq);
    f.taker := o.id;
    r.fills := ARRAY[f];
    -- The raise is complete when nobody could buy as much as the smallest purchase any more.
    t.needed := t.needed - f.taker_value;
    t.unsold := t.unsold - f.units;
    v_left := t.offer * public.for_sale(t);
    r.completes := v_left < t.minor OR public.round_half_even(v_left, t.decimals) < t.smallest;
    RETURN r;
END $$;


--
-- Name: catalogue_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalogue_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE public.exchange_catalogue SET version = version + 1 + floor(random() * 1000000000)::bigint;
    RETURN NULL;
END $$;


--
-- Name: claim_free_keys(public.idempotency_claim[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.claim_free_keys(p_claims public.idempotency_claim[]) RETURNS public.idempotency_claim[]
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    v_wait text := current_setting('lock_timeout');
    v_ours idempotency_claim[];
BEGIN
    PERFORM set_config('lock_timeout', '100ms', true);
    WITH first AS (
        SELECT DISTINCT ON (c.organisation, c.method, c.path, c.key) c.*
        FROM unnest(p_claims) c
        ORDER BY c.organisation, c.method, c.path, c.key, c.request
    ), claimed AS (
        INSERT INTO exchange_idempotencyrecord AS r
            (organisation_id, method, path, key, body_hash, message, data, created_at)
        SELECT organisation, method, path, key, body_hash, '', '', now() FROM first
        ON CONFLICT ON CONSTRAINT idempotency_key_once DO NOTHING
        RETURNING organisation_id, r.method, r.path, r.key
    )
    SELECT coalesce(array_agg(f::idempotency_claim), '{}') INTO v_ours
    FROM (SELECT first.* FROM first JOIN claimed c
        ON (c.organisation_id, c.method, c.path, c.key)
         = (first.organisation, first.method, first.path, first.key)) f;
    PERFORM set_config('lock_timeout', v_wait, true);
    RETURN v_ours;
END $$;


--
-- Name: claim_idempotency_key(uuid, text, text, text, text, integer, interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.claim_idempotency_key(p_organisation uuid, p_method text, p_path text, p_key text, p_body_hash text, p_wait_ms integer, p_kept interval, OUT status_code integer, OUT message text, OUT data text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    was text := current_setting('lock_timeout');
    found_hash text;
    claimed boolean;
BEGIN
    PERFORM set_config('lock_timeout', p_wait_ms || 'ms', true);
    INSERT INTO exchange_idempotencyrecord AS r
        (organisation_id, method, path, key, body_hash, message, data, created_at)
    VALUES (p_organisation, p_method, p_path, p_key, p_body_hash, '', '', now())
    ON CONFLICT ON CONSTRAINT idempotency_key_once DO UPDATE
        SET body_hash = excluded.body_hash, status_code = NULL, message = '', data = '',
            created_at = excluded.created_at
        WHERE r.created_at < now() - p_kept
    RETURNING true INTO claimed;
    PERFORM set_config('lock_timeout', was, true);
    IF claimed THEN
        RETURN;
    END IF;
    SELECT r.body_hash, r.status_code, r.message, r.data
        INTO found_hash, status_code, message, data
        FROM exchange_idempotencyrecord r
        WHERE r.organisation_id = p_organisation AND r.method = p_method
            AND r.path = p_path AND r.key = p_key;
    IF found_hash IS DISTINCT FROM p_body_hash THEN
        RAISE EXCEPTION 'idempotency key reused' USING ERRCODE = 'XI422';
    END IF;
END $$;


--
-- Name: close_order(uuid, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.close_order(p_order uuid, p_reason text, p_actor text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    o orders_order;
    v_asset text;
BEGIN
    PERFORM name_actor(p_actor);
    PERFORM 1 FROM exchange_token
        WHERE id = (SELECT token_id FROM orders_order WHERE id = p_order) FOR NO KEY UPDATE;
    SELECT * INTO o FROM orders_order WHERE id = p_order FOR NO KEY UPDATE;
    IF o.id IS NULL OR o.status <> 'Active' THEN
        RETURN false;
    END IF;
    SELECT CASE WHEN o.type = 'Buy' THEN currency_id ELSE id::text END INTO v_asset
        FROM exchange_token WHERE id = o.token_id;
    PERFORM post_legs('order_release', 'order:' || o.id || ':release', o.id, p_actor,
        left(p_reason, 300),
        ARRAY[account_of(o.owner_id, v_asset, 'reserved'),
              account_of(o.owner_id, v_asset, 'available')],
        ARRAY[-o.reserved, o.reserved]);
    UPDATE orders_order SET status = 'Cancelled', reserved = 0, reason = left(p_reason, 100),
        closed_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = o.id RETURNING * INTO o;
    PERFORM emit_order_end(o);
    RETURN true;
END $$;


--
-- Name: complete_raise(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.complete_raise(p_token uuid, p_actor text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    t exchange_token;
    v_accounts uuid[];
    v_money numeric;
    v_units numeric;
BEGIN
    PERFORM name_actor(p_actor);
    SELECT * INTO t FROM exchange_token WHERE id = p_token FOR NO KEY UPDATE;
    IF t.completed_raise OR t.cancelled THEN
        RETURN;
    END IF;
    -- Opened first: what is being opened by somebody else is waited for, as it is in `enter_orders`,
    -- without a lock on an account that they may want.
    v_accounts := ARRAY[
        account_of(t.issuer_id, t.currency_id, 'raise'),
        open_account(new_id(), t.currency_id, 'available', t.issuer_id, NULL),
        account_of(t.issuer_id, t.id::text, 'unsold'),
        open_account(new_id(), t.id::text, 'available', t.issuer_id, NULL)];
    PERFORM 1 FROM wallets_account WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE;
    -- An issuer may have several raises in one currency: only this one's proceeds are due.
    v_money := t.total_raised;
    SELECT coalesce(balance, 0) INTO v_units FROM wallets_account WHERE id = v_accounts[3];
    PERFORM post_legs('raise_complete', 'raise:' || t.id || ':close', t.id, p_actor, t.symbol,
        v_accounts, ARRAY[-v_money, v_money, -v_units, v_units]);
    UPDATE exchange_token SET completed_raise = true WHERE id = t.id;
END $$;


--
-- Name: configuration_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.configuration_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (OLD.id, OLD.creditor_id, OLD.created_at)
        IS DISTINCT FROM (NEW.id, NEW.creditor_id, NEW.created_at)
    THEN
        RAISE EXCEPTION 'whose configuration % is never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
        ('Pending', 'Approved'), ('Pending', 'Rejected'), ('Rejected', 'Pending'),
        ('Approved', 'Retired'))
    THEN
        RAISE EXCEPTION 'configuration % cannot go from % to %', OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'configuration_transition';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: configuration_key_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.configuration_key_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (OLD.key, OLD.value) IS DISTINCT FROM (NEW.key, NEW.value) THEN
        RAISE EXCEPTION 'the first figure of % never changes', OLD.key
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: configuration_matches(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.configuration_matches() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    wanted uuid;
    found text;
BEGIN
    IF TG_TABLE_NAME = 'credit_loanconfiguration' THEN
        wanted := NEW.id;
    ELSE
        wanted := NEW.configuration_id;
    END IF;
    SELECT c.status INTO found FROM public.credit_loanconfiguration c
    WHERE c.id = wanted AND (
        EXISTS (SELECT FROM public.credit_configurationversion v
                WHERE v.configuration_id = wanted AND v.status = 'Approved')
            <> (c.status IN ('Approved', 'Retired'))
        OR c.status <> 'Approved'
            AND EXISTS (SELECT FROM public.credit_configurationversion v
                        WHERE v.configuration_id = wanted AND v.status = 'Pending')
                <> (c.status = 'Pending'));
    IF found IS NOT NULL THEN
        RAISE EXCEPTION 'configuration % is % but its versions are not', wanted, found
            USING ERRCODE = 'check_violation', CONSTRAINT = 'configuration_matches';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: credit_loan_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.credit_loan_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := (('{"id":"' || (NEW.id)::text || '","borrower":"' || (NEW.borrower_id)::text || '","creditor":"' || (NEW.creditor_id)::text || '","amount":' || (trim_scale(NEW.amount))::text) || (',"currency":' || (to_json((NEW.currency_id)::text))::text || ',"repayment_amount":' || (trim_scale(NEW.repayment_amount))::text || ',"repayment_date":' || (to_json((public.javascript_time(NEW.repayment_date))::text))::text || ',"interest_rate":' || (trim_scale(NEW.interest_rate))::text)) || ((',"duration":' || (NEW.duration)::text || ',"status":' || (to_json((NEW.status)::text))::text || ',"grace_period":' || (NEW.grace_period)::text || ',"grace_period_unit":' || (to_json((NEW.grace_period_unit)::text))::text) || ((',"reason":' || (to_json((NEW.reason)::text))::text || ',"created_at":"' || (public.wire_time(NEW.created_at))::text) || ('","updated_at":"' || (public.wire_time(NEW.updated_at))::text || '","collaterals":' || (NEW.collateral_text)::text || '}')));
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION credit_loan_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.credit_loan_document() IS 'document 6fc36b55fa5285be';


--
-- Name: deposit_entry(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.deposit_entry() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.status <> 'Pending' OR NEW.decided_by_id IS NOT NULL) THEN
        RAISE EXCEPTION 'a deposit starts Pending and undecided'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_starts_pending';
    ELSIF NEW.status = 'Confirmed'
        AND (NEW.entered_by_id IS NULL) <> (NEW.decided_by_id IS NULL)
    THEN
        RAISE EXCEPTION 'deposit % is confirmed by somebody else than who entered it', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_confirmed_by_another';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: emit_event(uuid, uuid, text, uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.emit_event(p_id uuid, p_organisation uuid, p_type text, p_subject uuid, p_data text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM public.emit_events(
        ARRAY[p_id], ARRAY[p_organisation], ARRAY[p_type], ARRAY[p_subject], ARRAY[p_data]);
END $$;


--
-- Name: emit_events(uuid[], uuid[], text[], uuid[], text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.emit_events(p_ids uuid[], p_organisations uuid[], p_types text[], p_subjects uuid[], p_data text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_now text := public.wire_time(now());
BEGIN
    INSERT INTO public.exchange_event
        (id, organisation_id, type, subject_id, body, next_attempt_at, created_at)
    SELECT e.id, e.organisation, e.type, e.subject, public.event_body(e.id, e.type, e.data, v_now),
           now(), now()
    FROM unnest(p_ids, p_organisations, p_types, p_subjects, p_data)
        e (id, organisation, type, subject, data)
    WHERE e.data IS NOT NULL;
END $$;


--
-- Name: emit_order_end(public.orders_order); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.emit_order_end(o public.orders_order) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM public.emit_events(
        ARRAY[public.new_id()], ARRAY[o.organisation_id], ARRAY['order.' || lower(o.status)],
        ARRAY[o.id], ARRAY[public.order_end_data(o.document, o.reason)]);
END $$;


--
-- Name: emit_withdrawal_event(uuid, uuid, text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.emit_withdrawal_event(p_event uuid, p_withdrawal uuid, p_type text, p_named boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM public.emit_events(
        ARRAY[p_event], ARRAY[w.organisation_id], ARRAY[p_type], ARRAY[w.id],
        ARRAY[public.withdrawal_event_data(
            w.document,
            (SELECT public.told_actor(d.actor, d.actor_label, p_named)
             FROM public.wallets_decision d
             WHERE d.withdrawal_id = w.id AND d.verdict IN ('Approve', 'Reject', 'Cancel')
             ORDER BY d.created_at, d.id LIMIT 1),
            b.document,
            public.withdrawal_event_user(w.member_id, w.organisation_id))])
    FROM public.wallets_withdrawal w
    JOIN public.wallets_bankaccount b ON b.id = w.bank_id
    WHERE w.id = p_withdrawal;
END $$;


--
-- Name: end_or_reserve(public.orders_order, public.order_terms, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.end_or_reserve(o public.orders_order, t public.order_terms, p_stopped text) RETURNS public.orders_order
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF o.filled = o.tokens THEN
        o.status := 'Fulfilled';
    ELSIF p_stopped IS NOT NULL THEN
        o.status := 'Cancelled';
        o.reason := p_stopped;
    ELSE
        o.reserved := CASE
            WHEN o.type = 'Buy' THEN public.reserve_of_buy(o, t.minor)
            ELSE o.tokens - o.filled END;
        RETURN o;
    END IF;
    o.reserved := 0;
    o.closed_at := o.created_at;
    RETURN o;
END $$;


--
-- Name: ending_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ending_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NOT EXISTS (
        SELECT FROM public.credit_loan l WHERE l.id = NEW.loan_id AND l.status = 'DEFAULTED')
    THEN
        RAISE EXCEPTION 'a proposal is for a loan in default'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ending_of_default';
    END IF;
    IF (NEW.decided_at IS NULL) <> (NEW.status = 'Pending')
        OR (NEW.decided_by_id IS NULL) <> (NEW.status IN ('Pending', 'Lapsed'))
        OR num_nulls(NEW.final_plan, NEW.final_owed, NEW.final_value, NEW.final_deficiency)
            <> (CASE WHEN NEW.status = 'Confirmed' THEN 0 ELSE 4 END)
    THEN
        RAISE EXCEPTION 'proposal % cannot be % like that', NEW.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ending_decision';
    END IF;
    IF NEW.status = 'Confirmed' AND (
        NEW.final_owed > NEW.owed
        OR NEW.final_deficiency <> NEW.final_owed - NEW.final_value
        OR NEW.final_value <> (
            SELECT coalesce(sum((f ->> 'value')::numeric), 0)
            FROM jsonb_array_elements(NEW.final_plan) f)
        OR EXISTS (
            SELECT FROM jsonb_array_elements(NEW.final_plan) f
            LEFT JOIN jsonb_array_elements(NEW.plan) p ON p ->> 'token_id' = f ->> 'token_id'
            WHERE (f ->> 'passed')::numeric > coalesce((p ->> 'passed')::numeric, 0)
                OR f ->> 'price' IS DISTINCT FROM p ->> 'price'))
    THEN
        RAISE EXCEPTION 'proposal % allows less than that', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ending_within_plan';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: enter_orders(jsonb, integer, interval, integer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.enter_orders(p_requests jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text) RETURNS TABLE(id uuid, replayed boolean, status_code integer, message text, data text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    q order_request;
    p order_plan;
    l order_legs;
BEGIN
    FOR n IN 0 .. jsonb_array_length(p_requests) - 1 LOOP
        q := jsonb_populate_record(NULL::order_request, p_requests -> n);
        id := q.id;
        IF q.key IS NOT NULL THEN
            SELECT true, c.status_code, c.message, c.data INTO replayed, status_code, message, data
                FROM claim_idempotency_key(
                    q.organisation, q.method, q.path, q.key, q.body_hash, p_wait_ms, p_kept) c;
            IF status_code IS NOT NULL THEN
                RETURN NEXT;
                CONTINUE;
            END IF;
        END IF;

        p := plan_order(q, l);
        -- With the lock, so that ids are in the order in which those of a book were placed.
        data := write_order(p.o, p.fills, id_stem(q.id));
        replayed := false;
        status_code := p_status_code;
        message := p_message;
        IF q.key IS NOT NULL THEN
            PERFORM store_idempotent_answer(
                q.organisation, q.method, q.path, q.key, status_code, message, data);
        END IF;
        RETURN NEXT;
        l := CASE WHEN l.transfers IS NULL THEN p.legs ELSE joined_legs(l, p.legs) END;
        EXIT WHEN p.completes OR cardinality(p.dust) > 0;
    END LOOP;

    IF l.transfers IS NOT NULL THEN
        -- Orders wait for accounts in this one place, in the order of their ids, and so take part in
        -- no deadlock of orders. What was available when `plan_order` looked may be gone by now: then
        -- account_balance_not_negative refuses, and the order is placed anew, to be told so properly.
        PERFORM post_transfers(l.transfers, l.kinds, l.refs, l.transfers, l.actors, l.memos,
                               l.leg_transfers, l.accounts, l.amounts);
    END IF;
    IF cardinality(p.dust) > 0 THEN
        PERFORM close_order(d.maker, 'The rest is worth nothing', q.actor) FROM unnest(p.dust) d;
    END IF;
    IF p.completes THEN
        PERFORM complete_raise(q.token, q.actor);
    END IF;
END $$;


--
-- Name: event_body(uuid, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.event_body(p_id uuid, p_type text, p_data text, p_time text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (((((((('{"id":"'::text || (p_id)::text) || '","type":"'::text) || p_type) || '","timestamp":"'::text) || p_time) || '","data":'::text) || p_data) || '}'::text);


--
-- Name: wire_time(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wire_time(moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char((moment AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);


--
-- Name: event_body(uuid, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.event_body(p_id uuid, p_type text, p_data text) RETURNS text
    LANGUAGE sql STABLE
    RETURN public.event_body(p_id, p_type, p_data, public.wire_time(now()));


--
-- Name: event_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.event_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (OLD.id, OLD.organisation_id, OLD.type, OLD.subject_id, OLD.body, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.type, NEW.subject_id, NEW.body, NEW.created_at)
    THEN
        RAISE EXCEPTION 'what event % tells is frozen', OLD.id USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status NOT IN ('Pending', 'Delivered', 'Exhausted', 'Unsent') OR NEW.attempts < 0 THEN
        RAISE EXCEPTION 'event % cannot be % after % attempts', OLD.id, NEW.status, NEW.attempts
            USING ERRCODE = 'check_violation', CONSTRAINT = 'event_status_known';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: exchange_member_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.exchange_member_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := ('{"_id":"' || (NEW.id)::text || '","name":' || (to_json((NEW.name)::text))::text || ',"email":' || (to_json((NEW.email)::text))::text) || (',"external_id":' || coalesce((to_json((nullif(NEW.external_id, ''))::text))::text, 'null') || ',"createdAt":"' || (public.wire_time(NEW.created_at))::text || '","updatedAt":"' || (public.wire_time(NEW.updated_at))::text || '"}');
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION exchange_member_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.exchange_member_document() IS 'document 7d12979654d6a889';


--
-- Name: exchange_token_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.exchange_token_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := (((('{"_id":"' || (NEW.id)::text || '","name":' || (to_json((NEW.name)::text))::text || ',"symbol":') || ((to_json((NEW.symbol)::text))::text || ',"reference":' || (NEW.reference)::text || ',"image":' || (to_json((NEW.image)::text))::text || ',"currency":')) || (((to_json((NEW.currency_id)::text))::text || ',"creator":' || coalesce('"' || (NEW.creator_id)::text || '"', 'null') || ',"asset":"' || (NEW.id)::text) || ('","request":' || (to_json((NEW.listing_reference)::text))::text || ',"price":' || ('{' || '"buy":' || trim_scale(NEW.price_buy) || ',' || '"sell":' || trim_scale(NEW.price_sell) || ',' || '"exchange":' || trim_scale(NEW.price_exchange) || '}')::text || ',"prev_price":' || ('{' || '"buy":' || trim_scale(NEW.prev_price_buy) || ',' || '"sell":' || trim_scale(NEW.prev_price_sell) || ',' || '"exchange":' || trim_scale(NEW.prev_price_exchange) || '}')::text))) || (((',"min":' || ('{' || '"buy":' || trim_scale(NEW.min_buy) || ',' || '"sell":' || trim_scale(NEW.min_sell) || '}')::text || ',"max":' || ('{' || '"buy":' || trim_scale(NEW.max_buy) || ',' || '"sell":' || trim_scale(NEW.max_sell) || '}')::text || ',"vol":') || (('{' || '"buy":' || trim_scale(NEW.vol_buy) || ',' || '"sell":' || trim_scale(NEW.vol_sell) || '}')::text || ',"min_trade":' || ('{' || '"buy":' || trim_scale(NEW.min_trade_buy) || ',' || '"sell":' || trim_scale(NEW.min_trade_sell) || '}')::text || ',"max_trade":' || ('{' || '"buy":' || trim_scale(NEW.max_trade_buy) || ',' || '"sell":' || trim_scale(NEW.max_trade_sell) || '}')::text || ',"type":')) || (((to_json((NEW.type)::text))::text || ',"deal_access":' || (to_json((NEW.deal_access)::text))::text || ',"investment_type":' || (to_json((NEW.investment_type)::text))::text) || (',"investment_category":' || (to_json((NEW.investment_category)::text))::text || ',"payout_frequency":' || (to_json((NEW.payout_frequency)::text))::text || ',"raise_amount":' || (trim_scale(NEW.raise_amount))::text)))) || ((((',"buy_fee":' || (trim_scale(NEW.buy_fee))::text || ',"sell_fee":' || (trim_scale(NEW.sell_fee))::text || ',"carry":') || ((trim_scale(NEW.carry))::text || ',"management_fee":' || (trim_scale(NEW.management_fee))::text || ',"valuation":' || (trim_scale(NEW.valuation))::text || ',"discount":')) || (((trim_scale(NEW.discount))::text || ',"interest":' || (trim_scale(NEW.interest))::text || ',"dividend":' || (trim_scale(NEW.dividend))::text) || (',"tenor":' || (NEW.tenor)::text || ',"secondaries":' || (NEW.secondaries)::text || ',"completed_raise":' || (NEW.completed_raise)::text))) || (((',"supply":' || (trim_scale(NEW.supply))::text || ',"total_supply":' || (trim_scale(NEW.total_supply))::text || ',"total_raised":') || ((trim_scale(NEW.total_raised))::text || ',"exited":' || (NEW.exited)::text || ',"cancelled":' || (NEW.cancelled)::text || ',"esop_token":')) || (((NEW.esop_token)::text || ',"post_raise_valuation":' || (trim_scale(NEW.post_raise_valuation))::text || ',"milestone":' || (to_json((CASE WHEN NEW.raise_amount > 0 THEN trim_scale(round(NEW.total_raised * 100 / NEW.raise_amount, 2))::text ELSE '0' END)::text))::text || ',"total_allocated":') || ((trim_scale(NEW.total_allocated))::text || ',"createdAt":"' || (public.wire_time(NEW.created_at))::text || '","updatedAt":"' || (public.wire_time(NEW.updated_at))::text || '"}'))));
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION exchange_token_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.exchange_token_document() IS 'document 4bf4bec98cdf6238';


--
-- Name: figure_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.figure_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF num_nonnulls(NEW.in_force_from, NEW.withdrawal_asked_by_id, NEW.withdrawn_by_id) > 0
            OR NEW.reason = ''
        THEN
            RAISE EXCEPTION 'a figure begins as a proposal with a reason'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'figure_begins_pending';
        END IF;
        RETURN NEW;
    END IF;
    IF (OLD.status, NEW.status) NOT IN (
        ('Pending', 'Approved'), ('Pending', 'Rejected'), ('Pending', 'Taken back'),
        ('Approved', 'Approved'), ('Approved', 'Withdrawn'))
    THEN
        RAISE EXCEPTION 'figure % cannot go from % to %', OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'figure_transition';
    END IF;
    IF OLD.status = 'Pending' AND (NEW.decided_by_id IS NULL OR NEW.decided_at IS NULL
        OR NEW.withdrawal_asked_by_id IS NOT NULL
        OR NEW.status = 'Rejected' AND NEW.decision_note = ''
        OR NEW.status = 'Taken back' AND NEW.decided_by_id <> NEW.proposed_by_id
        OR NEW.status = 'Approved' AND (
            NEW.in_force_from IS NULL OR NEW.in_force_from < now()
            OR NEW.in_force_from < NEW.effective_from)
        OR NEW.status <> 'Approved' AND NEW.in_force_from IS NOT NULL)
    THEN
        RAISE EXCEPTION 'figure % cannot be % like that', OLD.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'figure_decision';
    END IF;
    IF OLD.status = 'Approved' AND NEW.in_force_from <= clock_timestamp() THEN
        RAISE EXCEPTION 'figure % is in force, or was', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'figure_in_force';
    END IF;
    IF NEW.status = 'Withdrawn'
        AND OLD.withdrawal_asked_by_id IS DISTINCT FROM NEW.withdrawal_asked_by_id
    THEN
        RAISE EXCEPTION 'one person asks to withdraw figure %, and then another agrees', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'figure_withdrawn_by_two';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: figure_in_force(text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.figure_in_force(p_key text, p_at timestamp with time zone DEFAULT now()) RETURNS numeric
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (
        SELECT coalesce(f.value, c.value)
        FROM public.wallets_configuration c
        LEFT JOIN LATERAL (
            SELECT value FROM public.wallets_configurationfigure
            WHERE configuration_id = c.key AND status = 'Approved' AND in_force_from <= p_at
            ORDER BY in_force_from DESC, decided_at DESC LIMIT 1
        ) f ON true
        WHERE c.key = p_key);
END $$;


--
-- Name: first_id_at(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.first_id_at(p_moment timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    RETURN (OVERLAY(OVERLAY((lpad(to_hex((floor((EXTRACT(epoch FROM p_moment) * (1000)::numeric)))::bigint), 12, '0'::text) || '70008000000000000000'::text) PLACING '-'::text FROM 9 FOR 0) PLACING '-'::text FROM 14 FOR 0))::uuid;


--
-- Name: for_sale(public.order_terms); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.for_sale(t public.order_terms) RETURNS numeric
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN least(t.unsold, div(t.needed * 100000000, t.offer) * 0.00000001);
END $$;


--
-- Name: hold_withdrawals(public.withdrawal_order[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.hold_withdrawals(p_orders public.withdrawal_order[]) RETURNS TABLE(done uuid, answer text)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_accounts uuid[];
    v_held withdrawal_hold[];
    v_done uuid[];
    v_events uuid[];
    v_organisations uuid[];
    v_types text[];
    v_data text[];
    v_answers text[];
BEGIN
    v_accounts := ARRAY(
        SELECT a.id FROM unnest(p_orders) o CROSS JOIN LATERAL (
            SELECT id FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind IN ('available', 'escrow')
            OFFSET 0
        ) a);
    -- Always in the order of ids, so that no two transactions wait for each other.
    PERFORM 1 FROM wallets_account WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE;

    SELECT array_agg(h ORDER BY (h.o).withdrawal) INTO v_held FROM (
        SELECT o, a.id, e.id,
               a.balance - sum(o.amount) OVER of_wallet AS available_after,
               u.event_user, f.fee, f.usd_rate, f.second_approval, f.internal_fee
        FROM unnest(p_orders) o
        CROSS JOIN LATERAL (
            SELECT withdrawal_event_user(o.member, o.organisation) AS event_user OFFSET 0
        ) u
        -- Only what was locked above: an account opened since is for the next call.
        CROSS JOIN LATERAL (
            SELECT id, balance FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind = 'available' AND id = ANY (v_accounts)
            OFFSET 0
        ) a
        CROSS JOIN LATERAL (
            SELECT id, balance FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind = 'escrow' AND id = ANY (v_accounts)
            OFFSET 0
        ) e
        JOIN (
            SELECT c.currency, g.*
            FROM (SELECT DISTINCT currency FROM unnest(p_orders)) c
            CROSS JOIN LATERAL withdrawal_figures(c.currency) g
        ) f ON f.currency = o.currency
        -- All that keeps an order out is here: the running sums count the others only.
        WHERE o.amount >= f.minimum AND o.amount > f.fee AND o.amount = round(o.amount, 8)
            AND (o.member IS NULL OR u.event_user IS NOT NULL)
        WINDOW of_wallet AS (PARTITION BY a.id ORDER BY o.withdrawal)
    ) h
    WHERE h.available_after >= 0;
    IF v_held IS NULL THEN
        RETURN;
    END IF;

    PERFORM post_transfers(
        array_agg((h.o).transfer) FILTER (WHERE l.n = 1),
        array_agg('withdrawal_hold'::text) FILTER (WHERE l.n = 1),
        array_agg('withdrawal:' || (h.o).withdrawal || ':hold') FILTER (WHERE l.n = 1),
        array_agg((h.o).withdrawal) FILTER (WHERE l.n = 1),
        array_agg((h.o).actor) FILTER (WHERE l.n = 1),
        array_agg((h.o).reference) FILTER (WHERE l.n = 1),
        array_agg((h.o).transfer), array_agg(l.account), array_agg(l.amount))
    FROM unnest(v_held) h
    CROSS JOIN LATERAL (
        VALUES (1, h.available, -(h.o).amount), (2, h.escrow, (h.o).amount)
    ) l (n, account, amount);

    WITH bank AS (
        INSERT INTO wallets_bankaccount
            (id, organisation_id, name, code, provider_bank_id, account_number, account_name,
             given_name, name_resolved, currency_id, branch_code, recipient_first_name,
             recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at)
        SELECT (o).bank, (o).organisation, (o).bank_name, (o).bank_code, (o).provider_bank_id,
               (o).account_number, (o).account_name, (o).given_name, (o).name_resolved,
               (o).currency, (o).branch_code, (o).recipient_first_name, (o).recipient_last_name,
               (o).recipient_email, (o).recipient_phone, (o).recipient_address, now()
        FROM unnest(v_held)
        RETURNING id, document
    ), request AS (
        INSERT INTO wallets_withdrawal
            (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
             gusd_amount, internal_fee, internal_fee_type, escrow_account_id, bank_id, status,
             version, requested_by, approvals_needed, actioned_by, reason, created_at, updated_at)
        SELECT (o).withdrawal, (o).organisation, (o).member, (o).reference, (o).currency,
               (o).amount, fee, (o).amount - fee, round_half_even((o).amount / usd_rate, 2),
               internal_fee, CASE WHEN internal_fee > 0 THEN 'FLAT' ELSE 'NONE' END, escrow,
               (o).bank, 'Pending', 1, (o).actor,
               CASE WHEN (o).amount >= second_approval THEN 2 ELSE 1 END, '', '', now(), now()
        FROM unnest(v_held)
        RETURNING id, bank_id, document
    ), written AS (
        SELECT h.o, h.event_user, r.document AS request, b.document AS bank
        FROM unnest(v_held) h
        JOIN request r ON r.id = (h.o).withdrawal
        JOIN bank b ON b.id = r.bank_id
    )
    SELECT array_agg((o).withdrawal), array_agg((o).event), array_agg((o).organisation),
           array_agg('withdrawal.created'::text),
           array_agg(withdrawal_event_data(request, NULL, bank, event_user)),
           array_agg('{"withdrawalRequest":' || request || ',"bank":' || bank || '}')
        INTO v_done, v_events, v_organisations, v_types, v_data, v_answers
        FROM written;
    PERFORM emit_events(v_events, v_organisations, v_types, v_done, v_data);
    RETURN QUERY SELECT * FROM unnest(v_done, v_answers);
END $$;


--
-- Name: id_stem(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.id_stem(p_request uuid) RETURNS text
    LANGUAGE sql
    RETURN (OVERLAY(lpad(to_hex((((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric) * (4096)::numeric))::bigint), 15, '0'::text) PLACING '7'::text FROM 13 FOR 0) || substr((p_request)::text, 20, 9));


--
-- Name: ids_ordered_since(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ids_ordered_since() RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    RETURN '2020-01-01 00:00:00+00'::timestamp with time zone;


--
-- Name: javascript_time(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.javascript_time(moment timestamp with time zone) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    local timestamp := moment AT TIME ZONE interval '1 hour';
BEGIN
    RETURN to_char(local, 'Dy Mon DD YYYY HH24:MI:SS') || ' GMT+0100 (West Africa Standard Time)';
END $$;


--
-- Name: joined_legs(public.order_legs, public.order_legs); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.joined_legs(a public.order_legs, b public.order_legs) RETURNS public.order_legs
    LANGUAGE sql IMMUTABLE
    RETURN ROW(((a).transfers || (b).transfers), ((a).kinds || (b).kinds), ((a).actors || (b).actors), ((a).memos || (b).memos), ((a).leg_transfers || (b).leg_transfers), ((a).accounts || (b).accounts), ((a).amounts || (b).amounts), ((a).refs || (b).refs))::public.order_legs;


--
-- Name: keep_answers(public.idempotency_claim[], uuid[], text[], integer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_answers(p_claims public.idempotency_claim[], p_done uuid[], p_answers text[], p_status_code integer, p_message text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE exchange_idempotencyrecord r
        SET status_code = p_status_code, message = p_message, data = a.answer
        FROM unnest(p_claims) c JOIN unnest(p_done, p_answers) a (done, answer)
            ON a.done = c.request
        WHERE (r.organisation_id, r.method, r.path, r.key)
            = (c.organisation, c.method, c.path, c.key);
    IF EXISTS (SELECT FROM unnest(p_claims) c WHERE c.request <> ALL (p_done)) THEN
        DELETE FROM exchange_idempotencyrecord r USING unnest(p_claims) c
            WHERE c.request <> ALL (p_done)
                AND (r.organisation_id, r.method, r.path, r.key)
                  = (c.organisation, c.method, c.path, c.key);
    END IF;
END $$;


--
-- Name: legs_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.legs_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    e record;
BEGIN
    SELECT g.transfer_id, g.asset_id, g.strange, g.overdrawn, g.repeated,
           a.decimals < g.decimals AS long,
           t.created_txid IS DISTINCT FROM txid_current() AS closed
        INTO e
        FROM (
            SELECT n.transfer_id, n.asset_id, sum(n.amount) AS total,
                   max(min_scale(n.amount)) AS decimals, bool_or(c.id IS NULL) AS strange,
                   bool_or(n.balance_after < 0) AS overdrawn,
                   count(*) > count(DISTINCT n.account_id) AS repeated
            FROM added n
            LEFT JOIN public.wallets_account c
                ON c.id = n.account_id AND c.asset_id = n.asset_id
            GROUP BY n.transfer_id, n.asset_id
        ) g
        LEFT JOIN public.wallets_asset a ON a.id = g.asset_id
        LEFT JOIN public.wallets_transfer t ON t.id = g.transfer_id
        WHERE g.total <> 0 OR g.strange OR g.overdrawn OR g.repeated OR a.decimals < g.decimals
            OR t.created_txid IS DISTINCT FROM txid_current()
        LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF e.closed THEN
        RAISE EXCEPTION 'transfer % is closed', e.transfer_id
            USING ERRCODE = 'restrict_violation';
    ELSIF e.strange THEN
        RAISE EXCEPTION 'transfer % has a leg in % of an account that does not count it',
            e.transfer_id, e.asset_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'entry_asset_of_account';
    ELSIF e.overdrawn THEN
        RAISE EXCEPTION 'transfer % takes more of % than there is', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_balance_not_negative';
    ELSIF e.repeated THEN
        RAISE EXCEPTION 'transfer % names an account twice', e.transfer_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'transfer_account_once';
    ELSIF e.long THEN
        RAISE EXCEPTION 'transfer % has a leg with more decimals than %', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_decimals';
    END IF;
    RAISE EXCEPTION 'transfer % does not balance in %', e.transfer_id, e.asset_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
END $$;


--
-- Name: legs_of_order(public.orders_order, public.order_terms, public.order_fill[], uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.legs_of_order(o public.orders_order, t public.order_terms, p_fills public.order_fill[], p_accounts uuid[]) RETURNS public.order_legs
    LANGUAGE plpgsql
    AS $$
DECLARE
    l order_legs;
    f order_fill;
    buys boolean := o.type = 'Buy';
    v_count integer := cardinality(p_fills);
    v_fees uuid;
    -- Of the accounts, the next fill's first.
    v_next integer := CASE WHEN o.status = 'Active' THEN 4 ELSE 3 END;
    v_taker_gives numeric;
    v_taker_gets numeric;
    v_maker_gives numeric;
    v_maker_gets numeric;
BEGIN
    IF v_count > 0 THEN
        v_fees := public.account_of(NULL, t.currency, 'fees');
        l.kinds := l.kinds || array_fill(
            CASE WHEN t.completed THEN 'trade' ELSE 'raise_sale' END, ARRAY[v_count]);
        l.actors := l.actors || array_fill(o.placed_by::text, ARRAY[v_count]);
        l.memos := l.memos || array_fill(t.symbol, ARRAY[v_count]);
    END IF;
    FOR n IN 1..v_count LOOP
        f := p_fills[n];
        l.transfers := l.transfers || f.trade;
        l.refs := l.refs || ('trade:' || f.trade);
        IF buys THEN
            v_taker_gives := f.taker_value + f.taker_fee;
            v_taker_gets := f.units;
            v_maker_gives := f.units;
            v_maker_gets := f.maker_value - f.maker_fee;
        ELSE
            v_taker_gives := f.units;
            v_taker_gets := f.taker_value - f.taker_fee;
            v_maker_gives := f.maker_value + f.maker_fee;
            v_maker_gets := f.units;
        END IF;
        l.leg_transfers := l.leg_transfers || array_fill(f.trade, ARRAY[5]);
        l.accounts := l.accounts || ARRAY[
            p_accounts[1], p_accounts[2], p_accounts[v_next], p_accounts[v_next + 1], v_fees];
        l.amounts := l.amounts || ARRAY[
            - v_taker_gives, v_taker_gets, - v_maker_gives, v_maker_gets,
            CASE WHEN buys THEN v_taker_gives - v_maker_gets
                 ELSE v_maker_gives - v_taker_gets END];
        v_next := v_next + 2;
    END LOOP;
    IF o.status = 'Active' THEN
        l.transfers := l.transfers || o.id;
        l.refs := l.refs || ('order:' || o.id || ':reserve');
        l.kinds := l.kinds || 'order_reserve'::text;
        l.actors := l.actors || o.placed_by::text;
        l.memos := l.memos || t.symbol;
        l.leg_transfers := l.leg_transfers || ARRAY[o.id, o.id];
        l.accounts := l.accounts
            || ARRAY[p_accounts[1], p_accounts[CASE v_count WHEN 0 THEN 2 ELSE 3 END]];
        l.amounts := l.amounts || ARRAY[- o.reserved, o.reserved];
    END IF;
    RETURN l;
END $$;


--
-- Name: loan_facts(uuid, uuid, uuid, text, uuid[], boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_facts(p_organisation uuid, p_member uuid, p_configuration uuid, p_currency text, p_tokens uuid[], p_lock boolean) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_tokens text;
    v_offer text;
BEGIN
    IF p_lock THEN
        PERFORM 1 FROM exchange_token WHERE id = ANY (p_tokens) ORDER BY id FOR NO KEY UPDATE;
        PERFORM 1 FROM credit_loanconfiguration WHERE id = p_configuration FOR NO KEY UPDATE;
    END IF;
    SELECT json_agg(json_build_object(
            'id', t.id, 'name', t.name, 'symbol', t.symbol, 'currency_id', t.currency_id,
            'investment_category', t.investment_category, 'price_sell', t.price_sell,
            'quoted_at', t.quoted_at, 'exited', t.exited, 'cancelled', t.cancelled,
            'completed_raise', t.completed_raise,
            'available', coalesce(a.balance, 0)))::text
        INTO v_tokens
        FROM exchange_token t
        LEFT JOIN wallets_account a
            ON a.owner_id = p_member AND a.asset_id = t.id::text AND a.kind = 'available'
        WHERE t.id = ANY (p_tokens)
            AND (t.deal_access = 'Public' OR token_visible(t, p_organisation));
    SELECT json_build_object(
            'creditor_id', c.creditor_id, 'status', c.status, 'access', v.access,
            'named', EXISTS (
                SELECT FROM credit_configurationversion_organisations o
                WHERE o.configurationversion_id = v.id AND o.organisation_id = p_organisation),
            'version', CASE WHEN v.id IS NOT NULL THEN json_build_object(
                'id', v.id, 'investment_categories', v.investment_categories,
                'collateral_ratio', v.collateral_ratio, 'interest_rate', v.interest_rate,
                'duration', v.duration, 'grace_period', v.grace_period,
                'grace_period_unit', v.grace_period_unit) END,
            'min_amount', l.min_amount, 'max_amount', l.max_amount,
            'max_outstanding', l.max_outstanding,
            'outstanding', coalesce(o.principal, 0), 'balance', coalesce(a.balance, 0))::text
        INTO v_offer
        FROM credit_loanconfiguration c
        LEFT JOIN credit_configurationversion v
            ON v.configuration_id = c.id AND v.status = 'Approved'
        LEFT JOIN credit_loanlimit l ON l.version_id = v.id AND l.currency_id = p_currency
        LEFT JOIN credit_outstanding o
            ON o.configuration_id = c.id AND o.currency_id = p_currency
        LEFT JOIN wallets_account a
            ON a.owner_id = c.creditor_id AND a.asset_id = p_currency AND a.kind = 'available'
        WHERE c.id = p_configuration;
    RETURN format('{"member":%s,"offer":%s,"tokens":%s}',
        EXISTS (SELECT FROM exchange_member
                WHERE id = p_member AND organisation_id = p_organisation)::text,
        coalesce(v_offer, 'null'), coalesce(v_tokens, '[]'));
END $$;


--
-- Name: loan_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'loans are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'ACTIVE' OR NEW.interest_repaid <> 0 OR NEW.principal_repaid <> 0
            OR NEW.closed_at IS NOT NULL
        THEN
            RAISE EXCEPTION 'a loan starts ACTIVE with nothing repaid'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_starts_active';
        END IF;
        RETURN NEW;
    END IF;
    IF (OLD.id, OLD.borrower_id, OLD.organisation_id, OLD.creditor_id, OLD.configuration_id,
        OLD.version_id, OLD.currency_id, OLD.amount, OLD.repayment_amount, OLD.repayment_date,
        OLD.interest_rate, OLD.collateral_ratio, OLD.duration, OLD.grace_period,
        OLD.grace_period_unit, OLD.reason, OLD.bank_name, OLD.bank_code, OLD.account_number,
        OLD.requested_by, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.borrower_id, NEW.organisation_id, NEW.creditor_id, NEW.configuration_id,
        NEW.version_id, NEW.currency_id, NEW.amount, NEW.repayment_amount, NEW.repayment_date,
        NEW.interest_rate, NEW.collateral_ratio, NEW.duration, NEW.grace_period,
        NEW.grace_period_unit, NEW.reason, NEW.bank_name, NEW.bank_code, NEW.account_number,
        NEW.requested_by, NEW.created_at)
    THEN
        RAISE EXCEPTION 'the terms of loan % never change', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.status NOT IN ('ACTIVE', 'OVERDUE', 'DEFAULTED')
        -- Rewriting the document changes nothing else.
        AND (OLD.status, OLD.interest_repaid, OLD.principal_repaid, OLD.collateral_text,
             OLD.closed_at)
            IS DISTINCT FROM
            (NEW.status, NEW.interest_repaid, NEW.principal_repaid, NEW.collateral_text,
             NEW.closed_at)
    THEN
        RAISE EXCEPTION 'loan % is %: that is final', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_transition';
    END IF;
    IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
        ('ACTIVE', 'COMPLETED'), ('ACTIVE', 'OVERDUE'),
        ('OVERDUE', 'COMPLETED'), ('OVERDUE', 'DEFAULTED'),
        ('DEFAULTED', 'COMPLETED'), ('DEFAULTED', 'LIQUIDATED'), ('DEFAULTED', 'WRITTEN_OFF'))
    THEN
        RAISE EXCEPTION 'loan % cannot go from % to %', OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_transition';
    END IF;
    IF NEW.interest_repaid < OLD.interest_repaid OR NEW.principal_repaid < OLD.principal_repaid
        OR (NEW.status = 'COMPLETED')
            <> (NEW.interest_repaid + NEW.principal_repaid = NEW.repayment_amount)
        OR (NEW.closed_at IS NULL) <> (NEW.status IN ('ACTIVE', 'OVERDUE', 'DEFAULTED'))
    THEN
        RAISE EXCEPTION 'loan % cannot be % with that much repaid', OLD.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_repaid';
    END IF;
    IF (OLD.interest_repaid, OLD.principal_repaid)
            IS DISTINCT FROM (NEW.interest_repaid, NEW.principal_repaid)
        AND (NEW.interest_repaid, NEW.principal_repaid) IS DISTINCT FROM (
            SELECT (coalesce(sum(r.interest), 0), coalesce(sum(r.principal), 0))
            FROM public.credit_repayment r WHERE r.loan_id = NEW.id)
    THEN
        RAISE EXCEPTION 'loan % was not repaid that', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_repaid_by_repayments';
    END IF;
    IF NEW.status IN ('LIQUIDATED', 'WRITTEN_OFF') AND OLD.status = 'DEFAULTED' AND NOT EXISTS (
        SELECT FROM public.credit_endingproposal p
        JOIN public.wallets_transfer t ON t.reference = 'loan:' || NEW.id || ':end'
        WHERE p.loan_id = NEW.id AND p.status = 'Confirmed'
            AND (p.action, t.kind) IN (
                ('liquidate', 'loan_liquidate'), ('write_off', 'loan_write_off'))
            AND NEW.status = CASE p.action WHEN 'liquidate' THEN 'LIQUIDATED'
                                           ELSE 'WRITTEN_OFF' END)
    THEN
        RAISE EXCEPTION 'loan % is ended by a proposal that somebody confirmed', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_ended_by_proposal';
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;


--
-- Name: credit_loan; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_loan (
    id uuid NOT NULL,
    amount numeric(38,8) NOT NULL,
    repayment_amount numeric(38,8) NOT NULL,
    repayment_date timestamp with time zone NOT NULL,
    interest_rate numeric(9,8) NOT NULL,
    collateral_ratio numeric(9,8) NOT NULL,
    duration smallint NOT NULL,
    grace_period smallint NOT NULL,
    grace_period_unit character varying(4) NOT NULL,
    status character varying(11) NOT NULL,
    interest_repaid numeric(38,8) NOT NULL,
    principal_repaid numeric(38,8) NOT NULL,
    reason character varying(500) NOT NULL,
    bank_name character varying(200) NOT NULL,
    bank_code character varying(40) NOT NULL,
    account_number character varying(40) NOT NULL,
    requested_by character varying(80) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    collateral_text text NOT NULL,
    document text NOT NULL,
    borrower_id uuid NOT NULL,
    creditor_id uuid NOT NULL,
    currency_id character varying(3) NOT NULL,
    organisation_id uuid NOT NULL,
    version_id uuid NOT NULL,
    configuration_id uuid NOT NULL,
    CONSTRAINT credit_loan_duration_check CHECK ((duration >= 0)),
    CONSTRAINT credit_loan_grace_period_check CHECK ((grace_period >= 0)),
    CONSTRAINT loan_amounts CHECK (((amount > (0)::numeric) AND (interest_repaid >= (0)::numeric) AND (interest_repaid <= (repayment_amount - amount)) AND (principal_repaid >= (0)::numeric) AND (principal_repaid <= amount) AND (repayment_amount >= amount)))
);


--
-- Name: wallets_transfer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_transfer (
    id uuid NOT NULL,
    kind character varying(30) NOT NULL,
    reference character varying(120) NOT NULL,
    subject_id uuid,
    actor character varying(80) NOT NULL,
    memo character varying(300) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_txid bigint NOT NULL
);


--
-- Name: loan_money_fits(public.wallets_transfer, public.credit_loan, public.transfer_leg); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_money_fits(t public.wallets_transfer, l public.credit_loan, e public.transfer_leg) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    p record;
BEGIN
    IF t.kind = 'loan_repay' THEN
        SELECT x.principal, x.interest INTO p FROM public.credit_repayment x
            WHERE x.loan_id = l.id AND t.reference = 'loan:' || l.id || ':repay:' || x.id;
        RETURN e.amount = CASE e.kind
            WHEN 'available' THEN (p.principal + p.interest)
                * CASE e.owner_id WHEN l.creditor_id THEN 1 WHEN l.borrower_id THEN -1 END
            WHEN 'principal' THEN CASE e.owner_id WHEN l.creditor_id THEN - p.principal END
            WHEN 'interest' THEN CASE e.owner_id WHEN l.creditor_id THEN p.interest END
            WHEN 'loans' THEN p.principal - p.interest END;
    END IF;
    -- Its end: what of the principal was not repaid.
    RETURN t.kind IN ('loan_liquidate', 'loan_write_off')
        AND e.amount = CASE e.kind
            WHEN 'principal' THEN CASE e.owner_id
                WHEN l.creditor_id THEN l.principal_repaid - l.amount END
            WHEN 'loans' THEN l.amount - l.principal_repaid END;
END $$;


--
-- Name: loan_outstanding(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_outstanding() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    change numeric := CASE WHEN NEW.closed_at IS NULL
        THEN NEW.amount - NEW.principal_repaid ELSE 0 END;
    total numeric;
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.closed_at IS NULL THEN
        change := change - (OLD.amount - OLD.principal_repaid);
    END IF;
    IF change = 0 THEN
        RETURN NULL;
    END IF;
    UPDATE public.credit_outstanding SET principal = principal + change
        WHERE configuration_id = NEW.configuration_id AND currency_id = NEW.currency_id
        RETURNING principal INTO total;
    IF NOT FOUND THEN
        INSERT INTO public.credit_outstanding AS o (configuration_id, currency_id, principal)
        VALUES (NEW.configuration_id, NEW.currency_id, change)
        ON CONFLICT (configuration_id, currency_id)
            DO UPDATE SET principal = o.principal + excluded.principal
        RETURNING principal INTO total;
    END IF;
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM public.credit_loanlimit l
        WHERE l.version_id = NEW.version_id AND l.currency_id = NEW.currency_id
            AND total > l.max_outstanding)
    THEN
        RAISE EXCEPTION 'configuration % would have % % outstanding', NEW.configuration_id, total,
            NEW.currency_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_within_outstanding';
    END IF;
    RETURN NULL;
END $$;


--
-- Name: loan_terms(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_most numeric;
BEGIN
    SELECT public.round_half_even(
            NEW.amount * (1 + NEW.interest_rate * NEW.duration), cur.decimals)
        INTO v_most
        FROM public.credit_loanconfiguration c
        JOIN public.credit_configurationversion v ON v.configuration_id = c.id
        JOIN public.credit_loanlimit l
            ON l.version_id = v.id AND l.currency_id = NEW.currency_id
        JOIN public.exchange_currency cur ON cur.code = NEW.currency_id
        WHERE c.id = NEW.configuration_id AND v.id = NEW.version_id
            AND c.status = 'Approved' AND v.status = 'Approved'
            AND c.creditor_id = NEW.creditor_id
            AND NEW.amount BETWEEN l.min_amount AND l.max_amount
            AND NEW.duration BETWEEN 1 AND v.duration
            AND (NEW.interest_rate, NEW.collateral_ratio, NEW.grace_period, NEW.grace_period_unit)
                = (v.interest_rate, v.collateral_ratio, v.grace_period, v.grace_period_unit)
            AND (v.access = 'public' OR NEW.organisation_id = c.creditor_id
                OR v.access = 'organisations' AND EXISTS (
                    SELECT FROM public.credit_configurationversion_organisations o
                    WHERE o.configurationversion_id = v.id
                        AND o.organisation_id = NEW.organisation_id));
    IF NOT FOUND OR NEW.repayment_amount NOT BETWEEN NEW.amount AND v_most
        OR NEW.creditor_id <> NEW.organisation_id AND NEW.repayment_amount <> v_most
    THEN
        RAISE EXCEPTION 'loan % is not made by the terms of its configuration', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_by_terms';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: loan_transfer_justified(public.wallets_transfer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_transfer_justified(posted public.wallets_transfer) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF posted.kind = 'loan_disburse' THEN
        -- The most frequent one, in one look: the amount to the borrower and to the creditor's
        -- principal, and each piece of collateral from the borrower's units to their lien.
        RETURN (
            SELECT bool_and((
                    e.fits
                    AND e.amount = CASE
                        WHEN e.asset_id <> l.currency_id THEN
                            CASE WHEN k.completed_raise AND e.owner_id = l.borrower_id
                                THEN CASE e.kind WHEN 'available' THEN - c.quantity
                                                 WHEN 'lien' THEN c.quantity END END
                        WHEN e.kind = 'loans' THEN - l.amount
                        WHEN e.kind = 'principal' AND e.owner_id = l.creditor_id THEN l.amount
                        WHEN e.kind = 'available' AND e.owner_id = l.creditor_id THEN - l.amount
                        WHEN e.kind = 'available' AND e.owner_id = l.borrower_id THEN l.amount
                        END) IS TRUE)
                FROM public.credit_loan l
                CROSS JOIN public.transfer_legs(posted, l.status) e
                LEFT JOIN public.credit_collateral c
                    ON c.loan_id = l.id AND c.token_id::text = e.asset_id
                LEFT JOIN public.exchange_token k ON k.id = c.token_id
                WHERE l.id = posted.subject_id);
    END IF;
    RETURN (
        SELECT bool_and((
                e.fits
                AND CASE WHEN e.asset_id = l.currency_id
                    THEN public.loan_money_fits(posted, l, e)
                    ELSE public.loan_units_fit(posted, l, e) END) IS TRUE)
            FROM public.credit_loan l, public.transfer_legs(posted, l.status) e
            WHERE l.id = posted.subject_id);
END $$;


--
-- Name: loan_units_fit(public.wallets_transfer, public.credit_loan, public.transfer_leg); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.loan_units_fit(t public.wallets_transfer, l public.credit_loan, e public.transfer_leg) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN EXISTS (
            SELECT FROM public.credit_collateral c
            JOIN public.exchange_token k ON k.id = c.token_id
            WHERE c.loan_id = l.id AND c.token_id::text = e.asset_id
                -- Cancelling a raise takes its units back: none is liened before it is complete.
                AND (k.completed_raise OR e.kind <> 'lien' OR e.amount < 0))
        AND CASE WHEN e.owner_id = l.borrower_id
            -- What is liened afterwards is what open loans have as collateral.
            THEN e.kind <> 'lien' OR e.balance = (
                SELECT coalesce(sum(c.quantity), 0)
                FROM public.credit_collateral c JOIN public.credit_loan o ON o.id = c.loan_id
                WHERE c.token_id::text = e.asset_id AND o.borrower_id = l.borrower_id
                    AND o.closed_at IS NULL)
            ELSE t.kind = 'loan_liquidate' AND e.kind = 'available'
                AND e.owner_id = l.creditor_id AND e.amount = (
                    SELECT (f ->> 'passed')::numeric
                    FROM public.credit_endingproposal p, jsonb_array_elements(p.final_plan) f
                    WHERE p.loan_id = l.id AND p.status = 'Confirmed' AND p.action = 'liquidate'
                        AND f ->> 'token_id' = e.asset_id)
            END;
END $$;


--
-- Name: lock_accounts_of_token(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_accounts_of_token(p_token uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM 1 FROM wallets_account a JOIN exchange_token t ON t.id = p_token
        WHERE a.asset_id IN (t.currency_id, t.id::text)
            AND a.kind IN ('available', 'reserved', 'raise', 'unsold')
            AND a.owner_id IN (
                SELECT o.owner_id FROM orders_order o
                WHERE o.token_id = t.id AND o.status = 'Active'
                UNION ALL
                SELECT b.owner_id FROM orders_trade x JOIN orders_order b ON b.id = x.buy_order_id
                WHERE x.token_id = t.id AND x.sell_order_id IS NULL AND NOT t.completed_raise
                UNION ALL
                SELECT t.issuer_id WHERE NOT t.completed_raise)
        ORDER BY a.id FOR NO KEY UPDATE OF a;
END $$;


--
-- Name: make_append_only(regclass); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.make_append_only(target regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS append_only_rows ON %s', target);
    EXECUTE format('DROP TRIGGER IF EXISTS append_only_truncate ON %s', target);
    EXECUTE format('CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON %s
                    FOR EACH ROW EXECUTE FUNCTION refuse_change()', target);
    EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', target);
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM exchange_runtime', target);
END $$;


--
-- Name: make_loan(jsonb, uuid[], numeric[], numeric[], uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.make_loan(p_loan jsonb, p_tokens uuid[], p_quantities numeric[], p_prices numeric[], p_ids uuid[]) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    l credit_loan := jsonb_populate_record(NULL::credit_loan, p_loan);
    v_books uuid;
    v_accounts uuid[];
    v_amounts numeric[];
    v_constraint text;
    v_covered boolean;
BEGIN
    SELECT id INTO v_books FROM wallets_account
        WHERE asset_id = l.currency_id AND kind = 'loans' AND owner_id IS NULL;
    IF v_books IS NULL THEN
        v_books := open_account(new_id(), l.currency_id, 'loans', NULL, NULL);
    END IF;
    SELECT array_agg(coalesce(a.id, open_account(
               new_id(), leg.asset, leg.kind, leg.organisation, leg.member))),
           array_agg(leg.amount)
        INTO v_accounts, v_amounts
        FROM (
            VALUES
                (l.currency_id, 'available', l.creditor_id, NULL::uuid, -l.amount),
                (l.currency_id, 'available', l.organisation_id, l.borrower_id, l.amount),
                (l.currency_id, 'principal', l.creditor_id, NULL, l.amount)
            UNION ALL
            SELECT u.token::text, k.kind, l.organisation_id, l.borrower_id, k.sign * u.quantity
            FROM unnest(p_tokens, p_quantities) u (token, quantity)
            CROSS JOIN (VALUES ('available', -1), ('lien', 1)) k (kind, sign)
        ) leg (asset, kind, organisation, member, amount)
        LEFT JOIN wallets_account a
            ON a.owner_id = coalesce(leg.member, leg.organisation) AND a.asset_id = leg.asset
                AND a.kind = leg.kind;
    v_accounts := v_accounts || v_books;
    v_amounts := v_amounts || -l.amount;
    BEGIN
        PERFORM post_transfers(
            p_ids[1:1], ARRAY['loan_disburse'], ARRAY['loan:' || l.id || ':disburse'], ARRAY[l.id],
            ARRAY[l.requested_by::text], ARRAY[left(l.reason, 300)],
            array_fill(p_ids[1], ARRAY[cardinality(v_accounts)]), v_accounts, v_amounts);
    EXCEPTION WHEN check_violation THEN
        GET STACKED DIAGNOSTICS v_constraint = CONSTRAINT_NAME;
        IF v_constraint = 'account_balance_not_negative' THEN
            RETURN NULL;
        END IF;
        RAISE;
    END;
    INSERT INTO credit_loan SELECT (l).* RETURNING document INTO l.document;
    INSERT INTO credit_collateral (loan_id, token_id, position, quantity, pledged_price)
    SELECT l.id, token, n, quantity, price
    FROM unnest(p_tokens, p_quantities, p_prices) WITH ORDINALITY u (token, quantity, price, n);
    -- Whoever calls this: at the prices in force the collateral covers what is lent.
    SELECT sum(u.quantity * t.price_sell) * l.collateral_ratio >= l.amount
            AND bool_and(u.price = t.price_sell AND t.currency_id = l.currency_id
                         AND NOT t.exited AND NOT t.cancelled)
        INTO v_covered
        FROM unnest(p_tokens, p_quantities, p_prices) u (token, quantity, price)
        LEFT JOIN exchange_token t ON t.id = u.token;
    IF v_covered IS NOT TRUE THEN
        RAISE EXCEPTION 'the collateral of loan % does not cover it', l.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_covered';
    END IF;
    -- The borrower is the borrower's organisation's to know.
    PERFORM emit_events(
        p_ids[2:3], ARRAY[l.organisation_id, l.creditor_id],
        ARRAY['loan.created', 'loan.created'], ARRAY[l.id, l.id],
        ARRAY['{"loan":' || l.document || ',"user":'
                  || coalesce(withdrawal_event_user(l.borrower_id, l.organisation_id), 'null')
                  || '}',
              CASE WHEN l.creditor_id <> l.organisation_id
                  THEN '{"loan":' || l.document || ',"user":null}' END]);
    RETURN l.document;
END $$;


--
-- Name: make_permanent(regclass); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.make_permanent(target regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER permanent_rows BEFORE DELETE ON %s
                    FOR EACH ROW EXECUTE FUNCTION refuse_change()', target);
    EXECUTE format('CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', target);
    EXECUTE format('REVOKE DELETE, TRUNCATE ON %s FROM exchange_runtime', target);
END $$;


--
-- Name: match_order(public.orders_order, public.order_terms, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.match_order(o public.orders_order, t public.order_terms, p_stem text) RETURNS public.order_match
    LANGUAGE plpgsql
    AS $$
DECLARE
    r order_match;
    f order_fill;
    m record;
    v_side text := CASE o.type WHEN 'Buy' THEN 'Sell' ELSE 'Buy' END;
    v_left numeric := o.tokens;
    v_value numeric;
    v_book refcursor;
BEGIN
    IF NOT t.completed THEN
        RETURN public.buy_from_issuer(o, t, p_stem);
    END IF;
    r.fills := '{}';
    r.dust := '{}';
    r.completes := false;
    f.taker := o.id;
    IF o.type = 'Buy' THEN
        OPEN v_book FOR
            SELECT id, organisation_id, member_id, owner_id, price, tokens, filled, filled_value,
                   charged, charged_fee, fee_percent
            FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Sell' AND status = 'Active'
                AND price <= o.price
            ORDER BY price, seq;
    ELSE
        OPEN v_book FOR
            SELECT id, organisation_id, member_id, owner_id, price, tokens, filled, filled_value,
                   charged, charged_fee, fee_percent
            FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Buy' AND status = 'Active'
                AND price >= o.price
            ORDER BY price DESC, seq;
    END IF;
    WHILE v_left > 0 LOOP
        FETCH v_book INTO m;
        EXIT WHEN NOT FOUND;
        IF m.owner_id = o.owner_id THEN
            r.stopped := 'It met an order of its own owner';
            EXIT;
        END IF;
        f.maker := m.id;
        f.organisation := m.organisation_id;
        f.member := m.member_id;
        f.owner := m.owner_id;
        f.price := m.price;
        f.units := least(v_left, m.tokens - m.filled);
        v_value := m.price * f.units;
        f.filled := m.filled + f.units;
        f.filled_value := m.filled_value + v_value;
        f.fulfilled := f.filled = m.tokens;
        IF v_value < t.minor THEN
            -- Less than one minor unit: the rest of whoever has no more than this is over.
            IF f.fulfilled THEN
                r.dust := r.dust || f;
                CONTINUE;
            END IF;
            r.stopped := 'The rest is worth nothing';
            EXIT;
        END IF;
        -- What each side has been charged after the fill, and by it: new less old.
        f.charged := public.order_value(v_side, f.filled_value, t.minor);
        f.charged_fee := abs(f.charged
            - public.order_total(v_side, f.filled_value, m.fee_percent, t.minor));
        IF v_side = 'Sell' AND m.charged - m.charged_fee > f.charged - f.charged_fee THEN
            -- Filled before decision 22 too, it had received a minor unit more by the former rounding.
            f.charged_fee := f.charged - m.charged + m.charged_fee;
        END IF;
        f.maker_value := f.charged - m.charged;
        f.maker_fee := f.charged_fee - m.charged_fee;
        o.filled_value := o.filled_value + v_value;
        f.taker_value := public.order_value(o.type, o.filled_value, t.minor) - o.charged;
        o.charged := o.charged + f.taker_value;
        f.taker_fee := abs(o.charged
            - public.order_total(o.type, o.filled_value, o.fee_percent, t.minor)) - o.charged_fee;
        o.charged_fee := o.charged_fee + f.taker_fee;
        f.seq := nextval('public.orders_seq');
        f.trade := public.nth_id(p_stem, '2', f.seq);
        v_left := v_left - f.units;
        r.fills := r.fills || f;
    END LOOP;
    CLOSE v_book;
    IF r.stopped IS NULL AND v_left > 0 AND v_left * o.price < t.minor THEN
        -- No fill of it could be worth a minor unit.
        r.stopped := 'The rest is worth nothing';
    END IF;
    RETURN r;
END $$;


--
-- Name: moved_before(public.order_legs, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.moved_before(p_before public.order_legs, p_account uuid) RETURNS numeric
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(x.amount), 0)
        FROM unnest(p_before.accounts, p_before.amounts) x (account, amount)
        WHERE x.account = p_account);
END $$;


--
-- Name: name_actor(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.name_actor(p_actor text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF current_setting('exchange.actor', true) IS DISTINCT FROM p_actor THEN
        PERFORM set_config('exchange.actor', p_actor, true),
                set_config('exchange.actor_label', '', true);
    END IF;
END $$;


--
-- Name: name_words(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.name_words(p_text text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery
    FROM unnest(to_tsvector('simple', regexp_replace(p_text, '[^[:alnum:]]+', ' ', 'g')))
$$;


--
-- Name: new_id(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.new_id() RETURNS uuid
    LANGUAGE plpgsql
    AS $$
    DECLARE
        micros bigint := extract(epoch FROM clock_timestamp()) * 1000000;
        stamp text := lpad(to_hex(micros / 1000), 12, '0');
    BEGIN
        RETURN (left(stamp, 8) || '-' || right(stamp, 4) || '-7'
            || lpad(to_hex((micros % 1000) * 4096 / 1000), 3, '0')
            || right(gen_random_uuid()::text, 18))::uuid;
    END $$;


--
-- Name: new_order(public.order_request, public.order_terms); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.new_order(q public.order_request, t public.order_terms) RETURNS public.orders_order
    LANGUAGE sql
    AS $$
    SELECT ROW(
        q.id, nextval('public.orders_seq'), coalesce(q.member, q.organisation), q.owner_model,
        q.type, q.price, q.tokens,
        -- amount (1e29: far above what is refused as too large, and the column holds it), fee_percent,
        -- status; filled, filled_value, charged, charged_fee
        least(public.round_half_even(q.price * q.tokens, t.decimals), 1e29), t.fee,
        'Active', 0, 0, 0, 0,
        -- reserved
        CASE WHEN q.type = 'Buy'
            THEN least(public.order_total('Buy', q.price * q.tokens, t.fee, t.minor), 1e29)
            ELSE q.tokens END,
        coalesce(q.customer_name, ''), coalesce(q.customer_email, ''),
        coalesce(q.client_order_id, ''), q.actor,
        -- reason; created_at (after the lock, so that the times of orders follow their priority),
        -- updated_at, closed_at; document
        '', clock_timestamp(), NULL, NULL, NULL,
        q.api_key, q.member, q.organisation, q.token
    )::public.orders_order
$$;


--
-- Name: nth_id(text, text, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.nth_id(p_stem text, p_table text, n bigint) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    RETURN (((p_stem || p_table) || lpad(to_hex((n & (268435455)::bigint)), 7, '0'::text)))::uuid;


--
-- Name: open_account(uuid, text, text, uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.open_account(p_id uuid, p_asset text, p_kind text, p_organisation uuid, p_member uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    v_owner uuid := coalesce(p_member, p_organisation);
    v_id uuid;
BEGIN
    LOOP
        SELECT id INTO v_id FROM wallets_account
            WHERE owner_id IS NOT DISTINCT FROM v_owner AND asset_id = p_asset AND kind = p_kind;
        IF FOUND THEN
            RETURN v_id;
        END IF;
        INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
        VALUES (p_id, p_asset, p_kind, p_organisation, p_member,
                CASE WHEN p_organisation IS NULL THEN NULL ELSE 0 END)
        ON CONFLICT ON CONSTRAINT account_once_per_owner DO NOTHING
        RETURNING id INTO v_id;
        IF FOUND THEN
            RETURN v_id;
        END IF;
        -- Somebody else made it between the two statements: read theirs.
    END LOOP;
END $$;


--
-- Name: open_token_units(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.open_token_units(p_token uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO wallets_asset (id, token_id, decimals)
    SELECT t.id::text, t.id, 8 FROM exchange_token t WHERE t.id = p_token;
END $$;


--
-- Name: order_end_data(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.order_end_data(p_document text, p_reason text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
    RETURN '{"order":' || p_document || ',"reason":'
        || CASE WHEN p_reason = '' THEN 'null' ELSE to_json(p_reason)::text END || '}';
END $$;


--
-- Name: order_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.order_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'orders are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.id, OLD.seq, OLD.token_id, OLD.organisation_id, OLD.member_id, OLD.api_key_id,
        OLD.owner_model, OLD.type, OLD.price, OLD.tokens, OLD.amount, OLD.fee_percent,
        OLD.customer_name, OLD.customer_email, OLD.client_order_id, OLD.placed_by,
        OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.seq, NEW.token_id, NEW.organisation_id, NEW.member_id, NEW.api_key_id,
        NEW.owner_model, NEW.type, NEW.price, NEW.tokens, NEW.amount, NEW.fee_percent,
        NEW.customer_name, NEW.customer_email, NEW.client_order_id, NEW.placed_by,
        NEW.created_at)
    THEN
        RAISE EXCEPTION 'what order % asks for never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.status <> 'Active' THEN
        RAISE EXCEPTION 'order % is %: that is final', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_transition';
    END IF;
    -- The fee alone may fall: what a buyer paid and a seller received may not.
    IF NEW.filled < OLD.filled OR NEW.charged < OLD.charged
        OR NEW.charged - OLD.charged
            + (CASE NEW.type WHEN 'Buy' THEN NEW.charged_fee - OLD.charged_fee
                             ELSE OLD.charged_fee - NEW.charged_fee END) < 0
        OR NEW.filled = OLD.filled
            AND (NEW.filled_value, NEW.charged, NEW.charged_fee)
                IS DISTINCT FROM (OLD.filled_value, OLD.charged, OLD.charged_fee)
    THEN
        RAISE EXCEPTION 'fills of order % only add up', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_fills_add_up';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: order_state(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.order_state() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF least(NEW.price, NEW.tokens) <= 0
        OR least(NEW.filled, NEW.tokens - NEW.filled, NEW.reserved) < 0
    THEN
        RAISE EXCEPTION 'order % cannot be for % at %, with % filled and % reserved', NEW.id,
            NEW.tokens, NEW.price, NEW.filled, NEW.reserved
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_within_bounds';
    ELSIF NEW.type NOT IN ('Buy', 'Sell') OR NEW.status NOT IN ('Active', 'Fulfilled', 'Cancelled')
        OR NEW.owner_model NOT IN ('api_key', 'user', 'organisation')
    THEN
        RAISE EXCEPTION 'order % cannot be a % of a % that is %', NEW.id, NEW.type,
            NEW.owner_model, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_words_known';
    ELSIF NEW.status <> 'Active' AND (NEW.reserved <> 0 OR NEW.closed_at IS NULL)
        OR (NEW.status = 'Fulfilled') <> (NEW.filled = NEW.tokens)
    THEN
        RAISE EXCEPTION 'order % cannot be % with % of % filled and % reserved', NEW.id,
            NEW.status, NEW.filled, NEW.tokens, NEW.reserved
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_state';
    END IF;
    IF TG_OP = 'INSERT' AND NEW.member_id IS NOT NULL AND NOT public.recorded_by_function()
        AND NOT EXISTS (
            SELECT FROM public.exchange_member
            WHERE id = NEW.member_id AND organisation_id = NEW.organisation_id)
    THEN
        RAISE EXCEPTION 'member % is not of organisation %', NEW.member_id, NEW.organisation_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'order_member_of_organisation';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: round_down(numeric, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.round_down(p_value numeric, p_minor numeric) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (p_value - (p_value % p_minor));


--
-- Name: round_up(numeric, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.round_up(p_value numeric, p_minor numeric) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((p_value - (p_value % p_minor)) + (sign((p_value % p_minor)) * p_minor));


--
-- Name: order_total(text, numeric, numeric, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.order_total(p_type text, p_value numeric, p_fee_percent numeric, p_minor numeric) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE p_type WHEN 'Buy'::text THEN public.round_up((p_value + ((p_value * p_fee_percent) * 0.01)), p_minor) ELSE public.round_down((p_value - ((p_value * p_fee_percent) * 0.01)), p_minor) END;


--
-- Name: order_transfer_justified(public.wallets_transfer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.order_transfer_justified(posted public.wallets_transfer) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    v_justified boolean;
BEGIN
    IF posted.kind = 'order_release' THEN
        SELECT bool_and((
                e.fits
                AND e.owner_id = o.owner_id
                AND e.asset_id = CASE WHEN o.type = 'Buy' THEN t.currency_id
                                      ELSE o.token_id::text END) IS TRUE)
            INTO v_justified
            FROM public.orders_order o
            JOIN public.exchange_token t ON t.id = o.token_id,
                 public.transfer_legs(posted, o.status) e
            WHERE o.id = posted.subject_id;
    ELSIF posted.kind = 'raise_complete' THEN
        SELECT bool_and((
                e.fits
                AND e.owner_id = t.issuer_id
                AND e.asset_id IN (t.currency_id, t.id::text)) IS TRUE)
            INTO v_justified
            FROM public.exchange_token t,
                 public.transfer_legs(posted, CASE WHEN t.completed_raise THEN 'completed' END) e
            WHERE t.id = posted.subject_id;
    ELSE
        -- Of a sale in a raise: units pass from the issuer to the buyer, and the issuer never pays. A
        -- refund is the sale backwards.
        SELECT bool_and((
                e.fits
                AND x.sell_order_id IS NULL
                AND CASE
                    WHEN e.owner_id IS NULL THEN e.asset_id = t.currency_id
                    WHEN e.asset_id = t.id::text THEN
                        e.amount = CASE e.owner_id WHEN b.owner_id THEN x.tokens
                                   WHEN t.issuer_id THEN - x.tokens END
                            * CASE posted.kind WHEN 'raise_refund' THEN -1 ELSE 1 END
                    WHEN e.asset_id <> t.currency_id THEN false
                    WHEN posted.kind <> 'raise_refund' THEN e.owner_id = b.owner_id
                        OR e.owner_id = t.issuer_id AND e.amount > 0
                    ELSE e.amount = CASE e.owner_id WHEN b.owner_id THEN x.buyer_value + x.buyer_fee
                                    WHEN t.issuer_id THEN - x.seller_value END
                END) IS TRUE)
            INTO v_justified
            FROM public.orders_trade x
            JOIN public.orders_order b ON b.id = x.buy_order_id
            JOIN public.exchange_token t ON t.id = x.token_id,
                 public.transfer_legs(posted, CASE WHEN t.cancelled THEN 'cancelled' END) e
            WHERE x.id = posted.subject_id;
    END IF;
    RETURN v_justified;
END $$;


--
-- Name: order_value(text, numeric, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.order_value(p_type text, p_value numeric, p_minor numeric) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE p_type WHEN 'Buy'::text THEN public.round_up(p_value, p_minor) ELSE public.round_down(p_value, p_minor) END;


--
-- Name: orders_order_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.orders_order_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := (('{"_id":"' || (NEW.id)::text || '","price":' || (trim_scale(NEW.price))::text || ',"amount":' || (trim_scale(NEW.amount))::text) || (',"type":' || (to_json((NEW.type)::text))::text || ',"owner_model":' || (to_json((NEW.owner_model)::text))::text || ',"status":' || (to_json((NEW.status)::text))::text || ',"user":')) || ((coalesce('"' || (NEW.member_id)::text || '"', 'null') || ',"token":"' || (NEW.token_id)::text || '","customer":' || ('{"name":' || to_json(NEW.customer_name)::text || ',"email":' || to_json(NEW.customer_email)::text || '}')::text || ',"api_customer_email":' || coalesce((to_json((CASE WHEN NEW.owner_model = 'api_key' THEN NEW.customer_email END)::text))::text, 'null')) || (',"meta":' || ('{"tokens":' || trim_scale(NEW.tokens) || ',"filled":' || trim_scale(NEW.filled) || '}')::text || ',"createdAt":"' || (public.wire_time(NEW.created_at))::text || '","updatedAt":"' || (public.wire_time(NEW.updated_at))::text || '"}'));
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION orders_order_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.orders_order_document() IS 'document 7c58bb0a08264609';


--
-- Name: orders_trade_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.orders_trade_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := ('{"_id":"' || (NEW.id)::text || '","token":"' || (NEW.token_id)::text || '","price":' || (trim_scale(NEW.price))::text || ',"tokens":') || ((trim_scale(NEW.tokens))::text || ',"amount":' || (trim_scale(NEW.buyer_value))::text || ',"type":' || (to_json((NEW.taker)::text))::text || ',"createdAt":"' || (public.wire_time(NEW.created_at))::text || '"}');
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION orders_trade_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.orders_trade_document() IS 'document 3c2f734d86043bf5';


--
-- Name: payout_circuit_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payout_circuit_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.id <> OLD.id
        OR (OLD.state, NEW.state) IN (
            ('Closed', 'Half-open'), ('Open', 'Closed'))
        -- Only the payout that is tried closes the circuit.
        OR OLD.state = 'Half-open' AND NEW.state = 'Closed' AND OLD.trial_id IS NULL
        -- A trial ends before the next one begins.
        OR OLD.trial_id <> NEW.trial_id
    THEN
        RAISE EXCEPTION 'the circuit of payouts cannot go from % (trial %) to % (trial %)',
            OLD.state, OLD.trial_id, NEW.state, NEW.trial_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_circuit_transition';
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;


--
-- Name: payout_post_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.payout_post_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM 1 FROM public.wallets_payoutcircuit
        WHERE state = 'Closed'
            OR state = 'Half-open' AND trial_id = NEW.withdrawal_id
                AND trial_until > clock_timestamp()
        FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no payout is posted now: the circuit is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_circuit_open';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: plan_order(public.order_request, public.order_legs); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.plan_order(q public.order_request, p_before public.order_legs) RETURNS public.order_plan
    LANGUAGE plpgsql
    AS $$
DECLARE
    buys boolean := q.type = 'Buy';
    t order_terms;
    o orders_order;
    m order_match;
    f order_fill;
    v_rule text;
    v_accounts uuid[];
BEGIN
    FOR n IN 1..2 LOOP
        SELECT x.id, x.symbol, x.issuer_id, x.currency_id,
               CASE WHEN buys THEN x.currency_id ELSE x.id::text END,
               CASE WHEN buys THEN x.id::text ELSE x.currency_id END, c.decimals,
               CASE WHEN buys THEN x.buy_fee ELSE x.sell_fee END,
               CASE WHEN buys THEN x.min_buy ELSE x.min_sell END,
               CASE WHEN buys THEN x.max_buy ELSE x.max_sell END,
               CASE WHEN buys THEN x.min_trade_buy ELSE x.min_trade_sell END,
               CASE WHEN buys THEN x.max_trade_buy ELSE x.max_trade_sell END,
               x.cancelled, x.exited, x.closed, x.secondaries, x.completed_raise,
               x.price_buy, x.raise_amount - x.total_raised, NULL, x.min_trade_buy,
               x.deal_access = 'Public' OR public.token_visible(x, q.organisation),
               -- A member's account is of the member's organisation.
               q.member IS NULL
                   OR a.member_id = q.member AND a.organisation_id = q.organisation,
               a.id, a.balance, z.id, 10::numeric ^ -c.decimals::numeric
            INTO t
            FROM public.exchange_token x JOIN public.exchange_currency c ON c.code = x.currency_id
            LEFT JOIN public.wallets_account a ON a.owner_id = coalesce(q.member, q.organisation)
                AND a.asset_id = CASE WHEN buys THEN x.currency_id ELSE x.id::text END
                AND a.kind = 'available'
            LEFT JOIN public.wallets_account z ON z.owner_id = a.owner_id
                AND z.asset_id = a.asset_id AND z.kind = 'reserved'
            WHERE x.id = q.token
            FOR NO KEY UPDATE OF x SKIP LOCKED;
        EXIT WHEN FOUND;
        -- Somebody has it, or it is not there. Who waits does so by a statement of its own, and then
        -- looks at what those before have left.
        PERFORM FROM public.exchange_token WHERE id = q.token FOR NO KEY UPDATE;
    END LOOP;
    IF t.id IS NULL OR NOT t.visible THEN
        v_rule := 'token_not_found';
    ELSE
        IF t.member_known IS NOT TRUE THEN
            t.member_known := EXISTS (
                SELECT FROM public.exchange_member
                WHERE id = q.member AND organisation_id = q.organisation);
        END IF;
        IF p_before.accounts IS NOT NULL THEN
            t.available := t.available + public.moved_before(p_before, t.account);
            IF NOT t.completed THEN
                t.unsold := public.moved_before(
                    p_before, public.account_of(t.issuer, t.gets, 'unsold'));
            END IF;
        END IF;
        o := public.new_order(q, t);
        v_rule := public.broken_rule(q, o, t);
    END IF;
    IF v_rule IS NOT NULL THEN
        PERFORM public.refuse_order(v_rule, public.rule_detail(v_rule, o, t));
    END IF;

    m := public.match_order(o, t, public.id_stem(o.id));
    IF cardinality(m.fills) > 0 OR m.stopped IS NOT NULL THEN
        FOREACH f IN ARRAY m.fills LOOP
            o.filled := o.filled + f.units;
            o.filled_value := o.filled_value + f.price * f.units;
            o.charged := o.charged + f.taker_value;
            o.charged_fee := o.charged_fee + f.taker_fee;
        END LOOP;
        o := public.end_or_reserve(o, t, m.stopped);
    END IF;
    IF cardinality(m.fills) = 0 AND cardinality(m.dust) = 0 AND t.reserve IS NOT NULL THEN
        v_accounts := ARRAY[t.account, t.reserve];
    ELSE
        v_accounts := public.accounts_to_move(o, t, m);
    END IF;
    RETURN ROW(o, m.fills, m.dust, m.completes, CASE
        WHEN o.status = 'Active' AND cardinality(m.fills) = 0
            -- The most frequent case.
            THEN ROW(ARRAY[o.id], ARRAY['order_reserve'], ARRAY[o.placed_by], ARRAY[t.symbol],
                     -- Accounts of makers whose rest is closed may follow.
                     ARRAY[o.id, o.id], v_accounts[1:2], ARRAY[- o.reserved, o.reserved],
                     ARRAY['order:' || o.id || ':reserve'])::order_legs
        ELSE public.legs_of_order(o, t, m.fills, v_accounts)
    END)::order_plan;
END $$;


--
-- Name: post_legs(text, text, uuid, text, text, uuid[], numeric[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.post_legs(p_kind text, p_reference text, p_subject uuid, p_actor text, p_memo text, p_accounts uuid[], p_amounts numeric[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_id uuid := public.new_id();
BEGIN
    PERFORM public.post_transfers(
        ARRAY[v_id], ARRAY[p_kind], ARRAY[p_reference], ARRAY[p_subject], ARRAY[p_actor],
        ARRAY[p_memo], array_fill(v_id, ARRAY[cardinality(p_accounts)]), p_accounts, p_amounts);
END $$;


--
-- Name: post_service_transfers(uuid[], text[], text[], uuid[], text[], text[], uuid[], uuid[], numeric[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.post_service_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    v_kind text;
BEGIN
    SELECT k INTO v_kind FROM unnest(p_kinds) k
        LEFT JOIN wallets_transferrule r ON r.kind = k
        WHERE r.by_service IS NOT TRUE LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a transfer of kind % is posted by its own function only', v_kind
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT p_leg_transfers @> p_transfers THEN
        RAISE EXCEPTION 'a transfer has no legs'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    PERFORM post_transfers(p_transfers, p_kinds, p_references, p_subjects, p_actors, p_memos,
                           p_leg_transfers, p_accounts, p_amounts);
END $$;


--
-- Name: post_transfers(uuid[], text[], text[], uuid[], text[], text[], uuid[], uuid[], numeric[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.post_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH leg AS (
        SELECT * FROM unnest(p_leg_transfers, p_accounts, p_amounts)
            WITH ORDINALITY l (transfer, account, amount, n)
        WHERE l.amount IS DISTINCT FROM 0
    ), transfer AS (
        INSERT INTO public.wallets_transfer
            (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
        SELECT t.id, t.kind, t.reference, t.subject, t.actor, t.memo, now(), 0
        FROM unnest(p_transfers, p_kinds, p_references, p_subjects, p_actors, p_memos)
            t (id, kind, reference, subject, actor, memo)
        WHERE t.id IN (SELECT leg.transfer FROM leg)
    ), changed AS (
        -- The exchange's own accounts keep no balance.
        UPDATE public.wallets_account a SET balance = a.balance + x.amount
        FROM (
            SELECT account, sum(amount) AS amount FROM leg GROUP BY account ORDER BY account
        ) x
        WHERE a.id = x.account AND a.balance IS NOT NULL
        RETURNING a.id, a.asset_id, a.balance
    ), locked AS (
        -- The aggregate is there for its time: once all accounts are locked.
        SELECT public.id_stem(p_transfers[1]) AS stem, count(*) FROM changed
    )
    INSERT INTO public.wallets_entry
        (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT public.nth_id(locked.stem, '1', leg.n), leg.transfer, leg.account,
           coalesce(changed.asset_id,
                    (SELECT asset_id FROM public.wallets_account WHERE id = leg.account)),
           leg.amount,
           -- What the account came to, less what its later legs moved.
           changed.balance - coalesce(sum(leg.amount) OVER (
               PARTITION BY leg.account ORDER BY leg.n
               ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0)
        FROM leg CROSS JOIN locked LEFT JOIN changed ON changed.id = leg.account;
END $$;


--
-- Name: price_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.price_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_epoch bigint := (pg_current_xact_id()::text::bigint >> 32) << 32;
BEGIN
    -- The newest of these only: PostgreSQL fails for an older row whose transaction id, which has
    -- wrapped around since, looks like one of the future.
    -- A row that is visible while its transaction is in progress was written by this one, maybe
    -- within a savepoint.
    IF NOT coalesce((
        SELECT pg_xact_status((v_epoch | newest.xmin::text::bigint)::text::xid8) = 'in progress'
        FROM (
            SELECT q.xmin FROM public.exchange_quote q
            WHERE q.token_id = NEW.id AND q.status = 'Approved'
                AND (q.buy, q.sell, q.exchange)
                    = (NEW.price_buy, NEW.price_sell, NEW.price_exchange)
            ORDER BY q.decided_at DESC LIMIT 1) newest), false)
    THEN
        RAISE EXCEPTION 'the prices of token % change with an approved quote only', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_price_by_quote',
            TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;


--
-- Name: recorded_by_function(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.recorded_by_function() RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN current_setting('role') = 'exchange_runtime' AND current_user <> 'exchange_runtime';
END $$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;


--
-- Name: refuse_order(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_order(p_code text, p_detail text DEFAULT '{}'::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '%', p_code USING ERRCODE = 'XO400', DETAIL = p_detail;
END $$;


--
-- Name: refuse_withdrawal(public.withdrawal_order); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_withdrawal(o public.withdrawal_order) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    v_balance numeric;
    v_figures record;
BEGIN
    IF o.member IS NOT NULL AND withdrawal_event_user(o.member, o.organisation) IS NULL THEN
        RAISE EXCEPTION 'user_not_found' USING ERRCODE = 'XW400', DETAIL = '{}';
    END IF;
    -- Without an account the balance is zero; zero is never above it, so it is the minimum that
    -- refuses a request for nothing.
    SELECT balance INTO v_balance FROM wallets_account
        WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
            AND kind = 'available';
    IF coalesce(v_balance, 0) < o.amount THEN
        RAISE EXCEPTION 'insufficient_balance' USING ERRCODE = 'XW400',
            DETAIL = format('{"available":%s}', trim_scale(coalesce(v_balance, 0)));
    END IF;
    v_figures := withdrawal_figures(o.currency);
    IF o.amount < v_figures.minimum THEN
        RAISE EXCEPTION 'below_minimum' USING ERRCODE = 'XW400',
            DETAIL = format('{"minimum":%s}', trim_scale(v_figures.minimum));
    END IF;
    IF o.amount <= v_figures.fee THEN
        RAISE EXCEPTION 'fee_exceeds_amount' USING ERRCODE = 'XW400',
            DETAIL = format('{"fee":%s}', trim_scale(v_figures.fee));
    END IF;
END $$;


--
-- Name: repayment_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.repayment_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.wallets_transfer t
        WHERE t.reference = 'loan:' || NEW.loan_id || ':repay:' || NEW.id)
    THEN
        RAISE EXCEPTION 'no money moved for repayment %', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'repayment_moved_money';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: request_withdrawal(jsonb, integer, interval, integer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.request_withdrawal(p_order jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text, OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    o withdrawal_order := jsonb_populate_record(NULL::withdrawal_order, p_order);
BEGIN
    replayed := false;
    IF o.key IS NOT NULL THEN
        SELECT c.status_code, c.message, c.data INTO status_code, message, data
            FROM claim_idempotency_key(
                o.organisation, o.method, o.path, o.key, o.body_hash, p_wait_ms, p_kept) c;
        IF status_code IS NOT NULL THEN
            replayed := true;
            RETURN;
        END IF;
    END IF;
    SELECT h.answer INTO data FROM hold_withdrawals(ARRAY[o]) h;
    IF data IS NULL THEN
        PERFORM refuse_withdrawal(o);
        -- No reason: it is the first one of this wallet.
        PERFORM open_account(o.new_escrow, o.currency, 'escrow', o.organisation, o.member);
        SELECT h.answer INTO STRICT data FROM hold_withdrawals(ARRAY[o]) h;
    END IF;
    status_code := p_status_code;
    message := p_message;
    IF o.key IS NOT NULL THEN
        PERFORM store_idempotent_answer(
            o.organisation, o.method, o.path, o.key, status_code, message, data);
    END IF;
END $$;


--
-- Name: request_withdrawals(jsonb, integer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.request_withdrawals(p_orders jsonb, p_status_code integer, p_message text) RETURNS TABLE(done uuid, answer text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_orders withdrawal_order[] := ARRAY(
        SELECT o FROM jsonb_populate_recordset(NULL::withdrawal_order, p_orders) o);
    v_claims idempotency_claim[];
    v_wait text := current_setting('lock_timeout');
    v_done uuid[];
    v_answers text[];
BEGIN
    v_claims := ARRAY(
        SELECT ROW(o.withdrawal, o.organisation, o.method, o.path, o.key, o.body_hash)
                   ::idempotency_claim
        FROM unnest(v_orders) o WHERE o.key IS NOT NULL);
    -- One wallet that is locked for long must not hold up the others: after a second all of them
    -- go one by one.
    PERFORM set_config('lock_timeout', '1s', true);
    IF cardinality(v_claims) > 0 THEN
        v_claims := claim_free_keys(v_claims);
        v_orders := ARRAY(
            SELECT o FROM unnest(v_orders) o
            WHERE o.key IS NULL OR o.withdrawal IN (SELECT c.request FROM unnest(v_claims) c));
    END IF;
    SELECT coalesce(array_agg(h.done), '{}'), coalesce(array_agg(h.answer), '{}')
        INTO v_done, v_answers FROM hold_withdrawals(v_orders) h;
    IF cardinality(v_claims) > 0 THEN
        PERFORM keep_answers(v_claims, v_done, v_answers, p_status_code, p_message);
    END IF;
    PERFORM set_config('lock_timeout', v_wait, true);
    RETURN QUERY SELECT * FROM unnest(v_done, v_answers);
END $$;


--
-- Name: reserve_of_buy(public.orders_order, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reserve_of_buy(o public.orders_order, p_minor numeric) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    RETURN ((public.order_total('Buy'::text, ((o).filled_value + ((o).price * ((o).tokens - (o).filled))), (o).fee_percent, p_minor) - (o).charged) - (o).charged_fee);


--
-- Name: round_half_even(numeric, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.round_half_even(value numeric, decimals integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((value <> trunc(value, decimals)) AND ((value - trunc(value, decimals)) = (round(value, decimals) - value)) AND (mod((trunc(value, decimals) * power((10)::numeric, (decimals)::numeric)), (2)::numeric) = (0)::numeric)) THEN trunc(value, decimals) ELSE round(value, decimals) END;


--
-- Name: rule_detail(text, public.orders_order, public.order_terms); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rule_detail(p_rule text, o public.orders_order, t public.order_terms) RETURNS text
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF p_rule IN ('insufficient_balance', 'insufficient_units') THEN
        RETURN format(
            '{"available":%s,"requested":%s,"currency":"%s"}',
            trim_scale(coalesce(t.available, 0)), trim_scale(o.reserved), t.currency);
    END IF;
    RETURN CASE p_rule
        WHEN 'price_decimals' THEN format('{"decimals":%s}', t.decimals)
        WHEN 'below_offer' THEN format('{"price":%s}', trim_scale(t.offer))
        WHEN 'price_out_of_band' THEN format(
            '{"lowest":%s,"highest":%s}', trim_scale(t.lowest), trim_scale(t.highest))
        WHEN 'below_min_trade' THEN format(
            '{"amount":%s,"least":%s}', trim_scale(o.amount), trim_scale(t.least))
        WHEN 'above_max_trade' THEN format(
            '{"amount":%s,"most":%s}', trim_scale(o.amount), trim_scale(t.most))
        ELSE '{}'
    END;
END $$;


--
-- Name: set_transfer_rule(text, text[], text[], text, text, text[], boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.set_transfer_rule(p_kind text, p_leaves text[], p_enters text[], p_reference text, p_record text, p_states text[], p_by_service boolean) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO public.wallets_transferrule
        (kind, leaves, enters, reference, record, states, by_service)
    VALUES (p_kind, p_leaves, p_enters, p_reference, p_record, p_states, p_by_service)
    ON CONFLICT (kind) DO UPDATE SET leaves = excluded.leaves, enters = excluded.enters,
        reference = excluded.reference, record = excluded.record, states = excluded.states,
        by_service = excluded.by_service
$$;


--
-- Name: sole_approvals(uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.sole_approvals(p_approver uuid, p_withdrawal uuid, OUT total numeric, OUT most numeric) RETURNS record
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_currency text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('sole approvals ' || p_approver, 0));
    SELECT currency_id INTO STRICT v_currency
        FROM public.wallets_withdrawal WHERE id = p_withdrawal;
    most := public.figure_in_force('SOLE_APPROVALS_DAILY_' || v_currency);
    SELECT coalesce(sum(amount), 0) INTO total
        FROM public.wallets_withdrawal
        WHERE first_approver_id = p_approver AND second_approver_id IS NULL
            AND actioned_on > clock_timestamp() - interval '24 hours'
            AND currency_id = v_currency AND id <> p_withdrawal
            AND status NOT IN ('Pending', 'Rejected', 'Cancelled');
END $$;


--
-- Name: staff_access_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.staff_access_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_user = 'exchange_runtime' THEN
        NEW.access_changed_at := greatest(OLD.access_changed_at, NEW.access_changed_at);
        IF NEW.is_active AND NOT OLD.is_active THEN
            NEW.access_changed_at := greatest(NEW.access_changed_at, now());
        END IF;
    END IF;
    RETURN NEW;
END $$;


--
-- Name: store_idempotent_answer(uuid, text, text, text, integer, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.store_idempotent_answer(p_organisation uuid, p_method text, p_path text, p_key text, p_status_code integer, p_message text, p_data text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    UPDATE exchange_idempotencyrecord
        SET status_code = p_status_code, message = p_message, data = p_data
        WHERE organisation_id = p_organisation AND method = p_method
            AND path = p_path AND key = p_key;
$$;


--
-- Name: superuser_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.superuser_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT pg_catalog.pg_has_role(
        current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'only the owner of the database makes superusers'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: token_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.token_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF least(NEW.vol_buy, NEW.vol_sell, NEW.total_supply, NEW.total_allocated, NEW.total_raised) < 0
    THEN
        RAISE EXCEPTION 'totals of token % cannot be negative', NEW.id USING
            ERRCODE = 'check_violation', CONSTRAINT = 'token_totals_not_negative',
            TABLE = TG_TABLE_NAME;
    ELSIF NEW.supply NOT BETWEEN 0 AND NEW.total_supply THEN
        RAISE EXCEPTION 'supply of token % cannot be % of %', NEW.id, NEW.supply, NEW.total_supply
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_supply_within_total',
            TABLE = TG_TABLE_NAME;
    ELSIF TG_OP = 'INSERT' THEN
        RETURN NEW;
    ELSIF (OLD.id, OLD.issuer_id, OLD.currency_id, OLD.reference, OLD.created_at)
        IS DISTINCT FROM (NEW.id, NEW.issuer_id, NEW.currency_id, NEW.reference, NEW.created_at)
    THEN
        RAISE EXCEPTION 'what token % is never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    ELSIF OLD.cancelled AND NOT NEW.cancelled OR OLD.exited AND NOT NEW.exited
        OR OLD.completed_raise AND NOT NEW.completed_raise
    THEN
        RAISE EXCEPTION 'token % has ended; that is final', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;


--
-- Name: token_terms(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.token_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
    v_rule text := CASE
        WHEN NEW.secondaries AND NOT NEW.completed_raise THEN 'token_secondaries_after_raise'
        WHEN NOT NEW.completed_raise AND (NEW.raise_amount <= 0 OR NEW.price_buy <= 0)
            THEN 'token_raise_has_an_offer'
        -- Later prices are those of a quote, which holds the same.
        WHEN TG_OP = 'INSERT' AND NEW.price_sell > NEW.price_buy
            THEN 'token_sell_not_above_buy'
        WHEN least(NEW.buy_fee, NEW.sell_fee) < 0 OR greatest(NEW.buy_fee, NEW.sell_fee) > 50
            THEN 'token_fees_within_half'
        WHEN least(NEW.carry, NEW.management_fee, NEW.discount, NEW.interest, NEW.dividend) < 0
            OR greatest(NEW.carry, NEW.management_fee, NEW.discount, NEW.interest, NEW.dividend)
                > 100
            THEN 'token_percent_within_100'
        WHEN least(NEW.min_buy, NEW.min_sell, NEW.min_trade_buy, NEW.min_trade_sell) < 0
            OR NEW.max_buy <> 0 AND NEW.max_buy < NEW.min_buy
            OR NEW.max_sell <> 0 AND NEW.max_sell < NEW.min_sell
            OR NEW.max_trade_buy <> 0 AND NEW.max_trade_buy < NEW.min_trade_buy
            OR NEW.max_trade_sell <> 0 AND NEW.max_trade_sell < NEW.min_trade_sell
            THEN 'token_bounds_in_order'
        WHEN least(NEW.price_buy, NEW.price_sell, NEW.price_exchange, NEW.prev_price_buy,
                   NEW.prev_price_sell, NEW.prev_price_exchange, NEW.valuation,
                   NEW.post_raise_valuation, NEW.raise_amount) < 0
            THEN 'token_amounts_not_negative'
        WHEN NEW.image <> '' AND NEW.image
            !~* '^(https?://[^/\\\s<>"''][^\\\s<>"'']*|/([^/\\\s<>"''][^\\\s<>"'']*)?)$'
            THEN 'token_image_is_an_address'
        WHEN NEW.type NOT IN ('Private', 'Public')
            OR NEW.deal_access NOT IN ('Private', 'Public')
            OR NEW.investment_type NOT IN ('the service', 'SAFE', 'Debt', 'Fixed Interest')
            OR NEW.investment_category NOT IN (
                'ETF', 'Bond', 'Commercial Paper', 'Debt Note', 'Real Estate', 'Private Business',
                'Startup', 'Commodities', 'Fund', 'Art', 'Music', 'Movie', 'Charity')
            OR NEW.payout_frequency NOT IN (
                '', 'Monthly', 'Quarterly', 'Semi-Annually', 'Annually', 'At Maturity')
            THEN 'token_words_known'
    END;
BEGIN
    IF v_rule IS NOT NULL THEN
        RAISE EXCEPTION 'the terms of token % break %', NEW.id, v_rule
            USING ERRCODE = 'check_violation', CONSTRAINT = v_rule, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $_$;


--
-- Name: exchange_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_token (
    id uuid NOT NULL,
    name character varying(200) NOT NULL,
    symbol character varying(20) NOT NULL,
    reference bigint NOT NULL,
    image character varying(500) NOT NULL,
    listing_reference character varying(60) NOT NULL,
    type character varying(10) NOT NULL,
    deal_access character varying(10) NOT NULL,
    investment_type character varying(20) NOT NULL,
    investment_category character varying(20) NOT NULL,
    payout_frequency character varying(20) NOT NULL,
    price_buy numeric(38,8) NOT NULL,
    price_sell numeric(38,8) NOT NULL,
    price_exchange numeric(38,8) NOT NULL,
    prev_price_buy numeric(38,8) NOT NULL,
    prev_price_sell numeric(38,8) NOT NULL,
    prev_price_exchange numeric(38,8) NOT NULL,
    quoted_at timestamp with time zone,
    min_buy numeric(38,8) NOT NULL,
    min_sell numeric(38,8) NOT NULL,
    max_buy numeric(38,8) NOT NULL,
    max_sell numeric(38,8) NOT NULL,
    min_trade_buy numeric(38,8) NOT NULL,
    min_trade_sell numeric(38,8) NOT NULL,
    max_trade_buy numeric(38,8) NOT NULL,
    max_trade_sell numeric(38,8) NOT NULL,
    vol_buy numeric(38,8) NOT NULL,
    vol_sell numeric(38,8) NOT NULL,
    buy_fee numeric(12,4) NOT NULL,
    sell_fee numeric(12,4) NOT NULL,
    carry numeric(12,4) NOT NULL,
    management_fee numeric(12,4) NOT NULL,
    discount numeric(12,4) NOT NULL,
    interest numeric(12,4) NOT NULL,
    dividend numeric(12,4) NOT NULL,
    tenor integer NOT NULL,
    valuation numeric(38,8) NOT NULL,
    post_raise_valuation numeric(38,8) NOT NULL,
    total_supply numeric(38,8) NOT NULL,
    supply numeric(38,8) NOT NULL,
    total_allocated numeric(38,8) NOT NULL,
    raise_amount numeric(38,8) NOT NULL,
    total_raised numeric(38,8) NOT NULL,
    completed_raise boolean NOT NULL,
    secondaries boolean NOT NULL,
    closed boolean NOT NULL,
    exited boolean NOT NULL,
    cancelled boolean NOT NULL,
    esop_token boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    document text NOT NULL,
    words tsvector,
    creator_id uuid,
    currency_id character varying(3) NOT NULL,
    issuer_id uuid NOT NULL,
    CONSTRAINT exchange_token_tenor_check CHECK ((tenor >= 0))
)
WITH (fillfactor='85');


--
-- Name: token_visible(public.exchange_token, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.token_visible(t public.exchange_token, p_organisation uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN t.deal_access = 'Public' OR t.issuer_id = p_organisation OR EXISTS (
        SELECT FROM public.exchange_tokenaccess a
        WHERE a.token_id = t.id AND a.organisation_id = p_organisation);
END $$;


--
-- Name: token_words(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.token_words() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.words := to_tsvector(
        'simple', coalesce(regexp_replace(NEW.name, '[^[:alnum:]]+', ' ', 'g'), ''));
    RETURN NEW;
END $$;


--
-- Name: told_actor(text, text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.told_actor(p_actor text, p_label text, p_named boolean) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    v_kind text := split_part(p_actor, ':', 1);
    v_role text := 'system';
    v_id text := 'system';
    v_named boolean := false;
BEGIN
    IF p_actor IS NULL THEN
        RETURN NULL;
    ELSIF v_kind = 'staff' THEN
        SELECT coalesce(min(lower(g.name)), 'staff'),
               'staff_' || replace((min(s.public_id::text)), '-', '')
            INTO v_role, v_id
            FROM public.exchange_staffuser s
            LEFT JOIN public.exchange_staffuser_groups m ON m.staffuser_id = s.id
            LEFT JOIN public.auth_group g ON g.id = m.group_id
            WHERE s.id = substr(p_actor, 7)::uuid;
        v_named := p_named;
    ELSIF v_kind = 'api_key' THEN
        v_role := 'API key';
        SELECT k.client_id INTO v_id
            FROM public.exchange_apikey k WHERE k.id = substr(p_actor, 9)::uuid;
        v_named := true;
    END IF;
    RETURN '{"role":' || to_json(v_role)::text
        || ',"id":' || coalesce(to_json(v_id)::text, 'null')
        || CASE WHEN v_named THEN ',"name":' || to_json(p_label)::text ELSE '' END || '}';
END $$;


--
-- Name: transfer_justified(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.transfer_justified() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_justified boolean;
BEGIN
    -- What `enter_orders` alone posts, with its record, in one call: that the record is there is asked of
    -- each, the rest by the proof of books. The whole check would take a tenth of the time of an order
    -- (decision 23).
    IF NEW.kind = 'order_reserve' THEN
        v_justified := EXISTS (SELECT FROM public.orders_order WHERE id = NEW.subject_id);
    ELSIF NEW.kind = 'trade' THEN
        v_justified := EXISTS (SELECT FROM public.orders_trade WHERE id = NEW.subject_id);
    ELSIF NEW.kind LIKE ANY ('{order%,raise%}') THEN
        v_justified := public.order_transfer_justified(NEW);
    ELSIF NEW.kind LIKE 'loan%' THEN
        v_justified := public.loan_transfer_justified(NEW);
    ELSE
        v_justified := public.wallet_transfer_justified(NEW);
    END IF;
    IF v_justified THEN
        RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM public.wallets_entry WHERE transfer_id = NEW.id) THEN
        RAISE EXCEPTION 'transfer % has no legs', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    RAISE EXCEPTION 'no record justifies transfer % (%)', NEW.reference, NEW.kind
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_justified';
END $$;


--
-- Name: transfer_legs(public.wallets_transfer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.transfer_legs(t public.wallets_transfer, p_state text) RETURNS SETOF public.transfer_leg
    LANGUAGE sql STABLE
    AS $$
    SELECT a.kind::text, a.owner_id, a.balance, e.asset_id::text, e.amount,
           a.kind = ANY (CASE WHEN e.amount < 0 THEN r.leaves ELSE r.enters END)
               AND t.reference LIKE replace(r.reference, '{id}', t.subject_id::text)
               AND (r.states = '{}' OR p_state = ANY (r.states))
    FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
          WHERE transfer_id = t.id OFFSET 0) e
    JOIN public.wallets_account a ON a.id = e.account_id
    JOIN public.wallets_transferrule r ON r.kind = t.kind
$$;


--
-- Name: transfer_stamp(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.transfer_stamp() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.created_txid := txid_current();
    NEW.created_at := now();
    RETURN NEW;
END $$;


--
-- Name: two_person_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.two_person_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_name text := TG_ARGV[0];
    v_proposer text;
    v_pending text := TG_ARGV[2];
    v_approved text := TG_ARGV[3];
    v_may_change text[] := '{}';
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a % is never removed', v_name USING ERRCODE = 'restrict_violation';
    END IF;
    v_proposer := to_jsonb(NEW) ->> TG_ARGV[1];
    IF TG_OP = 'UPDATE' THEN
        IF OLD.status = v_pending THEN
            v_may_change := '{status,decided_by_id,decided_at}' || string_to_array(TG_ARGV[4], ',');
        ELSIF TG_NARGS > 5 THEN
            v_may_change := string_to_array(TG_ARGV[5], ',');
        END IF;
        IF to_jsonb(OLD) - v_may_change <> to_jsonb(NEW) - v_may_change THEN
            RAISE EXCEPTION '% % is decided, or what it proposes would change', v_name, OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
    ELSIF NEW.decided_by_id IS NOT NULL OR v_proposer IS NOT NULL AND NEW.status <> v_pending THEN
        RAISE EXCEPTION 'a % starts %', v_name, v_pending
            USING ERRCODE = 'check_violation', CONSTRAINT = v_name || '_starts_pending';
    END IF;
    IF NEW.status = v_pending AND num_nonnulls(NEW.decided_by_id, NEW.decided_at) > 0 THEN
        RAISE EXCEPTION '% % is % and not decided', v_name, NEW.id, v_pending
            USING ERRCODE = 'check_violation', CONSTRAINT = v_name || '_undecided';
    END IF;
    IF NEW.status = v_approved AND v_proposer IS NOT NULL AND (
        NEW.decided_by_id IS NULL
        OR v_proposer IN (NEW.decided_by_id::text, 'staff:' || NEW.decided_by_id))
    THEN
        RAISE EXCEPTION 'somebody else approves % % than who proposed it', v_name, NEW.id
            USING ERRCODE = 'check_violation',
                CONSTRAINT = v_name || '_' || lower(v_approved) || '_by_another';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: version_decision(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.version_decision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
        ('Pending', 'Approved'), ('Pending', 'Rejected'), ('Approved', 'Superseded'))
    THEN
        RAISE EXCEPTION 'a version cannot go from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_transition';
    END IF;
    IF (NEW.decided_at IS NULL) <> (NEW.status = 'Pending')
        OR NEW.status = 'Pending' AND NEW.reason <> ''
        OR NEW.status = 'Rejected' AND NEW.reason = ''
    THEN
        RAISE EXCEPTION 'version % cannot be % like that', OLD.number, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_decision';
    END IF;
    IF OLD.status = 'Pending' AND NEW.status = 'Approved' AND EXISTS (
        SELECT FROM public.credit_configurationversion v
        JOIN public.credit_loanconfiguration c ON c.id = v.configuration_id
        WHERE c.id = NEW.configuration_id AND c.status = 'Pending' AND v.number = 1
            AND v.proposed_by = 'staff:' || NEW.decided_by_id)
    THEN
        RAISE EXCEPTION 'somebody else approves a configuration than who created it'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_approved_by_another';
    END IF;
    RETURN NEW;
END $$;


--
-- Name: version_part_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.version_part_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    wanted uuid;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF TG_TABLE_NAME = 'credit_loanlimit' THEN
            wanted := NEW.version_id;
        ELSE
            wanted := NEW.configurationversion_id;
        END IF;
        IF EXISTS (SELECT FROM public.credit_configurationversion v
                   WHERE v.id = wanted AND v.status = 'Pending')
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the terms of a version never change' USING ERRCODE = 'restrict_violation';
END $$;


--
-- Name: wallet_transfer_justified(public.wallets_transfer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wallet_transfer_justified(posted public.wallets_transfer) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    v_justified boolean;
BEGIN
    IF posted.kind = 'withdrawal_hold' THEN
        -- The most frequent one: its rule in few words.
        SELECT bool_and((
                posted.reference = 'withdrawal:' || w.id || ':hold'
                AND e.asset_id = w.currency_id
                AND a.owner_id = w.owner_id
                AND e.amount = CASE a.kind WHEN 'available' THEN - w.amount
                                           WHEN 'escrow' THEN w.amount END) IS TRUE)
            INTO v_justified
            FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
                  WHERE transfer_id = posted.id OFFSET 0) e
            JOIN public.wallets_account a ON a.id = e.account_id
            JOIN public.wallets_withdrawal w ON w.id = posted.subject_id;
    ELSIF posted.kind LIKE 'withdrawal%' OR posted.kind = 'provider_charge' THEN
        SELECT bool_and((
                e.fits
                AND e.asset_id = w.currency_id
                AND (e.owner_id = w.owner_id OR e.owner_id IS NULL)
                AND abs(e.amount) = CASE
                    WHEN posted.kind = 'provider_charge' THEN (
                        SELECT p.provider_fee FROM public.wallets_payout p
                        WHERE p.withdrawal_id = w.id)
                    WHEN e.kind = 'fees' THEN w.fee
                    WHEN posted.kind = 'withdrawal_reverse' OR e.kind = 'clearing'
                        THEN w.disburse_amount
                    ELSE w.amount END
                AND (posted.kind <> 'withdrawal_reverse' OR EXISTS (
                    SELECT FROM public.wallets_proposal p
                    WHERE p.withdrawal_id = w.id AND p.action = 'Reverse'
                        AND p.status = 'Confirmed' AND p.decided_by_id <> p.proposed_by_id))) IS TRUE)
            INTO v_justified
            FROM public.wallets_withdrawal w, public.transfer_legs(posted, w.status) e
            WHERE w.id = posted.subject_id;
    ELSIF posted.kind = 'deposit' THEN
        SELECT bool_and((
                e.fits
                AND e.asset_id = d.currency_id
                AND (e.owner_id = d.owner_id OR e.owner_id IS NULL)
                AND abs(e.amount) = d.amount) IS TRUE)
            INTO v_justified
            FROM public.wallets_deposit d, public.transfer_legs(posted, d.status) e
            WHERE d.id = posted.subject_id;
    ELSE
        SELECT bool_and((
                e.fits
                AND e.asset_id = t.id::text
                AND (e.owner_id = t.issuer_id OR e.owner_id IS NULL)
                AND (posted.kind <> 'units_issue' OR e.amount > 0 OR e.amount = - t.total_supply)) IS TRUE)
            INTO v_justified
            FROM public.exchange_token t,
                 public.transfer_legs(posted, CASE WHEN t.cancelled THEN 'cancelled' END) e
            WHERE t.id = posted.subject_id;
    END IF;
    RETURN v_justified;
END $$;


--
-- Name: wallets_bankaccount_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wallets_bankaccount_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := ('{"_id":"' || (NEW.id)::text || '","name":' || (to_json((NEW.name)::text))::text || ',"code":' || (to_json((NEW.code)::text))::text) || (',"account_number":' || (to_json((NEW.account_number)::text))::text || ',"account_name":' || (to_json((NEW.account_name)::text))::text || ',"currency":' || (to_json((NEW.currency_id)::text))::text || '}');
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION wallets_bankaccount_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.wallets_bankaccount_document() IS 'document cbdf01ec01cdc61e';


--
-- Name: wallets_withdrawal_document(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wallets_withdrawal_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
            BEGIN
                NEW.document := CASE WHEN NEW.member_id IS NOT NULL THEN (('{"_id":"' || (NEW.id)::text || '","owner":"' || (coalesce(NEW.member_id, NEW.organisation_id))::text || '","owner_model":' || (to_json((CASE WHEN NEW.member_id IS NULL THEN 'organisation' ELSE 'user' END)::text))::text) || (',"reference":' || (to_json((NEW.reference)::text))::text || ',"amount":' || (trim_scale(NEW.amount))::text || ',"disburse_amount":' || (trim_scale(NEW.disburse_amount))::text || ',"fee":')) || (((trim_scale(NEW.fee))::text || ',"currency":' || (to_json((NEW.currency_id)::text))::text || ',"bank":"' || (NEW.bank_id)::text || '","status":' || (to_json((NEW.status)::text))::text) || (',"actioned_on":' || coalesce('"' || (public.wire_time(NEW.actioned_on))::text || '"', 'null') || ',"createdAt":"' || (public.wire_time(NEW.created_at))::text || '","updatedAt":"' || (public.wire_time(NEW.updated_at))::text || '"}')) ELSE (('{"_id":"' || (NEW.id)::text || '","owner":"' || (coalesce(NEW.member_id, NEW.organisation_id))::text || '","owner_model":' || (to_json((CASE WHEN NEW.member_id IS NULL THEN 'organisation' ELSE 'user' END)::text))::text || ',"reference":' || (to_json((NEW.reference)::text))::text) || (',"amount":' || (trim_scale(NEW.amount))::text || ',"disburse_amount":' || (trim_scale(NEW.disburse_amount))::text || ',"fee":' || (trim_scale(NEW.fee))::text || ',"gusd_amount":' || coalesce((trim_scale(NEW.gusd_amount))::text, 'null'))) || ((',"internal_fee":' || (trim_scale(NEW.internal_fee))::text || ',"internal_fee_type":' || (to_json((NEW.internal_fee_type)::text))::text || ',"currency":' || (to_json((NEW.currency_id)::text))::text || ',"bank":"' || (NEW.bank_id)::text) || (('","status":' || (to_json((NEW.status)::text))::text || ',"actioned_on":' || coalesce('"' || (public.wire_time(NEW.actioned_on))::text || '"', 'null')) || (',"createdAt":"' || (public.wire_time(NEW.created_at))::text || '","updatedAt":"' || (public.wire_time(NEW.updated_at))::text || '"}'))) END;
                RETURN NEW;
            END $$;


--
-- Name: FUNCTION wallets_withdrawal_document(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.wallets_withdrawal_document() IS 'document 4e30e4eb6a8e5d58';


--
-- Name: withdrawal_event_data(text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.withdrawal_event_data(p_withdrawal text, p_actioned_by text, p_bank text, p_user text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
    RETURN '{"withdrawal":' || left(p_withdrawal, -1)
        || ',"actioned_by":' || coalesce(p_actioned_by, 'null')
        || '},"bank":' || p_bank || ',"user":' || coalesce(p_user, 'null') || '}';
END $$;


--
-- Name: withdrawal_event_user(uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.withdrawal_event_user(p_member uuid, p_organisation uuid) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (
        SELECT row_to_json(u)::text FROM (
            SELECT m.id AS "_id", m.name, m.email FROM public.exchange_member m
            WHERE m.id = p_member AND m.organisation_id = p_organisation
        ) u
    );
END $$;


--
-- Name: withdrawal_figures(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.withdrawal_figures(p_currency text, OUT minimum numeric, OUT fee numeric, OUT usd_rate numeric, OUT second_approval numeric, OUT internal_fee numeric) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    SELECT greatest(max(value) FILTER (WHERE key = 'MINIMUM_WITHDRAWAL_' || p_currency), 1),
           coalesce(max(value) FILTER (WHERE key = p_currency || '_WITHDRAWAL_FEE'), 0),
           max(value) FILTER (WHERE key = p_currency || '_USD_RATE' AND value > 0),
           max(value) FILTER (WHERE key = 'SECOND_APPROVAL_ABOVE_' || p_currency),
           coalesce(max(value) FILTER (WHERE key = p_currency || '_INTERNAL_FEE'), 0)
        INTO minimum, fee, usd_rate, second_approval, internal_fee
        FROM (
            SELECT c.key, coalesce(f.value, c.value) AS value
            FROM public.wallets_configuration c
            LEFT JOIN LATERAL (
                SELECT value FROM public.wallets_configurationfigure
                WHERE configuration_id = c.key AND status = 'Approved' AND in_force_from <= now()
                ORDER BY in_force_from DESC, decided_at DESC LIMIT 1
            ) f ON true
            WHERE c.key IN ('MINIMUM_WITHDRAWAL_' || p_currency, p_currency || '_WITHDRAWAL_FEE',
                            p_currency || '_USD_RATE', 'SECOND_APPROVAL_ABOVE_' || p_currency,
                            p_currency || '_INTERNAL_FEE')
        ) figures;
END $$;


--
-- Name: withdrawal_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.withdrawal_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_alone record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'withdrawals are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'Pending' OR NEW.version <> 1 OR NEW.actioned_on IS NOT NULL
            OR NEW.first_approver_id IS NOT NULL OR NEW.second_approver_id IS NOT NULL
            OR NEW.approvals_needed NOT IN (1, 2)
        THEN
            RAISE EXCEPTION 'a withdrawal starts Pending and undecided'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_starts_pending';
        END IF;
        RETURN NEW;
    END IF;
    IF (OLD.id, OLD.organisation_id, OLD.member_id, OLD.reference, OLD.currency_id, OLD.amount,
        OLD.fee, OLD.disburse_amount, OLD.gusd_amount, OLD.internal_fee, OLD.internal_fee_type,
        OLD.bank_id, OLD.requested_by, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.member_id, NEW.reference, NEW.currency_id, NEW.amount,
        NEW.fee, NEW.disburse_amount, NEW.gusd_amount, NEW.internal_fee, NEW.internal_fee_type,
        NEW.bank_id, NEW.requested_by, NEW.created_at)
    THEN
        RAISE EXCEPTION 'what withdrawal % asks for never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- Whoever gives the first approval may find that two are needed.
    IF NEW.approvals_needed <> OLD.approvals_needed
        AND (NEW.status <> 'Pending' OR OLD.approvals_needed <> 1 OR NEW.approvals_needed <> 2
             OR OLD.first_approver_id IS NOT NULL OR NEW.first_approver_id IS NULL)
    THEN
        RAISE EXCEPTION 'how many approvals withdrawal % needs is raised by the first one only', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.status <> OLD.status THEN
        IF NEW.version <> OLD.version + 1 THEN
            RAISE EXCEPTION 'a transition raises the version by one'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_version';
        END IF;
        IF (OLD.status, NEW.status) NOT IN (
            ('Pending', 'Approved'), ('Pending', 'Rejected'), ('Pending', 'Cancelled'),
            ('Approved', 'Processing'),
            ('Approved', 'Rejected'),    -- two people returned it, see below
            ('Processing', 'Completed'), ('Processing', 'Failed'), ('Processing', 'Unknown'),
            ('Processing', 'Approved'),  -- the provider had too little float: nothing was sent
            ('Unknown', 'Completed'), ('Unknown', 'Failed'),
            ('Unknown', 'Approved'),     -- two people decided to send it again
            ('Completed', 'Reversed')
        ) THEN
            RAISE EXCEPTION 'withdrawal % cannot go from % to %', OLD.id, OLD.status, NEW.status
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_transition';
        END IF;
        -- Nobody has claimed it, it was never sent again after it was lost (it may have been paid), and a
        -- second person has confirmed that it is returned.
        IF OLD.status = 'Approved' AND NEW.status = 'Rejected' AND NOT (
            EXISTS (SELECT FROM public.wallets_payout p
                    WHERE p.withdrawal_id = OLD.id AND p.posted_at IS NULL
                        AND p.leased_until IS NULL AND p.provider_id = '')
            AND NOT EXISTS (SELECT FROM public.wallets_proposal r
                            WHERE r.withdrawal_id = OLD.id AND r.action = 'Send again'
                                AND r.status = 'Confirmed')
            AND EXISTS (SELECT FROM public.wallets_proposal r
                        WHERE r.withdrawal_id = OLD.id AND r.action = 'Return'
                            AND r.status = 'Confirmed' AND r.decided_by_id <> r.proposed_by_id))
        THEN
            RAISE EXCEPTION 'withdrawal % is not returned by two people, or may be sent', OLD.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_returned_by_two';
        END IF;
    ELSIF NEW.version NOT IN (OLD.version, OLD.version + 1) THEN
        RAISE EXCEPTION 'the version of withdrawal % counts by one', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_version';
    END IF;
    IF OLD.first_approver_id IS NOT NULL
        AND OLD.first_approver_id IS DISTINCT FROM NEW.first_approver_id
        OR OLD.second_approver_id IS NOT NULL
        AND OLD.second_approver_id IS DISTINCT FROM NEW.second_approver_id
    THEN
        RAISE EXCEPTION 'who approved withdrawal % never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- Row rules that only an approval can break are here and not in CHECKs, which every new
    -- request would pay for.
    IF NEW.first_approver_id = NEW.second_approver_id THEN
        RAISE EXCEPTION 'withdrawal % needs two different approvers', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approvers_differ';
    END IF;
    IF NEW.status NOT IN ('Pending', 'Rejected', 'Cancelled')
        AND (NEW.first_approver_id IS NULL
             OR NEW.approvals_needed > 1 AND NEW.second_approver_id IS NULL)
    THEN
        RAISE EXCEPTION 'withdrawal % is not approved by enough people', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approved_by_enough';
    END IF;
    -- One person approves alone only what the totals of 24 hours allow (approval_requirement.sql).
    IF OLD.status = 'Pending' AND NEW.status = 'Approved' AND NEW.second_approver_id IS NULL THEN
        SELECT r.needed, s.total + OLD.amount > s.most AS too_much INTO v_alone
            FROM public.approval_requirement(OLD.id) r,
                 public.sole_approvals(NEW.first_approver_id, OLD.id) s;
        IF v_alone.needed > 1 THEN
            RAISE EXCEPTION 'withdrawal % is not approved by enough people', OLD.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approved_by_enough';
        ELSIF v_alone.too_much THEN
            RAISE EXCEPTION 'withdrawal % is more than one person may approve alone', OLD.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_sole_approvals';
        END IF;
    END IF;
    IF NEW.requested_by IN ('staff:' || NEW.first_approver_id, 'staff:' || NEW.second_approver_id)
    THEN
        RAISE EXCEPTION 'nobody approves withdrawal % who asked for it', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approver_not_maker';
    END IF;
    -- The clock, not the start of the transaction: the decision's own time lies in between.
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;


--
-- Name: write_change(text, text, text, text, jsonb, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.write_change(p_table text, p_operation text, p_record text, p_about text, p_before jsonb, p_after jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_role text := current_setting('role');
    v_user text := session_user;
BEGIN
    IF v_role NOT IN ('none', v_user) THEN
        v_user := v_user || ' as ' || v_role;
    END IF;
    INSERT INTO public.exchange_change
        (id, at, actor, actor_label, via, database_user, application, table_name, record_id,
         about_id, operation, before, after)
    VALUES (
        public.new_id(), clock_timestamp(),
        left(coalesce(nullif(current_setting('exchange.actor', true), ''),
                      'database:' || session_user), 120),
        left(coalesce(current_setting('exchange.actor_label', true), ''), 200),
        left(coalesce(current_setting('exchange.via', true), ''), 200),
        v_user, current_setting('application_name'),
        p_table, left(p_record, 64), left(coalesce(p_about, ''), 64), p_operation,
        p_before, p_after);
END $$;


--
-- Name: write_order(public.orders_order, public.order_fill[], text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.write_order(o public.orders_order, p_fills public.order_fill[], p_stem text) RETURNS text
    LANGUAGE plpgsql
    AS $$
DECLARE
    buys boolean;
    f order_fill;
    v_trade text;
    v_maker text;
    v_units numeric := 0;
    v_value numeric := 0;
    -- What is told: to whom, what, about what; nothing where there are no data.
    v_told uuid[];
    v_types text[];
    v_subjects uuid[];
    v_data text[];
BEGIN
    INSERT INTO public.orders_order
        (id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
         tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
         reserved, customer_name, customer_email, client_order_id, placed_by, reason,
         created_at, updated_at, closed_at)
    VALUES
        (o.id, o.seq, o.token_id, o.organisation_id, o.member_id, o.api_key_id, o.owner_model,
         o.type, o.price, o.tokens, o.amount, o.fee_percent, o.status, o.filled,
         o.filled_value, o.charged, o.charged_fee, o.reserved, o.customer_name,
         o.customer_email, o.client_order_id, o.placed_by, o.reason, o.created_at,
         o.created_at, o.closed_at)
    RETURNING document INTO o.document;
    IF o.status = 'Active' AND cardinality(p_fills) = 0 THEN
        -- The most frequent case.
        PERFORM public.emit_events(
            ARRAY[public.nth_id(p_stem, '0', 1)], ARRAY[o.organisation_id], '{order.created}',
            ARRAY[o.id], ARRAY['{"order":' || o.document || '}']);
        RETURN o.document;
    END IF;

    buys := o.type = 'Buy';
    v_told := ARRAY[o.organisation_id];
    v_types := ARRAY['order.created'];
    v_subjects := ARRAY[o.id];
    v_data := ARRAY['{"order":' || o.document || '}'];
    FOREACH f IN ARRAY p_fills LOOP
        v_maker := NULL;
        IF f.maker IS NOT NULL THEN
            UPDATE public.orders_order m SET
                filled = f.filled, filled_value = f.filled_value, charged = f.charged,
                charged_fee = f.charged_fee,
                reserved = m.reserved
                    - CASE WHEN buys THEN f.units ELSE f.maker_value + f.maker_fee END,
                status = CASE WHEN f.fulfilled THEN 'Fulfilled' ELSE 'Active' END,
                closed_at = CASE WHEN f.fulfilled THEN o.created_at END,
                updated_at = o.created_at
            WHERE m.id = f.maker
            RETURNING m.document INTO v_maker;
        END IF;
        INSERT INTO public.orders_trade
            (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens,
             buyer_value, buyer_fee, seller_value, seller_fee, created_at)
        VALUES
            (f.trade, f.seq, o.token_id,
             CASE WHEN buys THEN o.id ELSE f.maker END, CASE WHEN buys THEN f.maker ELSE o.id END,
             o.type, f.price, f.units,
             CASE WHEN buys THEN f.taker_value ELSE f.maker_value END,
             CASE WHEN buys THEN f.taker_fee ELSE f.maker_fee END,
             CASE WHEN buys THEN f.maker_value ELSE f.taker_value END,
             CASE WHEN buys THEN f.maker_fee ELSE f.taker_fee END, o.created_at)
        RETURNING document INTO v_trade;
        v_units := v_units + f.units;
        v_value := v_value + f.taker_value;
        v_told := v_told || ARRAY[o.organisation_id, f.organisation, f.organisation];
        v_types := v_types || '{trade.created,trade.created,order.fulfilled}'::text[];
        v_subjects := v_subjects || ARRAY[f.trade, f.trade, f.maker];
        v_data := v_data || ARRAY[
            '{"trade":' || v_trade || ',"order":' || o.document || '}',
            '{"trade":' || v_trade || ',"order":' || v_maker || '}',
            CASE WHEN f.fulfilled THEN public.order_end_data(v_maker, '') END];
    END LOOP;
    IF o.status <> 'Active' THEN
        v_told := v_told || o.organisation_id;
        v_types := v_types || ('order.' || lower(o.status));
        v_subjects := v_subjects || o.id;
        v_data := v_data || public.order_end_data(o.document, o.reason);
    END IF;

    IF v_units > 0 THEN
        UPDATE public.exchange_token SET
            vol_buy = vol_buy + v_units,
            vol_sell = vol_sell + CASE WHEN completed_raise THEN v_units ELSE 0 END,
            supply = supply + CASE WHEN completed_raise THEN 0 ELSE v_units END,
            total_allocated = total_allocated + CASE WHEN completed_raise THEN 0 ELSE v_units END,
            total_raised = total_raised + CASE WHEN completed_raise THEN 0 ELSE v_value END
        WHERE id = o.token_id;
    END IF;
    PERFORM public.emit_events(
        ARRAY(SELECT public.nth_id(p_stem, '0', n) FROM generate_series(1, cardinality(v_told)) n),
        v_told, v_types, v_subjects, v_data);
    RETURN o.document;
END $$;


--
-- Name: auth_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);


--
-- Name: auth_group_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_permission; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: credit_collateral; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_collateral (
    id bigint NOT NULL,
    "position" smallint NOT NULL,
    quantity numeric(38,8) NOT NULL,
    pledged_price numeric(38,8) NOT NULL,
    token_id uuid NOT NULL,
    loan_id uuid NOT NULL,
    CONSTRAINT collateral_not_negative CHECK ((quantity >= (0)::numeric)),
    CONSTRAINT credit_collateral_position_check CHECK (("position" >= 0))
);


--
-- Name: credit_collateral_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.credit_collateral ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.credit_collateral_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: credit_configurationversion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_configurationversion (
    id uuid NOT NULL,
    number integer NOT NULL,
    name character varying(200) NOT NULL,
    access character varying(13) NOT NULL,
    investment_categories character varying(20)[] NOT NULL,
    collateral_ratio numeric(9,8) NOT NULL,
    interest_rate numeric(9,8) NOT NULL,
    duration smallint NOT NULL,
    grace_period smallint NOT NULL,
    grace_period_unit character varying(4) NOT NULL,
    status character varying(10) NOT NULL,
    proposed_by character varying(80) NOT NULL,
    proposed_by_label character varying(200) NOT NULL,
    decided_at timestamp with time zone,
    reason character varying(500) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_by_id uuid,
    configuration_id uuid NOT NULL,
    CONSTRAINT credit_configurationversion_duration_check CHECK ((duration >= 0)),
    CONSTRAINT credit_configurationversion_grace_period_check CHECK ((grace_period >= 0)),
    CONSTRAINT credit_configurationversion_number_check CHECK ((number >= 0)),
    CONSTRAINT version_rates CHECK (((collateral_ratio > (0)::numeric) AND (collateral_ratio <= (1)::numeric) AND (duration >= 1) AND (interest_rate >= (0)::numeric) AND (interest_rate <= (1)::numeric)))
);


--
-- Name: credit_configurationversion_organisations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_configurationversion_organisations (
    id bigint NOT NULL,
    configurationversion_id uuid NOT NULL,
    organisation_id uuid NOT NULL
);


--
-- Name: credit_configurationversion_organisations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.credit_configurationversion_organisations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.credit_configurationversion_organisations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: credit_endingproposal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_endingproposal (
    id uuid NOT NULL,
    action character varying(9) NOT NULL,
    status character varying(9) NOT NULL,
    note character varying(500) NOT NULL,
    plan jsonb NOT NULL,
    owed numeric(38,8) NOT NULL,
    value_passed numeric(38,8) NOT NULL,
    deficiency numeric(38,8) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by_id uuid,
    proposed_by_id uuid NOT NULL,
    loan_id uuid NOT NULL,
    final_deficiency numeric(38,8),
    final_owed numeric(38,8),
    final_plan jsonb,
    final_value numeric(38,8)
);


--
-- Name: credit_loanconfiguration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_loanconfiguration (
    id uuid NOT NULL,
    status character varying(10) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    creditor_id uuid NOT NULL
);


--
-- Name: credit_loanlimit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_loanlimit (
    id bigint NOT NULL,
    max_amount numeric(38,8) NOT NULL,
    max_outstanding numeric(38,8),
    currency_id character varying(3) NOT NULL,
    version_id uuid NOT NULL,
    min_amount numeric(38,8) NOT NULL,
    CONSTRAINT limit_minimum CHECK (((min_amount > (0)::numeric) AND (min_amount <= max_amount))),
    CONSTRAINT limit_outstanding CHECK ((max_outstanding >= max_amount)),
    CONSTRAINT limit_positive CHECK ((max_amount > (0)::numeric))
);


--
-- Name: credit_loanlimit_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.credit_loanlimit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.credit_loanlimit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: credit_outstanding; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_outstanding (
    id bigint NOT NULL,
    principal numeric(38,8) NOT NULL,
    configuration_id uuid NOT NULL,
    currency_id character varying(3) NOT NULL,
    CONSTRAINT outstanding_not_negative CHECK ((principal >= (0)::numeric))
);


--
-- Name: credit_outstanding_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.credit_outstanding ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.credit_outstanding_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: credit_repayment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_repayment (
    id uuid NOT NULL,
    amount numeric(38,8) NOT NULL,
    interest numeric(38,8) NOT NULL,
    principal numeric(38,8) NOT NULL,
    outstanding numeric(38,8) NOT NULL,
    paid_by character varying(80) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    loan_id uuid NOT NULL,
    CONSTRAINT repayment_parts CHECK (((amount = (interest + principal)) AND (amount > (0)::numeric)))
);


--
-- Name: credit_shortfall; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_shortfall (
    id uuid NOT NULL,
    cause character varying(300) NOT NULL,
    required numeric(38,8) NOT NULL,
    value numeric(38,8) NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    cured_at timestamp with time zone,
    loan_id uuid NOT NULL
);


--
-- Name: credit_valuation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_valuation (
    loan_id uuid NOT NULL,
    value numeric(38,8),
    loan_to_value numeric(20,8),
    problem character varying(300) NOT NULL,
    valued_at timestamp with time zone NOT NULL
);


--
-- Name: django_admin_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id uuid NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_content_type; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);


--
-- Name: exchange_accessproposal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_accessproposal (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    reason character varying(300) NOT NULL,
    kind character varying(30) NOT NULL,
    payload jsonb NOT NULL,
    note character varying(300) NOT NULL,
    status character varying(10) NOT NULL,
    break_glass boolean NOT NULL,
    collected_at timestamp with time zone,
    decided_by_id uuid,
    key_id uuid,
    organisation_id uuid,
    person_id uuid,
    proposed_by_id uuid,
    CONSTRAINT access_proposal_approved_by_two CHECK (((NOT ((status)::text = 'Approved'::text)) OR break_glass OR ((decided_by_id IS NOT NULL) AND (proposed_by_id IS NOT NULL)))),
    CONSTRAINT access_proposal_collected_once_approved CHECK (((collected_at IS NULL) OR ((status)::text = 'Approved'::text))),
    CONSTRAINT access_proposal_not_about_oneself CHECK (((NOT ((status)::text = 'Approved'::text)) OR (decided_by_id IS NULL) OR (person_id IS NULL) OR (NOT ((decided_by_id = person_id) AND (decided_by_id IS NOT NULL) AND (person_id IS NOT NULL)))))
);


--
-- Name: exchange_accessrecord; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_accessrecord (
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    event character varying(30) NOT NULL,
    address character varying(60) NOT NULL,
    details character varying(300) NOT NULL,
    by_id uuid,
    user_id uuid NOT NULL
);


--
-- Name: exchange_apikey; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_apikey (
    client_id character varying(255) NOT NULL,
    redirect_uris text NOT NULL,
    post_logout_redirect_uris text NOT NULL,
    client_type character varying(32) NOT NULL,
    authorization_grant_type character varying(44) NOT NULL,
    client_secret character varying(255) NOT NULL,
    hash_client_secret boolean NOT NULL,
    name character varying(255) NOT NULL,
    skip_authorization boolean NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    algorithm character varying(5) NOT NULL,
    allowed_origins text NOT NULL,
    registration_source character varying(32) NOT NULL,
    cimd_expires_at timestamp with time zone,
    id uuid NOT NULL,
    scopes character varying(40)[] NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    user_id uuid,
    organisation_id uuid NOT NULL,
    rotated_to_id uuid
);


--
-- Name: exchange_catalogue; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_catalogue (
    id smallint NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT exchange_catalogue_id_check CHECK ((id >= 0))
);


--
-- Name: exchange_change; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_change (
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor character varying(120) NOT NULL,
    actor_label character varying(200) NOT NULL,
    via character varying(200) NOT NULL,
    database_user character varying(140) NOT NULL,
    application character varying(64) NOT NULL,
    table_name character varying(63) NOT NULL,
    record_id character varying(64) NOT NULL,
    about_id character varying(64) NOT NULL,
    operation character varying(8) NOT NULL,
    before jsonb,
    after jsonb
);


--
-- Name: exchange_currency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_currency (
    code character varying(3) NOT NULL,
    name character varying(60) NOT NULL,
    decimals smallint NOT NULL,
    country character varying(2) NOT NULL,
    "position" smallint NOT NULL,
    CONSTRAINT exchange_currency_decimals_check CHECK ((decimals >= 0)),
    CONSTRAINT exchange_currency_position_check CHECK (("position" >= 0))
);


--
-- Name: exchange_deliveryattempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_deliveryattempt (
    id uuid NOT NULL,
    number smallint NOT NULL,
    url character varying(2000) NOT NULL,
    attempted_at timestamp with time zone NOT NULL,
    milliseconds integer NOT NULL,
    status_code smallint,
    error character varying(300) NOT NULL,
    answer character varying(1024) NOT NULL,
    event_id uuid NOT NULL,
    CONSTRAINT exchange_deliveryattempt_milliseconds_check CHECK ((milliseconds >= 0)),
    CONSTRAINT exchange_deliveryattempt_number_check CHECK ((number >= 0)),
    CONSTRAINT exchange_deliveryattempt_status_code_check CHECK ((status_code >= 0))
);


--
-- Name: exchange_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_event (
    id uuid NOT NULL,
    type character varying(60) NOT NULL,
    subject_id uuid NOT NULL,
    body text NOT NULL,
    status character varying(10) DEFAULT 'Pending'::character varying NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    leased_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    delivered_at timestamp with time zone,
    organisation_id uuid NOT NULL
);


--
-- Name: exchange_export; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_export (
    id uuid NOT NULL,
    source character varying(60) NOT NULL,
    title character varying(80) NOT NULL,
    query text NOT NULL,
    filter_words text NOT NULL,
    first_day date,
    last_day date,
    form character varying(4) NOT NULL,
    file_name character varying(150) NOT NULL,
    status character varying(11) NOT NULL,
    direct boolean NOT NULL,
    about_rows integer NOT NULL,
    rows_done integer NOT NULL,
    size_bytes bigint NOT NULL,
    error character varying(300) NOT NULL,
    attempts smallint NOT NULL,
    claimed_by character varying(80) NOT NULL,
    leased_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    as_of timestamp with time zone,
    finished_at timestamp with time zone,
    requested_by_id uuid NOT NULL,
    CONSTRAINT exchange_export_about_rows_check CHECK ((about_rows >= 0)),
    CONSTRAINT exchange_export_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT exchange_export_rows_done_check CHECK ((rows_done >= 0)),
    CONSTRAINT exchange_export_size_bytes_check CHECK ((size_bytes >= 0))
);


--
-- Name: exchange_exportchunk; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_exportchunk (
    id bigint NOT NULL,
    "position" integer NOT NULL,
    data bytea NOT NULL,
    export_id uuid NOT NULL,
    CONSTRAINT exchange_exportchunk_position_check CHECK (("position" >= 0))
);


--
-- Name: exchange_exportchunk_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.exchange_exportchunk ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.exchange_exportchunk_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_idempotencyrecord; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_idempotencyrecord (
    id bigint NOT NULL,
    method character varying(10) NOT NULL,
    path text NOT NULL,
    key character varying(255) NOT NULL,
    body_hash character varying(64) NOT NULL,
    status_code smallint,
    message text NOT NULL,
    data text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    organisation_id uuid NOT NULL,
    CONSTRAINT exchange_idempotencyrecord_status_code_check CHECK ((status_code >= 0))
);


--
-- Name: exchange_idempotencyrecord_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.exchange_idempotencyrecord ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.exchange_idempotencyrecord_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_member; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_member (
    id uuid NOT NULL,
    name character varying(200) NOT NULL,
    email character varying(254) NOT NULL,
    external_id character varying(100) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    document text NOT NULL,
    organisation_id uuid NOT NULL
);


--
-- Name: exchange_organisation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_organisation (
    id uuid NOT NULL,
    name character varying(200) NOT NULL,
    email character varying(254) NOT NULL,
    active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: exchange_quote; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_quote (
    id uuid NOT NULL,
    buy numeric(38,8) NOT NULL,
    sell numeric(38,8) NOT NULL,
    exchange numeric(38,8) NOT NULL,
    status character varying(10) NOT NULL,
    note character varying(300) NOT NULL,
    reason character varying(300) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by_id uuid,
    proposed_by_id uuid,
    token_id uuid NOT NULL,
    CONSTRAINT quote_positive CHECK (((buy > (0)::numeric) AND (exchange >= (0)::numeric) AND (sell > (0)::numeric)))
);


--
-- Name: exchange_recoverycode; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_recoverycode (
    id uuid NOT NULL,
    code_hash character varying(64) NOT NULL,
    used_at timestamp with time zone,
    user_id uuid NOT NULL
);


--
-- Name: exchange_secondfactor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_secondfactor (
    user_id uuid NOT NULL,
    secret_encrypted text NOT NULL,
    last_step bigint NOT NULL,
    set_up_at timestamp with time zone NOT NULL
);


--
-- Name: exchange_signintries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_signintries (
    key character varying(64) NOT NULL,
    tries integer NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    locked_until timestamp with time zone,
    CONSTRAINT exchange_signintries_tries_check CHECK ((tries >= 0))
);


--
-- Name: exchange_staffuser; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_staffuser (
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    session_epoch integer NOT NULL,
    access_changed_at timestamp with time zone NOT NULL,
    public_id uuid DEFAULT gen_random_uuid() NOT NULL,
    CONSTRAINT exchange_staffuser_session_epoch_check CHECK ((session_epoch >= 0))
);


--
-- Name: exchange_staffuser_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_staffuser_groups (
    id bigint NOT NULL,
    staffuser_id uuid NOT NULL,
    group_id integer NOT NULL
);


--
-- Name: exchange_staffuser_groups_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.exchange_staffuser_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.exchange_staffuser_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_staffuser_user_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_staffuser_user_permissions (
    id bigint NOT NULL,
    staffuser_id uuid NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: exchange_staffuser_user_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.exchange_staffuser_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.exchange_staffuser_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_token_reference; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.exchange_token_reference
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: exchange_tokenaccess; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_tokenaccess (
    id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    granted_by_id uuid,
    organisation_id uuid NOT NULL,
    token_id uuid NOT NULL
);


--
-- Name: exchange_tokenaccess_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.exchange_tokenaccess ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.exchange_tokenaccess_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: exchange_webhookendpoint; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange_webhookendpoint (
    id uuid NOT NULL,
    url character varying(2000) NOT NULL,
    secret text NOT NULL,
    previous_secret text NOT NULL,
    previous_secret_until timestamp with time zone,
    enabled boolean NOT NULL,
    disabled_reason character varying(200) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    organisation_id uuid NOT NULL
);


--
-- Name: oauth2_provider_accesstoken; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth2_provider_accesstoken (
    id bigint NOT NULL,
    token text NOT NULL,
    expires timestamp with time zone NOT NULL,
    scope text NOT NULL,
    application_id uuid,
    user_id uuid,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    source_refresh_token_id bigint,
    id_token_id bigint,
    token_checksum character varying(64) NOT NULL,
    resource jsonb NOT NULL
);


--
-- Name: oauth2_provider_accesstoken_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oauth2_provider_accesstoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oauth2_provider_accesstoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oauth2_provider_devicegrant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth2_provider_devicegrant (
    id bigint NOT NULL,
    device_code character varying(100) NOT NULL,
    user_code character varying(100) NOT NULL,
    scope text NOT NULL,
    "interval" integer NOT NULL,
    expires timestamp with time zone NOT NULL,
    status character varying(64) NOT NULL,
    client_id character varying(100) NOT NULL,
    last_checked timestamp with time zone NOT NULL,
    user_id uuid
);


--
-- Name: oauth2_provider_devicegrant_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oauth2_provider_devicegrant ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oauth2_provider_devicegrant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oauth2_provider_grant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth2_provider_grant (
    id bigint NOT NULL,
    code character varying(255) NOT NULL,
    expires timestamp with time zone NOT NULL,
    redirect_uri text NOT NULL,
    scope text NOT NULL,
    application_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    code_challenge character varying(128) NOT NULL,
    code_challenge_method character varying(10) NOT NULL,
    nonce character varying(255) NOT NULL,
    claims text NOT NULL,
    resource jsonb NOT NULL
);


--
-- Name: oauth2_provider_grant_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oauth2_provider_grant ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oauth2_provider_grant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oauth2_provider_idtoken; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth2_provider_idtoken (
    id bigint NOT NULL,
    jti uuid NOT NULL,
    expires timestamp with time zone NOT NULL,
    scope text NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    application_id uuid,
    user_id uuid
);


--
-- Name: oauth2_provider_idtoken_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oauth2_provider_idtoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oauth2_provider_idtoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: oauth2_provider_refreshtoken; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth2_provider_refreshtoken (
    id bigint NOT NULL,
    token text NOT NULL,
    access_token_id bigint,
    application_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    revoked timestamp with time zone,
    token_family uuid,
    token_checksum character varying(64) NOT NULL,
    resource jsonb NOT NULL
);


--
-- Name: oauth2_provider_refreshtoken_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.oauth2_provider_refreshtoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oauth2_provider_refreshtoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: orders_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.orders_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: orders_trade; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.orders_trade (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    taker character varying(4) NOT NULL,
    price numeric(38,8) NOT NULL,
    tokens numeric(38,8) NOT NULL,
    buyer_value numeric(38,8) NOT NULL,
    buyer_fee numeric(38,8) NOT NULL,
    seller_value numeric(38,8) NOT NULL,
    seller_fee numeric(38,8) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    document text NOT NULL,
    buy_order_id uuid NOT NULL,
    sell_order_id uuid,
    token_id uuid NOT NULL,
    half_even boolean DEFAULT false NOT NULL,
    CONSTRAINT trade_positive CHECK (((LEAST(tokens, price) > (0)::numeric) AND (LEAST(buyer_value, seller_value, (buyer_value + buyer_fee), (seller_value - seller_fee)) >= (0)::numeric)))
);


--
-- Name: wallets_account; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_account (
    id uuid NOT NULL,
    kind character varying(10) NOT NULL,
    balance numeric(38,8),
    member_id uuid,
    organisation_id uuid,
    asset_id character varying(36) NOT NULL,
    owner_id uuid GENERATED ALWAYS AS (COALESCE(member_id, organisation_id)) STORED,
    CONSTRAINT account_balance_not_negative CHECK ((((balance >= (0)::numeric) AND (balance IS NOT NULL)) OR ((balance IS NULL) AND (organisation_id IS NULL))))
)
WITH (fillfactor='60');


--
-- Name: wallets_alert; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_alert (
    id uuid NOT NULL,
    kind character varying(40) NOT NULL,
    subject character varying(80) NOT NULL,
    message character varying(500) NOT NULL,
    raised_at timestamp with time zone NOT NULL,
    times integer NOT NULL,
    resolved_at timestamp with time zone,
    CONSTRAINT wallets_alert_times_check CHECK ((times >= 0))
);


--
-- Name: wallets_asset; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_asset (
    id character varying(36) NOT NULL,
    decimals smallint NOT NULL,
    currency_id character varying(3),
    token_id uuid,
    CONSTRAINT asset_currency_or_token CHECK ((((currency_id IS NOT NULL) AND (token_id IS NULL)) OR ((currency_id IS NULL) AND (token_id IS NOT NULL)))),
    CONSTRAINT wallets_asset_decimals_check CHECK ((decimals >= 0))
);


--
-- Name: wallets_bankaccount; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_bankaccount (
    id uuid NOT NULL,
    name character varying(200) NOT NULL,
    code character varying(20) NOT NULL,
    provider_bank_id bigint,
    account_number character varying(40) NOT NULL,
    account_name character varying(200) NOT NULL,
    given_name character varying(200) NOT NULL,
    name_resolved boolean NOT NULL,
    branch_code character varying(40) NOT NULL,
    recipient_first_name character varying(100) NOT NULL,
    recipient_last_name character varying(100) NOT NULL,
    recipient_email character varying(254) NOT NULL,
    recipient_phone character varying(30) NOT NULL,
    recipient_address character varying(300) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    document text NOT NULL,
    currency_id character varying(3) NOT NULL,
    organisation_id uuid NOT NULL,
    words tsvector GENERATED ALWAYS AS (public.bank_words((account_name)::text, (given_name)::text, (account_number)::text)) STORED
);


--
-- Name: wallets_banklist; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_banklist (
    currency_id character varying(3) NOT NULL,
    banks jsonb NOT NULL,
    fetched_at timestamp with time zone NOT NULL
);


--
-- Name: wallets_booksproof; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_booksproof (
    id uuid NOT NULL,
    ran_at timestamp with time zone NOT NULL,
    passed boolean NOT NULL,
    findings jsonb NOT NULL,
    milliseconds integer NOT NULL,
    totals jsonb NOT NULL,
    totals_before uuid,
    CONSTRAINT wallets_booksproof_milliseconds_check CHECK ((milliseconds >= 0))
);


--
-- Name: wallets_breakexplanation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_breakexplanation (
    id uuid NOT NULL,
    status character varying(10) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    reason character varying(300) NOT NULL,
    explanation character varying(500) NOT NULL,
    decided_by_id uuid,
    proposed_by_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    CONSTRAINT explanation_in_writing CHECK (((explanation)::text ~ '\S'::text))
);


--
-- Name: wallets_configuration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_configuration (
    key character varying(60) NOT NULL,
    value numeric(30,8) NOT NULL,
    description character varying(200) NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT configuration_not_negative CHECK ((value >= (0)::numeric))
);


--
-- Name: wallets_configurationfigure; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_configurationfigure (
    id uuid NOT NULL,
    value numeric(30,8) NOT NULL,
    reason character varying(300) NOT NULL,
    effective_from timestamp with time zone,
    status character varying(10) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decision_note character varying(300) NOT NULL,
    in_force_from timestamp with time zone,
    withdrawal_reason character varying(300) NOT NULL,
    withdrawn_at timestamp with time zone,
    configuration_id character varying(60) NOT NULL,
    decided_by_id uuid,
    proposed_by_id uuid NOT NULL,
    withdrawal_asked_by_id uuid,
    withdrawn_by_id uuid,
    CONSTRAINT figure_not_negative CHECK ((value >= (0)::numeric)),
    CONSTRAINT figure_withdrawn_by_two CHECK (((NOT ((status)::text = 'Withdrawn'::text)) OR ((withdrawal_asked_by_id IS NOT NULL) AND (withdrawn_by_id IS NOT NULL) AND (NOT ((withdrawn_by_id = withdrawal_asked_by_id) AND (withdrawn_by_id IS NOT NULL) AND (withdrawal_asked_by_id IS NOT NULL))))))
);


--
-- Name: wallets_decision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_decision (
    id uuid NOT NULL,
    verdict character varying(10) NOT NULL,
    actor character varying(80) NOT NULL,
    actor_label character varying(200) NOT NULL,
    reason character varying(500) NOT NULL,
    details jsonb NOT NULL,
    version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    withdrawal_id uuid NOT NULL,
    flags jsonb,
    override character varying(500) DEFAULT ''::character varying NOT NULL,
    CONSTRAINT decision_stop_overridden_in_writing CHECK (((NOT ((flags @> '[{"level": "Stop"}]'::jsonb) AND (flags IS NOT NULL) AND ((verdict)::text = 'Approve'::text))) OR ((override)::text ~ '\S'::text))),
    CONSTRAINT wallets_decision_version_check CHECK ((version >= 0))
);


--
-- Name: wallets_deposit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_deposit (
    id uuid NOT NULL,
    amount numeric(38,8) NOT NULL,
    reference character varying(100) NOT NULL,
    note character varying(300) NOT NULL,
    status character varying(10) NOT NULL,
    decided_at timestamp with time zone,
    reason character varying(500) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    currency_id character varying(3) NOT NULL,
    decided_by_id uuid,
    entered_by_id uuid,
    member_id uuid,
    organisation_id uuid NOT NULL,
    owner_id uuid GENERATED ALWAYS AS (COALESCE(member_id, organisation_id)) STORED,
    CONSTRAINT deposit_amount_positive CHECK ((amount > (0)::numeric)),
    CONSTRAINT deposit_cancelled_by_who_entered_it CHECK (((NOT ((status)::text = 'Cancelled'::text)) OR ((decided_by_id = entered_by_id) AND (decided_by_id IS NOT NULL))))
);


--
-- Name: wallets_entry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_entry (
    id uuid NOT NULL,
    amount numeric(38,8) NOT NULL,
    balance_after numeric(38,8),
    account_id uuid NOT NULL,
    asset_id character varying(36) NOT NULL,
    transfer_id uuid NOT NULL,
    CONSTRAINT entry_amount_not_zero CHECK ((NOT (amount = (0)::numeric)))
);


--
-- Name: wallets_payout; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_payout (
    withdrawal_id uuid NOT NULL,
    claimed_by character varying(80) NOT NULL,
    leased_until timestamp with time zone,
    attempts integer NOT NULL,
    posted_at timestamp with time zone,
    provider_id character varying(40) NOT NULL,
    provider_status character varying(20) NOT NULL,
    provider_fee numeric(38,8),
    provider_message character varying(500) NOT NULL,
    last_error character varying(300) NOT NULL,
    next_step_at timestamp with time zone,
    look_ups integer NOT NULL,
    not_found_count integer NOT NULL,
    first_not_found_at timestamp with time zone,
    last_not_found_at timestamp with time zone,
    settled_at timestamp with time zone,
    watch_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT wallets_payout_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT wallets_payout_look_ups_check CHECK ((look_ups >= 0)),
    CONSTRAINT wallets_payout_not_found_count_check CHECK ((not_found_count >= 0))
);


--
-- Name: wallets_payoutcircuit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_payoutcircuit (
    id smallint NOT NULL,
    state character varying(9) NOT NULL,
    failures integer NOT NULL,
    failed_trials integer NOT NULL,
    reason character varying(300) NOT NULL,
    opened_at timestamp with time zone,
    next_probe_at timestamp with time zone,
    trial_until timestamp with time zone,
    quiet_until timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    trial_id uuid,
    CONSTRAINT payout_circuit_only_row CHECK ((id = 1)),
    CONSTRAINT payout_circuit_probes CHECK ((((state)::text = 'Closed'::text) OR ((next_probe_at IS NOT NULL) AND (opened_at IS NOT NULL)))),
    CONSTRAINT payout_circuit_trial_half_open CHECK ((((trial_id IS NULL) AND (trial_until IS NULL)) OR (((state)::text = 'Half-open'::text) AND (trial_id IS NOT NULL) AND (trial_until IS NOT NULL)))),
    CONSTRAINT wallets_payoutcircuit_failed_trials_check CHECK ((failed_trials >= 0)),
    CONSTRAINT wallets_payoutcircuit_failures_check CHECK ((failures >= 0)),
    CONSTRAINT wallets_payoutcircuit_id_check CHECK ((id >= 0))
);


--
-- Name: wallets_proposal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_proposal (
    id uuid NOT NULL,
    action character varying(12) NOT NULL,
    reason character varying(500) NOT NULL,
    status character varying(10) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by_id uuid,
    proposed_by_id uuid NOT NULL,
    withdrawal_id uuid NOT NULL,
    CONSTRAINT proposal_decided_by_somebody CHECK ((((decided_by_id IS NULL) AND ((status)::text = 'Open'::text)) OR ((NOT ((status)::text = 'Open'::text)) AND (decided_by_id IS NOT NULL))))
);


--
-- Name: wallets_providerevent; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_providerevent (
    id uuid NOT NULL,
    digest character varying(64) NOT NULL,
    reference character varying(100) NOT NULL,
    provider_id character varying(40) NOT NULL,
    body text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    seen integer NOT NULL,
    CONSTRAINT wallets_providerevent_seen_check CHECK ((seen >= 0))
);


--
-- Name: wallets_reconciliation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_reconciliation (
    id uuid NOT NULL,
    day date NOT NULL,
    status character varying(10) NOT NULL,
    reason character varying(500) NOT NULL,
    differences integer NOT NULL,
    compared integer NOT NULL,
    asked_by character varying(80) NOT NULL,
    asked_by_label character varying(200) NOT NULL,
    claimed_by character varying(80) NOT NULL,
    leased_until timestamp with time zone,
    attempts smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    balances_at timestamp with time zone,
    provisional boolean GENERATED ALWAYS AS ((day >= ((created_at AT TIME ZONE 'UTC'::text))::date)) STORED,
    CONSTRAINT reconciliation_agrees_without_differences CHECK (((NOT ((status)::text = 'Agrees'::text)) OR ((differences = 0) AND ((reason)::text = ''::text)))),
    CONSTRAINT wallets_reconciliation_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT wallets_reconciliation_compared_check CHECK ((compared >= 0)),
    CONSTRAINT wallets_reconciliation_differences_check CHECK ((differences >= 0))
);


--
-- Name: wallets_reconciliationbreak; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_reconciliationbreak (
    id uuid NOT NULL,
    day date NOT NULL,
    kind character varying(40) NOT NULL,
    our_amount numeric(38,8),
    their_amount numeric(38,8),
    difference numeric(38,8),
    our_text character varying(200) NOT NULL,
    their_text character varying(200) NOT NULL,
    reference character varying(120) NOT NULL,
    provider_id character varying(40) NOT NULL,
    status character varying(9) NOT NULL,
    shown boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    currency_id character varying(3),
    first_report_id uuid NOT NULL,
    latest_report_id uuid NOT NULL,
    owner_id uuid,
    withdrawal_id uuid
);


--
-- Name: wallets_reconciliationline; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_reconciliationline (
    id uuid NOT NULL,
    "position" integer NOT NULL,
    off boolean NOT NULL,
    kind character varying(40) NOT NULL,
    our_count integer,
    our_amount numeric(38,8),
    their_count integer,
    their_amount numeric(38,8),
    our_text character varying(200) NOT NULL,
    their_text character varying(200) NOT NULL,
    reference character varying(120) NOT NULL,
    provider_id character varying(40) NOT NULL,
    currency_id character varying(3),
    report_id uuid NOT NULL,
    withdrawal_id uuid,
    CONSTRAINT wallets_reconciliationline_our_count_check CHECK ((our_count >= 0)),
    CONSTRAINT wallets_reconciliationline_position_check CHECK (("position" >= 0)),
    CONSTRAINT wallets_reconciliationline_their_count_check CHECK ((their_count >= 0))
);


--
-- Name: wallets_transferrule; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_transferrule (
    kind text NOT NULL,
    leaves text[] NOT NULL,
    enters text[] NOT NULL,
    reference text NOT NULL,
    record text NOT NULL,
    states text[] NOT NULL,
    by_service boolean NOT NULL
);


--
-- Name: wallets_withdrawal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallets_withdrawal (
    id uuid NOT NULL,
    reference character varying(40) NOT NULL,
    amount numeric(38,8) NOT NULL,
    fee numeric(38,8) NOT NULL,
    disburse_amount numeric(38,8) NOT NULL,
    gusd_amount numeric(38,8),
    internal_fee numeric(38,8) NOT NULL,
    internal_fee_type character varying(10) NOT NULL,
    status character varying(10) NOT NULL,
    version integer NOT NULL,
    requested_by character varying(80) NOT NULL,
    approvals_needed smallint NOT NULL,
    actioned_on timestamp with time zone,
    actioned_by character varying(200) NOT NULL,
    reason character varying(500) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    document text NOT NULL,
    bank_id uuid NOT NULL,
    currency_id character varying(3) NOT NULL,
    escrow_account_id uuid NOT NULL,
    first_approver_id uuid,
    member_id uuid,
    organisation_id uuid NOT NULL,
    second_approver_id uuid,
    owner_id uuid GENERATED ALWAYS AS (COALESCE(member_id, organisation_id)) STORED,
    CONSTRAINT wallets_withdrawal_approvals_needed_check CHECK ((approvals_needed >= 0)),
    CONSTRAINT wallets_withdrawal_version_check CHECK ((version >= 0)),
    CONSTRAINT withdrawal_amounts_add_up CHECK (((amount = (fee + disburse_amount)) AND (disburse_amount > (0)::numeric) AND (fee >= (0)::numeric)))
);


--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_group (id, name) VALUES
	(1, 'Finance approver'),
	(2, 'Back office'),
	(3, 'Credit officer'),
	(4, 'Auditor'),
	(5, 'Administrator');


--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_group_permissions (id, group_id, permission_id) VALUES
	(1, 1, 130),
	(2, 1, 131),
	(3, 1, 132),
	(4, 1, 136),
	(5, 1, 140),
	(6, 1, 144),
	(7, 1, 146),
	(8, 1, 148),
	(9, 1, 156),
	(10, 1, 160),
	(11, 1, 164),
	(12, 1, 166),
	(13, 1, 170),
	(14, 1, 171),
	(15, 1, 44),
	(16, 1, 175),
	(17, 1, 48),
	(18, 1, 176),
	(19, 1, 60),
	(20, 1, 64),
	(21, 1, 193),
	(22, 1, 68),
	(23, 1, 205),
	(24, 1, 80),
	(25, 1, 82),
	(26, 1, 83),
	(27, 1, 87),
	(28, 1, 219),
	(29, 1, 94),
	(30, 1, 223),
	(31, 1, 97),
	(32, 1, 236),
	(33, 1, 109),
	(34, 1, 240),
	(35, 1, 113),
	(36, 1, 117),
	(37, 1, 121),
	(38, 1, 122),
	(39, 1, 126),
	(40, 2, 130),
	(41, 2, 136),
	(42, 2, 140),
	(43, 2, 144),
	(44, 2, 146),
	(45, 2, 148),
	(46, 2, 156),
	(47, 2, 160),
	(48, 2, 164),
	(49, 2, 165),
	(50, 2, 42),
	(51, 2, 171),
	(52, 2, 44),
	(53, 2, 45),
	(54, 2, 46),
	(55, 2, 170),
	(56, 2, 48),
	(57, 2, 176),
	(58, 2, 175),
	(59, 2, 60),
	(60, 2, 62),
	(61, 2, 64),
	(62, 2, 193),
	(63, 2, 65),
	(64, 2, 66),
	(65, 2, 68),
	(66, 2, 205),
	(67, 2, 77),
	(68, 2, 78),
	(69, 2, 80),
	(70, 2, 81),
	(71, 2, 87),
	(72, 2, 219),
	(73, 2, 94),
	(74, 2, 223),
	(75, 2, 97),
	(76, 2, 107),
	(77, 2, 236),
	(78, 2, 109),
	(79, 2, 240),
	(80, 2, 113),
	(81, 2, 117),
	(82, 2, 118),
	(83, 2, 121),
	(84, 2, 126),
	(85, 3, 130),
	(86, 3, 136),
	(87, 3, 140),
	(88, 3, 144),
	(89, 3, 148),
	(90, 3, 156),
	(91, 3, 160),
	(92, 3, 164),
	(93, 3, 170),
	(94, 3, 171),
	(95, 3, 44),
	(96, 3, 175),
	(97, 3, 48),
	(98, 3, 60),
	(99, 3, 64),
	(100, 3, 193);
INSERT INTO public.auth_group_permissions (id, group_id, permission_id) VALUES
	(101, 3, 68),
	(102, 3, 205),
	(103, 3, 206),
	(104, 3, 207),
	(105, 3, 80),
	(106, 3, 87),
	(107, 3, 219),
	(108, 3, 94),
	(109, 3, 223),
	(110, 3, 224),
	(111, 3, 97),
	(112, 3, 236),
	(113, 3, 109),
	(114, 3, 240),
	(115, 3, 113),
	(116, 3, 117),
	(117, 3, 121),
	(118, 3, 126),
	(119, 4, 130),
	(120, 4, 136),
	(121, 4, 140),
	(122, 4, 144),
	(123, 4, 148),
	(124, 4, 156),
	(125, 4, 160),
	(126, 4, 164),
	(127, 4, 170),
	(128, 4, 171),
	(129, 4, 44),
	(130, 4, 175),
	(131, 4, 48),
	(132, 4, 52),
	(133, 4, 60),
	(134, 4, 64),
	(135, 4, 193),
	(136, 4, 68),
	(137, 4, 205),
	(138, 4, 80),
	(139, 4, 87),
	(140, 4, 219),
	(141, 4, 92),
	(142, 4, 93),
	(143, 4, 94),
	(144, 4, 223),
	(145, 4, 97),
	(146, 4, 98),
	(147, 4, 236),
	(148, 4, 109),
	(149, 4, 240),
	(150, 4, 113),
	(151, 4, 117),
	(152, 4, 121),
	(153, 4, 126),
	(154, 5, 130),
	(155, 5, 136),
	(156, 5, 140),
	(157, 5, 144),
	(158, 5, 146),
	(159, 5, 148),
	(160, 5, 156),
	(161, 5, 160),
	(162, 5, 164),
	(163, 5, 42),
	(164, 5, 171),
	(165, 5, 44),
	(166, 5, 45),
	(167, 5, 46),
	(168, 5, 170),
	(169, 5, 48),
	(170, 5, 49),
	(171, 5, 50),
	(172, 5, 175),
	(173, 5, 52),
	(174, 5, 57),
	(175, 5, 58),
	(176, 5, 60),
	(177, 5, 62),
	(178, 5, 64),
	(179, 5, 193),
	(180, 5, 65),
	(181, 5, 66),
	(182, 5, 68),
	(183, 5, 205),
	(184, 5, 80),
	(185, 5, 87),
	(186, 5, 219),
	(187, 5, 92),
	(188, 5, 93),
	(189, 5, 223),
	(190, 5, 97),
	(191, 5, 236),
	(192, 5, 109),
	(193, 5, 240),
	(194, 5, 113),
	(195, 5, 117),
	(196, 5, 121),
	(197, 5, 126),
	(198, 1, 104),
	(199, 1, 105),
	(200, 1, 52);
INSERT INTO public.auth_group_permissions (id, group_id, permission_id) VALUES
	(201, 1, 103),
	(202, 4, 103),
	(203, 5, 104),
	(204, 5, 103),
	(205, 1, 184),
	(206, 1, 185),
	(207, 2, 184),
	(208, 3, 184),
	(209, 4, 184),
	(210, 5, 184);


--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_permission (id, name, content_type_id, codename) VALUES
	(1, 'Can add log entry', 1, 'add_logentry'),
	(2, 'Can change log entry', 1, 'change_logentry'),
	(3, 'Can delete log entry', 1, 'delete_logentry'),
	(4, 'Can view log entry', 1, 'view_logentry'),
	(5, 'Can add permission', 2, 'add_permission'),
	(6, 'Can change permission', 2, 'change_permission'),
	(7, 'Can delete permission', 2, 'delete_permission'),
	(8, 'Can view permission', 2, 'view_permission'),
	(9, 'Can add group', 3, 'add_group'),
	(10, 'Can change group', 3, 'change_group'),
	(11, 'Can delete group', 3, 'delete_group'),
	(12, 'Can view group', 3, 'view_group'),
	(13, 'Can add content type', 4, 'add_contenttype'),
	(14, 'Can change content type', 4, 'change_contenttype'),
	(15, 'Can delete content type', 4, 'delete_contenttype'),
	(16, 'Can view content type', 4, 'view_contenttype'),
	(17, 'Can add access token', 5, 'add_accesstoken'),
	(18, 'Can change access token', 5, 'change_accesstoken'),
	(19, 'Can delete access token', 5, 'delete_accesstoken'),
	(20, 'Can view access token', 5, 'view_accesstoken'),
	(21, 'Can add grant', 6, 'add_grant'),
	(22, 'Can change grant', 6, 'change_grant'),
	(23, 'Can delete grant', 6, 'delete_grant'),
	(24, 'Can view grant', 6, 'view_grant'),
	(25, 'Can add refresh token', 7, 'add_refreshtoken'),
	(26, 'Can change refresh token', 7, 'change_refreshtoken'),
	(27, 'Can delete refresh token', 7, 'delete_refreshtoken'),
	(28, 'Can view refresh token', 7, 'view_refreshtoken'),
	(29, 'Can add id token', 8, 'add_idtoken'),
	(30, 'Can change id token', 8, 'change_idtoken'),
	(31, 'Can delete id token', 8, 'delete_idtoken'),
	(32, 'Can view id token', 8, 'view_idtoken'),
	(33, 'Can add device grant', 9, 'add_devicegrant'),
	(34, 'Can change device grant', 9, 'change_devicegrant'),
	(35, 'Can delete device grant', 9, 'delete_devicegrant'),
	(36, 'Can view device grant', 9, 'view_devicegrant'),
	(37, 'Can add currency', 10, 'add_currency'),
	(38, 'Can change currency', 10, 'change_currency'),
	(39, 'Can delete currency', 10, 'delete_currency'),
	(40, 'Can view currency', 10, 'view_currency'),
	(41, 'Can add event', 11, 'add_event'),
	(42, 'Can change event', 11, 'change_event'),
	(43, 'Can delete event', 11, 'delete_event'),
	(44, 'Can view event', 11, 'view_event'),
	(45, 'Can add organisation', 12, 'add_organisation'),
	(46, 'Can change organisation', 12, 'change_organisation'),
	(47, 'Can delete organisation', 12, 'delete_organisation'),
	(48, 'Can view organisation', 12, 'view_organisation'),
	(49, 'Can add staff user', 13, 'add_staffuser'),
	(50, 'Can change staff user', 13, 'change_staffuser'),
	(51, 'Can delete staff user', 13, 'delete_staffuser'),
	(52, 'Can view staff user', 13, 'view_staffuser'),
	(53, 'Can add delivery attempt', 14, 'add_deliveryattempt'),
	(54, 'Can change delivery attempt', 14, 'change_deliveryattempt'),
	(55, 'Can delete delivery attempt', 14, 'delete_deliveryattempt'),
	(56, 'Can view delivery attempt', 14, 'view_deliveryattempt'),
	(57, 'Can add API key', 15, 'add_apikey'),
	(58, 'Can change API key', 15, 'change_apikey'),
	(59, 'Can delete API key', 15, 'delete_apikey'),
	(60, 'Can view API key', 15, 'view_apikey'),
	(61, 'Can add webhook endpoint', 16, 'add_webhookendpoint'),
	(62, 'Can change webhook endpoint', 16, 'change_webhookendpoint'),
	(63, 'Can delete webhook endpoint', 16, 'delete_webhookendpoint'),
	(64, 'Can view webhook endpoint', 16, 'view_webhookendpoint'),
	(65, 'Can add member', 17, 'add_member'),
	(66, 'Can change member', 17, 'change_member'),
	(67, 'Can delete member', 17, 'delete_member'),
	(68, 'Can view member', 17, 'view_member'),
	(69, 'Can add idempotency record', 18, 'add_idempotencyrecord'),
	(70, 'Can change idempotency record', 18, 'change_idempotencyrecord'),
	(71, 'Can delete idempotency record', 18, 'delete_idempotencyrecord'),
	(72, 'Can view idempotency record', 18, 'view_idempotencyrecord'),
	(73, 'Can add catalogue', 19, 'add_catalogue'),
	(74, 'Can change catalogue', 19, 'change_catalogue'),
	(75, 'Can delete catalogue', 19, 'delete_catalogue'),
	(76, 'Can view catalogue', 19, 'view_catalogue'),
	(77, 'Can add token', 20, 'add_token'),
	(78, 'Can change token', 20, 'change_token'),
	(79, 'Can delete token', 20, 'delete_token'),
	(80, 'Can view token', 20, 'view_token'),
	(81, 'Can propose quotes', 20, 'propose_quote'),
	(82, 'Can approve and reject quotes', 20, 'decide_quote'),
	(83, 'Can close, exit and cancel tokens and their raises', 20, 'end_token'),
	(84, 'Can add quote', 21, 'add_quote'),
	(85, 'Can change quote', 21, 'change_quote'),
	(86, 'Can delete quote', 21, 'delete_quote'),
	(87, 'Can view quote', 21, 'view_quote'),
	(88, 'Can add access to a token', 22, 'add_tokenaccess'),
	(89, 'Can change access to a token', 22, 'change_tokenaccess'),
	(90, 'Can delete access to a token', 22, 'delete_tokenaccess'),
	(91, 'Can view access to a token', 22, 'view_tokenaccess'),
	(92, 'Can view access record', 24, 'view_accessrecord'),
	(93, 'Can view change', 26, 'view_change'),
	(94, 'Can add export', 27, 'add_export'),
	(95, 'Can change export', 27, 'change_export'),
	(96, 'Can delete export', 27, 'delete_export'),
	(97, 'Can view export', 27, 'view_export'),
	(98, 'Can see and download everybody''s exports', 27, 'read_every_export'),
	(99, 'Can add export chunk', 28, 'add_exportchunk'),
	(100, 'Can change export chunk', 28, 'change_exportchunk');
INSERT INTO public.auth_permission (id, name, content_type_id, codename) VALUES
	(101, 'Can delete export chunk', 28, 'delete_exportchunk'),
	(102, 'Can view export chunk', 28, 'view_exportchunk'),
	(103, 'Can view access proposal', 30, 'view_accessproposal'),
	(104, 'Can confirm and reject access proposals', 30, 'decide_accessproposal'),
	(105, 'Can propose to restore the access of administrators', 30, 'restore_administrator'),
	(106, 'Can add bank list', 31, 'add_banklist'),
	(107, 'Can change bank list', 31, 'change_banklist'),
	(108, 'Can delete bank list', 31, 'delete_banklist'),
	(109, 'Can view bank list', 31, 'view_banklist'),
	(110, 'Can add proof of books', 32, 'add_booksproof'),
	(111, 'Can change proof of books', 32, 'change_booksproof'),
	(112, 'Can delete proof of books', 32, 'delete_booksproof'),
	(113, 'Can view proof of books', 32, 'view_booksproof'),
	(114, 'Can add decision', 33, 'add_decision'),
	(115, 'Can change decision', 33, 'change_decision'),
	(116, 'Can delete decision', 33, 'delete_decision'),
	(117, 'Can view decision', 33, 'view_decision'),
	(118, 'Can add deposit', 34, 'add_deposit'),
	(119, 'Can change deposit', 34, 'change_deposit'),
	(120, 'Can delete deposit', 34, 'delete_deposit'),
	(121, 'Can view deposit', 34, 'view_deposit'),
	(122, 'Can confirm and reject deposits', 34, 'decide_deposit'),
	(123, 'Can add entry', 35, 'add_entry'),
	(124, 'Can change entry', 35, 'change_entry'),
	(125, 'Can delete entry', 35, 'delete_entry'),
	(126, 'Can view entry', 35, 'view_entry'),
	(127, 'Can add withdrawal', 36, 'add_withdrawal'),
	(128, 'Can change withdrawal', 36, 'change_withdrawal'),
	(129, 'Can delete withdrawal', 36, 'delete_withdrawal'),
	(130, 'Can view withdrawal', 36, 'view_withdrawal'),
	(131, 'Can approve and reject withdrawals', 36, 'decide_withdrawal'),
	(132, 'Can decide about lost and returned payouts', 36, 'resolve_payout'),
	(133, 'Can add proposal', 37, 'add_proposal'),
	(134, 'Can change proposal', 37, 'change_proposal'),
	(135, 'Can delete proposal', 37, 'delete_proposal'),
	(136, 'Can view proposal', 37, 'view_proposal'),
	(137, 'Can add provider event', 38, 'add_providerevent'),
	(138, 'Can change provider event', 38, 'change_providerevent'),
	(139, 'Can delete provider event', 38, 'delete_providerevent'),
	(140, 'Can view provider event', 38, 'view_providerevent'),
	(141, 'Can add transfer', 39, 'add_transfer'),
	(142, 'Can change transfer', 39, 'change_transfer'),
	(143, 'Can delete transfer', 39, 'delete_transfer'),
	(144, 'Can view transfer', 39, 'view_transfer'),
	(145, 'Can add alert', 40, 'add_alert'),
	(146, 'Can change alert', 40, 'change_alert'),
	(147, 'Can delete alert', 40, 'delete_alert'),
	(148, 'Can view alert', 40, 'view_alert'),
	(149, 'Can add asset', 41, 'add_asset'),
	(150, 'Can change asset', 41, 'change_asset'),
	(151, 'Can delete asset', 41, 'delete_asset'),
	(152, 'Can view asset', 41, 'view_asset'),
	(153, 'Can add account', 42, 'add_account'),
	(154, 'Can change account', 42, 'change_account'),
	(155, 'Can delete account', 42, 'delete_account'),
	(156, 'Can view account', 42, 'view_account'),
	(157, 'Can add bank record', 43, 'add_bankaccount'),
	(158, 'Can change bank record', 43, 'change_bankaccount'),
	(159, 'Can delete bank record', 43, 'delete_bankaccount'),
	(160, 'Can view bank record', 43, 'view_bankaccount'),
	(161, 'Can add configuration key', 44, 'add_configuration'),
	(162, 'Can change configuration key', 44, 'change_configuration'),
	(163, 'Can delete configuration key', 44, 'delete_configuration'),
	(164, 'Can view configuration key', 44, 'view_configuration'),
	(165, 'Can propose figures', 44, 'propose_configuration'),
	(166, 'Can approve and reject figures of others', 44, 'decide_configuration'),
	(167, 'Can add payout', 45, 'add_payout'),
	(168, 'Can change payout', 45, 'change_payout'),
	(169, 'Can delete payout', 45, 'delete_payout'),
	(170, 'Can view payout', 45, 'view_payout'),
	(171, 'Can view figure', 46, 'view_configurationfigure'),
	(172, 'Can add reconciliation', 47, 'add_reconciliation'),
	(173, 'Can change reconciliation', 47, 'change_reconciliation'),
	(174, 'Can delete reconciliation', 47, 'delete_reconciliation'),
	(175, 'Can view reconciliation', 47, 'view_reconciliation'),
	(176, 'Can run the comparison with the provider', 47, 'run_reconciliation'),
	(177, 'Can add reconciliation line', 48, 'add_reconciliationline'),
	(178, 'Can change reconciliation line', 48, 'change_reconciliationline'),
	(179, 'Can delete reconciliation line', 48, 'delete_reconciliationline'),
	(180, 'Can view reconciliation line', 48, 'view_reconciliationline'),
	(181, 'Can add reconciliation break', 50, 'add_reconciliationbreak'),
	(182, 'Can change reconciliation break', 50, 'change_reconciliationbreak'),
	(183, 'Can delete reconciliation break', 50, 'delete_reconciliationbreak'),
	(184, 'Can view reconciliation break', 50, 'view_reconciliationbreak'),
	(185, 'Can explain and close differences with the provider', 50, 'decide_break'),
	(186, 'Can add break explanation', 51, 'add_breakexplanation'),
	(187, 'Can change break explanation', 51, 'change_breakexplanation'),
	(188, 'Can delete break explanation', 51, 'delete_breakexplanation'),
	(189, 'Can view break explanation', 51, 'view_breakexplanation'),
	(190, 'Can add loan', 52, 'add_loan'),
	(191, 'Can change loan', 52, 'change_loan'),
	(192, 'Can delete loan', 52, 'delete_loan'),
	(193, 'Can view loan', 52, 'view_loan'),
	(194, 'Can add configuration version', 53, 'add_configurationversion'),
	(195, 'Can change configuration version', 53, 'change_configurationversion'),
	(196, 'Can delete configuration version', 53, 'delete_configurationversion'),
	(197, 'Can view configuration version', 53, 'view_configurationversion'),
	(198, 'Can add valuation', 54, 'add_valuation'),
	(199, 'Can change valuation', 54, 'change_valuation'),
	(200, 'Can delete valuation', 54, 'delete_valuation');
INSERT INTO public.auth_permission (id, name, content_type_id, codename) VALUES
	(201, 'Can view valuation', 54, 'view_valuation'),
	(202, 'Can add loan configuration', 55, 'add_loanconfiguration'),
	(203, 'Can change loan configuration', 55, 'change_loanconfiguration'),
	(204, 'Can delete loan configuration', 55, 'delete_loanconfiguration'),
	(205, 'Can view loan configuration', 55, 'view_loanconfiguration'),
	(206, 'Can propose loan configurations', 55, 'propose_configuration'),
	(207, 'Can approve, reject and retire loan configurations', 55, 'decide_configuration'),
	(208, 'Can add loan limit', 56, 'add_loanlimit'),
	(209, 'Can change loan limit', 56, 'change_loanlimit'),
	(210, 'Can delete loan limit', 56, 'delete_loanlimit'),
	(211, 'Can view loan limit', 56, 'view_loanlimit'),
	(212, 'Can add repayment', 57, 'add_repayment'),
	(213, 'Can change repayment', 57, 'change_repayment'),
	(214, 'Can delete repayment', 57, 'delete_repayment'),
	(215, 'Can view repayment', 57, 'view_repayment'),
	(216, 'Can add shortfall', 58, 'add_shortfall'),
	(217, 'Can change shortfall', 58, 'change_shortfall'),
	(218, 'Can delete shortfall', 58, 'delete_shortfall'),
	(219, 'Can view shortfall', 58, 'view_shortfall'),
	(220, 'Can add ending proposal', 59, 'add_endingproposal'),
	(221, 'Can change ending proposal', 59, 'change_endingproposal'),
	(222, 'Can delete ending proposal', 59, 'delete_endingproposal'),
	(223, 'Can view ending proposal', 59, 'view_endingproposal'),
	(224, 'Can propose and confirm liquidations and write-offs', 59, 'end_loan'),
	(225, 'Can add collateral', 60, 'add_collateral'),
	(226, 'Can change collateral', 60, 'change_collateral'),
	(227, 'Can delete collateral', 60, 'delete_collateral'),
	(228, 'Can view collateral', 60, 'view_collateral'),
	(229, 'Can add outstanding', 61, 'add_outstanding'),
	(230, 'Can change outstanding', 61, 'change_outstanding'),
	(231, 'Can delete outstanding', 61, 'delete_outstanding'),
	(232, 'Can view outstanding', 61, 'view_outstanding'),
	(233, 'Can add order', 62, 'add_order'),
	(234, 'Can change order', 62, 'change_order'),
	(235, 'Can delete order', 62, 'delete_order'),
	(236, 'Can view order', 62, 'view_order'),
	(237, 'Can add trade', 63, 'add_trade'),
	(238, 'Can change trade', 63, 'change_trade'),
	(239, 'Can delete trade', 63, 'delete_trade'),
	(240, 'Can view trade', 63, 'view_trade'),
	(241, 'Can add session', 64, 'add_session'),
	(242, 'Can change session', 64, 'change_session'),
	(243, 'Can delete session', 64, 'delete_session'),
	(244, 'Can view session', 64, 'view_session');


--
-- Data for Name: credit_collateral; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_collateral (id, "position", quantity, pledged_price, token_id, loan_id) VALUES
	(1, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-01d2-7208-9784-6d3d367847da'),
	(2, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-024a-767d-b290-518466d9b0cb'),
	(3, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-02bc-70f8-b7ba-89ee414258d4'),
	(4, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-02f1-751d-90ad-bfdeb8546f6d'),
	(5, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-041d-726c-a0a9-08b21831d943'),
	(6, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-0544-765b-ae78-9cc7783fc2b4'),
	(7, 1, 50.00000000, 10000.00000000, '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71');


--
-- Data for Name: credit_configurationversion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_configurationversion (id, number, name, access, investment_categories, collateral_ratio, interest_rate, duration, grace_period, grace_period_unit, status, proposed_by, proposed_by_label, decided_at, reason, created_at, decided_by_id, configuration_id) VALUES
	('01a20577-00df-721a-b878-b9472831d68f', 1, 'Offer 1', 'public', '{"Private Business",Bond}', 0.80000000, 0.02500000, 12, 7, 'DAYS', 'Approved', 'system:tests', 'tests', '2026-11-22 22:53:34.976195+00', '', '2026-11-22 22:53:34.815073+00', '01a20577-010a-767c-8f18-e70704aa71de', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-01b1-738c-8621-8c54681be9ec', 1, 'Offer 2', 'organisations', '{"Private Business",Bond}', 0.80000000, 0.30000000, 12, 7, 'DAYS', 'Pending', 'system:tests', 'tests', NULL, '', '2026-11-22 22:53:35.025318+00', NULL, '01a20577-01ad-719d-82a4-29760f9e7812');


--
-- Data for Name: credit_configurationversion_organisations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_configurationversion_organisations (id, configurationversion_id, organisation_id) VALUES
	(1, '01a20577-01b1-738c-8621-8c54681be9ec', '01a20576-f5f4-77b5-9eed-17ebed2559c1');


--
-- Data for Name: credit_endingproposal; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_endingproposal (id, action, status, note, plan, owed, value_passed, deficiency, created_at, decided_at, decided_by_id, proposed_by_id, loan_id, final_deficiency, final_owed, final_plan, final_value) VALUES
	('01a20577-035c-7489-8a7a-33c9996a53fd', 'liquidate', 'Confirmed', 'The borrower has not answered', '[{"price": "10000", "value": "430000", "passed": "43", "symbol": "SAVF", "quantity": "50", "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "quoted_at": "2026-11-22T22:53:34.388690+00:00"}]', 430000.00000000, 430000.00000000, 0.00000000, '2026-11-22 22:53:35.451676+00', '2026-11-22 22:53:35.541474+00', '01a20576-f5e4-771e-b355-93a6dffee388', '01a20576-f57d-7299-8441-2cd4a76272d3', '01a20577-02f1-751d-90ad-bfdeb8546f6d', 0.00000000, 430000.00000000, '[{"price": "10000", "value": "430000", "passed": "43", "symbol": "SAVF", "quantity": "50", "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "quoted_at": "2026-11-22T22:53:34.388690+00:00"}]', 430000.00000000),
	('01a20577-049a-722f-be21-4214019e1aa9', 'write_off', 'Confirmed', 'The borrower has not answered', '[]', 430000.00000000, 0.00000000, 430000.00000000, '2026-11-22 22:53:35.770612+00', '2026-11-22 22:53:35.836734+00', '01a20576-f5e4-771e-b355-93a6dffee388', '01a20576-f57d-7299-8441-2cd4a76272d3', '01a20577-041d-726c-a0a9-08b21831d943', 430000.00000000, 430000.00000000, '[]', 0.00000000),
	('01a20577-05c8-74a5-b0a8-18e92f997a79', 'write_off', 'Pending', 'The borrower has not answered', '[]', 430000.00000000, 0.00000000, 430000.00000000, '2026-11-22 22:53:36.072164+00', NULL, NULL, '01a20576-f57d-7299-8441-2cd4a76272d3', '01a20577-0544-765b-ae78-9cc7783fc2b4', NULL, NULL, NULL, NULL);


--
-- Data for Name: credit_loan; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_loan (id, amount, repayment_amount, repayment_date, interest_rate, collateral_ratio, duration, grace_period, grace_period_unit, status, interest_repaid, principal_repaid, reason, bank_name, bank_code, account_number, requested_by, created_at, updated_at, closed_at, collateral_text, document, borrower_id, creditor_id, currency_id, organisation_id, version_id, configuration_id) VALUES
	('01a20577-01d2-7208-9784-6d3d367847da', 400000.00000000, 430000.00000000, '2027-02-22 22:53:35.045464+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'ACTIVE', 30000.00000000, 20000.00000000, 'Stock for the shop', '', '', '', 'system:tests', '2026-11-22 22:53:35.045464+00', '2026-11-22 22:53:35.129623+00', NULL, '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-01d2-7208-9784-6d3d367847da","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Stock for the shop","created_at":"2026-11-22T22:53:35.045Z","updated_at":"2026-11-22T22:53:35.129Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-024a-767d-b290-518466d9b0cb', 400000.00000000, 430000.00000000, '2027-02-22 22:53:35.176184+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'COMPLETED', 30000.00000000, 400000.00000000, 'School fees', '', '', '', 'system:tests', '2026-11-22 22:53:35.176184+00', '2026-11-22 22:53:35.231182+00', '2026-11-22 22:53:35.229715+00', '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-024a-767d-b290-518466d9b0cb","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"COMPLETED","grace_period":7,"grace_period_unit":"DAYS","reason":"School fees","created_at":"2026-11-22T22:53:35.176Z","updated_at":"2026-11-22T22:53:35.231Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-02bc-70f8-b7ba-89ee414258d4', 400000.00000000, 430000.00000000, '2026-11-19 22:53:35.290673+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'OVERDUE', 0.00000000, 0.00000000, 'Farm inputs', '', '', '', 'system:tests', '2026-08-19 22:53:35.290673+00', '2026-11-22 22:53:35.323423+00', NULL, '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-02bc-70f8-b7ba-89ee414258d4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Thu Nov 19 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Farm inputs","created_at":"2026-08-19T22:53:35.290Z","updated_at":"2026-11-22T22:53:35.323Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-02f1-751d-90ad-bfdeb8546f6d', 400000.00000000, 430000.00000000, '2026-09-25 22:53:35.344315+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'LIQUIDATED', 0.00000000, 0.00000000, 'Bakery oven', '', '', '', 'system:tests', '2026-06-25 22:53:35.344315+00', '2026-11-22 22:53:35.591518+00', '2026-11-22 22:53:35.581235+00', '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"LIQUIDATED","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.591Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-041d-726c-a0a9-08b21831d943', 400000.00000000, 430000.00000000, '2026-09-25 22:53:35.639711+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'WRITTEN_OFF', 0.00000000, 0.00000000, 'Market stall', '', '', '', 'system:tests', '2026-06-25 22:53:35.639711+00', '2026-11-22 22:53:35.884531+00', '2026-11-22 22:53:35.875109+00', '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"WRITTEN_OFF","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-11-22T22:53:35.884Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-0544-765b-ae78-9cc7783fc2b4', 400000.00000000, 430000.00000000, '2026-09-25 22:53:35.93786+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'DEFAULTED', 0.00000000, 0.00000000, 'Delivery van', '', '', '', 'system:tests', '2026-06-25 22:53:35.93786+00', '2026-11-22 22:53:35.993445+00', NULL, '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-11-22T22:53:35.993Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5'),
	('01a20577-05d7-7775-b7ef-0d1e3e2d3d71', 400000.00000000, 430000.00000000, '2027-02-22 22:53:36.085331+00', 0.02500000, 0.80000000, 3, 7, 'DAYS', 'ACTIVE', 0.00000000, 0.00000000, 'Roof repair', '', '', '', 'system:tests', '2026-11-22 22:53:36.085331+00', '2026-11-22 22:53:36.085331+00', NULL, '[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]', '{"id":"01a20577-05d7-7775-b7ef-0d1e3e2d3d71","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:36 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Roof repair","created_at":"2026-11-22T22:53:36.085Z","updated_at":"2026-11-22T22:53:36.085Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]}', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5');


--
-- Data for Name: credit_loanconfiguration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_loanconfiguration (id, status, created_at, updated_at, creditor_id) VALUES
	('01a20577-00d4-7248-9a60-7d7f042407e5', 'Approved', '2026-11-22 22:53:34.804209+00', '2026-11-22 22:53:34.985014+00', '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-01ad-719d-82a4-29760f9e7812', 'Pending', '2026-11-22 22:53:35.021829+00', '2026-11-22 22:53:35.021829+00', '01a20577-00a8-7299-88c3-3d05381b71c8');


--
-- Data for Name: credit_loanlimit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_loanlimit (id, max_amount, max_outstanding, currency_id, version_id, min_amount) VALUES
	(1, 2000000.00000000, 4000000.00000000, 'NGN', '01a20577-00df-721a-b878-b9472831d68f', 0.40000000),
	(2, 2000000.00000000, NULL, 'NGN', '01a20577-01b1-738c-8621-8c54681be9ec', 0.04000000);


--
-- Data for Name: credit_outstanding; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_outstanding (id, principal, configuration_id, currency_id) VALUES
	(1, 1580000.00000000, '01a20577-00d4-7248-9a60-7d7f042407e5', 'NGN');


--
-- Data for Name: credit_repayment; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_repayment (id, amount, interest, principal, outstanding, paid_by, created_at, loan_id) VALUES
	('01a20577-0205-7423-a4e2-12c0eb32d31b', 50000.00000000, 30000.00000000, 20000.00000000, 380000.00000000, 'system:tests', '2026-11-22 22:53:35.109946+00', '01a20577-01d2-7208-9784-6d3d367847da'),
	('01a20577-025d-73bc-bfa4-ff5bed0f3e1d', 430000.00000000, 30000.00000000, 400000.00000000, 0.00000000, 'system:tests', '2026-11-22 22:53:35.197723+00', '01a20577-024a-767d-b290-518466d9b0cb');


--
-- Data for Name: credit_shortfall; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_shortfall (id, cause, required, value, opened_at, cured_at, loan_id) VALUES
	('01a20577-0680-77ed-a453-4fcd742656dd', 'The price of the collateral fell', 500000.00000000, 450000.00000000, '2026-11-22 22:53:36.256434+00', NULL, '01a20577-05d7-7775-b7ef-0d1e3e2d3d71');


--
-- Data for Name: credit_valuation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credit_valuation (loan_id, value, loan_to_value, problem, valued_at) VALUES
	('01a20577-01d2-7208-9784-6d3d367847da', 500000.00000000, 0.76000000, '', '2026-11-22 22:53:35.139387+00'),
	('01a20577-024a-767d-b290-518466d9b0cb', 500000.00000000, 0.00000000, '', '2026-11-22 22:53:35.238931+00'),
	('01a20577-02f1-751d-90ad-bfdeb8546f6d', 500000.00000000, 0.80000000, '', '2026-11-22 22:53:35.59618+00'),
	('01a20577-041d-726c-a0a9-08b21831d943', 500000.00000000, 0.80000000, '', '2026-11-22 22:53:35.892875+00'),
	('01a20577-05d7-7775-b7ef-0d1e3e2d3d71', 450000.00000000, 0.88888889, '', '2026-11-22 22:53:36.228094+00');


--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_admin_log (id, action_time, object_id, object_repr, action_flag, change_message, content_type_id, user_id) VALUES
	(1, '2026-11-22 22:53:39.040494+00', '01a20576-ec51-7427-9210-d6a1a884f2c2', 'owner', 2, '', 13, '01a20576-ec51-7427-9210-d6a1a884f2c2');


--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_content_type (id, app_label, model) VALUES
	(1, 'admin', 'logentry'),
	(2, 'auth', 'permission'),
	(3, 'auth', 'group'),
	(4, 'contenttypes', 'contenttype'),
	(5, 'oauth2_provider', 'accesstoken'),
	(6, 'oauth2_provider', 'grant'),
	(7, 'oauth2_provider', 'refreshtoken'),
	(8, 'oauth2_provider', 'idtoken'),
	(9, 'oauth2_provider', 'devicegrant'),
	(10, 'exchange', 'currency'),
	(11, 'exchange', 'event'),
	(12, 'exchange', 'organisation'),
	(13, 'exchange', 'staffuser'),
	(14, 'exchange', 'deliveryattempt'),
	(15, 'exchange', 'apikey'),
	(16, 'exchange', 'webhookendpoint'),
	(17, 'exchange', 'member'),
	(18, 'exchange', 'idempotencyrecord'),
	(19, 'exchange', 'catalogue'),
	(20, 'exchange', 'token'),
	(21, 'exchange', 'quote'),
	(22, 'exchange', 'tokenaccess'),
	(23, 'exchange', 'secondfactor'),
	(24, 'exchange', 'accessrecord'),
	(25, 'exchange', 'recoverycode'),
	(26, 'exchange', 'change'),
	(27, 'exchange', 'export'),
	(28, 'exchange', 'exportchunk'),
	(29, 'exchange', 'signintries'),
	(30, 'exchange', 'accessproposal'),
	(31, 'wallets', 'banklist'),
	(32, 'wallets', 'booksproof'),
	(33, 'wallets', 'decision'),
	(34, 'wallets', 'deposit'),
	(35, 'wallets', 'entry'),
	(36, 'wallets', 'withdrawal'),
	(37, 'wallets', 'proposal'),
	(38, 'wallets', 'providerevent'),
	(39, 'wallets', 'transfer'),
	(40, 'wallets', 'alert'),
	(41, 'wallets', 'asset'),
	(42, 'wallets', 'account'),
	(43, 'wallets', 'bankaccount'),
	(44, 'wallets', 'configuration'),
	(45, 'wallets', 'payout'),
	(46, 'wallets', 'configurationfigure'),
	(47, 'wallets', 'reconciliation'),
	(48, 'wallets', 'reconciliationline'),
	(49, 'wallets', 'payoutcircuit'),
	(50, 'wallets', 'reconciliationbreak'),
	(51, 'wallets', 'breakexplanation'),
	(52, 'credit', 'loan'),
	(53, 'credit', 'configurationversion'),
	(54, 'credit', 'valuation'),
	(55, 'credit', 'loanconfiguration'),
	(56, 'credit', 'loanlimit'),
	(57, 'credit', 'repayment'),
	(58, 'credit', 'shortfall'),
	(59, 'credit', 'endingproposal'),
	(60, 'credit', 'collateral'),
	(61, 'credit', 'outstanding'),
	(62, 'orders', 'order'),
	(63, 'orders', 'trade'),
	(64, 'sessions', 'session');


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations (id, app, name, applied) VALUES
	(1, 'contenttypes', '0001_initial', '2026-11-22 22:51:59.540493+00'),
	(2, 'contenttypes', '0002_remove_content_type_name', '2026-11-22 22:51:59.576344+00'),
	(3, 'auth', '0001_initial', '2026-11-22 22:51:59.777803+00'),
	(4, 'auth', '0002_alter_permission_name_max_length', '2026-11-22 22:51:59.814622+00'),
	(5, 'auth', '0003_alter_user_email_max_length', '2026-11-22 22:51:59.856512+00'),
	(6, 'auth', '0004_alter_user_username_opts', '2026-11-22 22:51:59.897286+00'),
	(7, 'auth', '0005_alter_user_last_login_null', '2026-11-22 22:51:59.937993+00'),
	(8, 'auth', '0006_require_contenttypes_0002', '2026-11-22 22:51:59.956661+00'),
	(9, 'auth', '0007_alter_validators_add_error_messages', '2026-11-22 22:52:00.015722+00'),
	(10, 'auth', '0008_alter_user_username_max_length', '2026-11-22 22:52:00.057943+00'),
	(11, 'auth', '0009_alter_user_last_name_max_length', '2026-11-22 22:52:00.101901+00'),
	(12, 'auth', '0010_alter_group_name_max_length', '2026-11-22 22:52:00.14433+00'),
	(13, 'auth', '0011_update_proxy_permissions', '2026-11-22 22:52:00.17774+00'),
	(14, 'auth', '0012_alter_user_first_name_max_length', '2026-11-22 22:52:00.211617+00'),
	(15, 'exchange', '0001_initial', '2026-11-22 22:52:01.406041+00'),
	(16, 'admin', '0001_initial', '2026-11-22 22:52:01.504983+00'),
	(17, 'admin', '0002_logentry_remove_auto_add', '2026-11-22 22:52:01.561178+00'),
	(18, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-22 22:52:01.627081+00'),
	(19, 'wallets', '0001_initial', '2026-11-22 22:52:10.813081+00'),
	(20, 'exchange', '0002_functions', '2026-11-22 22:52:10.935483+00'),
	(21, 'exchange', '0003_currencies', '2026-11-22 22:52:11.197553+00'),
	(22, 'wallets', '0002_functions', '2026-11-22 22:52:11.36761+00'),
	(23, 'wallets', '0003_seed', '2026-11-22 22:52:11.860915+00'),
	(24, 'exchange', '0004_event_body', '2026-11-22 22:52:11.908393+00'),
	(25, 'wallets', '0004_combined_requests', '2026-11-22 22:52:11.936367+00'),
	(26, 'exchange', '0005_tokens', '2026-11-22 22:52:14.965451+00'),
	(27, 'wallets', '0005_token_units', '2026-11-22 22:52:15.433088+00'),
	(28, 'wallets', '0006_loans', '2026-11-22 22:52:15.60301+00'),
	(29, 'oauth2_provider', '0001_initial', '2026-11-22 22:52:17.985553+00'),
	(30, 'oauth2_provider', '0002_auto_20190406_1805', '2026-11-22 22:52:18.203278+00'),
	(31, 'oauth2_provider', '0003_auto_20201211_1314', '2026-11-22 22:52:18.337133+00'),
	(32, 'oauth2_provider', '0004_auto_20200902_2022', '2026-11-22 22:52:19.429146+00'),
	(33, 'oauth2_provider', '0005_auto_20211222_2352', '2026-11-22 22:52:20.643275+00'),
	(34, 'oauth2_provider', '0006_alter_application_client_secret', '2026-11-22 22:52:21.804338+00'),
	(35, 'oauth2_provider', '0007_application_post_logout_redirect_uris', '2026-11-22 22:52:21.916386+00'),
	(36, 'oauth2_provider', '0008_alter_accesstoken_token', '2026-11-22 22:52:22.011642+00'),
	(37, 'oauth2_provider', '0009_add_hash_client_secret', '2026-11-22 22:52:22.131098+00'),
	(38, 'oauth2_provider', '0010_application_allowed_origins', '2026-11-22 22:52:22.264079+00'),
	(39, 'oauth2_provider', '0011_refreshtoken_token_family', '2026-11-22 22:52:22.391055+00'),
	(40, 'oauth2_provider', '0012_add_token_checksum', '2026-11-22 22:52:23.143966+00'),
	(41, 'oauth2_provider', '0013_alter_application_authorization_grant_type_device', '2026-11-22 22:52:23.821684+00'),
	(42, 'oauth2_provider', '0014_alter_help_text', '2026-11-22 22:52:24.000356+00'),
	(43, 'oauth2_provider', '0015_refreshtoken_token_checksum', '2026-11-22 22:52:25.288644+00'),
	(44, 'oauth2_provider', '0016_alter_devicegrant_scope', '2026-11-22 22:52:25.537913+00'),
	(45, 'oauth2_provider', '0017_application_dcr_created', '2026-11-22 22:52:25.758725+00'),
	(46, 'oauth2_provider', '0018_resource_indicators', '2026-11-22 22:52:26.334425+00'),
	(47, 'oauth2_provider', '0019_application_registration_source', '2026-11-22 22:52:28.122202+00'),
	(48, 'oauth2_provider', '0020_cimd_application_fields', '2026-11-22 22:52:28.395081+00'),
	(49, 'oauth2_provider', '0021_translatable_field_labels', '2026-11-22 22:52:42.243154+00'),
	(50, 'oauth2_provider', '0022_refreshtoken_token_family_index', '2026-11-22 22:52:42.416611+00'),
	(51, 'exchange', '0006_token_changes', '2026-11-22 22:52:42.772328+00'),
	(52, 'exchange', '0007_catalogue', '2026-11-22 22:52:43.556294+00'),
	(53, 'exchange', '0008_words_in_lists', '2026-11-22 22:52:45.122548+00'),
	(54, 'exchange', '0009_staff_access', '2026-11-22 22:52:46.238844+00'),
	(55, 'exchange', '0010_audit', '2026-11-22 22:52:46.432971+00'),
	(56, 'wallets', '0007_audit', '2026-11-22 22:52:46.488356+00'),
	(57, 'wallets', '0008_configuration_figures', '2026-11-22 22:52:47.465448+00'),
	(58, 'wallets', '0009_proof_totals', '2026-11-22 22:52:47.506514+00'),
	(59, 'exchange', '0011_token_terms', '2026-11-22 22:52:48.030545+00'),
	(60, 'exchange', '0012_events_not_told', '2026-11-22 22:52:48.136611+00'),
	(61, 'exchange', '0013_exports', '2026-11-22 22:52:49.12805+00'),
	(62, 'wallets', '0010_reconciliation', '2026-11-22 22:52:49.434942+00'),
	(63, 'wallets', '0011_failed_withdrawals', '2026-11-22 22:52:50.612421+00'),
	(64, 'wallets', '0012_ended_withdrawals', '2026-11-22 22:52:50.963998+00'),
	(65, 'exchange', '0014_no_history_library', '2026-11-22 22:52:50.996608+00'),
	(66, 'exchange', '0015_sign_in_tries', '2026-11-22 22:52:51.268429+00'),
	(67, 'wallets', '0013_bank_words', '2026-11-22 22:52:51.705774+00'),
	(68, 'wallets', '0014_cheaper_checks', '2026-11-22 22:52:52.145614+00'),
	(69, 'exchange', '0016_cheaper_trades', '2026-11-22 22:52:53.327378+00'),
	(70, 'wallets', '0015_deposits_entered_again', '2026-11-22 22:52:53.687498+00'),
	(71, 'exchange', '0017_keys_of_sets', '2026-11-22 22:52:53.710113+00'),
	(72, 'wallets', '0016_keys_of_sets', '2026-11-22 22:52:53.72572+00'),
	(73, 'wallets', '0017_cheaper_guard', '2026-11-22 22:52:53.772322+00'),
	(74, 'exchange', '0018_what_a_trade_pays_for', '2026-11-22 22:52:54.56032+00'),
	(75, 'exchange', '0019_one_function_for_events', '2026-11-22 22:52:54.575698+00'),
	(76, 'wallets', '0018_one_posting_function', '2026-11-22 22:52:54.624669+00'),
	(77, 'orders', '0001_initial', '2026-11-22 22:52:57.588589+00'),
	(78, 'orders', '0002_functions', '2026-11-22 22:52:57.729771+00'),
	(79, 'orders', '0003_lists_without_the_table', '2026-11-22 22:52:58.893579+00'),
	(80, 'orders', '0004_audit', '2026-11-22 22:52:58.941861+00'),
	(81, 'orders', '0005_cheaper_ids', '2026-11-22 22:52:58.969758+00'),
	(82, 'orders', '0006_fewer_statements', '2026-11-22 22:53:01.892668+00'),
	(83, 'orders', '0007_one_order_by_itself', '2026-11-22 22:53:02.678812+00'),
	(84, 'orders', '0008_one_path', '2026-11-22 22:53:02.710158+00'),
	(85, 'orders', '0009_rounding', '2026-11-22 22:53:03.686242+00'),
	(86, 'wallets', '0019_what_may_be_posted', '2026-11-22 22:53:03.737087+00'),
	(87, 'exchange', '0020_prices_and_superusers', '2026-11-22 22:53:03.756912+00'),
	(88, 'exchange', '0021_two_person_approval', '2026-11-22 22:53:03.986977+00'),
	(89, 'wallets', '0020_two_person_approval', '2026-11-22 22:53:05.20048+00'),
	(90, 'wallets', '0021_payout_circuit', '2026-11-22 22:53:06.432852+00'),
	(91, 'wallets', '0022_return_approved', '2026-11-22 22:53:06.694024+00'),
	(92, 'wallets', '0023_approvals_of_a_day', '2026-11-22 22:53:07.196369+00'),
	(93, 'exchange', '0022_power_over_money', '2026-11-22 22:53:07.925904+00'),
	(94, 'wallets', '0024_deposits_cancelled', '2026-11-22 22:53:08.904348+00'),
	(95, 'exchange', '0023_sell_not_above_buy', '2026-11-22 22:53:09.11626+00'),
	(96, 'exchange', '0024_staff_public_id', '2026-11-22 22:53:09.296315+00'),
	(97, 'wallets', '0025_events_name_no_login', '2026-11-22 22:53:09.318471+00'),
	(98, 'wallets', '0026_flags_of_decisions', '2026-11-22 22:53:10.356282+00'),
	(99, 'exchange', '0025_rotated_to', '2026-11-22 22:53:10.672474+00'),
	(100, 'wallets', '0027_reconciliation_breaks', '2026-11-22 22:53:12.904555+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES
	(101, 'orders', '0010_what_may_be_posted', '2026-11-22 22:53:12.932272+00'),
	(102, 'credit', '0001_initial', '2026-11-22 22:53:22.268999+00'),
	(103, 'credit', '0002_functions', '2026-11-22 22:53:22.305922+00'),
	(104, 'credit', '0003_configuration_guard', '2026-11-22 22:53:22.332152+00'),
	(105, 'credit', '0004_audit', '2026-11-22 22:53:22.375159+00'),
	(106, 'credit', '0005_outstanding_and_endings', '2026-11-22 22:53:24.471538+00'),
	(107, 'credit', '0006_documents_for_less', '2026-11-22 22:53:24.481541+00'),
	(108, 'credit', '0007_loans_by_the_posting_function', '2026-11-22 22:53:24.49078+00'),
	(109, 'credit', '0008_what_may_be_posted', '2026-11-22 22:53:24.531429+00'),
	(110, 'credit', '0009_least_of_a_loan', '2026-11-22 22:53:25.26046+00'),
	(111, 'credit', '0010_two_person_approval', '2026-11-22 22:53:25.505096+00'),
	(112, 'config', '0001_roles', '2026-11-22 22:53:26.104735+00'),
	(113, 'config', '0002_roles', '2026-11-22 22:53:26.599322+00'),
	(114, 'config', '0003_roles', '2026-11-22 22:53:27.175875+00'),
	(115, 'sessions', '0001_initial', '2026-11-22 22:53:27.240755+00');


--
-- Data for Name: django_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_session (session_key, session_data, expire_date) VALUES
	('zi0mydstb27qh7iw458ixfg0jpjmnoun', '.eJytkM1qwzAQhN9F59jox1qtfOy9zyDWK_mnLXKxlVPIu1chhjSFQg89zzfDzFzEvkx5yeEz5bjkSfQXcd7TJnohFWlpHTSJGRsHAzYDe2iQALjzSFFrcRIz7XOlLXRRMxg52OQjE7Nx3gAgoiEelSVHSuIovWUDsqraOe80sKHUybEmURG9ct4aRKlUC7KzTpnrSQQ6lzncaoUl_r3ZN9tA_F4HVm98ozytLa-5bMvQ3pD2UPf2dY3p4-VgnwL-b-Xx915oKyk-L8bOINgHk1L-BUh1QAwjcVm38PO4O3X9AhluimY:1xVGR9:3EdGQkEOrFoDXoVwaKdi-74W9lXH4hf17lC1UpD1mNM', '2026-11-23 10:53:31.689525+00');


--
-- Data for Name: exchange_accessproposal; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_accessproposal (id, created_at, decided_at, reason, kind, payload, note, status, break_glass, collected_at, decided_by_id, key_id, organisation_id, person_id, proposed_by_id) VALUES
	('01a20577-0718-73d9-a339-57b1a33b2d5d', '2026-11-22 22:53:36.408216+00', '2026-11-22 22:53:36.650973+00', '', 'invite_person', '{"role": "Administrator", "details": {}, "username": "invited"}', '', 'Approved', false, NULL, '01a20577-0791-771b-978b-2517038e4ff8', NULL, NULL, '01a20577-07ed-7020-98ed-38b7d3fb5abb', '01a20576-ec51-7427-9210-d6a1a884f2c2'),
	('01a20577-0884-76f9-8dea-a513644fed13', '2026-11-22 22:53:36.772606+00', NULL, '', 'invite_person', '{"role": "Administrator", "details": {}, "username": "waiting"}', '', 'Pending', false, NULL, NULL, NULL, NULL, NULL, '01a20576-ec51-7427-9210-d6a1a884f2c2');


--
-- Data for Name: exchange_accessrecord; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_accessrecord (id, at, event, address, details, by_id, user_id) VALUES
	('01a20576-ecee-766e-9d5a-f464397bc6b2', '2026-11-22 22:53:29.710772+00', 'invited', '', 'Role: Finance approver', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed23-73b6-a990-d68be65dbf8b', '2026-11-22 22:53:29.763175+00', 'second_factor_set_up', '', '', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-f2c0-74b2-a752-8ff788a67620', '2026-11-22 22:53:31.2005+00', 'refused', '127.0.0.1', 'Password', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-f4a4-7131-bf43-a4407632cbf5', '2026-11-22 22:53:31.684497+00', 'signed_in', '127.0.0.1', '', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-f515-72c9-a1e9-359dc3a23378', '2026-11-22 22:53:31.797871+00', 'invited', '', 'Role: Back office', NULL, '01a20576-f504-7485-a407-3482ba56d27c'),
	('01a20576-f592-726c-a559-f52d6e0847b9', '2026-11-22 22:53:31.922682+00', 'invited', '', 'Role: Credit officer', NULL, '01a20576-f57d-7299-8441-2cd4a76272d3'),
	('01a20576-f5ef-74c2-a28d-495324c89738', '2026-11-22 22:53:32.015505+00', 'invited', '', 'Role: Credit officer', NULL, '01a20576-f5e4-771e-b355-93a6dffee388'),
	('01a20577-07a7-7298-a9a2-7af840611fc0', '2026-11-22 22:53:36.551143+00', 'invited', '', 'Role: Administrator', NULL, '01a20577-0791-771b-978b-2517038e4ff8'),
	('01a20577-0805-77c3-b0ff-611e474c4889', '2026-11-22 22:53:36.645593+00', 'invited', '', 'Role: Administrator. Confirmed by second-person', '01a20576-ec51-7427-9210-d6a1a884f2c2', '01a20577-07ed-7020-98ed-38b7d3fb5abb');


--
-- Data for Name: exchange_apikey; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_apikey (client_id, redirect_uris, post_logout_redirect_uris, client_type, authorization_grant_type, client_secret, hash_client_secret, name, skip_authorization, created, updated, algorithm, allowed_origins, registration_source, cimd_expires_at, id, scopes, expires_at, revoked_at, last_used_at, user_id, organisation_id, rotated_to_id) VALUES
	('EMxzTYAhdUE1h5SZTZL8Q0krD6wL80KVSXCHkBVs', '', '', 'confidential', 'client-credentials', 'client_sha256$m0k7DQmt3rRyPkMzgYAPfn$7c36ec8cab857e3228729ec96dff5eded97526bf7d9d002498000e1c5b3656de', true, 'tests', false, '2026-11-22 22:53:32.033766+00', '2026-11-22 22:53:32.033786+00', '', '', 'manual', NULL, '01a20576-f601-70de-ab3d-8b0f22393055', '{tokens:read,tokens:write,orders:read,orders:write,portfolio:read,credit:read,credit:write,wallets:read,wallets:withdraw,wallets:transfer,deposits:write,members:read,members:write,webhooks:manage,sandbox}', NULL, NULL, '2026-11-22 22:53:32.159511+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('UoZHLWCvk3fsUaopvVCosGRfNVn7CjHHeEBY9R7V', '', '', 'confidential', 'client-credentials', 'client_sha256$X8yccPyjLtFqmLXibzsApi$8ebcc8cf6b73d9608a49f9b6ff01fc4ed365de61685a4483cb45a14e3585790e', true, 'tests 2', false, '2026-11-22 22:53:36.81383+00', '2026-11-22 22:53:36.813858+00', '', '', 'manual', NULL, '01a20577-08ad-7510-a16f-c9bc59776aec', '{wallets:read}', NULL, NULL, NULL, NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL);


--
-- Data for Name: exchange_catalogue; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_catalogue (id, version) VALUES
	(1, 620576086);


--
-- Data for Name: exchange_change; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_change (id, at, actor, actor_label, via, database_user, application, table_name, record_id, about_id, operation, before, after) VALUES
	('01a20576-4741-7e35-a410-22177eedde0f', '2026-11-22 22:52:47.298307+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'NGN_INTERNAL_FEE', '', 'INSERT', NULL, '{"key": "NGN_INTERNAL_FEE", "value": 0.00000000, "description": "Internal fee shown on an organisation''s withdrawal, in NGN"}'),
	('01a20576-4756-73c2-88d4-9837843ac6fa', '2026-11-22 22:52:47.318324+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'KES_INTERNAL_FEE', '', 'INSERT', NULL, '{"key": "KES_INTERNAL_FEE", "value": 0.00000000, "description": "Internal fee shown on an organisation''s withdrawal, in KES"}'),
	('01a20576-4761-77ca-8075-072f7cd2b9d0', '2026-11-22 22:52:47.329554+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'GHS_INTERNAL_FEE', '', 'INSERT', NULL, '{"key": "GHS_INTERNAL_FEE", "value": 0.00000000, "description": "Internal fee shown on an organisation''s withdrawal, in GHS"}'),
	('01a20576-4770-79c6-b79a-26de85adc6a5', '2026-11-22 22:52:47.344683+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'ZAR_INTERNAL_FEE', '', 'INSERT', NULL, '{"key": "ZAR_INTERNAL_FEE", "value": 0.00000000, "description": "Internal fee shown on an organisation''s withdrawal, in ZAR"}'),
	('01a20576-477a-7ee1-8937-ed421481f304', '2026-11-22 22:52:47.354997+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'UGX_INTERNAL_FEE', '', 'INSERT', NULL, '{"key": "UGX_INTERNAL_FEE", "value": 0.00000000, "description": "Internal fee shown on an organisation''s withdrawal, in UGX"}'),
	('01a20576-4789-7333-9dbb-678858a194be', '2026-11-22 22:52:47.369283+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'TZS_INTERNAL_FEE', '', 'INSERT', NULL, '{"key": "TZS_INTERNAL_FEE", "value": 0.00000000, "description": "Internal fee shown on an organisation''s withdrawal, in TZS"}'),
	('01a20576-941a-74e1-856b-dd06b9be67c0', '2026-11-22 22:53:06.9705+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SECOND_APPROVAL_DAILY_ABOVE_NGN', '', 'INSERT', NULL, '{"key": "SECOND_APPROVAL_DAILY_ABOVE_NGN", "value": 100000000.00000000, "description": "From this amount asked for by an organisation and its members in 24 hours, in NGN, two different people must approve"}'),
	('01a20576-941a-7e41-95b1-803244b4cec6', '2026-11-22 22:53:06.97091+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SECOND_APPROVAL_DAILY_ABOVE_KES', '', 'INSERT', NULL, '{"key": "SECOND_APPROVAL_DAILY_ABOVE_KES", "value": 10000000.00000000, "description": "From this amount asked for by an organisation and its members in 24 hours, in KES, two different people must approve"}'),
	('01a20576-941b-7228-ac93-1f8db31afc66', '2026-11-22 22:53:06.971145+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SECOND_APPROVAL_DAILY_ABOVE_GHS', '', 'INSERT', NULL, '{"key": "SECOND_APPROVAL_DAILY_ABOVE_GHS", "value": 1000000.00000000, "description": "From this amount asked for by an organisation and its members in 24 hours, in GHS, two different people must approve"}'),
	('01a20576-941b-7564-bfb0-321f2d0fcdf5', '2026-11-22 22:53:06.971346+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SECOND_APPROVAL_DAILY_ABOVE_ZAR', '', 'INSERT', NULL, '{"key": "SECOND_APPROVAL_DAILY_ABOVE_ZAR", "value": 1500000.00000000, "description": "From this amount asked for by an organisation and its members in 24 hours, in ZAR, two different people must approve"}'),
	('01a20576-941b-787e-8cef-15ba531f4f30', '2026-11-22 22:53:06.971558+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SECOND_APPROVAL_DAILY_ABOVE_UGX', '', 'INSERT', NULL, '{"key": "SECOND_APPROVAL_DAILY_ABOVE_UGX", "value": 300000000.00000000, "description": "From this amount asked for by an organisation and its members in 24 hours, in UGX, two different people must approve"}'),
	('01a20576-941b-7c24-9ac2-d792d9ac3b05', '2026-11-22 22:53:06.971769+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SECOND_APPROVAL_DAILY_ABOVE_TZS', '', 'INSERT', NULL, '{"key": "SECOND_APPROVAL_DAILY_ABOVE_TZS", "value": 200000000.00000000, "description": "From this amount asked for by an organisation and its members in 24 hours, in TZS, two different people must approve"}'),
	('01a20576-9424-7f91-aa6c-2db39a41eb62', '2026-11-22 22:53:06.981029+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SOLE_APPROVALS_DAILY_NGN', '', 'INSERT', NULL, '{"key": "SOLE_APPROVALS_DAILY_NGN", "value": 50000000.00000000, "description": "What one person may approve alone within 24 hours, in NGN"}'),
	('01a20576-9425-72c8-82a3-c238ade22186', '2026-11-22 22:53:06.981183+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SOLE_APPROVALS_DAILY_KES', '', 'INSERT', NULL, '{"key": "SOLE_APPROVALS_DAILY_KES", "value": 5000000.00000000, "description": "What one person may approve alone within 24 hours, in KES"}'),
	('01a20576-9425-7451-b5fb-e114683dc498', '2026-11-22 22:53:06.981277+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SOLE_APPROVALS_DAILY_GHS', '', 'INSERT', NULL, '{"key": "SOLE_APPROVALS_DAILY_GHS", "value": 500000.00000000, "description": "What one person may approve alone within 24 hours, in GHS"}'),
	('01a20576-9425-75c2-b92d-560cb4837d1c', '2026-11-22 22:53:06.981366+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SOLE_APPROVALS_DAILY_ZAR', '', 'INSERT', NULL, '{"key": "SOLE_APPROVALS_DAILY_ZAR", "value": 750000.00000000, "description": "What one person may approve alone within 24 hours, in ZAR"}'),
	('01a20576-9425-7712-bf0f-df078ef3efa9', '2026-11-22 22:53:06.981449+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SOLE_APPROVALS_DAILY_UGX', '', 'INSERT', NULL, '{"key": "SOLE_APPROVALS_DAILY_UGX", "value": 150000000.00000000, "description": "What one person may approve alone within 24 hours, in UGX"}'),
	('01a20576-9425-785e-9d7d-0a36b0617aa9', '2026-11-22 22:53:06.98153+00', 'database:postgres', '', '', 'postgres', '', 'wallets_configuration', 'SOLE_APPROVALS_DAILY_TZS', '', 'INSERT', NULL, '{"key": "SOLE_APPROVALS_DAILY_TZS", "value": 100000000.00000000, "description": "What one person may approve alone within 24 hours, in TZS"}'),
	('01a20576-de3b-72f5-b97f-9f55ad942648', '2026-11-22 22:53:25.947254+00', 'database:postgres', '', '', 'postgres', '', 'auth_group', '1', '', 'INSERT', NULL, '{"id": 1, "name": "Finance approver"}'),
	('01a20576-de47-7e10-8632-49ea23798fd8', '2026-11-22 22:53:25.968029+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '1', '1', 'INSERT', NULL, '{"id": 1, "group_id": 1, "permission_id": 130}'),
	('01a20576-de50-7b47-8791-0274a8f895b0', '2026-11-22 22:53:25.968738+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '2', '1', 'INSERT', NULL, '{"id": 2, "group_id": 1, "permission_id": 131}'),
	('01a20576-de51-70a3-9f8d-bed0637fb004', '2026-11-22 22:53:25.96906+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '3', '1', 'INSERT', NULL, '{"id": 3, "group_id": 1, "permission_id": 132}'),
	('01a20576-de51-74d9-bf93-c0771a067db3', '2026-11-22 22:53:25.969319+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '4', '1', 'INSERT', NULL, '{"id": 4, "group_id": 1, "permission_id": 136}'),
	('01a20576-de51-78f9-8b04-e5458cea6a2f', '2026-11-22 22:53:25.969577+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '5', '1', 'INSERT', NULL, '{"id": 5, "group_id": 1, "permission_id": 140}'),
	('01a20576-de51-7d02-9d02-04c957a7ad7d', '2026-11-22 22:53:25.969829+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '6', '1', 'INSERT', NULL, '{"id": 6, "group_id": 1, "permission_id": 144}'),
	('01a20576-de51-7fbe-a211-b8b8e51bb596', '2026-11-22 22:53:25.969998+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '7', '1', 'INSERT', NULL, '{"id": 7, "group_id": 1, "permission_id": 146}'),
	('01a20576-de52-71be-9d49-0bab32498c33', '2026-11-22 22:53:25.97012+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '8', '1', 'INSERT', NULL, '{"id": 8, "group_id": 1, "permission_id": 148}'),
	('01a20576-de52-738d-a08e-b10d541801e2', '2026-11-22 22:53:25.970232+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '9', '1', 'INSERT', NULL, '{"id": 9, "group_id": 1, "permission_id": 156}'),
	('01a20576-de52-7570-a035-caaaf0adb78e', '2026-11-22 22:53:25.970351+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '10', '1', 'INSERT', NULL, '{"id": 10, "group_id": 1, "permission_id": 160}'),
	('01a20576-de52-7737-aa84-998af78d14f3', '2026-11-22 22:53:25.97046+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '11', '1', 'INSERT', NULL, '{"id": 11, "group_id": 1, "permission_id": 164}'),
	('01a20576-de52-78f5-892b-b55902b97c18', '2026-11-22 22:53:25.97057+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '12', '1', 'INSERT', NULL, '{"id": 12, "group_id": 1, "permission_id": 166}'),
	('01a20576-de53-709b-82f8-dfdfa9402bab', '2026-11-22 22:53:25.971061+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '13', '1', 'INSERT', NULL, '{"id": 13, "group_id": 1, "permission_id": 170}'),
	('01a20576-de53-7306-b921-a17029d4f1ee', '2026-11-22 22:53:25.971201+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '14', '1', 'INSERT', NULL, '{"id": 14, "group_id": 1, "permission_id": 171}'),
	('01a20576-de53-751e-9b28-30a346be819a', '2026-11-22 22:53:25.971331+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '15', '1', 'INSERT', NULL, '{"id": 15, "group_id": 1, "permission_id": 44}'),
	('01a20576-de53-76f5-a7c2-4bfa518c721f', '2026-11-22 22:53:25.971446+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '16', '1', 'INSERT', NULL, '{"id": 16, "group_id": 1, "permission_id": 175}'),
	('01a20576-de53-78c4-b484-a86f74e33bf1', '2026-11-22 22:53:25.971558+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '17', '1', 'INSERT', NULL, '{"id": 17, "group_id": 1, "permission_id": 48}'),
	('01a20576-de53-7a76-8eec-23c565ef8fb3', '2026-11-22 22:53:25.971664+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '18', '1', 'INSERT', NULL, '{"id": 18, "group_id": 1, "permission_id": 176}'),
	('01a20576-de53-7c20-b937-c9097a89baab', '2026-11-22 22:53:25.971767+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '19', '1', 'INSERT', NULL, '{"id": 19, "group_id": 1, "permission_id": 60}'),
	('01a20576-de53-7e39-b4d5-dcffdfd87f0b', '2026-11-22 22:53:25.971905+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '20', '1', 'INSERT', NULL, '{"id": 20, "group_id": 1, "permission_id": 64}'),
	('01a20576-de58-7445-b70f-4ba10f00cb16', '2026-11-22 22:53:25.976307+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '21', '1', 'INSERT', NULL, '{"id": 21, "group_id": 1, "permission_id": 193}'),
	('01a20576-de58-773b-8dac-00cea6087c24', '2026-11-22 22:53:25.976465+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '22', '1', 'INSERT', NULL, '{"id": 22, "group_id": 1, "permission_id": 68}'),
	('01a20576-de58-7947-8eba-a2fa6cf40ec3', '2026-11-22 22:53:25.97659+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '23', '1', 'INSERT', NULL, '{"id": 23, "group_id": 1, "permission_id": 205}'),
	('01a20576-de58-7b16-9cc5-e87fa107da92', '2026-11-22 22:53:25.976703+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '24', '1', 'INSERT', NULL, '{"id": 24, "group_id": 1, "permission_id": 80}'),
	('01a20576-de58-7d1e-afcc-34108e2b2b98', '2026-11-22 22:53:25.97683+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '25', '1', 'INSERT', NULL, '{"id": 25, "group_id": 1, "permission_id": 82}'),
	('01a20576-de58-7f37-891b-5506a03b9624', '2026-11-22 22:53:25.976964+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '26', '1', 'INSERT', NULL, '{"id": 26, "group_id": 1, "permission_id": 83}'),
	('01a20576-de59-710e-8eaf-369aabce0a81', '2026-11-22 22:53:25.977075+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '27', '1', 'INSERT', NULL, '{"id": 27, "group_id": 1, "permission_id": 87}'),
	('01a20576-de59-72ac-96cf-8b2cb832898f', '2026-11-22 22:53:25.977176+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '28', '1', 'INSERT', NULL, '{"id": 28, "group_id": 1, "permission_id": 219}'),
	('01a20576-de59-746a-87b8-aac000a004c5', '2026-11-22 22:53:25.977286+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '29', '1', 'INSERT', NULL, '{"id": 29, "group_id": 1, "permission_id": 94}'),
	('01a20576-de59-7614-bd69-16290746bb37', '2026-11-22 22:53:25.977389+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '30', '1', 'INSERT', NULL, '{"id": 30, "group_id": 1, "permission_id": 223}'),
	('01a20576-de59-77e3-9363-dc2cab013bc5', '2026-11-22 22:53:25.977503+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '31', '1', 'INSERT', NULL, '{"id": 31, "group_id": 1, "permission_id": 97}'),
	('01a20576-de59-79a1-9a56-ba3c66888563', '2026-11-22 22:53:25.977612+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '32', '1', 'INSERT', NULL, '{"id": 32, "group_id": 1, "permission_id": 236}'),
	('01a20576-de59-7b78-a69d-c0821c1bb119', '2026-11-22 22:53:25.977727+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '33', '1', 'INSERT', NULL, '{"id": 33, "group_id": 1, "permission_id": 109}'),
	('01a20576-de59-7d2f-a50d-8dbc3538dd2c', '2026-11-22 22:53:25.977833+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '34', '1', 'INSERT', NULL, '{"id": 34, "group_id": 1, "permission_id": 240}'),
	('01a20576-de59-7f1e-8802-24129558736d', '2026-11-22 22:53:25.977958+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '35', '1', 'INSERT', NULL, '{"id": 35, "group_id": 1, "permission_id": 113}'),
	('01a20576-de5a-710a-8a37-872a5c828ffa', '2026-11-22 22:53:25.978074+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '36', '1', 'INSERT', NULL, '{"id": 36, "group_id": 1, "permission_id": 117}'),
	('01a20576-de5a-72c0-ade0-b3690b3aa566', '2026-11-22 22:53:25.978182+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '37', '1', 'INSERT', NULL, '{"id": 37, "group_id": 1, "permission_id": 121}'),
	('01a20576-de5a-7483-a285-826cf48e04f1', '2026-11-22 22:53:25.978292+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '38', '1', 'INSERT', NULL, '{"id": 38, "group_id": 1, "permission_id": 122}'),
	('01a20576-de5a-7639-b204-8d681ea70028', '2026-11-22 22:53:25.978398+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '39', '1', 'INSERT', NULL, '{"id": 39, "group_id": 1, "permission_id": 126}'),
	('01a20576-de5d-750e-b673-8e07e5434c8a', '2026-11-22 22:53:25.981355+00', 'database:postgres', '', '', 'postgres', '', 'auth_group', '2', '', 'INSERT', NULL, '{"id": 2, "name": "Back office"}'),
	('01a20576-de69-726a-ac0e-4d26ffd3df63', '2026-11-22 22:53:25.993212+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '40', '2', 'INSERT', NULL, '{"id": 40, "group_id": 2, "permission_id": 130}'),
	('01a20576-de69-7645-b2e5-45cf2b54b8d4', '2026-11-22 22:53:25.993406+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '41', '2', 'INSERT', NULL, '{"id": 41, "group_id": 2, "permission_id": 136}'),
	('01a20576-de69-7876-b5ba-bf83f8932e9e', '2026-11-22 22:53:25.993541+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '42', '2', 'INSERT', NULL, '{"id": 42, "group_id": 2, "permission_id": 140}'),
	('01a20576-de69-7a7e-b2f5-94bc5963280e', '2026-11-22 22:53:25.993667+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '43', '2', 'INSERT', NULL, '{"id": 43, "group_id": 2, "permission_id": 144}'),
	('01a20576-de69-7c66-9f26-df88514a69e7', '2026-11-22 22:53:25.993785+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '44', '2', 'INSERT', NULL, '{"id": 44, "group_id": 2, "permission_id": 146}'),
	('01a20576-de69-7e83-8d22-93762eba8b2d', '2026-11-22 22:53:25.993918+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '45', '2', 'INSERT', NULL, '{"id": 45, "group_id": 2, "permission_id": 148}'),
	('01a20576-de6a-7041-9f8b-ea8bc11af6d5', '2026-11-22 22:53:25.994025+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '46', '2', 'INSERT', NULL, '{"id": 46, "group_id": 2, "permission_id": 156}'),
	('01a20576-de6a-71f7-86d7-d295d629ca2a', '2026-11-22 22:53:25.994133+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '47', '2', 'INSERT', NULL, '{"id": 47, "group_id": 2, "permission_id": 160}'),
	('01a20576-de6a-7381-b737-cfd94a8389f3', '2026-11-22 22:53:25.994227+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '48', '2', 'INSERT', NULL, '{"id": 48, "group_id": 2, "permission_id": 164}'),
	('01a20576-de6a-7526-83ee-744205e7360a', '2026-11-22 22:53:25.994331+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '49', '2', 'INSERT', NULL, '{"id": 49, "group_id": 2, "permission_id": 165}'),
	('01a20576-de6a-76d0-9d91-8f3aea6ffab2', '2026-11-22 22:53:25.994435+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '50', '2', 'INSERT', NULL, '{"id": 50, "group_id": 2, "permission_id": 42}'),
	('01a20576-de6a-785e-b0c6-45f2c7aa983e', '2026-11-22 22:53:25.994532+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '51', '2', 'INSERT', NULL, '{"id": 51, "group_id": 2, "permission_id": 171}'),
	('01a20576-de6a-7b68-bbe1-582490afc5ce', '2026-11-22 22:53:25.994725+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '52', '2', 'INSERT', NULL, '{"id": 52, "group_id": 2, "permission_id": 44}'),
	('01a20576-de6a-7d4b-93ea-64ca6bfd2847', '2026-11-22 22:53:25.994841+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '53', '2', 'INSERT', NULL, '{"id": 53, "group_id": 2, "permission_id": 45}'),
	('01a20576-de6a-7f68-bc07-d9480d6d0b9a', '2026-11-22 22:53:25.994973+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '54', '2', 'INSERT', NULL, '{"id": 54, "group_id": 2, "permission_id": 46}'),
	('01a20576-de6b-711a-ba80-71c58c8ea26e', '2026-11-22 22:53:25.995079+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '55', '2', 'INSERT', NULL, '{"id": 55, "group_id": 2, "permission_id": 170}'),
	('01a20576-de6b-72c0-85ba-edff32da043e', '2026-11-22 22:53:25.995181+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '56', '2', 'INSERT', NULL, '{"id": 56, "group_id": 2, "permission_id": 48}'),
	('01a20576-de6b-7462-8403-8a5493ef5b4d', '2026-11-22 22:53:25.995284+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '57', '2', 'INSERT', NULL, '{"id": 57, "group_id": 2, "permission_id": 176}'),
	('01a20576-de6b-7604-b25f-f902596f5991', '2026-11-22 22:53:25.995385+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '58', '2', 'INSERT', NULL, '{"id": 58, "group_id": 2, "permission_id": 175}'),
	('01a20576-de6b-77ba-9407-3607d7a198c7', '2026-11-22 22:53:25.995493+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '59', '2', 'INSERT', NULL, '{"id": 59, "group_id": 2, "permission_id": 60}'),
	('01a20576-de6b-7964-b4a8-cdb0db46e619', '2026-11-22 22:53:25.995596+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '60', '2', 'INSERT', NULL, '{"id": 60, "group_id": 2, "permission_id": 62}'),
	('01a20576-de6b-7ac4-a479-18ad4226178a', '2026-11-22 22:53:25.995681+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '61', '2', 'INSERT', NULL, '{"id": 61, "group_id": 2, "permission_id": 64}'),
	('01a20576-de6b-7c56-beae-15fe0b52a86d', '2026-11-22 22:53:25.99578+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '62', '2', 'INSERT', NULL, '{"id": 62, "group_id": 2, "permission_id": 193}'),
	('01a20576-de6b-7e3d-97c2-eb2b02b43a83', '2026-11-22 22:53:25.995901+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '63', '2', 'INSERT', NULL, '{"id": 63, "group_id": 2, "permission_id": 65}'),
	('01a20576-de74-75ae-8c99-2f7bcdcc6bf5', '2026-11-22 22:53:26.00441+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '64', '2', 'INSERT', NULL, '{"id": 64, "group_id": 2, "permission_id": 66}'),
	('01a20576-de74-7933-83dc-dd0512d4e53d', '2026-11-22 22:53:26.004588+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '65', '2', 'INSERT', NULL, '{"id": 65, "group_id": 2, "permission_id": 68}'),
	('01a20576-de74-7b4f-ba82-ef9ea7a71b3c', '2026-11-22 22:53:26.004717+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '66', '2', 'INSERT', NULL, '{"id": 66, "group_id": 2, "permission_id": 205}'),
	('01a20576-de74-7d2f-9301-1204056bb629', '2026-11-22 22:53:26.004834+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '67', '2', 'INSERT', NULL, '{"id": 67, "group_id": 2, "permission_id": 77}'),
	('01a20576-de74-7f5c-a794-8929f511bca1', '2026-11-22 22:53:26.004971+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '68', '2', 'INSERT', NULL, '{"id": 68, "group_id": 2, "permission_id": 78}'),
	('01a20576-de75-7147-83e4-05721229995f', '2026-11-22 22:53:26.00509+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '69', '2', 'INSERT', NULL, '{"id": 69, "group_id": 2, "permission_id": 80}'),
	('01a20576-de75-7312-82b8-f0bac678f1f4', '2026-11-22 22:53:26.005202+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '70', '2', 'INSERT', NULL, '{"id": 70, "group_id": 2, "permission_id": 81}'),
	('01a20576-de75-74c0-95c6-d896bc1328a4', '2026-11-22 22:53:26.005306+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '71', '2', 'INSERT', NULL, '{"id": 71, "group_id": 2, "permission_id": 87}'),
	('01a20576-de75-768b-b114-d2fdceabe6a0', '2026-11-22 22:53:26.005418+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '72', '2', 'INSERT', NULL, '{"id": 72, "group_id": 2, "permission_id": 219}'),
	('01a20576-de75-7820-8eac-029b2f4561cf', '2026-11-22 22:53:26.005517+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '73', '2', 'INSERT', NULL, '{"id": 73, "group_id": 2, "permission_id": 94}'),
	('01a20576-de75-79e3-b114-4af14e9002f0', '2026-11-22 22:53:26.005627+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '74', '2', 'INSERT', NULL, '{"id": 74, "group_id": 2, "permission_id": 223}'),
	('01a20576-de75-7b78-8949-bf3d92904fc8', '2026-11-22 22:53:26.005726+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '75', '2', 'INSERT', NULL, '{"id": 75, "group_id": 2, "permission_id": 97}'),
	('01a20576-de75-7d22-933b-d977aeccf6a7', '2026-11-22 22:53:26.00583+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '76', '2', 'INSERT', NULL, '{"id": 76, "group_id": 2, "permission_id": 107}'),
	('01a20576-de75-7f4b-a42a-7f6d0c2b23fd', '2026-11-22 22:53:26.005968+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '77', '2', 'INSERT', NULL, '{"id": 77, "group_id": 2, "permission_id": 236}'),
	('01a20576-de76-7112-b304-5d7ae7a663ad', '2026-11-22 22:53:26.006077+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '78', '2', 'INSERT', NULL, '{"id": 78, "group_id": 2, "permission_id": 109}'),
	('01a20576-de76-72d4-afac-4016416b8ed1', '2026-11-22 22:53:26.006186+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '79', '2', 'INSERT', NULL, '{"id": 79, "group_id": 2, "permission_id": 240}'),
	('01a20576-de76-7472-a651-564bcd39c50d', '2026-11-22 22:53:26.006287+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '80', '2', 'INSERT', NULL, '{"id": 80, "group_id": 2, "permission_id": 113}');
INSERT INTO public.exchange_change (id, at, actor, actor_label, via, database_user, application, table_name, record_id, about_id, operation, before, after) VALUES
	('01a20576-de76-7620-b3d9-dc6ab6dafca4', '2026-11-22 22:53:26.006392+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '81', '2', 'INSERT', NULL, '{"id": 81, "group_id": 2, "permission_id": 117}'),
	('01a20576-de76-77b6-a37f-3986bd4ea7e1', '2026-11-22 22:53:26.006491+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '82', '2', 'INSERT', NULL, '{"id": 82, "group_id": 2, "permission_id": 118}'),
	('01a20576-de76-7964-a4ea-e64d3c9e4aa7', '2026-11-22 22:53:26.006596+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '83', '2', 'INSERT', NULL, '{"id": 83, "group_id": 2, "permission_id": 121}'),
	('01a20576-de76-7af5-8af9-d4411b686288', '2026-11-22 22:53:26.006694+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '84', '2', 'INSERT', NULL, '{"id": 84, "group_id": 2, "permission_id": 126}'),
	('01a20576-de7d-7dba-80d1-d19d67a941b6', '2026-11-22 22:53:26.013941+00', 'database:postgres', '', '', 'postgres', '', 'auth_group', '3', '', 'INSERT', NULL, '{"id": 3, "name": "Credit officer"}'),
	('01a20576-de86-7ed0-9c49-a7ccfb661dc4', '2026-11-22 22:53:26.022982+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '85', '3', 'INSERT', NULL, '{"id": 85, "group_id": 3, "permission_id": 130}'),
	('01a20576-de87-72b0-ae94-64b880780047', '2026-11-22 22:53:26.023182+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '86', '3', 'INSERT', NULL, '{"id": 86, "group_id": 3, "permission_id": 136}'),
	('01a20576-de87-74b0-b80f-4dcf07592498', '2026-11-22 22:53:26.023302+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '87', '3', 'INSERT', NULL, '{"id": 87, "group_id": 3, "permission_id": 140}'),
	('01a20576-de87-7687-921e-3c5f8d04bd93', '2026-11-22 22:53:26.023416+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '88', '3', 'INSERT', NULL, '{"id": 88, "group_id": 3, "permission_id": 144}'),
	('01a20576-de87-7824-8ca9-91f9e8fa17fd', '2026-11-22 22:53:26.023517+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '89', '3', 'INSERT', NULL, '{"id": 89, "group_id": 3, "permission_id": 148}'),
	('01a20576-de87-79ba-9fcb-2892f954947f', '2026-11-22 22:53:26.023616+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '90', '3', 'INSERT', NULL, '{"id": 90, "group_id": 3, "permission_id": 156}'),
	('01a20576-de87-7c76-928c-aa7bc3907c15', '2026-11-22 22:53:26.023788+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '91', '3', 'INSERT', NULL, '{"id": 91, "group_id": 3, "permission_id": 160}'),
	('01a20576-de87-7e66-abcf-26fb20a74bfc', '2026-11-22 22:53:26.028024+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '92', '3', 'INSERT', NULL, '{"id": 92, "group_id": 3, "permission_id": 164}'),
	('01a20576-de8c-761c-9ed0-c6ccaf08197f', '2026-11-22 22:53:26.028431+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '93', '3', 'INSERT', NULL, '{"id": 93, "group_id": 3, "permission_id": 170}'),
	('01a20576-de8c-78b8-9044-3b8276bf6bd8', '2026-11-22 22:53:26.028554+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '94', '3', 'INSERT', NULL, '{"id": 94, "group_id": 3, "permission_id": 171}'),
	('01a20576-de8c-7a3d-bd78-e30096ba5431', '2026-11-22 22:53:26.028648+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '95', '3', 'INSERT', NULL, '{"id": 95, "group_id": 3, "permission_id": 44}'),
	('01a20576-de8c-7b99-aa38-0fd1a257d8d8', '2026-11-22 22:53:26.028732+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '96', '3', 'INSERT', NULL, '{"id": 96, "group_id": 3, "permission_id": 175}'),
	('01a20576-de8c-7ce1-9a47-6f8094fdad8e', '2026-11-22 22:53:26.028812+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '97', '3', 'INSERT', NULL, '{"id": 97, "group_id": 3, "permission_id": 48}'),
	('01a20576-de8c-7ea7-9e43-b8e4dc7e942d', '2026-11-22 22:53:26.028925+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '98', '3', 'INSERT', NULL, '{"id": 98, "group_id": 3, "permission_id": 60}'),
	('01a20576-de8d-7028-8f61-8eed91a8b4f1', '2026-11-22 22:53:26.029017+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '99', '3', 'INSERT', NULL, '{"id": 99, "group_id": 3, "permission_id": 64}'),
	('01a20576-de8d-7195-8e90-872caffef148', '2026-11-22 22:53:26.029106+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '100', '3', 'INSERT', NULL, '{"id": 100, "group_id": 3, "permission_id": 193}'),
	('01a20576-de8d-72ed-9bea-892ab3f17dcc', '2026-11-22 22:53:26.029189+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '101', '3', 'INSERT', NULL, '{"id": 101, "group_id": 3, "permission_id": 68}'),
	('01a20576-de8d-7428-ba1f-644dfdebc7b5', '2026-11-22 22:53:26.029266+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '102', '3', 'INSERT', NULL, '{"id": 102, "group_id": 3, "permission_id": 205}'),
	('01a20576-de8d-7560-8150-b5f3df7dabd6', '2026-11-22 22:53:26.029342+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '103', '3', 'INSERT', NULL, '{"id": 103, "group_id": 3, "permission_id": 206}'),
	('01a20576-de8d-76a3-bf03-a78a212a547e', '2026-11-22 22:53:26.029421+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '104', '3', 'INSERT', NULL, '{"id": 104, "group_id": 3, "permission_id": 207}'),
	('01a20576-de8d-77e7-93ad-95b2285b717c', '2026-11-22 22:53:26.0295+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '105', '3', 'INSERT', NULL, '{"id": 105, "group_id": 3, "permission_id": 80}'),
	('01a20576-de8d-793f-ae30-65fa3a9de87c', '2026-11-22 22:53:26.029584+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '106', '3', 'INSERT', NULL, '{"id": 106, "group_id": 3, "permission_id": 87}'),
	('01a20576-de8d-7a8f-9ddb-429247c7e166', '2026-11-22 22:53:26.029667+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '107', '3', 'INSERT', NULL, '{"id": 107, "group_id": 3, "permission_id": 219}'),
	('01a20576-de8d-7bd2-a5cb-f0428e22bf47', '2026-11-22 22:53:26.029746+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '108', '3', 'INSERT', NULL, '{"id": 108, "group_id": 3, "permission_id": 94}'),
	('01a20576-de8d-7d1e-9b88-a8ae19dee18e', '2026-11-22 22:53:26.029826+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '109', '3', 'INSERT', NULL, '{"id": 109, "group_id": 3, "permission_id": 223}'),
	('01a20576-de8d-7ef5-8a6b-c57f34962bd9', '2026-11-22 22:53:26.029945+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '110', '3', 'INSERT', NULL, '{"id": 110, "group_id": 3, "permission_id": 224}'),
	('01a20576-de8e-7097-b993-dfdf5aa66d5d', '2026-11-22 22:53:26.030045+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '111', '3', 'INSERT', NULL, '{"id": 111, "group_id": 3, "permission_id": 97}'),
	('01a20576-de8e-7228-812b-1986f871ee60', '2026-11-22 22:53:26.030142+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '112', '3', 'INSERT', NULL, '{"id": 112, "group_id": 3, "permission_id": 236}'),
	('01a20576-de8e-73ba-805a-8341263b7f08', '2026-11-22 22:53:26.030241+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '113', '3', 'INSERT', NULL, '{"id": 113, "group_id": 3, "permission_id": 109}'),
	('01a20576-de8e-755c-96c8-7c34dd2baaaf', '2026-11-22 22:53:26.030343+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '114', '3', 'INSERT', NULL, '{"id": 114, "group_id": 3, "permission_id": 240}'),
	('01a20576-de8e-76e5-9197-063782f6a8f0', '2026-11-22 22:53:26.030438+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '115', '3', 'INSERT', NULL, '{"id": 115, "group_id": 3, "permission_id": 113}'),
	('01a20576-de8e-7862-a43e-6c21fa2453b6', '2026-11-22 22:53:26.030531+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '116', '3', 'INSERT', NULL, '{"id": 116, "group_id": 3, "permission_id": 117}'),
	('01a20576-de8e-79d7-8db1-6ac567ef77bc', '2026-11-22 22:53:26.030622+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '117', '3', 'INSERT', NULL, '{"id": 117, "group_id": 3, "permission_id": 121}'),
	('01a20576-de8e-7b4f-a68b-bd5c8afec42c', '2026-11-22 22:53:26.030714+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '118', '3', 'INSERT', NULL, '{"id": 118, "group_id": 3, "permission_id": 126}'),
	('01a20576-de98-7feb-8415-c0ef42e79ed6', '2026-11-22 22:53:26.04105+00', 'database:postgres', '', '', 'postgres', '', 'auth_group', '4', '', 'INSERT', NULL, '{"id": 4, "name": "Auditor"}'),
	('01a20576-dea5-786a-aaf4-ee91c5092bfb', '2026-11-22 22:53:26.053582+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '119', '4', 'INSERT', NULL, '{"id": 119, "group_id": 4, "permission_id": 130}'),
	('01a20576-dea5-7bf3-9a00-a208ad6cff6e', '2026-11-22 22:53:26.053758+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '120', '4', 'INSERT', NULL, '{"id": 120, "group_id": 4, "permission_id": 136}'),
	('01a20576-dea5-7dc6-9630-7711e9fbf501', '2026-11-22 22:53:26.053893+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '121', '4', 'INSERT', NULL, '{"id": 121, "group_id": 4, "permission_id": 140}'),
	('01a20576-dea5-7fe3-a237-2c46764594cf', '2026-11-22 22:53:26.054001+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '122', '4', 'INSERT', NULL, '{"id": 122, "group_id": 4, "permission_id": 144}'),
	('01a20576-dea6-7174-998f-899a2a22b199', '2026-11-22 22:53:26.054099+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '123', '4', 'INSERT', NULL, '{"id": 123, "group_id": 4, "permission_id": 148}'),
	('01a20576-dea6-72f9-94e0-9a6fc036f1f7', '2026-11-22 22:53:26.054194+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '124', '4', 'INSERT', NULL, '{"id": 124, "group_id": 4, "permission_id": 156}'),
	('01a20576-dea6-747e-9645-c935d51686f1', '2026-11-22 22:53:26.054288+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '125', '4', 'INSERT', NULL, '{"id": 125, "group_id": 4, "permission_id": 160}'),
	('01a20576-dea6-75f3-887e-6c142342f408', '2026-11-22 22:53:26.05438+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '126', '4', 'INSERT', NULL, '{"id": 126, "group_id": 4, "permission_id": 164}'),
	('01a20576-dea6-7770-858d-0e9d845ffd92', '2026-11-22 22:53:26.054472+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '127', '4', 'INSERT', NULL, '{"id": 127, "group_id": 4, "permission_id": 170}'),
	('01a20576-dea6-78e9-98a6-ff3c57683b02', '2026-11-22 22:53:26.054564+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '128', '4', 'INSERT', NULL, '{"id": 128, "group_id": 4, "permission_id": 171}'),
	('01a20576-dea6-7a5e-8987-379629baaa3f', '2026-11-22 22:53:26.054655+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '129', '4', 'INSERT', NULL, '{"id": 129, "group_id": 4, "permission_id": 44}'),
	('01a20576-dea6-7d1a-826a-e86686872eac', '2026-11-22 22:53:26.054826+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '130', '4', 'INSERT', NULL, '{"id": 130, "group_id": 4, "permission_id": 175}'),
	('01a20576-dea6-7edd-96ca-61868b796183', '2026-11-22 22:53:26.054939+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '131', '4', 'INSERT', NULL, '{"id": 131, "group_id": 4, "permission_id": 48}'),
	('01a20576-dea7-706e-99f4-532129d16056', '2026-11-22 22:53:26.055035+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '132', '4', 'INSERT', NULL, '{"id": 132, "group_id": 4, "permission_id": 52}'),
	('01a20576-dea7-71ef-ac91-41a14bc6994a', '2026-11-22 22:53:26.055128+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '133', '4', 'INSERT', NULL, '{"id": 133, "group_id": 4, "permission_id": 60}'),
	('01a20576-dea7-736c-9bad-c6ab781b41ba', '2026-11-22 22:53:26.055222+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '134', '4', 'INSERT', NULL, '{"id": 134, "group_id": 4, "permission_id": 64}'),
	('01a20576-dea7-74e5-9f2a-eec738a97b2e', '2026-11-22 22:53:26.055314+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '135', '4', 'INSERT', NULL, '{"id": 135, "group_id": 4, "permission_id": 193}'),
	('01a20576-dea7-780c-b14a-50047ec2b901', '2026-11-22 22:53:26.055512+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '136', '4', 'INSERT', NULL, '{"id": 136, "group_id": 4, "permission_id": 68}'),
	('01a20576-dea7-7aa7-b84d-fb39857bc0e8', '2026-11-22 22:53:26.055675+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '137', '4', 'INSERT', NULL, '{"id": 137, "group_id": 4, "permission_id": 205}'),
	('01a20576-dea7-7c41-9eec-44817464d085', '2026-11-22 22:53:26.055773+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '138', '4', 'INSERT', NULL, '{"id": 138, "group_id": 4, "permission_id": 80}'),
	('01a20576-deab-74d0-87da-0a3622bbe9ba', '2026-11-22 22:53:26.059346+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '139', '4', 'INSERT', NULL, '{"id": 139, "group_id": 4, "permission_id": 87}'),
	('01a20576-deab-799d-b188-0fae0553b8c9', '2026-11-22 22:53:26.059614+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '140', '4', 'INSERT', NULL, '{"id": 140, "group_id": 4, "permission_id": 219}'),
	('01a20576-deab-7b85-a008-f1e7a752e2db', '2026-11-22 22:53:26.05973+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '141', '4', 'INSERT', NULL, '{"id": 141, "group_id": 4, "permission_id": 92}'),
	('01a20576-deab-7d37-b1c8-4834dcdd4f0a', '2026-11-22 22:53:26.059835+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '142', '4', 'INSERT', NULL, '{"id": 142, "group_id": 4, "permission_id": 93}'),
	('01a20576-deab-7f78-9860-839b37f532d1', '2026-11-22 22:53:26.059978+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '143', '4', 'INSERT', NULL, '{"id": 143, "group_id": 4, "permission_id": 94}'),
	('01a20576-deac-7133-afb0-dc6208a14662', '2026-11-22 22:53:26.060084+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '144', '4', 'INSERT', NULL, '{"id": 144, "group_id": 4, "permission_id": 223}'),
	('01a20576-deb0-707e-ae20-fcd4d01fb17c', '2026-11-22 22:53:26.064057+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '145', '4', 'INSERT', NULL, '{"id": 145, "group_id": 4, "permission_id": 97}'),
	('01a20576-deb0-737c-8418-42586fa2c3f2', '2026-11-22 22:53:26.064229+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '146', '4', 'INSERT', NULL, '{"id": 146, "group_id": 4, "permission_id": 98}'),
	('01a20576-deb0-754b-8db7-3a042f987ecb', '2026-11-22 22:53:26.06434+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '147', '4', 'INSERT', NULL, '{"id": 147, "group_id": 4, "permission_id": 236}'),
	('01a20576-deb0-76ed-8eeb-b096d34c2e49', '2026-11-22 22:53:26.064441+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '148', '4', 'INSERT', NULL, '{"id": 148, "group_id": 4, "permission_id": 109}'),
	('01a20576-deb0-787a-aabe-9b841ee7c6a8', '2026-11-22 22:53:26.064538+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '149', '4', 'INSERT', NULL, '{"id": 149, "group_id": 4, "permission_id": 240}'),
	('01a20576-deb0-7a04-96ad-46391cfb6c39', '2026-11-22 22:53:26.064633+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '150', '4', 'INSERT', NULL, '{"id": 150, "group_id": 4, "permission_id": 113}'),
	('01a20576-deb0-7b81-a564-0bf98fc137f9', '2026-11-22 22:53:26.064726+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '151', '4', 'INSERT', NULL, '{"id": 151, "group_id": 4, "permission_id": 117}'),
	('01a20576-deb0-7f7c-99e2-49c1b5ea3897', '2026-11-22 22:53:26.064979+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '152', '4', 'INSERT', NULL, '{"id": 152, "group_id": 4, "permission_id": 121}'),
	('01a20576-deb1-7122-8bc3-2c7e5880d4ad', '2026-11-22 22:53:26.065078+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '153', '4', 'INSERT', NULL, '{"id": 153, "group_id": 4, "permission_id": 126}'),
	('01a20576-deb3-7a9b-af70-308de8976203', '2026-11-22 22:53:26.067699+00', 'database:postgres', '', '', 'postgres', '', 'auth_group', '5', '', 'INSERT', NULL, '{"id": 5, "name": "Administrator"}'),
	('01a20576-dec5-758d-9163-68070f84430c', '2026-11-22 22:53:26.085403+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '154', '5', 'INSERT', NULL, '{"id": 154, "group_id": 5, "permission_id": 130}'),
	('01a20576-dec5-792b-9cb0-15cd1fb4307f', '2026-11-22 22:53:26.085583+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '155', '5', 'INSERT', NULL, '{"id": 155, "group_id": 5, "permission_id": 136}'),
	('01a20576-dec5-7afd-99d0-7cbe5203ab82', '2026-11-22 22:53:26.085696+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '156', '5', 'INSERT', NULL, '{"id": 156, "group_id": 5, "permission_id": 140}'),
	('01a20576-dec5-7ca7-8fd6-d0cdef03c535', '2026-11-22 22:53:26.085799+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '157', '5', 'INSERT', NULL, '{"id": 157, "group_id": 5, "permission_id": 144}'),
	('01a20576-dec5-7e83-8ed5-43d753bed4a2', '2026-11-22 22:53:26.085918+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '158', '5', 'INSERT', NULL, '{"id": 158, "group_id": 5, "permission_id": 146}'),
	('01a20576-dec6-703d-b538-45463a2c8c3b', '2026-11-22 22:53:26.086023+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '159', '5', 'INSERT', NULL, '{"id": 159, "group_id": 5, "permission_id": 148}'),
	('01a20576-dec6-71d7-a60c-858eb70aff7d', '2026-11-22 22:53:26.086122+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '160', '5', 'INSERT', NULL, '{"id": 160, "group_id": 5, "permission_id": 156}'),
	('01a20576-dec6-7368-bb3f-3f7f88fb8ce8', '2026-11-22 22:53:26.08622+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '161', '5', 'INSERT', NULL, '{"id": 161, "group_id": 5, "permission_id": 160}'),
	('01a20576-dec6-74f5-8629-65d5c7ca4d11', '2026-11-22 22:53:26.086318+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '162', '5', 'INSERT', NULL, '{"id": 162, "group_id": 5, "permission_id": 164}'),
	('01a20576-dec6-768b-80e1-f083839bac68', '2026-11-22 22:53:26.086417+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '163', '5', 'INSERT', NULL, '{"id": 163, "group_id": 5, "permission_id": 42}'),
	('01a20576-dec6-781c-b426-1b575122e9bd', '2026-11-22 22:53:26.086515+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '164', '5', 'INSERT', NULL, '{"id": 164, "group_id": 5, "permission_id": 171}'),
	('01a20576-dec6-79ae-979b-ae567bbaf422', '2026-11-22 22:53:26.086613+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '165', '5', 'INSERT', NULL, '{"id": 165, "group_id": 5, "permission_id": 44}'),
	('01a20576-dec6-7b3b-8ece-8432d3619f69', '2026-11-22 22:53:26.08671+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '166', '5', 'INSERT', NULL, '{"id": 166, "group_id": 5, "permission_id": 45}'),
	('01a20576-dec6-7cc4-988b-ff0fea4c6406', '2026-11-22 22:53:26.086805+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '167', '5', 'INSERT', NULL, '{"id": 167, "group_id": 5, "permission_id": 46}'),
	('01a20576-dec6-7e9f-874e-e7b80e1723d8', '2026-11-22 22:53:26.086924+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '168', '5', 'INSERT', NULL, '{"id": 168, "group_id": 5, "permission_id": 170}'),
	('01a20576-dec7-70e5-b3f2-583d6f58ba38', '2026-11-22 22:53:26.087064+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '169', '5', 'INSERT', NULL, '{"id": 169, "group_id": 5, "permission_id": 48}'),
	('01a20576-dec7-727e-93b3-1b3e61f6b46b', '2026-11-22 22:53:26.087163+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '170', '5', 'INSERT', NULL, '{"id": 170, "group_id": 5, "permission_id": 49}'),
	('01a20576-dec7-7414-8f1b-55fc267e2385', '2026-11-22 22:53:26.087263+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '171', '5', 'INSERT', NULL, '{"id": 171, "group_id": 5, "permission_id": 50}'),
	('01a20576-dec7-75a9-bbb7-19ef0c3aa7ee', '2026-11-22 22:53:26.087361+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '172', '5', 'INSERT', NULL, '{"id": 172, "group_id": 5, "permission_id": 175}'),
	('01a20576-dec7-7737-b1f4-66995061d3fc', '2026-11-22 22:53:26.087459+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '173', '5', 'INSERT', NULL, '{"id": 173, "group_id": 5, "permission_id": 52}'),
	('01a20576-dec7-78c8-a985-6b5091d12991', '2026-11-22 22:53:26.087556+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '174', '5', 'INSERT', NULL, '{"id": 174, "group_id": 5, "permission_id": 57}'),
	('01a20576-dec7-7a49-8331-91650b2f1c46', '2026-11-22 22:53:26.087649+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '175', '5', 'INSERT', NULL, '{"id": 175, "group_id": 5, "permission_id": 58}'),
	('01a20576-dec7-7bce-8683-eaac27131ab6', '2026-11-22 22:53:26.087746+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '176', '5', 'INSERT', NULL, '{"id": 176, "group_id": 5, "permission_id": 60}'),
	('01a20576-dec7-7d53-9985-96bf3db83b49', '2026-11-22 22:53:26.08784+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '177', '5', 'INSERT', NULL, '{"id": 177, "group_id": 5, "permission_id": 62}');
INSERT INTO public.exchange_change (id, at, actor, actor_label, via, database_user, application, table_name, record_id, about_id, operation, before, after) VALUES
	('01a20576-decb-7a5a-9507-4d444bff9e92', '2026-11-22 22:53:26.091675+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '178', '5', 'INSERT', NULL, '{"id": 178, "group_id": 5, "permission_id": 64}'),
	('01a20576-decb-7d8d-a977-b0b4574b50f5', '2026-11-22 22:53:26.091858+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '179', '5', 'INSERT', NULL, '{"id": 179, "group_id": 5, "permission_id": 193}'),
	('01a20576-decb-7ffb-b2f1-927105a7743c', '2026-11-22 22:53:26.09201+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '180', '5', 'INSERT', NULL, '{"id": 180, "group_id": 5, "permission_id": 65}'),
	('01a20576-decc-71ba-a135-951af39eae54', '2026-11-22 22:53:26.092116+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '181', '5', 'INSERT', NULL, '{"id": 181, "group_id": 5, "permission_id": 66}'),
	('01a20576-decc-734f-9b63-7eb0c957da94', '2026-11-22 22:53:26.092215+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '182', '5', 'INSERT', NULL, '{"id": 182, "group_id": 5, "permission_id": 68}'),
	('01a20576-decc-74e1-88b2-f7ffa8195e0b', '2026-11-22 22:53:26.092312+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '183', '5', 'INSERT', NULL, '{"id": 183, "group_id": 5, "permission_id": 205}'),
	('01a20576-decc-766e-be05-1cb7d034d2c9', '2026-11-22 22:53:26.092409+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '184', '5', 'INSERT', NULL, '{"id": 184, "group_id": 5, "permission_id": 80}'),
	('01a20576-decc-77f3-9652-bdb9c3af5061', '2026-11-22 22:53:26.092504+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '185', '5', 'INSERT', NULL, '{"id": 185, "group_id": 5, "permission_id": 87}'),
	('01a20576-decc-7981-9b7d-5f3183bc3678', '2026-11-22 22:53:26.092601+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '186', '5', 'INSERT', NULL, '{"id": 186, "group_id": 5, "permission_id": 219}'),
	('01a20576-decc-7b06-adac-dedd72493d83', '2026-11-22 22:53:26.092697+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '187', '5', 'INSERT', NULL, '{"id": 187, "group_id": 5, "permission_id": 92}'),
	('01a20576-decc-7c8b-8c7a-0ddb467fe3f7', '2026-11-22 22:53:26.092791+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '188', '5', 'INSERT', NULL, '{"id": 188, "group_id": 5, "permission_id": 93}'),
	('01a20576-decc-7e62-995e-34ea13ff5213', '2026-11-22 22:53:26.092909+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '189', '5', 'INSERT', NULL, '{"id": 189, "group_id": 5, "permission_id": 223}'),
	('01a20576-decd-7008-9d07-db4ffbe2762d', '2026-11-22 22:53:26.09301+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '190', '5', 'INSERT', NULL, '{"id": 190, "group_id": 5, "permission_id": 97}'),
	('01a20576-decd-7195-8614-77d309c84f81', '2026-11-22 22:53:26.093106+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '191', '5', 'INSERT', NULL, '{"id": 191, "group_id": 5, "permission_id": 236}'),
	('01a20576-decd-731e-ae48-1010cfcef48a', '2026-11-22 22:53:26.093202+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '192', '5', 'INSERT', NULL, '{"id": 192, "group_id": 5, "permission_id": 109}'),
	('01a20576-decd-74a3-b3ed-b4323d3f4cae', '2026-11-22 22:53:26.093297+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '193', '5', 'INSERT', NULL, '{"id": 193, "group_id": 5, "permission_id": 240}'),
	('01a20576-decd-78b8-98f7-00d335fb38b4', '2026-11-22 22:53:26.093553+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '194', '5', 'INSERT', NULL, '{"id": 194, "group_id": 5, "permission_id": 113}'),
	('01a20576-decd-7a56-bb6a-dcb4630923b5', '2026-11-22 22:53:26.093653+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '195', '5', 'INSERT', NULL, '{"id": 195, "group_id": 5, "permission_id": 117}'),
	('01a20576-decd-7bdf-b767-accb72fb340e', '2026-11-22 22:53:26.093749+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '196', '5', 'INSERT', NULL, '{"id": 196, "group_id": 5, "permission_id": 121}'),
	('01a20576-decd-7d64-b38a-80a99e60def6', '2026-11-22 22:53:26.093845+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '197', '5', 'INSERT', NULL, '{"id": 197, "group_id": 5, "permission_id": 126}'),
	('01a20576-e09d-7f37-a71d-366845878c85', '2026-11-22 22:53:26.55804+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '198', '1', 'INSERT', NULL, '{"id": 198, "group_id": 1, "permission_id": 104}'),
	('01a20576-e09e-7435-b854-daff817e6f36', '2026-11-22 22:53:26.558279+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '199', '1', 'INSERT', NULL, '{"id": 199, "group_id": 1, "permission_id": 105}'),
	('01a20576-e09e-76a3-9656-35129a756295', '2026-11-22 22:53:26.558428+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '200', '1', 'INSERT', NULL, '{"id": 200, "group_id": 1, "permission_id": 52}'),
	('01a20576-e09e-78e9-a68a-595bcc66c70c', '2026-11-22 22:53:26.558569+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '201', '1', 'INSERT', NULL, '{"id": 201, "group_id": 1, "permission_id": 103}'),
	('01a20576-e0b9-71b2-9577-9ae7c465dd05', '2026-11-22 22:53:26.585168+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '202', '4', 'INSERT', NULL, '{"id": 202, "group_id": 4, "permission_id": 103}'),
	('01a20576-e0c3-793f-b190-0085fafb88fb', '2026-11-22 22:53:26.595639+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '203', '5', 'INSERT', NULL, '{"id": 203, "group_id": 5, "permission_id": 104}'),
	('01a20576-e0c3-7d3f-ba55-6b2cc47b312d', '2026-11-22 22:53:26.595843+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '204', '5', 'INSERT', NULL, '{"id": 204, "group_id": 5, "permission_id": 103}'),
	('01a20576-e2b7-767e-9a79-b04580572b57', '2026-11-22 22:53:27.095482+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '205', '1', 'INSERT', NULL, '{"id": 205, "group_id": 1, "permission_id": 184}'),
	('01a20576-e2b7-7b74-a281-a2d42026c92e', '2026-11-22 22:53:27.09573+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '206', '1', 'INSERT', NULL, '{"id": 206, "group_id": 1, "permission_id": 185}'),
	('01a20576-e2d0-76bc-895f-7ce08a228ed7', '2026-11-22 22:53:27.120475+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '207', '2', 'INSERT', NULL, '{"id": 207, "group_id": 2, "permission_id": 184}'),
	('01a20576-e2de-7995-b8da-7063c90bccba', '2026-11-22 22:53:27.134652+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '208', '3', 'INSERT', NULL, '{"id": 208, "group_id": 3, "permission_id": 184}'),
	('01a20576-e2f3-729b-824d-c71d419d7e9f', '2026-11-22 22:53:27.155224+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '209', '4', 'INSERT', NULL, '{"id": 209, "group_id": 4, "permission_id": 184}'),
	('01a20576-e304-7d5c-a51c-2ff460fb7148', '2026-11-22 22:53:27.172911+00', 'database:postgres', '', '', 'postgres', '', 'auth_group_permissions', '210', '5', 'INSERT', NULL, '{"id": 210, "group_id": 5, "permission_id": 184}'),
	('01a20576-ec67-78f9-8a09-27fe88563858', '2026-11-22 22:53:29.584169+00', 'database:postgres', '', '', 'postgres', '', 'exchange_staffuser', '01a20576-ec51-7427-9210-d6a1a884f2c2', '', 'INSERT', NULL, '{"id": "01a20576-ec51-7427-9210-d6a1a884f2c2", "email": "", "is_staff": true, "password": "(hidden)", "username": "owner", "is_active": true, "last_name": "", "public_id": "141be103-59f1-445c-ad06-2313e37f0caa", "first_name": "", "date_joined": "2026-11-22T22:53:29.553479+00:00", "is_superuser": true, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:29.553253+00:00"}'),
	('01a20576-eccd-7824-a498-05f91e564531', '2026-11-22 22:53:29.677537+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-ecc8-76b8-bc96-8a66c498ad22', '', 'INSERT', NULL, '{"id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "email": "", "is_staff": true, "password": "(hidden)", "username": "amina.finance", "is_active": true, "last_name": "", "public_id": "e530adef-3e82-4c3d-8f95-989a75730718", "first_name": "", "date_joined": "2026-11-22T22:53:29.672753+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:29.673354+00:00"}'),
	('01a20576-ecee-72e9-a54c-54aa3324edf5', '2026-11-22 22:53:29.710227+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_groups', '1', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": 1, "group_id": 1, "staffuser_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22"}'),
	('01a20576-ed0e-7502-a87f-277bd09562dc', '2026-11-22 22:53:29.742367+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_secondfactor', '01a20576-ecc8-76b8-bc96-8a66c498ad22', '', 'INSERT', NULL, '{"user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "set_up_at": "2026-11-22T22:53:29.729119+00:00", "secret_encrypted": "(hidden)"}'),
	('01a20576-ed1d-77ca-9ad5-6576b5b60d6c', '2026-11-22 22:53:29.757535+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-7156-9abb-64b97843d168', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-7156-9abb-64b97843d168", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1d-7d5c-aafd-4a9b398e029b', '2026-11-22 22:53:29.757847+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-7157-ba0c-66aaad7171b0', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-7157-ba0c-66aaad7171b0", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-70f5-bbe4-34821f869322', '2026-11-22 22:53:29.758071+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-7158-ab4d-94fe5a1744bb', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-7158-ab4d-94fe5a1744bb", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-7374-ab45-8ce7091e1f6c', '2026-11-22 22:53:29.758224+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-7159-ab5e-d49281e2fbae', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-7159-ab5e-d49281e2fbae", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-75a9-af55-ee22cf7700b1', '2026-11-22 22:53:29.758361+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-715a-8030-80c5091323f2', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-715a-8030-80c5091323f2", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-77d7-8e44-f7b2cad40308', '2026-11-22 22:53:29.758497+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-715b-8274-a7322e9486e5', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-715b-8274-a7322e9486e5", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-791a-8093-8d64ec663085', '2026-11-22 22:53:29.758575+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-715c-ac11-6120c2e0c8ea', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-715c-ac11-6120c2e0c8ea", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-7c14-bec2-3d04d1ecefd8', '2026-11-22 22:53:29.758762+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-715d-a461-8f9aed4b0c56', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-715d-a461-8f9aed4b0c56", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-7d2b-a66d-3c1a2bdc0ea8', '2026-11-22 22:53:29.758829+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-715e-ba6b-0102954042e0', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-715e-ba6b-0102954042e0", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed1e-7e39-aebb-1ab1bae62f1e', '2026-11-22 22:53:29.758894+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_recoverycode', '01a20576-ed19-715f-95e4-ddb932dbaf51', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 'INSERT', NULL, '{"id": "01a20576-ed19-715f-95e4-ddb932dbaf51", "user_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22", "code_hash": "(hidden)"}'),
	('01a20576-ed21-747e-bc0f-35578ded3d6f', '2026-11-22 22:53:29.761315+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-ecc8-76b8-bc96-8a66c498ad22', '', 'UPDATE', '{"session_epoch": 0}', '{"session_epoch": 1}'),
	('01a20576-f508-7d0a-a397-9efd937fde4c', '2026-11-22 22:53:31.784862+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-f504-7485-a407-3482ba56d27c', '', 'INSERT', NULL, '{"id": "01a20576-f504-7485-a407-3482ba56d27c", "email": "", "is_staff": true, "password": "(hidden)", "username": "lindiwe.office", "is_active": true, "last_name": "", "public_id": "085b7b96-42a2-457b-9a22-c10fe0679b8a", "first_name": "", "date_joined": "2026-11-22T22:53:31.780255+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:31.780655+00:00"}'),
	('01a20576-f514-71a1-b778-71a1e4e84bd0', '2026-11-22 22:53:31.796162+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_groups', '2', '01a20576-f504-7485-a407-3482ba56d27c', 'INSERT', NULL, '{"id": 2, "group_id": 2, "staffuser_id": "01a20576-f504-7485-a407-3482ba56d27c"}'),
	('01a20576-f582-76ed-916e-20580ccf2f90', '2026-11-22 22:53:31.906464+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-f57d-7299-8441-2cd4a76272d3', '', 'INSERT', NULL, '{"id": "01a20576-f57d-7299-8441-2cd4a76272d3", "email": "", "is_staff": true, "password": "(hidden)", "username": "imani.credit", "is_active": true, "last_name": "", "public_id": "a275a0cb-3280-43dc-9215-c1881a30d620", "first_name": "", "date_joined": "2026-11-22T22:53:31.901027+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:31.901431+00:00"}'),
	('01a20576-f592-714b-80a6-f8f0d7c32db8', '2026-11-22 22:53:31.922141+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_groups', '3', '01a20576-f57d-7299-8441-2cd4a76272d3', 'INSERT', NULL, '{"id": 3, "group_id": 3, "staffuser_id": "01a20576-f57d-7299-8441-2cd4a76272d3"}'),
	('01a20576-f903-7b37-9614-5b3a20e61210', '2026-11-22 22:53:32.803764+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-f884-7702-b7de-4e2dc5b5d722', '', 'INSERT', NULL, '{"created_at": "2026-11-22T22:53:32.78309+00:00", "last_error": "", "provider_id": "", "withdrawal_id": "01a20576-f884-7702-b7de-4e2dc5b5d722", "not_found_count": 0, "provider_status": "", "provider_message": ""}'),
	('01a20576-f5e7-7178-9990-5f1e96ac511b', '2026-11-22 22:53:32.00713+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-f5e4-771e-b355-93a6dffee388', '', 'INSERT', NULL, '{"id": "01a20576-f5e4-771e-b355-93a6dffee388", "email": "", "is_staff": true, "password": "(hidden)", "username": "sefu.credit", "is_active": true, "last_name": "", "public_id": "0ad3bffb-5ba9-486b-86ca-dd2fa52b1f6e", "first_name": "", "date_joined": "2026-11-22T22:53:32.004802+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:32.005218+00:00"}'),
	('01a20576-f5ef-71e3-9439-2bbfe5c669b0', '2026-11-22 22:53:32.015165+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_groups', '4', '01a20576-f5e4-771e-b355-93a6dffee388', 'INSERT', NULL, '{"id": 4, "group_id": 3, "staffuser_id": "01a20576-f5e4-771e-b355-93a6dffee388"}'),
	('01a20576-f5f6-7828-92ee-cace8d9656a2', '2026-11-22 22:53:32.022655+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_organisation', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '', 'INSERT', NULL, '{"id": "01a20576-f5f4-77b5-9eed-17ebed2559c1", "name": "Organisation 1", "email": "", "active": true, "created_at": "2026-11-22T22:53:32.020784+00:00"}'),
	('01a20576-f603-7de7-9678-c03fd82ffae7', '2026-11-22 22:53:32.038611+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_apikey', '01a20576-f601-70de-ab3d-8b0f22393055', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20576-f601-70de-ab3d-8b0f22393055", "name": "tests", "scopes": ["tokens:read", "tokens:write", "orders:read", "orders:write", "portfolio:read", "credit:read", "credit:write", "wallets:read", "wallets:withdraw", "wallets:transfer", "deposits:write", "members:read", "members:write", "webhooks:manage", "sandbox"], "created": "2026-11-22T22:53:32.033766+00:00", "algorithm": "", "client_id": "EMxzTYAhdUE1h5SZTZL8Q0krD6wL80KVSXCHkBVs", "client_type": "confidential", "client_secret": "(hidden)", "redirect_uris": "", "allowed_origins": "", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1", "hash_client_secret": true, "skip_authorization": false, "registration_source": "manual", "authorization_grant_type": "client-credentials", "post_logout_redirect_uris": ""}'),
	('01a20576-f60b-74b8-9bcd-1f13792b1eb4', '2026-11-22 22:53:32.043353+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'oauth2_provider_accesstoken', '1', '01a20576-f601-70de-ab3d-8b0f22393055', 'INSERT', NULL, '{"id": 1, "scope": "tokens:read tokens:write orders:read orders:write portfolio:read credit:read credit:write wallets:read wallets:withdraw wallets:transfer deposits:write members:read members:write webhooks:manage sandbox", "token": "", "created": "2026-11-22T22:53:32.040279+00:00", "expires": "2026-11-22T23:53:32.039648+00:00", "resource": [], "application_id": "01a20576-f601-70de-ab3d-8b0f22393055", "token_checksum": "(hidden)"}'),
	('01a20576-f618-71a9-a36c-ade0b4663282', '2026-11-22 22:53:32.056177+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_member', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20576-f60c-7448-b022-08df2c2a2b58", "name": "Ada Obi", "email": "ada@example.com", "created_at": "2026-11-22T22:53:32.044892+00:00", "external_id": "", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20576-f626-7d68-a08b-33b441a82d09', '2026-11-22 22:53:32.070914+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f620-7298-8c31-0ceb2ba5c506', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20576-f620-7298-8c31-0ceb2ba5c506", "note": "", "amount": 20000.00000000, "reason": "", "status": "Pending", "member_id": "01a20576-f60c-7448-b022-08df2c2a2b58", "reference": "arrival-1", "created_at": "2026-11-22T22:53:32.064471+00:00", "currency_id": "KES", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20576-f639-70c0-a400-e3fb3686b6c6', '2026-11-22 22:53:32.0891+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f620-7298-8c31-0ceb2ba5c506', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "decided_at": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:32.086363+00:00"}'),
	('01a20576-f642-7bd2-99f3-b0e0d739385c', '2026-11-22 22:53:32.098796+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f641-7223-a234-9eba64a11dae', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20576-f641-7223-a234-9eba64a11dae", "note": "", "amount": 12000000.00000000, "reason": "", "status": "Pending", "member_id": "01a20576-f60c-7448-b022-08df2c2a2b58", "reference": "arrival-2", "created_at": "2026-11-22T22:53:32.097377+00:00", "currency_id": "NGN", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20576-f64e-7256-92a0-953de04572f2', '2026-11-22 22:53:32.110195+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f641-7223-a234-9eba64a11dae', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "decided_at": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:32.108261+00:00"}'),
	('01a20576-f651-708b-b32e-dac2891a35a2', '2026-11-22 22:53:32.113089+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f64f-7478-9c9a-b43b4eb9fee1', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20576-f64f-7478-9c9a-b43b4eb9fee1", "note": "", "amount": 5000.00000000, "reason": "", "status": "Pending", "reference": "arrival-3", "created_at": "2026-11-22T22:53:32.111707+00:00", "currency_id": "KES", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20576-f659-7ce5-8c42-f81f7637bc26', '2026-11-22 22:53:32.121853+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f64f-7478-9c9a-b43b4eb9fee1', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "decided_at": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:32.12013+00:00"}'),
	('01a20576-f661-7147-b7cd-f408ba1f32a2', '2026-11-22 22:53:32.129136+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20576-f65d-745f-bccf-d2789d4724ad', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20576-f65d-745f-bccf-d2789d4724ad", "note": "", "amount": 700.00000000, "reason": "", "status": "Pending", "reference": "entered by hand", "created_at": "2026-11-22T22:53:32.125765+00:00", "currency_id": "KES", "entered_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20576-f66d-7b95-bf82-dd286cfd75fe', '2026-11-22 22:53:32.141799+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_configurationfigure', '01a20576-f667-758c-8748-f28203a6e182', 'NGN_WITHDRAWAL_FEE', 'INSERT', NULL, '{"id": "01a20576-f667-758c-8748-f28203a6e182", "value": 75.50000000, "reason": "Costs rose", "status": "Pending", "created_at": "2026-11-22T22:53:32.134932+00:00", "decision_note": "", "proposed_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2", "configuration_id": "NGN_WITHDRAWAL_FEE", "withdrawal_reason": ""}'),
	('01a20576-f917-71f3-9922-6d7e5274969d', '2026-11-22 22:53:32.823177+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f884-7702-b7de-4e2dc5b5d722', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null, "first_approver_id": null}', '{"status": "Approved", "version": 2, "actioned_by": "staff5", "actioned_on": "2026-11-22T22:53:32.78309+00:00", "first_approver_id": "01a20576-f89a-72f1-9a68-4e60c6fd686b"}'),
	('01a20576-f944-78a3-9b3a-ddf2a69b7a91', '2026-11-22 22:53:32.868608+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f884-7702-b7de-4e2dc5b5d722', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Approved", "version": 2}', '{"status": "Processing", "version": 3}'),
	('01a20576-f961-7933-9a17-50ee9a451f4b', '2026-11-22 22:53:32.89764+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-f884-7702-b7de-4e2dc5b5d722', '', 'UPDATE', '{"posted_at": null}', '{"posted_at": "2026-11-22T22:53:32.888153+00:00"}'),
	('01a20576-f6a6-74ed-a224-e6c56ac0f31a', '2026-11-22 22:53:32.198381+00', 'api_key:01a20576-f601-70de-ab3d-8b0f22393055', 'tests', 'request:01a20576-f677-7198-8f57-ac76b85ec1fd', 'postgres as exchange_runtime', '', 'wallets_banklist', 'KES', '', 'INSERT', NULL, '{"banks": [{"id": 201, "code": "01", "name": "KCB Bank Kenya"}, {"id": 202, "code": "02", "name": "Standard Chartered Bank Kenya"}, {"id": 203, "code": "03", "name": "Absa Bank Kenya"}, {"id": 204, "code": "07", "name": "NCBA Bank Kenya"}, {"id": 205, "code": "10", "name": "Prime Bank"}, {"id": 206, "code": "11", "name": "Co-operative Bank of Kenya"}, {"id": 207, "code": "12", "name": "National Bank of Kenya"}, {"id": 208, "code": "16", "name": "Citibank N.A. Kenya"}, {"id": 209, "code": "19", "name": "Bank of Africa Kenya"}, {"id": 210, "code": "23", "name": "Consolidated Bank of Kenya"}, {"id": 211, "code": "25", "name": "Credit Bank"}, {"id": 212, "code": "31", "name": "Stanbic Bank Kenya"}, {"id": 213, "code": "35", "name": "African Banking Corporation"}, {"id": 214, "code": "43", "name": "Ecobank Kenya"}, {"id": 215, "code": "54", "name": "Victoria Commercial Bank"}, {"id": 216, "code": "57", "name": "I&M Bank"}, {"id": 217, "code": "63", "name": "Diamond Trust Bank Kenya"}, {"id": 218, "code": "66", "name": "Sidian Bank"}, {"id": 219, "code": "68", "name": "Equity Bank Kenya"}, {"id": 220, "code": "70", "name": "Family Bank"}, {"id": 221, "code": "72", "name": "Gulf African Bank"}, {"id": 222, "code": "76", "name": "UBA Kenya Bank"}], "currency_id": "KES"}'),
	('01a20576-f737-74ac-941f-73bc641325a4', '2026-11-22 22:53:32.343355+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f6e1-7552-9122-76d7ff799de3', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"reason": "", "status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null}', '{"reason": "The account is not in the member''s own name", "status": "Rejected", "version": 2, "actioned_by": "amina.finance", "actioned_on": "2026-11-22T22:53:32.334092+00:00"}'),
	('01a20576-f78d-746e-b61d-7ecc83eb8312', '2026-11-22 22:53:32.429347+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f754-7107-8a67-c21689a8e229', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null}', '{"status": "Cancelled", "version": 2, "actioned_by": "tests", "actioned_on": "2026-11-22T22:53:32.425946+00:00"}'),
	('01a20576-f7b2-787e-b5f4-5d4350ff347e', '2026-11-22 22:53:32.466587+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-f7af-74d6-9658-df5ac550d024', '', 'INSERT', NULL, '{"id": "01a20576-f7af-74d6-9658-df5ac550d024", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff4", "is_active": true, "last_name": "", "public_id": "dcac5600-8807-40ba-8d8c-947f3b9b086f", "first_name": "", "date_joined": "2026-11-22T22:53:32.463117+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:32.462927+00:00"}'),
	('01a20576-f7c3-7b2b-99a5-987f7a633d07', '2026-11-22 22:53:32.483771+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '1', '01a20576-f7af-74d6-9658-df5ac550d024', 'INSERT', NULL, '{"id": 1, "staffuser_id": "01a20576-f7af-74d6-9658-df5ac550d024", "permission_id": 122}'),
	('01a20576-f7c6-7353-80de-33cbea9e74c2', '2026-11-22 22:53:32.486265+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '2', '01a20576-f7af-74d6-9658-df5ac550d024', 'INSERT', NULL, '{"id": 2, "staffuser_id": "01a20576-f7af-74d6-9658-df5ac550d024", "permission_id": 131}'),
	('01a20576-f7c6-7b78-893a-d73ed1a157a8', '2026-11-22 22:53:32.486751+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '3', '01a20576-f7af-74d6-9658-df5ac550d024', 'INSERT', NULL, '{"id": 3, "staffuser_id": "01a20576-f7af-74d6-9658-df5ac550d024", "permission_id": 132}'),
	('01a20576-f7c7-72c0-ab3a-58e7d4c2a961', '2026-11-22 22:53:32.487207+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '4', '01a20576-f7af-74d6-9658-df5ac550d024', 'INSERT', NULL, '{"id": 4, "staffuser_id": "01a20576-f7af-74d6-9658-df5ac550d024", "permission_id": 118}'),
	('01a20576-f833-7da9-8348-5f153ec61bcb', '2026-11-22 22:53:32.598496+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', '', 'INSERT', NULL, '{"created_at": "2026-11-22T22:53:32.572062+00:00", "last_error": "", "provider_id": "", "withdrawal_id": "01a20576-f7a1-76f8-813d-a8d52cc3b34d", "not_found_count": 0, "provider_status": "", "provider_message": ""}'),
	('01a20576-f84a-7218-b0de-cd50eef9416d', '2026-11-22 22:53:32.618185+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null, "first_approver_id": null}', '{"status": "Approved", "version": 2, "actioned_by": "staff4", "actioned_on": "2026-11-22T22:53:32.572062+00:00", "first_approver_id": "01a20576-f7af-74d6-9658-df5ac550d024"}'),
	('01a20576-f87f-702d-a4b9-fce0876812a5', '2026-11-22 22:53:32.671077+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_proposal', '01a20576-f87c-7315-af6b-d35b18dedae1', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', 'INSERT', NULL, '{"id": "01a20576-f87c-7315-af6b-d35b18dedae1", "action": "Return", "reason": "The provider is out", "status": "Open", "created_at": "2026-11-22T22:53:32.668102+00:00", "withdrawal_id": "01a20576-f7a1-76f8-813d-a8d52cc3b34d", "proposed_by_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22"}'),
	('01a20576-f89d-7035-b3b3-a8ead190ead7', '2026-11-22 22:53:32.70105+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-f89a-72f1-9a68-4e60c6fd686b', '', 'INSERT', NULL, '{"id": "01a20576-f89a-72f1-9a68-4e60c6fd686b", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff5", "is_active": true, "last_name": "", "public_id": "4012c8d3-9bf2-444d-9801-237e80cfb6a8", "first_name": "", "date_joined": "2026-11-22T22:53:32.698893+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:32.698787+00:00"}'),
	('01a20576-f8ae-7a49-858e-9233dc6eae60', '2026-11-22 22:53:32.718709+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '5', '01a20576-f89a-72f1-9a68-4e60c6fd686b', 'INSERT', NULL, '{"id": 5, "staffuser_id": "01a20576-f89a-72f1-9a68-4e60c6fd686b", "permission_id": 122}'),
	('01a20576-f8af-7004-b951-cfbb76b69aa0', '2026-11-22 22:53:32.719015+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '6', '01a20576-f89a-72f1-9a68-4e60c6fd686b', 'INSERT', NULL, '{"id": 6, "staffuser_id": "01a20576-f89a-72f1-9a68-4e60c6fd686b", "permission_id": 131}'),
	('01a20576-f8af-7218-bce3-ef9a7b3f76b1', '2026-11-22 22:53:32.71914+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '7', '01a20576-f89a-72f1-9a68-4e60c6fd686b', 'INSERT', NULL, '{"id": 7, "staffuser_id": "01a20576-f89a-72f1-9a68-4e60c6fd686b", "permission_id": 132}'),
	('01a20576-f8b4-7af5-a9c8-263563f22b16', '2026-11-22 22:53:32.724739+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '8', '01a20576-f89a-72f1-9a68-4e60c6fd686b', 'INSERT', NULL, '{"id": 8, "staffuser_id": "01a20576-f89a-72f1-9a68-4e60c6fd686b", "permission_id": 118}'),
	('01a20576-f97d-70d0-9cde-47f147ba03f7', '2026-11-22 22:53:32.925116+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-f884-7702-b7de-4e2dc5b5d722', '', 'UPDATE', '{"provider_id": "", "provider_status": ""}', '{"provider_id": "1", "provider_status": "NEW"}'),
	('01a20576-f990-7f22-a209-c778898e48d3', '2026-11-22 22:53:32.944998+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', '', 'INSERT', NULL, '{"id": "01a20576-f98f-7556-b7a5-8a5ba9b54b62", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff6", "is_active": true, "last_name": "", "public_id": "5e057f94-3261-43f6-9b30-4a53dd6fcf5d", "first_name": "", "date_joined": "2026-11-22T22:53:32.943454+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:32.943347+00:00"}'),
	('01a20576-f99d-793b-bce6-7cc3c4372f80', '2026-11-22 22:53:32.957642+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '9', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 'INSERT', NULL, '{"id": 9, "staffuser_id": "01a20576-f98f-7556-b7a5-8a5ba9b54b62", "permission_id": 122}'),
	('01a20576-f99d-7d12-be1a-0e1e0fa443c4', '2026-11-22 22:53:32.957827+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '10', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 'INSERT', NULL, '{"id": 10, "staffuser_id": "01a20576-f98f-7556-b7a5-8a5ba9b54b62", "permission_id": 131}'),
	('01a20576-f99d-7ee1-a355-05b11abc5064', '2026-11-22 22:53:32.957938+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '11', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 'INSERT', NULL, '{"id": 11, "staffuser_id": "01a20576-f98f-7556-b7a5-8a5ba9b54b62", "permission_id": 132}'),
	('01a20576-f99e-710e-baac-ba3366b5fb6b', '2026-11-22 22:53:32.958076+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '12', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 'INSERT', NULL, '{"id": 12, "staffuser_id": "01a20576-f98f-7556-b7a5-8a5ba9b54b62", "permission_id": 118}'),
	('01a20576-f9de-75f7-9db0-786474aeb4b1', '2026-11-22 22:53:33.022435+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '', 'INSERT', NULL, '{"created_at": "2026-11-22T22:53:33.00765+00:00", "last_error": "", "provider_id": "", "withdrawal_id": "01a20576-f97e-74c1-a48f-cefeda8c69e9", "not_found_count": 0, "provider_status": "", "provider_message": ""}'),
	('01a20576-f9f1-7a9b-ab87-4a1d4c39b57b', '2026-11-22 22:53:33.041719+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null, "first_approver_id": null}', '{"status": "Approved", "version": 2, "actioned_by": "staff6", "actioned_on": "2026-11-22T22:53:33.00765+00:00", "first_approver_id": "01a20576-f98f-7556-b7a5-8a5ba9b54b62"}'),
	('01a20576-fa0d-770a-86f1-faa1a154009d', '2026-11-22 22:53:33.069508+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Approved", "version": 2}', '{"status": "Processing", "version": 3}'),
	('01a20576-fa33-7e49-860b-614f181ed522', '2026-11-22 22:53:33.107996+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '', 'UPDATE', '{"posted_at": null}', '{"posted_at": "2026-11-22T22:53:33.104748+00:00"}'),
	('01a20576-fa76-7381-892c-bc439a8d41d0', '2026-11-22 22:53:33.174296+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"reason": "", "status": "Processing", "version": 3}', '{"reason": "Payout was made to a blacklisted account number", "status": "Failed", "version": 4}'),
	('01a20576-faa6-773b-b7e1-5d2673279588', '2026-11-22 22:53:33.222483+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-faa4-7468-945d-96a760bc9621', '', 'INSERT', NULL, '{"id": "01a20576-faa4-7468-945d-96a760bc9621", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff7", "is_active": true, "last_name": "", "public_id": "8a2d40e2-f4b4-46a4-90f7-2f835a415faf", "first_name": "", "date_joined": "2026-11-22T22:53:33.220795+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:33.220687+00:00"}'),
	('01a20576-fab1-7b37-9987-f3bbba9c937c', '2026-11-22 22:53:33.233767+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '13', '01a20576-faa4-7468-945d-96a760bc9621', 'INSERT', NULL, '{"id": 13, "staffuser_id": "01a20576-faa4-7468-945d-96a760bc9621", "permission_id": 122}'),
	('01a20576-fab1-7f2b-9b26-7b0aee8f451b', '2026-11-22 22:53:33.233958+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '14', '01a20576-faa4-7468-945d-96a760bc9621', 'INSERT', NULL, '{"id": 14, "staffuser_id": "01a20576-faa4-7468-945d-96a760bc9621", "permission_id": 131}');
INSERT INTO public.exchange_change (id, at, actor, actor_label, via, database_user, application, table_name, record_id, about_id, operation, before, after) VALUES
	('01a20576-fab2-71ba-8314-8196fd1a5c41', '2026-11-22 22:53:33.234119+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '15', '01a20576-faa4-7468-945d-96a760bc9621', 'INSERT', NULL, '{"id": 15, "staffuser_id": "01a20576-faa4-7468-945d-96a760bc9621", "permission_id": 132}'),
	('01a20576-fab2-737c-8c65-5429590384c5', '2026-11-22 22:53:33.234227+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '16', '01a20576-faa4-7468-945d-96a760bc9621', 'INSERT', NULL, '{"id": 16, "staffuser_id": "01a20576-faa4-7468-945d-96a760bc9621", "permission_id": 118}'),
	('01a20576-faf2-704d-9b06-8baeb633846e', '2026-11-22 22:53:33.298084+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fa95-75ef-819d-dea14ada20ee', '', 'INSERT', NULL, '{"created_at": "2026-11-22T22:53:33.292212+00:00", "last_error": "", "provider_id": "", "withdrawal_id": "01a20576-fa95-75ef-819d-dea14ada20ee", "not_found_count": 0, "provider_status": "", "provider_message": ""}'),
	('01a20576-faf9-7af5-9e18-53dcdcab1ff6', '2026-11-22 22:53:33.30574+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fa95-75ef-819d-dea14ada20ee', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null, "first_approver_id": null}', '{"status": "Approved", "version": 2, "actioned_by": "staff7", "actioned_on": "2026-11-22T22:53:33.292212+00:00", "first_approver_id": "01a20576-faa4-7468-945d-96a760bc9621"}'),
	('01a20576-fb1a-7da1-9da0-3e290acb3cf6', '2026-11-22 22:53:33.338918+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fa95-75ef-819d-dea14ada20ee', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Approved", "version": 2}', '{"status": "Processing", "version": 3}'),
	('01a20576-fb39-75a1-8daf-c2f19cf431ac', '2026-11-22 22:53:33.369415+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fa95-75ef-819d-dea14ada20ee', '', 'UPDATE', '{"posted_at": null}', '{"posted_at": "2026-11-22T22:53:33.36075+00:00"}'),
	('01a20576-fb5e-7ced-b0d3-e5bff46374ed', '2026-11-22 22:53:33.406871+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fa95-75ef-819d-dea14ada20ee', '', 'UPDATE', '{"provider_id": "", "provider_status": ""}', '{"provider_id": "2", "provider_status": "NEW"}'),
	('01a20576-fba5-7a49-a2a6-17d7cfeee613', '2026-11-22 22:53:33.477712+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fa95-75ef-819d-dea14ada20ee', '', 'UPDATE', '{"settled_at": null, "provider_fee": null, "provider_status": "NEW", "provider_message": ""}', '{"settled_at": "2026-11-22T22:53:33.455556+00:00", "provider_fee": 100.00000000, "provider_status": "SUCCESSFUL", "provider_message": "Transaction was successful"}'),
	('01a20576-fbae-7dc2-b9a5-8fef826c90d8', '2026-11-22 22:53:33.486916+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fa95-75ef-819d-dea14ada20ee', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Processing", "version": 3}', '{"status": "Completed", "version": 4}'),
	('01a20576-fbec-707e-82a5-0986fcab2daa', '2026-11-22 22:53:33.548081+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-fbe8-70a1-acd1-294918dee500', '', 'INSERT', NULL, '{"id": "01a20576-fbe8-70a1-acd1-294918dee500", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff8", "is_active": true, "last_name": "", "public_id": "804c1b6c-9b5a-41ac-9fdf-6977f917ee7f", "first_name": "", "date_joined": "2026-11-22T22:53:33.544764+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:33.54465+00:00"}'),
	('01a20576-fbfa-72cc-86ef-104c214fce8d', '2026-11-22 22:53:33.562236+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '17', '01a20576-fbe8-70a1-acd1-294918dee500', 'INSERT', NULL, '{"id": 17, "staffuser_id": "01a20576-fbe8-70a1-acd1-294918dee500", "permission_id": 122}'),
	('01a20576-fbfa-7683-9ad6-bacea78619b4', '2026-11-22 22:53:33.562416+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '18', '01a20576-fbe8-70a1-acd1-294918dee500', 'INSERT', NULL, '{"id": 18, "staffuser_id": "01a20576-fbe8-70a1-acd1-294918dee500", "permission_id": 131}'),
	('01a20576-fbfa-7839-967b-3083c5e7361b', '2026-11-22 22:53:33.562521+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '19', '01a20576-fbe8-70a1-acd1-294918dee500', 'INSERT', NULL, '{"id": 19, "staffuser_id": "01a20576-fbe8-70a1-acd1-294918dee500", "permission_id": 132}'),
	('01a20576-fbfa-79ba-b9df-d7bba9d12e8b', '2026-11-22 22:53:33.562615+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '20', '01a20576-fbe8-70a1-acd1-294918dee500', 'INSERT', NULL, '{"id": 20, "staffuser_id": "01a20576-fbe8-70a1-acd1-294918dee500", "permission_id": 118}'),
	('01a20576-fc40-7c87-b979-c6ef91546834', '2026-11-22 22:53:33.632848+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '', 'INSERT', NULL, '{"created_at": "2026-11-22T22:53:33.619653+00:00", "last_error": "", "provider_id": "", "withdrawal_id": "01a20576-fbd8-7423-ac43-e0c8a65793dd", "not_found_count": 0, "provider_status": "", "provider_message": ""}'),
	('01a20576-fc48-773f-bc2f-c5c46ac32f18', '2026-11-22 22:53:33.640514+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null, "first_approver_id": null}', '{"status": "Approved", "version": 2, "actioned_by": "staff8", "actioned_on": "2026-11-22T22:53:33.619653+00:00", "first_approver_id": "01a20576-fbe8-70a1-acd1-294918dee500"}'),
	('01a20576-fc6a-7856-9df6-88cabccbd2a1', '2026-11-22 22:53:33.674588+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Approved", "version": 2}', '{"status": "Processing", "version": 3}'),
	('01a20576-fc85-72ac-beac-576fc1fc0f0a', '2026-11-22 22:53:33.701235+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '', 'UPDATE', '{"posted_at": null}', '{"posted_at": "2026-11-22T22:53:33.695222+00:00"}'),
	('01a20576-fcaa-790a-aae8-0a182e46181a', '2026-11-22 22:53:33.738634+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '', 'UPDATE', '{"provider_id": "", "provider_status": ""}', '{"provider_id": "3", "provider_status": "NEW"}'),
	('01a20576-fcde-721c-801e-1b90a893f05f', '2026-11-22 22:53:33.790196+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '', 'UPDATE', '{"settled_at": null, "provider_fee": null, "provider_status": "NEW", "provider_message": ""}', '{"settled_at": "2026-11-22T22:53:33.775565+00:00", "provider_fee": 100.00000000, "provider_status": "SUCCESSFUL", "provider_message": "Transaction was successful"}'),
	('01a20576-fce8-794b-a280-6b5536d6c8d3', '2026-11-22 22:53:33.800637+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Processing", "version": 3}', '{"status": "Completed", "version": 4}'),
	('01a20576-fd31-767a-b7d7-535d6044a972', '2026-11-22 22:53:33.873469+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_alert', '01a20576-fd2c-7795-b02a-585ba9418edf', '', 'INSERT', NULL, '{"id": "01a20576-fd2c-7795-b02a-585ba9418edf", "kind": "payout_returned", "message": "The bank returned payout_j024a7wv4phph41bx5tmff6ny9: DISBURSE FAILED: Transfer was returned by the beneficiary bank. Two people must reverse it.", "subject": "payout_j024a7wv4phph41bx5tmff6ny9", "raised_at": "2026-11-22T22:53:33.855981+00:00"}'),
	('01a20576-fd33-7fe7-9ab5-2064b2424df6', '2026-11-22 22:53:33.876064+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '', 'UPDATE', '{"provider_status": "SUCCESSFUL", "provider_message": "Transaction was successful"}', '{"provider_status": "FAILED", "provider_message": "DISBURSE FAILED: Transfer was returned by the beneficiary bank"}'),
	('01a20576-fd51-7a76-8b0c-b34d72c1249a', '2026-11-22 22:53:33.905722+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_proposal', '01a20576-fd50-776d-8ad9-3b091fbb3f2a', '01a20576-fbd8-7423-ac43-e0c8a65793dd', 'INSERT', NULL, '{"id": "01a20576-fd50-776d-8ad9-3b091fbb3f2a", "action": "Reverse", "reason": "The bank''s statement has it as returned", "status": "Open", "created_at": "2026-11-22T22:53:33.904088+00:00", "withdrawal_id": "01a20576-fbd8-7423-ac43-e0c8a65793dd", "proposed_by_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22"}'),
	('01a20576-fd59-7ce1-a715-efee41b84fa4', '2026-11-22 22:53:33.913844+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-fd58-75e8-af5b-7c07beb49db4', '', 'INSERT', NULL, '{"id": "01a20576-fd58-75e8-af5b-7c07beb49db4", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff9", "is_active": true, "last_name": "", "public_id": "c754cae6-a331-4a0f-bdef-2929074376df", "first_name": "", "date_joined": "2026-11-22T22:53:33.912353+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:33.912239+00:00"}'),
	('01a20576-fd65-7e51-b589-267cd4b8c28f', '2026-11-22 22:53:33.925963+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '21', '01a20576-fd58-75e8-af5b-7c07beb49db4', 'INSERT', NULL, '{"id": 21, "staffuser_id": "01a20576-fd58-75e8-af5b-7c07beb49db4", "permission_id": 122}'),
	('01a20576-fd66-72fd-8d42-5bb430e5058b', '2026-11-22 22:53:33.926201+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '22', '01a20576-fd58-75e8-af5b-7c07beb49db4', 'INSERT', NULL, '{"id": 22, "staffuser_id": "01a20576-fd58-75e8-af5b-7c07beb49db4", "permission_id": 131}'),
	('01a20576-fd66-7506-9a8b-20afe5fa903f', '2026-11-22 22:53:33.926322+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '23', '01a20576-fd58-75e8-af5b-7c07beb49db4', 'INSERT', NULL, '{"id": 23, "staffuser_id": "01a20576-fd58-75e8-af5b-7c07beb49db4", "permission_id": 132}'),
	('01a20576-fd66-76b8-99f1-555925265915', '2026-11-22 22:53:33.926428+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '24', '01a20576-fd58-75e8-af5b-7c07beb49db4', 'INSERT', NULL, '{"id": 24, "staffuser_id": "01a20576-fd58-75e8-af5b-7c07beb49db4", "permission_id": 118}'),
	('01a20576-fdbd-773b-84a3-117b8447a8c4', '2026-11-22 22:53:34.013526+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_proposal', '01a20576-fd50-776d-8ad9-3b091fbb3f2a', '01a20576-fbd8-7423-ac43-e0c8a65793dd', 'UPDATE', '{"status": "Open", "decided_at": null, "decided_by_id": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:34.010706+00:00", "decided_by_id": "01a20576-fd58-75e8-af5b-7c07beb49db4"}'),
	('01a20576-fddd-7604-bc00-ffa680e47a3c', '2026-11-22 22:53:34.045432+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_alert', '01a20576-fd2c-7795-b02a-585ba9418edf', '', 'UPDATE', '{"resolved_at": null}', '{"resolved_at": "2026-11-22T22:53:34.04378+00:00"}'),
	('01a20576-fde2-7620-b23f-8ff4bf5f5c9a', '2026-11-22 22:53:34.050435+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"reason": "", "status": "Completed", "version": 4}', '{"reason": "The bank''s statement has it as returned", "status": "Reversed", "version": 5}'),
	('01a20576-fe1c-7449-9f1d-a9eb8e606ba7', '2026-11-22 22:53:34.108303+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20576-fe1a-7563-a75e-a0825603f4e4', '', 'INSERT', NULL, '{"id": "01a20576-fe1a-7563-a75e-a0825603f4e4", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff10", "is_active": true, "last_name": "", "public_id": "5266f4a7-31d0-41a8-b7ef-81aa32d30985", "first_name": "", "date_joined": "2026-11-22T22:53:34.106817+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:34.106708+00:00"}'),
	('01a20576-fe29-7158-b2fc-0a8b472869d8', '2026-11-22 22:53:34.12115+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '25', '01a20576-fe1a-7563-a75e-a0825603f4e4', 'INSERT', NULL, '{"id": 25, "staffuser_id": "01a20576-fe1a-7563-a75e-a0825603f4e4", "permission_id": 122}'),
	('01a20576-fe29-7526-9812-3038346142ba', '2026-11-22 22:53:34.121332+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '26', '01a20576-fe1a-7563-a75e-a0825603f4e4', 'INSERT', NULL, '{"id": 26, "staffuser_id": "01a20576-fe1a-7563-a75e-a0825603f4e4", "permission_id": 131}'),
	('01a20576-fe29-76dd-a48f-6d9547371a4d', '2026-11-22 22:53:34.121437+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '27', '01a20576-fe1a-7563-a75e-a0825603f4e4', 'INSERT', NULL, '{"id": 27, "staffuser_id": "01a20576-fe1a-7563-a75e-a0825603f4e4", "permission_id": 132}'),
	('01a20576-fe29-7872-8aa9-2576d6a6c967', '2026-11-22 22:53:34.121537+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '28', '01a20576-fe1a-7563-a75e-a0825603f4e4', 'INSERT', NULL, '{"id": 28, "staffuser_id": "01a20576-fe1a-7563-a75e-a0825603f4e4", "permission_id": 118}'),
	('01a20576-fe78-7f5c-a6fd-d410a2be79ff', '2026-11-22 22:53:34.201051+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fe0c-767f-b5e1-c08567f91dec', '', 'INSERT', NULL, '{"created_at": "2026-11-22T22:53:34.192769+00:00", "last_error": "", "provider_id": "", "withdrawal_id": "01a20576-fe0c-767f-b5e1-c08567f91dec", "not_found_count": 0, "provider_status": "", "provider_message": ""}'),
	('01a20576-fe80-7eed-a004-44717c3ee2e3', '2026-11-22 22:53:34.208991+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fe0c-767f-b5e1-c08567f91dec', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Pending", "version": 1, "actioned_by": "", "actioned_on": null, "first_approver_id": null}', '{"status": "Approved", "version": 2, "actioned_by": "staff10", "actioned_on": "2026-11-22T22:53:34.192769+00:00", "first_approver_id": "01a20576-fe1a-7563-a75e-a0825603f4e4"}'),
	('01a20576-fea9-7774-abc8-eadef2eba6a6', '2026-11-22 22:53:34.249534+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fe0c-767f-b5e1-c08567f91dec', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Approved", "version": 2}', '{"status": "Processing", "version": 3}'),
	('01a20576-fed1-7656-9981-8ec46107a86b', '2026-11-22 22:53:34.289465+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fe0c-767f-b5e1-c08567f91dec', '', 'UPDATE', '{"posted_at": null}', '{"posted_at": "2026-11-22T22:53:34.279782+00:00"}'),
	('01a20576-fee3-70b8-8108-42e7b60ebb23', '2026-11-22 22:53:34.307118+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payoutcircuit', '1', '', 'UPDATE', '{"reason": ""}', '{"reason": "the provider failed (503)"}'),
	('01a20576-ff16-747e-8b1d-2b6d93cf68c9', '2026-11-22 22:53:34.358356+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_payout', '01a20576-fe0c-767f-b5e1-c08567f91dec', '', 'UPDATE', '{"last_error": "", "not_found_count": 0, "first_not_found_at": null}', '{"last_error": "the provider failed (503)", "not_found_count": 1, "first_not_found_at": "2026-11-22T22:53:34.324809+00:00"}'),
	('01a20576-ff21-7d91-9ddc-61a25de59ec2', '2026-11-22 22:53:34.369907+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_withdrawal', '01a20576-fe0c-767f-b5e1-c08567f91dec', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "Processing", "version": 3}', '{"status": "Unknown", "version": 4}'),
	('01a20576-ff2b-7856-8433-e105bc70aacb', '2026-11-22 22:53:34.379572+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_alert', '01a20576-ff2a-75a9-947d-8427df95dd60', '', 'INSERT', NULL, '{"id": "01a20576-ff2a-75a9-947d-8427df95dd60", "kind": "payout_unknown", "message": "The outcome of payout_cam1ypg4qaqst6vs9khqte2ypm is not known: the provider failed (503)", "subject": "payout_cam1ypg4qaqst6vs9khqte2ypm", "raised_at": "2026-11-22T22:53:34.337123+00:00"}'),
	('01a20576-ff2d-75d2-bd19-b30c5c46d646', '2026-11-22 22:53:34.381413+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_organisation', '01a20576-ff2c-7609-a5cf-992e5421e3a5', '', 'INSERT', NULL, '{"id": "01a20576-ff2c-7609-a5cf-992e5421e3a5", "name": "Organisation 3", "email": "", "active": true, "created_at": "2026-11-22T22:53:34.380599+00:00"}'),
	('01a20576-ff4d-79d2-8a0a-1c846204c4c3', '2026-11-22 22:53:34.413687+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_token', '01a20576-ff34-7234-b868-f6bbf3fc9665', '', 'INSERT', NULL, '{"id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "name": "Savannah Foods", "type": "Public", "carry": 0.0000, "image": "", "tenor": 0, "closed": false, "exited": false, "symbol": "SAVF", "buy_fee": 0.0000, "max_buy": 0.00000000, "min_buy": 0.00000000, "discount": 0.0000, "dividend": 0.0000, "interest": 0.0000, "max_sell": 0.00000000, "min_sell": 0.00000000, "sell_fee": 0.0000, "cancelled": false, "issuer_id": "01a20576-ff2c-7609-a5cf-992e5421e3a5", "price_buy": 10000.00000000, "quoted_at": "2026-11-22T22:53:34.38869+00:00", "reference": 1, "valuation": 0.00000000, "created_at": "2026-11-22T22:53:34.38869+00:00", "esop_token": false, "price_sell": 10000.00000000, "currency_id": "NGN", "deal_access": "Public", "secondaries": true, "raise_amount": 0.00000000, "total_supply": 10000.00000000, "max_trade_buy": 0.00000000, "min_trade_buy": 0.00000000, "management_fee": 0.0000, "max_trade_sell": 0.00000000, "min_trade_sell": 0.00000000, "prev_price_buy": 10000.00000000, "price_exchange": 0.00000000, "completed_raise": true, "investment_type": "the service", "prev_price_sell": 10000.00000000, "payout_frequency": "", "listing_reference": "", "investment_category": "Private Business", "prev_price_exchange": 0.00000000, "post_raise_valuation": 0.00000000}'),
	('01a20577-0010-7b1e-9424-98db5618b432', '2026-11-22 22:53:34.608865+00', 'system:tests', 'tests', '', 'postgres as exchange_runtime', '', 'orders_order', '01a20576-ffe4-7558-bdb2-828fedd8cfc3', '01a20576-ff34-7234-b868-f6bbf3fc9665', 'UPDATE', '{"status": "Active", "reserved": 18800.00000000, "closed_at": null}', '{"status": "Cancelled", "reserved": 0.00000000, "closed_at": "2026-11-22T22:53:34.598582+00:00"}'),
	('01a20577-01bf-7ba1-9e43-7a5992af2e6e', '2026-11-22 22:53:35.039771+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loanlimit', '2', '01a20577-01b1-738c-8621-8c54681be9ec', 'INSERT', NULL, '{"id": 2, "max_amount": 2000000.00000000, "min_amount": 0.04000000, "version_id": "01a20577-01b1-738c-8621-8c54681be9ec", "currency_id": "NGN"}'),
	('01a20577-021a-7b02-aa5c-9597b5cbbef7', '2026-11-22 22:53:35.130825+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-01d2-7208-9784-6d3d367847da', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"interest_repaid": 0.00000000, "principal_repaid": 0.00000000}', '{"interest_repaid": 30000.00000000, "principal_repaid": 20000.00000000}'),
	('01a20577-0036-72e1-b785-650e568735e6', '2026-11-22 22:53:34.646341+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_token', '01a20577-0025-751c-ab09-34c9062057dc', '', 'INSERT', NULL, '{"id": "01a20577-0025-751c-ab09-34c9062057dc", "name": "Njia Growth", "type": "Public", "carry": 0.0000, "image": "", "tenor": 0, "closed": false, "exited": false, "symbol": "NJIA", "buy_fee": 0.0000, "max_buy": 0.00000000, "min_buy": 0.00000000, "discount": 0.0000, "dividend": 0.0000, "interest": 0.0000, "max_sell": 0.00000000, "min_sell": 0.00000000, "sell_fee": 0.0000, "cancelled": false, "issuer_id": "01a20576-ff2c-7609-a5cf-992e5421e3a5", "price_buy": 100.00000000, "quoted_at": "2026-11-22T22:53:34.629089+00:00", "reference": 2, "valuation": 0.00000000, "created_at": "2026-11-22T22:53:34.629089+00:00", "esop_token": false, "price_sell": 100.00000000, "currency_id": "NGN", "deal_access": "Private", "secondaries": false, "raise_amount": 50000.00000000, "total_supply": 1000.00000000, "max_trade_buy": 0.00000000, "min_trade_buy": 0.00000000, "management_fee": 0.0000, "max_trade_sell": 0.00000000, "min_trade_sell": 0.00000000, "prev_price_buy": 100.00000000, "price_exchange": 0.00000000, "completed_raise": false, "investment_type": "the service", "prev_price_sell": 100.00000000, "payout_frequency": "", "listing_reference": "", "investment_category": "Private Business", "prev_price_exchange": 0.00000000, "post_raise_valuation": 0.00000000}'),
	('01a20577-0083-73d7-a917-fdf2e40921bb', '2026-11-22 22:53:34.723314+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_tokenaccess', '1', '01a20577-0025-751c-ab09-34c9062057dc', 'INSERT', NULL, '{"id": 1, "token_id": "01a20577-0025-751c-ab09-34c9062057dc", "created_at": "2026-11-22T22:53:34.720907+00:00", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20577-00a9-7e41-8f07-516234dc7363', '2026-11-22 22:53:34.762066+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_organisation', '01a20577-00a8-7299-88c3-3d05381b71c8', '', 'INSERT', NULL, '{"id": "01a20577-00a8-7299-88c3-3d05381b71c8", "name": "Organisation 4", "email": "", "active": true, "created_at": "2026-11-22T22:53:34.760844+00:00"}'),
	('01a20577-00b7-731e-8557-6b0b9004a830', '2026-11-22 22:53:34.775267+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20577-00b5-7143-83f6-73bd120d70f6', '01a20577-00a8-7299-88c3-3d05381b71c8', 'INSERT', NULL, '{"id": "01a20577-00b5-7143-83f6-73bd120d70f6", "note": "", "amount": 5000000.00000000, "reason": "", "status": "Pending", "reference": "arrival-11", "created_at": "2026-11-22T22:53:34.773078+00:00", "currency_id": "NGN", "organisation_id": "01a20577-00a8-7299-88c3-3d05381b71c8"}'),
	('01a20577-00c8-7cd4-a072-8f5fa4f1e3bb', '2026-11-22 22:53:34.792862+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_deposit', '01a20577-00b5-7143-83f6-73bd120d70f6', '01a20577-00a8-7299-88c3-3d05381b71c8', 'UPDATE', '{"status": "Pending", "decided_at": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:34.789436+00:00"}'),
	('01a20577-00de-75df-be55-352fb993fef7', '2026-11-22 22:53:34.81444+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loanconfiguration', '01a20577-00d4-7248-9a60-7d7f042407e5', '01a20577-00a8-7299-88c3-3d05381b71c8', 'INSERT', NULL, '{"id": "01a20577-00d4-7248-9a60-7d7f042407e5", "status": "Pending", "created_at": "2026-11-22T22:53:34.804209+00:00", "creditor_id": "01a20577-00a8-7299-88c3-3d05381b71c8"}'),
	('01a20577-00e7-7e6e-80c6-de2d0df0a35e', '2026-11-22 22:53:34.828056+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_configurationversion', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5', 'INSERT', NULL, '{"id": "01a20577-00df-721a-b878-b9472831d68f", "name": "Offer 1", "access": "public", "number": 1, "reason": "", "status": "Pending", "duration": 12, "created_at": "2026-11-22T22:53:34.815073+00:00", "proposed_by": "system:tests", "grace_period": 7, "interest_rate": 0.02500000, "collateral_ratio": 0.80000000, "configuration_id": "01a20577-00d4-7248-9a60-7d7f042407e5", "grace_period_unit": "DAYS", "proposed_by_label": "tests", "investment_categories": ["Private Business", "Bond"]}'),
	('01a20577-00f2-7c62-9c02-7ed859ae1d41', '2026-11-22 22:53:34.834832+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loanlimit', '1', '01a20577-00df-721a-b878-b9472831d68f', 'INSERT', NULL, '{"id": 1, "max_amount": 2000000.00000000, "min_amount": 0.40000000, "version_id": "01a20577-00df-721a-b878-b9472831d68f", "currency_id": "NGN", "max_outstanding": 4000000.00000000}'),
	('01a20577-0115-7b5c-a7d3-1ea404d1c88b', '2026-11-22 22:53:34.869758+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20577-010a-767c-8f18-e70704aa71de', '', 'INSERT', NULL, '{"id": "01a20577-010a-767c-8f18-e70704aa71de", "email": "", "is_staff": true, "password": "(hidden)", "username": "staff12", "is_active": true, "last_name": "", "public_id": "638e871e-8f5b-4389-91e5-d1be91f9e9c3", "first_name": "", "date_joined": "2026-11-22T22:53:34.858769+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:34.858633+00:00"}'),
	('01a20577-0128-7f1a-ac29-688c6e6aeda8', '2026-11-22 22:53:34.889058+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '29', '01a20577-010a-767c-8f18-e70704aa71de', 'INSERT', NULL, '{"id": 29, "staffuser_id": "01a20577-010a-767c-8f18-e70704aa71de", "permission_id": 166}'),
	('01a20577-0129-790a-8d60-a7dfe4b15aa5', '2026-11-22 22:53:34.8896+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_user_permissions', '30', '01a20577-010a-767c-8f18-e70704aa71de', 'INSERT', NULL, '{"id": 30, "staffuser_id": "01a20577-010a-767c-8f18-e70704aa71de", "permission_id": 207}'),
	('01a20577-0188-7628-aded-37b0a94540f0', '2026-11-22 22:53:34.984459+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_configurationversion', '01a20577-00df-721a-b878-b9472831d68f', '01a20577-00d4-7248-9a60-7d7f042407e5', 'UPDATE', '{"status": "Pending", "decided_at": null, "decided_by_id": null}', '{"status": "Approved", "decided_at": "2026-11-22T22:53:34.976195+00:00", "decided_by_id": "01a20577-010a-767c-8f18-e70704aa71de"}'),
	('01a20577-018b-76cc-99dc-0b65edb7c537', '2026-11-22 22:53:34.987476+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loanconfiguration', '01a20577-00d4-7248-9a60-7d7f042407e5', '01a20577-00a8-7299-88c3-3d05381b71c8', 'UPDATE', '{"status": "Pending"}', '{"status": "Approved"}'),
	('01a20577-01b0-7e1c-ba10-8d56dd5f04df', '2026-11-22 22:53:35.024952+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loanconfiguration', '01a20577-01ad-719d-82a4-29760f9e7812', '01a20577-00a8-7299-88c3-3d05381b71c8', 'INSERT', NULL, '{"id": "01a20577-01ad-719d-82a4-29760f9e7812", "status": "Pending", "created_at": "2026-11-22T22:53:35.021829+00:00", "creditor_id": "01a20577-00a8-7299-88c3-3d05381b71c8"}'),
	('01a20577-01b3-70e9-bdb6-e4b9d18ecbca', '2026-11-22 22:53:35.027098+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_configurationversion', '01a20577-01b1-738c-8621-8c54681be9ec', '01a20577-01ad-719d-82a4-29760f9e7812', 'INSERT', NULL, '{"id": "01a20577-01b1-738c-8621-8c54681be9ec", "name": "Offer 2", "access": "organisations", "number": 1, "reason": "", "status": "Pending", "duration": 12, "created_at": "2026-11-22T22:53:35.025318+00:00", "proposed_by": "system:tests", "grace_period": 7, "interest_rate": 0.30000000, "collateral_ratio": 0.80000000, "configuration_id": "01a20577-01ad-719d-82a4-29760f9e7812", "grace_period_unit": "DAYS", "proposed_by_label": "tests", "investment_categories": ["Private Business", "Bond"]}'),
	('01a20577-01bd-7ab4-bfcb-f29d803ee96a', '2026-11-22 22:53:35.037726+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_configurationversion_organisations', '1', '01a20577-01b1-738c-8621-8c54681be9ec', 'INSERT', NULL, '{"id": 1, "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1", "configurationversion_id": "01a20577-01b1-738c-8621-8c54681be9ec"}'),
	('01a20577-027f-7d22-b5e6-af3de7798a4f', '2026-11-22 22:53:35.231884+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-024a-767d-b290-518466d9b0cb', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "ACTIVE", "closed_at": null, "interest_repaid": 0.00000000, "principal_repaid": 0.00000000}', '{"status": "COMPLETED", "closed_at": "2026-11-22T22:53:35.229715+00:00", "interest_repaid": 30000.00000000, "principal_repaid": 400000.00000000}'),
	('01a20577-02dc-74ac-9113-6eac0bbe43c6', '2026-11-22 22:53:35.324374+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-02bc-70f8-b7ba-89ee414258d4', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "ACTIVE"}', '{"status": "OVERDUE"}'),
	('01a20577-0307-7f16-934d-3462cd369c4c', '2026-11-22 22:53:35.368007+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "ACTIVE"}', '{"status": "OVERDUE"}'),
	('01a20577-0315-798d-8d51-7c541e055965', '2026-11-22 22:53:35.381654+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "OVERDUE"}', '{"status": "DEFAULTED"}'),
	('01a20577-0363-7c6a-ab6b-62a9a2d00b3a', '2026-11-22 22:53:35.459849+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_endingproposal', '01a20577-035c-7489-8a7a-33c9996a53fd', '01a20577-02f1-751d-90ad-bfdeb8546f6d', 'INSERT', NULL, '{"id": "01a20577-035c-7489-8a7a-33c9996a53fd", "note": "The borrower has not answered", "owed": 430000.00000000, "plan": [{"price": "10000", "value": "430000", "passed": "43", "symbol": "SAVF", "quantity": "50", "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "quoted_at": "2026-11-22T22:53:34.388690+00:00"}], "action": "liquidate", "status": "Pending", "loan_id": "01a20577-02f1-751d-90ad-bfdeb8546f6d", "created_at": "2026-11-22T22:53:35.451676+00:00", "deficiency": 0.00000000, "value_passed": 430000.00000000, "proposed_by_id": "01a20576-f57d-7299-8441-2cd4a76272d3"}'),
	('01a20577-03bd-7dc6-9bd1-bbc9f10226e4', '2026-11-22 22:53:35.549935+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_endingproposal', '01a20577-035c-7489-8a7a-33c9996a53fd', '01a20577-02f1-751d-90ad-bfdeb8546f6d', 'UPDATE', '{"status": "Pending", "decided_at": null, "final_owed": null, "final_plan": null, "final_value": null, "decided_by_id": null, "final_deficiency": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:35.541474+00:00", "final_owed": 430000.00000000, "final_plan": [{"price": "10000", "value": "430000", "passed": "43", "symbol": "SAVF", "quantity": "50", "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "quoted_at": "2026-11-22T22:53:34.388690+00:00"}], "final_value": 430000.00000000, "decided_by_id": "01a20576-f5e4-771e-b355-93a6dffee388", "final_deficiency": 0.00000000}'),
	('01a20577-03e8-778d-bb85-549a00737c95', '2026-11-22 22:53:35.592542+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "DEFAULTED", "closed_at": null}', '{"status": "LIQUIDATED", "closed_at": "2026-11-22T22:53:35.581235+00:00"}'),
	('01a20577-043e-70e5-a0c8-3e7de2ade49c', '2026-11-22 22:53:35.678128+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-041d-726c-a0a9-08b21831d943', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "ACTIVE"}', '{"status": "OVERDUE"}'),
	('01a20577-0451-714f-98ab-f20b251389d6', '2026-11-22 22:53:35.697139+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-041d-726c-a0a9-08b21831d943', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "OVERDUE"}', '{"status": "DEFAULTED"}'),
	('01a20577-049d-7574-ace0-4c9cb54f5b76', '2026-11-22 22:53:35.773429+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_endingproposal', '01a20577-049a-722f-be21-4214019e1aa9', '01a20577-041d-726c-a0a9-08b21831d943', 'INSERT', NULL, '{"id": "01a20577-049a-722f-be21-4214019e1aa9", "note": "The borrower has not answered", "owed": 430000.00000000, "plan": [], "action": "write_off", "status": "Pending", "loan_id": "01a20577-041d-726c-a0a9-08b21831d943", "created_at": "2026-11-22T22:53:35.770612+00:00", "deficiency": 430000.00000000, "value_passed": 0.00000000, "proposed_by_id": "01a20576-f57d-7299-8441-2cd4a76272d3"}'),
	('01a20577-04e0-7a41-bd91-c9a62e233032', '2026-11-22 22:53:35.840716+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_endingproposal', '01a20577-049a-722f-be21-4214019e1aa9', '01a20577-041d-726c-a0a9-08b21831d943', 'UPDATE', '{"status": "Pending", "decided_at": null, "final_owed": null, "final_plan": null, "final_value": null, "decided_by_id": null, "final_deficiency": null}', '{"status": "Confirmed", "decided_at": "2026-11-22T22:53:35.836734+00:00", "final_owed": 430000.00000000, "final_plan": [], "final_value": 0.00000000, "decided_by_id": "01a20576-f5e4-771e-b355-93a6dffee388", "final_deficiency": 430000.00000000}'),
	('01a20577-050d-7272-a7fc-5cf4454081ec', '2026-11-22 22:53:35.885212+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-041d-726c-a0a9-08b21831d943', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "DEFAULTED", "closed_at": null}', '{"status": "WRITTEN_OFF", "closed_at": "2026-11-22T22:53:35.875109+00:00"}'),
	('01a20577-0564-71fb-b2ef-284f1c457ab2', '2026-11-22 22:53:35.972205+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-0544-765b-ae78-9cc7783fc2b4', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "ACTIVE"}', '{"status": "OVERDUE"}'),
	('01a20577-057a-7600-822d-ff0e5480bb4e', '2026-11-22 22:53:35.99444+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_loan', '01a20577-0544-765b-ae78-9cc7783fc2b4', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'UPDATE', '{"status": "OVERDUE"}', '{"status": "DEFAULTED"}'),
	('01a20577-05ca-7b02-913f-67b03027f188', '2026-11-22 22:53:36.074775+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_endingproposal', '01a20577-05c8-74a5-b0a8-18e92f997a79', '01a20577-0544-765b-ae78-9cc7783fc2b4', 'INSERT', NULL, '{"id": "01a20577-05c8-74a5-b0a8-18e92f997a79", "note": "The borrower has not answered", "owed": 430000.00000000, "plan": [], "action": "write_off", "status": "Pending", "loan_id": "01a20577-0544-765b-ae78-9cc7783fc2b4", "created_at": "2026-11-22T22:53:36.072164+00:00", "deficiency": 430000.00000000, "value_passed": 0.00000000, "proposed_by_id": "01a20576-f57d-7299-8441-2cd4a76272d3"}'),
	('01a20577-062b-7a3d-8b9c-0ae801b7877e', '2026-11-22 22:53:36.171714+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_quote', '01a20577-0622-7573-96e8-be207fdcea18', '01a20576-ff34-7234-b868-f6bbf3fc9665', 'INSERT', NULL, '{"id": "01a20577-0622-7573-96e8-be207fdcea18", "buy": 9000.00000000, "note": "Monthly valuation", "sell": 9000.00000000, "reason": "", "status": "Pending", "exchange": 0.00000000, "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "created_at": "2026-11-22T22:53:36.162605+00:00", "proposed_by_id": "01a20576-f504-7485-a407-3482ba56d27c"}'),
	('01a20577-0647-76cc-b441-bcef698ae4d6', '2026-11-22 22:53:36.199505+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_token', '01a20576-ff34-7234-b868-f6bbf3fc9665', '', 'UPDATE', '{"price_buy": 10000.00000000, "quoted_at": "2026-11-22T22:53:34.38869+00:00", "price_sell": 10000.00000000}', '{"price_buy": 9000.00000000, "quoted_at": "2026-11-22T22:53:36.196429+00:00", "price_sell": 9000.00000000}'),
	('01a20577-064f-714b-a36a-a960696ffe5f', '2026-11-22 22:53:36.207139+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_quote', '01a20577-0622-7573-96e8-be207fdcea18', '01a20576-ff34-7234-b868-f6bbf3fc9665', 'UPDATE', '{"status": "Pending", "decided_at": null, "decided_by_id": null}', '{"status": "Approved", "decided_at": "2026-11-22T22:53:36.204256+00:00", "decided_by_id": "01a20576-ecc8-76b8-bc96-8a66c498ad22"}'),
	('01a20577-0683-73f7-a110-d953f3215b00', '2026-11-22 22:53:36.259326+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'credit_shortfall', '01a20577-0680-77ed-a453-4fcd742656dd', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71', 'INSERT', NULL, '{"id": "01a20577-0680-77ed-a453-4fcd742656dd", "cause": "The price of the collateral fell", "value": 450000.00000000, "loan_id": "01a20577-05d7-7775-b7ef-0d1e3e2d3d71", "required": 500000.00000000, "opened_at": "2026-11-22T22:53:36.256434+00:00"}'),
	('01a20577-06a1-7f2f-8189-eefc91e39f76', '2026-11-22 22:53:36.290023+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_quote', '01a20577-069b-73d7-af02-66053500aa21', '01a20576-ff34-7234-b868-f6bbf3fc9665', 'INSERT', NULL, '{"id": "01a20577-069b-73d7-af02-66053500aa21", "buy": 9100.00000000, "note": "Monthly valuation", "sell": 9100.00000000, "reason": "", "status": "Pending", "exchange": 0.00000000, "token_id": "01a20576-ff34-7234-b868-f6bbf3fc9665", "created_at": "2026-11-22T22:53:36.283495+00:00", "proposed_by_id": "01a20576-f504-7485-a407-3482ba56d27c"}'),
	('01a20577-071e-741c-9fc2-1658167229d5', '2026-11-22 22:53:36.414337+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_accessproposal', '01a20577-0718-73d9-a339-57b1a33b2d5d', '', 'INSERT', NULL, '{"id": "01a20577-0718-73d9-a339-57b1a33b2d5d", "kind": "invite_person", "note": "", "reason": "", "status": "Pending", "payload": {"role": "Administrator", "details": {}, "username": "invited"}, "created_at": "2026-11-22T22:53:36.408216+00:00", "break_glass": false, "proposed_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2"}'),
	('01a20577-0798-74b8-b0c6-b92470826d96', '2026-11-22 22:53:36.536358+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20577-0791-771b-978b-2517038e4ff8', '', 'INSERT', NULL, '{"id": "01a20577-0791-771b-978b-2517038e4ff8", "email": "", "is_staff": true, "password": "(hidden)", "username": "second-person", "is_active": true, "last_name": "", "public_id": "41e68a2f-9a8f-4e5c-918b-69369f0b8cea", "first_name": "", "date_joined": "2026-11-22T22:53:36.529094+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-10-23T22:53:36.529554+00:00"}'),
	('01a20577-07a6-75f3-a41f-5bb364fa5937', '2026-11-22 22:53:36.550439+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_groups', '5', '01a20577-0791-771b-978b-2517038e4ff8', 'INSERT', NULL, '{"id": 5, "group_id": 5, "staffuser_id": "01a20577-0791-771b-978b-2517038e4ff8"}'),
	('01a20577-07f4-7dd2-991c-251917b6198d', '2026-11-22 22:53:36.628911+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser', '01a20577-07ed-7020-98ed-38b7d3fb5abb', '', 'INSERT', NULL, '{"id": "01a20577-07ed-7020-98ed-38b7d3fb5abb", "email": "", "is_staff": true, "password": "(hidden)", "username": "invited", "is_active": true, "last_name": "", "public_id": "40ebab21-0cc6-41b7-8d81-dc68dc525593", "first_name": "", "date_joined": "2026-11-22T22:53:36.621692+00:00", "is_superuser": false, "session_epoch": 0, "access_changed_at": "2026-11-22T22:53:36.621774+00:00"}'),
	('01a20577-0804-7d89-ac5d-9c997492d338', '2026-11-22 22:53:36.644908+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_staffuser_groups', '6', '01a20577-07ed-7020-98ed-38b7d3fb5abb', 'INSERT', NULL, '{"id": 6, "group_id": 5, "staffuser_id": "01a20577-07ed-7020-98ed-38b7d3fb5abb"}'),
	('01a20577-080e-76c4-a545-7f09bef3ead2', '2026-11-22 22:53:36.654485+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_accessproposal', '01a20577-0718-73d9-a339-57b1a33b2d5d', '01a20577-07ed-7020-98ed-38b7d3fb5abb', 'UPDATE', '{"status": "Pending", "person_id": null, "decided_at": null, "decided_by_id": null}', '{"status": "Approved", "person_id": "01a20577-07ed-7020-98ed-38b7d3fb5abb", "decided_at": "2026-11-22T22:53:36.650973+00:00", "decided_by_id": "01a20577-0791-771b-978b-2517038e4ff8"}'),
	('01a20577-0889-70b0-8f26-81eade6ddcfc', '2026-11-22 22:53:36.777143+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_accessproposal', '01a20577-0884-76f9-8dea-a513644fed13', '', 'INSERT', NULL, '{"id": "01a20577-0884-76f9-8dea-a513644fed13", "kind": "invite_person", "note": "", "reason": "", "status": "Pending", "payload": {"role": "Administrator", "details": {}, "username": "waiting"}, "created_at": "2026-11-22T22:53:36.772606+00:00", "break_glass": false, "proposed_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2"}'),
	('01a20577-089b-73df-b503-8ec5c05f7bbf', '2026-11-22 22:53:36.795309+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_webhookendpoint', '01a20577-0898-732c-a71e-a33b0835d253', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20577-0898-732c-a71e-a33b0835d253", "url": "http://127.0.0.1:9/hook", "secret": "(hidden)", "enabled": true, "created_at": "2026-11-22T22:53:36.793337+00:00", "disabled_reason": "", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1", "previous_secret": ""}'),
	('01a20577-08b4-7efd-bbb9-0e68d723df6d', '2026-11-22 22:53:36.821018+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_apikey', '01a20577-08ad-7510-a16f-c9bc59776aec', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20577-08ad-7510-a16f-c9bc59776aec", "name": "tests 2", "scopes": ["wallets:read"], "created": "2026-11-22T22:53:36.81383+00:00", "algorithm": "", "client_id": "UoZHLWCvk3fsUaopvVCosGRfNVn7CjHHeEBY9R7V", "client_type": "confidential", "client_secret": "(hidden)", "redirect_uris": "", "allowed_origins": "", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1", "hash_client_secret": true, "skip_authorization": false, "registration_source": "manual", "authorization_grant_type": "client-credentials", "post_logout_redirect_uris": ""}'),
	('01a20577-08bc-7be3-8007-93cdc51dc87d', '2026-11-22 22:53:36.828812+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'oauth2_provider_accesstoken', '2', '01a20577-08ad-7510-a16f-c9bc59776aec', 'INSERT', NULL, '{"id": 2, "scope": "wallets:read", "token": "", "created": "2026-11-22T22:53:36.825216+00:00", "expires": "2026-11-22T23:53:36.824514+00:00", "resource": [], "application_id": "01a20577-08ad-7510-a16f-c9bc59776aec", "token_checksum": "(hidden)"}'),
	('01a20577-08c1-77d7-b3e8-abaab00e46a5', '2026-11-22 22:53:36.833566+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_member', '01a20577-08bd-73aa-ab3a-f519728e4feb', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'INSERT', NULL, '{"id": "01a20577-08bd-73aa-ab3a-f519728e4feb", "name": "Jo Bloggs", "email": "jo@example.com", "created_at": "2026-11-22T22:53:36.830298+00:00", "external_id": "", "organisation_id": "01a20576-f5f4-77b5-9eed-17ebed2559c1"}'),
	('01a20577-0ee7-7020-ac85-c29a49657f00', '2026-11-22 22:53:38.407072+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_export', '01a20577-0ee4-76e1-a112-70e5055d178f', '01a20576-ec51-7427-9210-d6a1a884f2c2', 'INSERT', NULL, '{"id": "01a20577-0ee4-76e1-a112-70e5055d178f", "form": "csv", "error": "", "query": "", "title": "Withdrawals", "direct": true, "source": "wallets.withdrawal", "status": "Running", "file_name": "withdrawals_until_2026-11-22.csv", "about_rows": 2, "created_at": "2026-11-22T22:53:38.396775+00:00", "filter_words": "status: Pending", "requested_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2"}'),
	('01a20577-0f6c-7d37-a2fc-140943d84c3b', '2026-11-22 22:53:38.540894+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_export', '01a20577-0ee4-76e1-a112-70e5055d178f', '01a20576-ec51-7427-9210-d6a1a884f2c2', 'UPDATE', '{"status": "Running"}', '{"status": "Handed over"}'),
	('01a20577-0fce-7322-b3c3-19919e07c99d', '2026-11-22 22:53:38.638277+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_export', '01a20577-0fcc-70a6-b358-2e7620819404', '01a20576-ec51-7427-9210-d6a1a884f2c2', 'INSERT', NULL, '{"id": "01a20577-0fcc-70a6-b358-2e7620819404", "form": "csv", "error": "", "query": "", "title": "Withdrawals", "direct": false, "source": "wallets.withdrawal", "status": "Waiting", "file_name": "withdrawals_until_2026-11-22.csv", "about_rows": 2, "created_at": "2026-11-22T22:53:38.628211+00:00", "filter_words": "status: Pending", "requested_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2"}');
INSERT INTO public.exchange_change (id, at, actor, actor_label, via, database_user, application, table_name, record_id, about_id, operation, before, after) VALUES
	('01a20577-0fe1-7004-accf-55cd81fe3254', '2026-11-22 22:53:38.657076+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_export', '01a20577-0fcc-70a6-b358-2e7620819404', '01a20576-ec51-7427-9210-d6a1a884f2c2', 'UPDATE', '{"status": "Waiting"}', '{"status": "Running"}'),
	('01a20577-103c-79f7-89f8-263f73401821', '2026-11-22 22:53:38.748686+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'exchange_export', '01a20577-0fcc-70a6-b358-2e7620819404', '01a20576-ec51-7427-9210-d6a1a884f2c2', 'UPDATE', '{"status": "Running"}', '{"status": "Ready"}'),
	('01a20577-1043-7b95-a907-372870afb078', '2026-11-22 22:53:38.755785+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_reconciliation', '01a20577-1040-76c0-b9e9-cb276db0b0b9', '', 'INSERT', NULL, '{"id": "01a20577-1040-76c0-b9e9-cb276db0b0b9", "day": "2026-11-22", "reason": "", "status": "Waiting", "asked_by": "staff:01a20576-ecc8-76b8-bc96-8a66c498ad22", "created_at": "2026-11-22T22:53:38.752605+00:00", "differences": 0, "asked_by_label": "amina.finance"}'),
	('01a20577-104f-7c20-a58b-1efa27d529fa', '2026-11-22 22:53:38.767829+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_reconciliation', '01a20577-1040-76c0-b9e9-cb276db0b0b9', '', 'UPDATE', '{"status": "Waiting"}', '{"status": "Running"}'),
	('01a20577-10e8-7399-a24a-b28330a221a6', '2026-11-22 22:53:38.920291+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_reconciliation', '01a20577-1040-76c0-b9e9-cb276db0b0b9', '', 'UPDATE', '{"status": "Running", "differences": 0}', '{"status": "Differs", "differences": 8}'),
	('01a20577-111e-7c72-ac63-efd33724e43d', '2026-11-22 22:53:38.974839+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_reconciliation', '01a20577-111d-71bd-98d8-c59c0550ec07', '', 'INSERT', NULL, '{"id": "01a20577-111d-71bd-98d8-c59c0550ec07", "day": "2026-11-21", "reason": "", "status": "Differs", "asked_by": "system:tests", "created_at": "2026-11-22T22:53:38.973258+00:00", "differences": 1, "asked_by_label": "tests"}'),
	('01a20577-1129-7f60-b3bc-83ed9eb0c6d9', '2026-11-22 22:53:38.986026+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_reconciliationbreak', '01a20577-1124-76f6-89bc-a20a25bbc0bb', '', 'INSERT', NULL, '{"id": "01a20577-1124-76f6-89bc-a20a25bbc0bb", "day": "2026-11-21", "kind": "Balance", "status": "Open", "our_text": "", "reference": "", "created_at": "2026-11-22T22:53:38.973258+00:00", "difference": -250000.55000000, "our_amount": 0.00000000, "their_text": "The gap moved by -250000.55", "currency_id": "NGN", "provider_id": "", "their_amount": -250000.55000000, "first_report_id": "01a20577-111d-71bd-98d8-c59c0550ec07"}'),
	('01a20577-113b-7d16-8231-e884d437509c', '2026-11-22 22:53:39.00388+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_breakexplanation', '01a20577-1139-7682-b779-8ca475abe178', '01a20577-1124-76f6-89bc-a20a25bbc0bb', 'INSERT', NULL, '{"id": "01a20577-1139-7682-b779-8ca475abe178", "reason": "", "status": "Pending", "created_at": "2026-11-22T22:53:39.001101+00:00", "subject_id": "01a20577-1124-76f6-89bc-a20a25bbc0bb", "explanation": "A collection of the bank''s, booked late", "proposed_by_id": "01a20576-ec51-7427-9210-d6a1a884f2c2"}'),
	('01a20577-114a-7c66-97ad-195cfd3e570c', '2026-11-22 22:53:39.018834+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_reconciliationbreak', '01a20577-1124-76f6-89bc-a20a25bbc0bb', '', 'UPDATE', '{"status": "Open"}', '{"status": "Explained"}'),
	('01a20577-1155-7dba-a08b-a667733c9b81', '2026-11-22 22:53:39.029921+00', 'database:postgres', '', '', 'postgres as exchange_runtime', '', 'wallets_alert', '01a20577-1154-7707-96d4-fe4376d7aaf7', '', 'INSERT', NULL, '{"id": "01a20577-1154-7707-96d4-fe4376d7aaf7", "kind": "float", "message": "Too little NGN at the provider", "subject": "NGN", "raised_at": "2026-11-22T22:53:39.029235+00:00"}');


--
-- Data for Name: exchange_currency; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_currency (code, name, decimals, country, "position") VALUES
	('NGN', 'Nigerian naira', 2, 'NG', 1),
	('KES', 'Kenyan shilling', 2, 'KE', 2),
	('GHS', 'Ghanaian cedi', 2, 'GH', 3),
	('ZAR', 'South African rand', 2, 'ZA', 4),
	('UGX', 'Ugandan shilling', 0, 'UG', 5),
	('TZS', 'Tanzanian shilling', 2, 'TZ', 6),
	('USD', 'United States dollar', 2, '', 7);


--
-- Data for Name: exchange_deliveryattempt; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_deliveryattempt (id, number, url, attempted_at, milliseconds, status_code, error, answer, event_id) VALUES
	('01a20577-093d-70b7-b217-0062751e2851', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:36.922292+00', 7, NULL, 'no connection, or it broke off', '', '01a20576-f6d8-73cc-8c7c-c3ac6a4b0523'),
	('01a20577-095e-717c-94cb-9149f9c25e87', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:36.917973+00', 18, NULL, 'no connection, or it broke off', '', '01a20576-f6af-7253-976e-c7f4ce75f27c'),
	('01a20577-09a3-770d-823c-594bfd3c7a47', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:36.929358+00', 15, NULL, 'no connection, or it broke off', '', '01a20576-f6e1-7555-b2f0-9ec4a52f7830'),
	('01a20577-09bc-71c4-88f0-904c6a1c0c09', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:36.939998+00', 15, NULL, 'no connection, or it broke off', '', '01a20576-f738-7591-ae4f-e683431e42f7'),
	('01a20577-09f7-762d-a2db-fd44c5b090e4', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.047685+00', 11, NULL, 'no connection, or it broke off', '', '01a20576-f78f-70eb-ac30-20633d165e6d'),
	('01a20577-0a18-74ff-acae-7871adca86f5', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.034511+00', 24, NULL, 'no connection, or it broke off', '', '01a20576-f754-710a-a645-a3796e910fe8'),
	('01a20577-0a41-708e-9949-5155263dbf5e', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.120773+00', 6, NULL, 'no connection, or it broke off', '', '01a20576-f7a1-76fb-a2e6-adb8eac9895f'),
	('01a20577-0a5d-7343-b9e8-11e84b7215f6', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.126179+00', 16, NULL, 'no connection, or it broke off', '', '01a20576-f84d-7174-8d11-3269132ade37'),
	('01a20577-0a86-77e9-b9bd-b6a30a2b1840', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.209503+00', 5, NULL, 'no connection, or it broke off', '', '01a20576-f884-7705-b077-cdfb6d17d5ba'),
	('01a20577-0a8d-7215-aa23-045189e55e6b', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.209935+00', 4, NULL, 'no connection, or it broke off', '', '01a20576-f917-720b-9c16-53861fcba613'),
	('01a20577-0ac4-7773-83d8-828acb7e4ae4', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.274707+00', 13, NULL, 'no connection, or it broke off', '', '01a20576-f945-7368-ba4b-875aa897a403'),
	('01a20577-0adb-7088-895a-ce62de1c3eb9', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.275027+00', 6, NULL, 'no connection, or it broke off', '', '01a20576-f97f-770c-aed6-f265d272c252'),
	('01a20577-0b02-7726-b2ac-857515aca4d8', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.328196+00', 20, NULL, 'no connection, or it broke off', '', '01a20576-fa10-730a-a01a-e4da99d733d7'),
	('01a20577-0b10-751d-9257-6fca4d37b477', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.323668+00', 11, NULL, 'no connection, or it broke off', '', '01a20576-f9f2-74cf-b87c-e916016ecd29'),
	('01a20577-0b35-7436-a249-f10d9c863ba6', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.394449+00', 11, NULL, 'no connection, or it broke off', '', '01a20576-fa95-75f2-b5fb-023d2cd7b2d6'),
	('01a20577-0b43-73d0-a29e-1a994224ff94', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.394194+00', 11, NULL, 'no connection, or it broke off', '', '01a20576-fa7c-7107-8501-48f834b19aab'),
	('01a20577-0b61-771c-b0c7-7a12359259af', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.440345+00', 21, NULL, 'no connection, or it broke off', '', '01a20576-fb1b-7532-abe3-caa6746699ea'),
	('01a20577-0b70-7062-aa4d-a30cc51b52aa', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.440043+00', 16, NULL, 'no connection, or it broke off', '', '01a20576-fafa-7696-bdf1-dfd1b488ea39'),
	('01a20577-0b96-7461-ae66-e20e3b10700f', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.489926+00', 8, NULL, 'no connection, or it broke off', '', '01a20576-fbaf-7310-a9e4-6d9a14f959be'),
	('01a20577-0ba2-7347-988e-e21f1226e34b', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.49357+00', 5, NULL, 'no connection, or it broke off', '', '01a20576-fbd8-7426-9aa8-ed6c9df9ec7b'),
	('01a20577-0bcc-7106-bf18-83aee09c2af6', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.538732+00', 13, NULL, 'no connection, or it broke off', '', '01a20576-fc4a-75ee-9012-1abd285331a3'),
	('01a20577-0bd4-724a-87f1-972898e0b429', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.544002+00', 2, NULL, 'no connection, or it broke off', '', '01a20576-fc70-72bb-8bb7-27dc3baa6a8e'),
	('01a20577-0c01-72c2-b325-3ffdab5df84a', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.59633+00', 13, NULL, 'no connection, or it broke off', '', '01a20576-fde2-7462-a232-ae38d83617c9'),
	('01a20577-0c0a-7672-9b4f-b6031ad3f706', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.596021+00', 16, NULL, 'no connection, or it broke off', '', '01a20576-fce9-707f-bda5-ff24033f6b08'),
	('01a20577-0c35-770e-bab2-3b84c8e2ff57', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.646602+00', 16, NULL, 'no connection, or it broke off', '', '01a20576-fe84-75e4-a45c-3dbf3a619a2f'),
	('01a20577-0c40-7344-900f-e21916ca55cb', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.646263+00', 14, NULL, 'no connection, or it broke off', '', '01a20576-fe0c-7682-8eca-2c81372afcb9'),
	('01a20577-0c6d-7493-90dd-23f7f5f8b0ee', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.710975+00', 4, NULL, 'no connection, or it broke off', '', '01a20576-feaa-74f5-add3-9d461b3ee2d7'),
	('01a20577-0c7f-7650-aa4e-54df5775359a', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.712879+00', 2, NULL, 'no connection, or it broke off', '', '01a20576-ffbc-7a9c-91af-58e100000001'),
	('01a20577-0cad-71e8-9aea-37b5b873908c', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.766276+00', 2, NULL, 'no connection, or it broke off', '', '01a20576-ffbc-7a9c-91af-58e100000002'),
	('01a20577-0cb2-73cc-97a0-84ed9e5ae5d7', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.768336+00', 2, NULL, 'no connection, or it broke off', '', '01a20576-ffbc-7a9c-91af-58e100000005'),
	('01a20577-0ccc-731f-9db6-5802c66398ee', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.829792+00', 4, NULL, 'no connection, or it broke off', '', '01a20576-ffe6-73a2-bdb2-828f00000001'),
	('01a20577-0ce8-71ea-86c4-7051ba37314d', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.826372+00', 8, NULL, 'no connection, or it broke off', '', '01a20576-ffde-714c-a59b-299500000001'),
	('01a20577-0d0b-7190-9afb-fc888bff54a1', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.859712+00', 18, NULL, 'no connection, or it broke off', '', '01a20577-0011-788b-9edf-48d333db2658'),
	('01a20577-0d18-764a-9eaa-acd355e69d2c', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.860041+00', 16, NULL, 'no connection, or it broke off', '', '01a20577-0098-7fec-9ca6-7d7e00000001'),
	('01a20577-0d3c-7129-9c9d-31ba2ae0eefc', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.926045+00', 2, NULL, 'no connection, or it broke off', '', '01a20577-0098-7fec-9ca6-7d7e00000005'),
	('01a20577-0d49-724a-9b67-2ed128a75aa2', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.924104+00', 4, NULL, 'no connection, or it broke off', '', '01a20577-0098-7fec-9ca6-7d7e00000002'),
	('01a20577-0d5f-776f-9203-6280e2ffa120', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.967185+00', 12, NULL, 'no connection, or it broke off', '', '01a20577-01d2-720a-9d63-c4ba1cde1bf1'),
	('01a20577-0d68-73bb-af80-efde477caf35', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:37.967562+00', 10, NULL, 'no connection, or it broke off', '', '01a20577-024a-767f-9bb4-618f37864a9e'),
	('01a20577-0d8c-7393-a608-008860d7fc58', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.012031+00', 19, NULL, 'no connection, or it broke off', '', '01a20577-02a8-73ca-86dc-111ec260e4d9'),
	('01a20577-0d92-77c5-8db9-abeb5f86314d', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.012361+00', 20, NULL, 'no connection, or it broke off', '', '01a20577-02bd-76dc-be47-50ce66be85b4'),
	('01a20577-0db0-723f-8c6d-5b2bcb1f4dad', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.053514+00', 4, NULL, 'no connection, or it broke off', '', '01a20577-02e8-7079-92a4-e19902633be0'),
	('01a20577-0db5-7603-a3d1-ad8db9ded9e0', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.055192+00', 3, NULL, 'no connection, or it broke off', '', '01a20577-02f1-751f-8d1b-85dde106f305'),
	('01a20577-0dc8-70fc-bd1c-97eb2768f430', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.08564+00', 8, NULL, 'no connection, or it broke off', '', '01a20577-031f-7622-8dc9-d163178f26d9'),
	('01a20577-0dcd-7445-b2ae-860c3d8ebd30', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.085336+00', 8, NULL, 'no connection, or it broke off', '', '01a20577-0310-7239-8384-6f36566da16d'),
	('01a20577-0def-7320-93bf-c96f5f3bb9c2', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.114144+00', 6, NULL, 'no connection, or it broke off', '', '01a20577-0410-7658-abff-a974d232626e'),
	('01a20577-0e04-7467-9892-cecb3bb50d76', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.114429+00', 4, NULL, 'no connection, or it broke off', '', '01a20577-041d-726e-83a0-c048cb59d1ff'),
	('01a20577-0e24-75f0-b95f-8bdd8c83f5eb', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.145796+00', 10, NULL, 'no connection, or it broke off', '', '01a20577-0460-76e8-805c-ee7966e92e87'),
	('01a20577-0e2a-74da-8214-0a5687f90e5e', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.145425+00', 11, NULL, 'no connection, or it broke off', '', '01a20577-0448-72f2-801f-982d7145975f'),
	('01a20577-0e41-74ea-b01f-e19b41dc65d9', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.198358+00', 12, NULL, 'no connection, or it broke off', '', '01a20577-0544-765d-a63d-d2996df36463'),
	('01a20577-0e46-7686-99d2-f7704ce3d3b5', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.202328+00', 10, NULL, 'no connection, or it broke off', '', '01a20577-0575-73b9-8a9f-c5951affcdc5'),
	('01a20577-0e64-73c9-b5b4-b2d09c8cee7b', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.236049+00', 3, NULL, 'no connection, or it broke off', '', '01a20577-05d7-7777-9607-becc4abe12a4'),
	('01a20577-0e6a-7372-ac0d-7da5c3a3c186', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.23413+00', 6, NULL, 'no connection, or it broke off', '', '01a20577-0591-75d5-aa88-216c2e35e099'),
	('01a20577-0e78-7166-b7f6-5042f3c92e38', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.269946+00', 3, NULL, 'no connection, or it broke off', '', '01a20577-08dc-7659-868d-e7a2160af527'),
	('01a20577-0e84-71ba-9601-42cb21cb8321', 1, 'http://127.0.0.1:9/hook', '2026-11-22 22:53:38.268026+00', 5, NULL, 'no connection, or it broke off', '', '01a20577-0683-731f-8f72-580774da7361');


--
-- Data for Name: exchange_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_event (id, type, subject_id, body, status, attempts, next_attempt_at, leased_until, created_at, delivered_at, organisation_id) VALUES
	('01a20576-f78f-70eb-ac30-20633d165e6d', 'withdrawal.cancelled', '01a20576-f754-7107-8a67-c21689a8e229', '{"id":"01a20576-f78f-70eb-ac30-20633d165e6d","type":"withdrawal.cancelled","timestamp":"2026-11-22T22:53:32.410Z","data":{"withdrawal":{"_id":"01a20576-f754-7107-8a67-c21689a8e229","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_77bnr97q91kdewfjw216xhwegf","amount":520,"disburse_amount":490,"fee":30,"currency":"KES","bank":"01a20576-f754-7108-851f-c054128fc8ce","status":"Cancelled","actioned_on":"2026-11-22T22:53:32.425Z","createdAt":"2026-11-22T22:53:32.372Z","updatedAt":"2026-11-22T22:53:32.428Z","actioned_by":{"role":"system","id":"system"}},"bank":{"_id":"01a20576-f754-7108-851f-c054128fc8ce","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.478848+00', NULL, '2026-11-22 22:53:32.410253+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f754-710a-a645-a3796e910fe8', 'withdrawal.created', '01a20576-f754-7107-8a67-c21689a8e229', '{"id":"01a20576-f754-710a-a645-a3796e910fe8","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.372Z","data":{"withdrawal":{"_id":"01a20576-f754-7107-8a67-c21689a8e229","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_77bnr97q91kdewfjw216xhwegf","amount":520,"disburse_amount":490,"fee":30,"currency":"KES","bank":"01a20576-f754-7108-851f-c054128fc8ce","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.372Z","updatedAt":"2026-11-22T22:53:32.372Z","actioned_by":null},"bank":{"_id":"01a20576-f754-7108-851f-c054128fc8ce","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.324092+00', NULL, '2026-11-22 22:53:32.372711+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f7a1-76fb-a2e6-adb8eac9895f', 'withdrawal.created', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', '{"id":"01a20576-f7a1-76fb-a2e6-adb8eac9895f","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.450Z","data":{"withdrawal":{"_id":"01a20576-f7a1-76f8-813d-a8d52cc3b34d","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_vxxncpsddthhe6twwks188f7ky","amount":530,"disburse_amount":500,"fee":30,"currency":"KES","bank":"01a20576-f7a1-76f9-a448-5ef1baf6137d","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.450Z","updatedAt":"2026-11-22T22:53:32.450Z","actioned_by":null},"bank":{"_id":"01a20576-f7a1-76f9-a448-5ef1baf6137d","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.239889+00', NULL, '2026-11-22 22:53:32.450189+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f84d-7174-8d11-3269132ade37', 'withdrawal.approved', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', '{"id":"01a20576-f84d-7174-8d11-3269132ade37","type":"withdrawal.approved","timestamp":"2026-11-22T22:53:32.531Z","data":{"withdrawal":{"_id":"01a20576-f7a1-76f8-813d-a8d52cc3b34d","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_vxxncpsddthhe6twwks188f7ky","amount":530,"disburse_amount":500,"fee":30,"currency":"KES","bank":"01a20576-f7a1-76f9-a448-5ef1baf6137d","status":"Approved","actioned_on":"2026-11-22T22:53:32.572Z","createdAt":"2026-11-22T22:53:32.450Z","updatedAt":"2026-11-22T22:53:32.617Z","actioned_by":{"role":"staff","id":"staff_dcac5600880740ba8d8c947f3b9b086f"}},"bank":{"_id":"01a20576-f7a1-76f9-a448-5ef1baf6137d","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.39995+00', NULL, '2026-11-22 22:53:32.531129+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f945-7368-ba4b-875aa897a403', 'withdrawal.processing', '01a20576-f884-7702-b7de-4e2dc5b5d722', '{"id":"01a20576-f945-7368-ba4b-875aa897a403","type":"withdrawal.processing","timestamp":"2026-11-22T22:53:32.844Z","data":{"withdrawal":{"_id":"01a20576-f884-7702-b7de-4e2dc5b5d722","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hb3am6emjmy736tyz0jn2afhfr","amount":540,"disburse_amount":510,"fee":30,"currency":"KES","bank":"01a20576-f884-7703-a1cd-b70f08470d08","status":"Processing","actioned_on":"2026-11-22T22:53:32.783Z","createdAt":"2026-11-22T22:53:32.676Z","updatedAt":"2026-11-22T22:53:32.862Z","actioned_by":{"role":"staff","id":"staff_4012c8d39bf2444d9801237e80cfb6a8"}},"bank":{"_id":"01a20576-f884-7703-a1cd-b70f08470d08","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.830686+00', NULL, '2026-11-22 22:53:32.844022+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f97f-770c-aed6-f265d272c252', 'withdrawal.created', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '{"id":"01a20576-f97f-770c-aed6-f265d272c252","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.929Z","data":{"withdrawal":{"_id":"01a20576-f97e-74c1-a48f-cefeda8c69e9","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_nqt68zrccxsnp6r682jx1175vb","amount":550,"disburse_amount":520,"fee":30,"currency":"KES","bank":"01a20576-f97f-770a-84ff-88edadb50f0e","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.929Z","updatedAt":"2026-11-22T22:53:32.929Z","actioned_by":null},"bank":{"_id":"01a20576-f97f-770a-84ff-88edadb50f0e","name":"KCB Bank Kenya","code":"01","account_number":"0690000036","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.839376+00', NULL, '2026-11-22 22:53:32.929079+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fa10-730a-a01a-e4da99d733d7', 'withdrawal.processing', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '{"id":"01a20576-fa10-730a-a01a-e4da99d733d7","type":"withdrawal.processing","timestamp":"2026-11-22T22:53:33.058Z","data":{"withdrawal":{"_id":"01a20576-f97e-74c1-a48f-cefeda8c69e9","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_nqt68zrccxsnp6r682jx1175vb","amount":550,"disburse_amount":520,"fee":30,"currency":"KES","bank":"01a20576-f97f-770a-84ff-88edadb50f0e","status":"Processing","actioned_on":"2026-11-22T22:53:33.007Z","createdAt":"2026-11-22T22:53:32.929Z","updatedAt":"2026-11-22T22:53:33.068Z","actioned_by":{"role":"staff","id":"staff_5e057f94326143f69b304a53dd6fcf5d"}},"bank":{"_id":"01a20576-f97f-770a-84ff-88edadb50f0e","name":"KCB Bank Kenya","code":"01","account_number":"0690000036","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.64868+00', NULL, '2026-11-22 22:53:33.058454+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f9f2-74cf-b87c-e916016ecd29', 'withdrawal.approved', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '{"id":"01a20576-f9f2-74cf-b87c-e916016ecd29","type":"withdrawal.approved","timestamp":"2026-11-22T22:53:32.983Z","data":{"withdrawal":{"_id":"01a20576-f97e-74c1-a48f-cefeda8c69e9","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_nqt68zrccxsnp6r682jx1175vb","amount":550,"disburse_amount":520,"fee":30,"currency":"KES","bank":"01a20576-f97f-770a-84ff-88edadb50f0e","status":"Approved","actioned_on":"2026-11-22T22:53:33.007Z","createdAt":"2026-11-22T22:53:32.929Z","updatedAt":"2026-11-22T22:53:33.040Z","actioned_by":{"role":"staff","id":"staff_5e057f94326143f69b304a53dd6fcf5d"}},"bank":{"_id":"01a20576-f97f-770a-84ff-88edadb50f0e","name":"KCB Bank Kenya","code":"01","account_number":"0690000036","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.613548+00', NULL, '2026-11-22 22:53:32.983952+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fa7c-7107-8501-48f834b19aab', 'withdrawal.failed', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '{"id":"01a20576-fa7c-7107-8501-48f834b19aab","type":"withdrawal.failed","timestamp":"2026-11-22T22:53:33.138Z","data":{"withdrawal":{"_id":"01a20576-f97e-74c1-a48f-cefeda8c69e9","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_nqt68zrccxsnp6r682jx1175vb","amount":550,"disburse_amount":520,"fee":30,"currency":"KES","bank":"01a20576-f97f-770a-84ff-88edadb50f0e","status":"Failed","actioned_on":"2026-11-22T22:53:33.007Z","createdAt":"2026-11-22T22:53:32.929Z","updatedAt":"2026-11-22T22:53:33.173Z","actioned_by":{"role":"staff","id":"staff_5e057f94326143f69b304a53dd6fcf5d"}},"bank":{"_id":"01a20576-f97f-770a-84ff-88edadb50f0e","name":"KCB Bank Kenya","code":"01","account_number":"0690000036","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.590026+00', NULL, '2026-11-22 22:53:33.138094+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fbaf-7310-a9e4-6d9a14f959be', 'withdrawal.completed', '01a20576-fa95-75ef-819d-dea14ada20ee', '{"id":"01a20576-fbaf-7310-a9e4-6d9a14f959be","type":"withdrawal.completed","timestamp":"2026-11-22T22:53:33.453Z","data":{"withdrawal":{"_id":"01a20576-fa95-75ef-819d-dea14ada20ee","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_604aejxdv7ce4pwa36qe9nqkpg","amount":560,"disburse_amount":530,"fee":30,"currency":"KES","bank":"01a20576-fa95-75f0-a486-fbf0c008956a","status":"Completed","actioned_on":"2026-11-22T22:53:33.292Z","createdAt":"2026-11-22T22:53:33.208Z","updatedAt":"2026-11-22T22:53:33.486Z","actioned_by":{"role":"staff","id":"staff_8a2d40e2f4b446a490f72f835a415faf"}},"bank":{"_id":"01a20576-fa95-75f0-a486-fbf0c008956a","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.835076+00', NULL, '2026-11-22 22:53:33.45374+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fbd8-7426-9aa8-ed6c9df9ec7b', 'withdrawal.created', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '{"id":"01a20576-fbd8-7426-9aa8-ed6c9df9ec7b","type":"withdrawal.created","timestamp":"2026-11-22T22:53:33.531Z","data":{"withdrawal":{"_id":"01a20576-fbd8-7423-ac43-e0c8a65793dd","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_j024a7wv4phph41bx5tmff6ny9","amount":570,"disburse_amount":540,"fee":30,"currency":"KES","bank":"01a20576-fbd8-7424-83ea-7522288184bf","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:33.531Z","updatedAt":"2026-11-22T22:53:33.531Z","actioned_by":null},"bank":{"_id":"01a20576-fbd8-7424-83ea-7522288184bf","name":"KCB Bank Kenya","code":"01","account_number":"0690000038","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.867502+00', NULL, '2026-11-22 22:53:33.531979+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fc4a-75ee-9012-1abd285331a3', 'withdrawal.approved', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '{"id":"01a20576-fc4a-75ee-9012-1abd285331a3","type":"withdrawal.approved","timestamp":"2026-11-22T22:53:33.586Z","data":{"withdrawal":{"_id":"01a20576-fbd8-7423-ac43-e0c8a65793dd","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_j024a7wv4phph41bx5tmff6ny9","amount":570,"disburse_amount":540,"fee":30,"currency":"KES","bank":"01a20576-fbd8-7424-83ea-7522288184bf","status":"Approved","actioned_on":"2026-11-22T22:53:33.619Z","createdAt":"2026-11-22T22:53:33.531Z","updatedAt":"2026-11-22T22:53:33.635Z","actioned_by":{"role":"staff","id":"staff_804c1b6c9b5a41ac9fdf6977f917ee7f"}},"bank":{"_id":"01a20576-fbd8-7424-83ea-7522288184bf","name":"KCB Bank Kenya","code":"01","account_number":"0690000038","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.097924+00', NULL, '2026-11-22 22:53:33.586525+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fc70-72bb-8bb7-27dc3baa6a8e', 'withdrawal.processing', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '{"id":"01a20576-fc70-72bb-8bb7-27dc3baa6a8e","type":"withdrawal.processing","timestamp":"2026-11-22T22:53:33.658Z","data":{"withdrawal":{"_id":"01a20576-fbd8-7423-ac43-e0c8a65793dd","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_j024a7wv4phph41bx5tmff6ny9","amount":570,"disburse_amount":540,"fee":30,"currency":"KES","bank":"01a20576-fbd8-7424-83ea-7522288184bf","status":"Processing","actioned_on":"2026-11-22T22:53:33.619Z","createdAt":"2026-11-22T22:53:33.531Z","updatedAt":"2026-11-22T22:53:33.673Z","actioned_by":{"role":"staff","id":"staff_804c1b6c9b5a41ac9fdf6977f917ee7f"}},"bank":{"_id":"01a20576-fbd8-7424-83ea-7522288184bf","name":"KCB Bank Kenya","code":"01","account_number":"0690000038","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.94618+00', NULL, '2026-11-22 22:53:33.658426+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fce9-707f-bda5-ff24033f6b08', 'withdrawal.completed', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '{"id":"01a20576-fce9-707f-bda5-ff24033f6b08","type":"withdrawal.completed","timestamp":"2026-11-22T22:53:33.770Z","data":{"withdrawal":{"_id":"01a20576-fbd8-7423-ac43-e0c8a65793dd","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_j024a7wv4phph41bx5tmff6ny9","amount":570,"disburse_amount":540,"fee":30,"currency":"KES","bank":"01a20576-fbd8-7424-83ea-7522288184bf","status":"Completed","actioned_on":"2026-11-22T22:53:33.619Z","createdAt":"2026-11-22T22:53:33.531Z","updatedAt":"2026-11-22T22:53:33.800Z","actioned_by":{"role":"staff","id":"staff_804c1b6c9b5a41ac9fdf6977f917ee7f"}},"bank":{"_id":"01a20576-fbd8-7424-83ea-7522288184bf","name":"KCB Bank Kenya","code":"01","account_number":"0690000038","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.015896+00', NULL, '2026-11-22 22:53:33.770633+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fe0c-7682-8eca-2c81372afcb9', 'withdrawal.created', '01a20576-fe0c-767f-b5e1-c08567f91dec', '{"id":"01a20576-fe0c-7682-8eca-2c81372afcb9","type":"withdrawal.created","timestamp":"2026-11-22T22:53:34.092Z","data":{"withdrawal":{"_id":"01a20576-fe0c-767f-b5e1-c08567f91dec","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_cam1ypg4qaqst6vs9khqte2ypm","amount":580,"disburse_amount":550,"fee":30,"currency":"KES","bank":"01a20576-fe0c-7680-bea9-fc8b74035535","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:34.092Z","updatedAt":"2026-11-22T22:53:34.092Z","actioned_by":null},"bank":{"_id":"01a20576-fe0c-7680-bea9-fc8b74035535","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.819718+00', NULL, '2026-11-22 22:53:34.092566+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-feaa-74f5-add3-9d461b3ee2d7', 'withdrawal.processing', '01a20576-fe0c-767f-b5e1-c08567f91dec', '{"id":"01a20576-feaa-74f5-add3-9d461b3ee2d7","type":"withdrawal.processing","timestamp":"2026-11-22T22:53:34.230Z","data":{"withdrawal":{"_id":"01a20576-fe0c-767f-b5e1-c08567f91dec","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_cam1ypg4qaqst6vs9khqte2ypm","amount":580,"disburse_amount":550,"fee":30,"currency":"KES","bank":"01a20576-fe0c-7680-bea9-fc8b74035535","status":"Processing","actioned_on":"2026-11-22T22:53:34.192Z","createdAt":"2026-11-22T22:53:34.092Z","updatedAt":"2026-11-22T22:53:34.248Z","actioned_by":{"role":"staff","id":"staff_5266f4a731d041a8b7ef81aa32d30985"}},"bank":{"_id":"01a20576-fe0c-7680-bea9-fc8b74035535","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.924421+00', NULL, '2026-11-22 22:53:34.230516+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-ffbc-7a9c-91af-58e100000001', 'order.created', '01a20576-ffac-73da-91af-58e16e847f5c', '{"id":"01a20576-ffbc-7a9c-91af-58e100000001","type":"order.created","timestamp":"2026-11-22T22:53:34.509Z","data":{"order":{"_id":"01a20576-ffac-73da-91af-58e16e847f5c","price":10000,"amount":6000000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":600,"filled":600},"createdAt":"2026-11-22T22:53:34.509Z","updatedAt":"2026-11-22T22:53:34.509Z"}}}', 'Pending', 1, '2026-11-22 22:53:43.276269+00', NULL, '2026-11-22 22:53:34.509226+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-ffbc-7a9c-91af-58e100000002', 'trade.created', '01a20576-ffae-7158-91af-58e120000003', '{"id":"01a20576-ffbc-7a9c-91af-58e100000002","type":"trade.created","timestamp":"2026-11-22T22:53:34.509Z","data":{"trade":{"_id":"01a20576-ffae-7158-91af-58e120000003","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","price":10000,"tokens":600,"amount":6000000,"type":"Buy","createdAt":"2026-11-22T22:53:34.509Z"},"order":{"_id":"01a20576-ffac-73da-91af-58e16e847f5c","price":10000,"amount":6000000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":600,"filled":600},"createdAt":"2026-11-22T22:53:34.509Z","updatedAt":"2026-11-22T22:53:34.509Z"}}}', 'Pending', 1, '2026-11-22 22:53:42.86754+00', NULL, '2026-11-22 22:53:34.509226+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-ffbc-7a9c-91af-58e100000005', 'order.fulfilled', '01a20576-ffac-73da-91af-58e16e847f5c', '{"id":"01a20576-ffbc-7a9c-91af-58e100000005","type":"order.fulfilled","timestamp":"2026-11-22T22:53:34.509Z","data":{"order":{"_id":"01a20576-ffac-73da-91af-58e16e847f5c","price":10000,"amount":6000000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":600,"filled":600},"createdAt":"2026-11-22T22:53:34.509Z","updatedAt":"2026-11-22T22:53:34.509Z"},"reason":null}}', 'Pending', 1, '2026-11-22 22:53:43.113624+00', NULL, '2026-11-22 22:53:34.509226+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-ffde-714c-a59b-299500000001', 'order.created', '01a20576-ffd6-707f-a59b-29950ccdff11', '{"id":"01a20576-ffde-714c-a59b-299500000001","type":"order.created","timestamp":"2026-11-22T22:53:34.556Z","data":{"order":{"_id":"01a20576-ffd6-707f-a59b-29950ccdff11","price":9500,"amount":19000,"type":"Buy","owner_model":"user","status":"Active","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":2,"filled":0},"createdAt":"2026-11-22T22:53:34.556Z","updatedAt":"2026-11-22T22:53:34.556Z"}}}', 'Pending', 1, '2026-11-22 22:53:42.963896+00', NULL, '2026-11-22 22:53:34.556039+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0011-788b-9edf-48d333db2658', 'order.cancelled', '01a20576-ffe4-7558-bdb2-828fedd8cfc3', '{"id":"01a20577-0011-788b-9edf-48d333db2658","type":"order.cancelled","timestamp":"2026-11-22T22:53:34.578Z","data":{"order":{"_id":"01a20576-ffe4-7558-bdb2-828fedd8cfc3","price":9400,"amount":18800,"type":"Buy","owner_model":"user","status":"Cancelled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":2,"filled":0},"createdAt":"2026-11-22T22:53:34.565Z","updatedAt":"2026-11-22T22:53:34.598Z"},"reason":null}}', 'Pending', 1, '2026-11-22 22:53:43.276373+00', NULL, '2026-11-22 22:53:34.578354+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0098-7fec-9ca6-7d7e00000001', 'order.created', '01a20577-008a-7493-9ca6-7d7eb050e554', '{"id":"01a20577-0098-7fec-9ca6-7d7e00000001","type":"order.created","timestamp":"2026-11-22T22:53:34.735Z","data":{"order":{"_id":"01a20577-008a-7493-9ca6-7d7eb050e554","price":100,"amount":2000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20577-0025-751c-ab09-34c9062057dc","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":20,"filled":20},"createdAt":"2026-11-22T22:53:34.736Z","updatedAt":"2026-11-22T22:53:34.736Z"}}}', 'Pending', 1, '2026-11-22 22:53:43.216623+00', NULL, '2026-11-22 22:53:34.735497+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0098-7fec-9ca6-7d7e00000002', 'trade.created', '01a20577-0090-7c73-9ca6-7d7e20000007', '{"id":"01a20577-0098-7fec-9ca6-7d7e00000002","type":"trade.created","timestamp":"2026-11-22T22:53:34.735Z","data":{"trade":{"_id":"01a20577-0090-7c73-9ca6-7d7e20000007","token":"01a20577-0025-751c-ab09-34c9062057dc","price":100,"tokens":20,"amount":2000,"type":"Buy","createdAt":"2026-11-22T22:53:34.736Z"},"order":{"_id":"01a20577-008a-7493-9ca6-7d7eb050e554","price":100,"amount":2000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20577-0025-751c-ab09-34c9062057dc","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":20,"filled":20},"createdAt":"2026-11-22T22:53:34.736Z","updatedAt":"2026-11-22T22:53:34.736Z"}}}', 'Pending', 1, '2026-11-22 22:53:43.074626+00', NULL, '2026-11-22 22:53:34.735497+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-01d2-720a-9d63-c4ba1cde1bf1', 'loan.created', '01a20577-01d2-7208-9784-6d3d367847da', '{"id":"01a20577-01d2-720a-9d63-c4ba1cde1bf1","type":"loan.created","timestamp":"2026-11-22T22:53:35.045Z","data":{"loan":{"id":"01a20577-01d2-7208-9784-6d3d367847da","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Stock for the shop","created_at":"2026-11-22T22:53:35.045Z","updated_at":"2026-11-22T22:53:35.045Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.252967+00', NULL, '2026-11-22 22:53:35.045686+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-02a8-73ca-86dc-111ec260e4d9', 'loan.repaid', '01a20577-024a-767d-b290-518466d9b0cb', '{"id":"01a20577-02a8-73ca-86dc-111ec260e4d9","type":"loan.repaid","timestamp":"2026-11-22T22:53:35.195Z","data":{"loan":{"id":"01a20577-024a-767d-b290-518466d9b0cb","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"COMPLETED","grace_period":7,"grace_period_unit":"DAYS","reason":"School fees","created_at":"2026-11-22T22:53:35.176Z","updated_at":"2026-11-22T22:53:35.231Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.546759+00', NULL, '2026-11-22 22:53:35.195957+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-02bd-76dc-be47-50ce66be85b4', 'loan.created', '01a20577-02bc-70f8-b7ba-89ee414258d4', '{"id":"01a20577-02bd-76dc-be47-50ce66be85b4","type":"loan.created","timestamp":"2026-11-22T22:53:35.290Z","data":{"loan":{"id":"01a20577-02bc-70f8-b7ba-89ee414258d4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Thu Nov 19 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Farm inputs","created_at":"2026-08-19T22:53:35.290Z","updated_at":"2026-08-19T22:53:35.290Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.081979+00', NULL, '2026-11-22 22:53:35.290958+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-02e8-7079-92a4-e19902633be0', 'loan.overdue', '01a20577-02bc-70f8-b7ba-89ee414258d4', '{"id":"01a20577-02e8-7079-92a4-e19902633be0","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.315Z","data":{"loan":{"id":"01a20577-02bc-70f8-b7ba-89ee414258d4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Thu Nov 19 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Farm inputs","created_at":"2026-08-19T22:53:35.290Z","updated_at":"2026-11-22T22:53:35.323Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.582642+00', NULL, '2026-11-22 22:53:35.31597+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-02f1-751f-8d1b-85dde106f305', 'loan.created', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-02f1-751f-8d1b-85dde106f305","type":"loan.created","timestamp":"2026-11-22T22:53:35.344Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-06-25T22:53:35.344Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.51894+00', NULL, '2026-11-22 22:53:35.344513+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0310-7239-8384-6f36566da16d', 'loan.overdue', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-0310-7239-8384-6f36566da16d","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.358Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.367Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.432795+00', NULL, '2026-11-22 22:53:35.358563+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-031f-7622-8dc9-d163178f26d9', 'loan.defaulted', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-031f-7622-8dc9-d163178f26d9","type":"loan.defaulted","timestamp":"2026-11-22T22:53:35.358Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.380Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.230317+00', NULL, '2026-11-22 22:53:35.358563+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0410-7658-abff-a974d232626e', 'loan.liquidated', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-0410-7658-abff-a974d232626e","type":"loan.liquidated","timestamp":"2026-11-22T22:53:35.495Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"LIQUIDATED","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.591Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"},"liquidation":{"owed":430000,"value_passed":430000,"deficiency":0}}}', 'Pending', 1, '2026-11-22 22:53:43.504424+00', NULL, '2026-11-22 22:53:35.495982+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-041d-726e-83a0-c048cb59d1ff', 'loan.created', '01a20577-041d-726c-a0a9-08b21831d943', '{"id":"01a20577-041d-726e-83a0-c048cb59d1ff","type":"loan.created","timestamp":"2026-11-22T22:53:35.640Z","data":{"loan":{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-06-25T22:53:35.639Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.241232+00', NULL, '2026-11-22 22:53:35.640058+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0448-72f2-801f-982d7145975f', 'loan.overdue', '01a20577-041d-726c-a0a9-08b21831d943', '{"id":"01a20577-0448-72f2-801f-982d7145975f","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.666Z","data":{"loan":{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-11-22T22:53:35.677Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.657225+00', NULL, '2026-11-22 22:53:35.666931+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0460-76e8-805c-ee7966e92e87', 'loan.defaulted', '01a20577-041d-726c-a0a9-08b21831d943', '{"id":"01a20577-0460-76e8-805c-ee7966e92e87","type":"loan.defaulted","timestamp":"2026-11-22T22:53:35.666Z","data":{"loan":{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-11-22T22:53:35.696Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.552276+00', NULL, '2026-11-22 22:53:35.666931+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0544-765d-a63d-d2996df36463', 'loan.created', '01a20577-0544-765b-ae78-9cc7783fc2b4', '{"id":"01a20577-0544-765d-a63d-d2996df36463","type":"loan.created","timestamp":"2026-11-22T22:53:35.938Z","data":{"loan":{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-06-25T22:53:35.937Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.367265+00', NULL, '2026-11-22 22:53:35.938192+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0575-73b9-8a9f-c5951affcdc5', 'loan.overdue', '01a20577-0544-765b-ae78-9cc7783fc2b4', '{"id":"01a20577-0575-73b9-8a9f-c5951affcdc5","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.957Z","data":{"loan":{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-11-22T22:53:35.971Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.672848+00', NULL, '2026-11-22 22:53:35.957678+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0591-75d5-aa88-216c2e35e099', 'loan.defaulted', '01a20577-0544-765b-ae78-9cc7783fc2b4', '{"id":"01a20577-0591-75d5-aa88-216c2e35e099","type":"loan.defaulted","timestamp":"2026-11-22T22:53:35.957Z","data":{"loan":{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-11-22T22:53:35.993Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.371578+00', NULL, '2026-11-22 22:53:35.957678+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f6d8-73cc-8c7c-c3ac6a4b0523', 'withdrawal.created', '01a20576-f6d8-73c9-954d-5249bd68c06c', '{"id":"01a20576-f6d8-73cc-8c7c-c3ac6a4b0523","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.249Z","data":{"withdrawal":{"_id":"01a20576-f6d8-73c9-954d-5249bd68c06c","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_4f26hwt7b7p15zngc8zj0v0a0v","amount":500,"disburse_amount":470,"fee":30,"currency":"KES","bank":"01a20576-f6d8-73ca-9974-3d5e8d2a60c2","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.249Z","updatedAt":"2026-11-22T22:53:32.249Z","actioned_by":null},"bank":{"_id":"01a20576-f6d8-73ca-9974-3d5e8d2a60c2","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.228193+00', NULL, '2026-11-22 22:53:32.249009+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f6af-7253-976e-c7f4ce75f27c', 'withdrawal.created', '01a20576-f6af-7250-932e-a620c3e3c4b8', '{"id":"01a20576-f6af-7253-976e-c7f4ce75f27c","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.209Z","data":{"withdrawal":{"_id":"01a20576-f6af-7250-932e-a620c3e3c4b8","owner":"01a20576-f5f4-77b5-9eed-17ebed2559c1","owner_model":"organisation","reference":"payout_jbr4p5g4d61k8z89qhvq63cx9n","amount":500,"disburse_amount":470,"fee":30,"gusd_amount":3.88,"internal_fee":0,"internal_fee_type":"NONE","currency":"KES","bank":"01a20576-f6af-7251-812b-efab37e96e9b","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.209Z","updatedAt":"2026-11-22T22:53:32.209Z","actioned_by":null},"bank":{"_id":"01a20576-f6af-7251-812b-efab37e96e9b","name":"KCB Bank Kenya","code":"01","account_number":"0690000051","account_name":"Ada Obi","currency":"KES"},"user":null}}', 'Pending', 1, '2026-11-22 22:53:42.114428+00', NULL, '2026-11-22 22:53:32.209667+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f6e1-7555-b2f0-9ec4a52f7830', 'withdrawal.created', '01a20576-f6e1-7552-9122-76d7ff799de3', '{"id":"01a20576-f6e1-7555-b2f0-9ec4a52f7830","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.257Z","data":{"withdrawal":{"_id":"01a20576-f6e1-7552-9122-76d7ff799de3","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hfnhtj8b8a98n2bgnr7fwtcrhk","amount":510,"disburse_amount":480,"fee":30,"currency":"KES","bank":"01a20576-f6e1-7553-bc45-92a757717ca5","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.257Z","updatedAt":"2026-11-22T22:53:32.257Z","actioned_by":null},"bank":{"_id":"01a20576-f6e1-7553-bc45-92a757717ca5","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.366917+00', NULL, '2026-11-22 22:53:32.257618+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-05d7-7777-9607-becc4abe12a4', 'loan.created', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71', '{"id":"01a20577-05d7-7777-9607-becc4abe12a4","type":"loan.created","timestamp":"2026-11-22T22:53:36.085Z","data":{"loan":{"id":"01a20577-05d7-7775-b7ef-0d1e3e2d3d71","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:36 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Roof repair","created_at":"2026-11-22T22:53:36.085Z","updated_at":"2026-11-22T22:53:36.085Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.700917+00', NULL, '2026-11-22 22:53:36.085649+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-08dc-7659-868d-e7a2160af527', 'webhook.test', '01a20577-0898-732c-a71e-a33b0835d253', '{"id":"01a20577-08dc-7659-868d-e7a2160af527","type":"webhook.test","timestamp":"2026-11-22T22:53:36.850Z","data":{"message": "This is a test", "requested_by": {"role": "API key", "id": "EMxzTYAhdUE1h5SZTZL8Q0krD6wL80KVSXCHkBVs", "name": "tests"}}}', 'Pending', 1, '2026-11-22 22:53:43.59093+00', NULL, '2026-11-22 22:53:36.850252+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-ff91-760c-bea1-dadb00000001', 'order.created', '01a20576-ff6d-7047-bea1-dadbc1d02b49', '{"id":"01a20576-ff91-760c-bea1-dadb00000001","type":"order.created","timestamp":"2026-11-22T22:53:34.450Z","data":{"order":{"_id":"01a20576-ff6d-7047-bea1-dadbc1d02b49","price":10000,"amount":6500000,"type":"Sell","owner_model":"organisation","status":"Active","user":null,"token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":650,"filled":0},"createdAt":"2026-11-22T22:53:34.461Z","updatedAt":"2026-11-22T22:53:34.461Z"}}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:34.450709+00', NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5'),
	('01a20576-ffbc-7a9c-91af-58e100000003', 'trade.created', '01a20576-ffae-7158-91af-58e120000003', '{"id":"01a20576-ffbc-7a9c-91af-58e100000003","type":"trade.created","timestamp":"2026-11-22T22:53:34.509Z","data":{"trade":{"_id":"01a20576-ffae-7158-91af-58e120000003","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","price":10000,"tokens":600,"amount":6000000,"type":"Buy","createdAt":"2026-11-22T22:53:34.509Z"},"order":{"_id":"01a20576-ff6d-7047-bea1-dadbc1d02b49","price":10000,"amount":6500000,"type":"Sell","owner_model":"organisation","status":"Active","user":null,"token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":650,"filled":600},"createdAt":"2026-11-22T22:53:34.461Z","updatedAt":"2026-11-22T22:53:34.509Z"}}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:34.509226+00', NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5'),
	('01a20577-019f-754b-8bf3-f65a52a02934', 'loan_configuration.approved', '01a20577-00d4-7248-9a60-7d7f042407e5', '{"id":"01a20577-019f-754b-8bf3-f65a52a02934","type":"loan_configuration.approved","timestamp":"2026-11-22T22:53:34.936Z","data":{"loan_configuration":{"id":"01a20577-00d4-7248-9a60-7d7f042407e5","name":"Offer 1","creditor":{"id":"01a20577-00a8-7299-88c3-3d05381b71c8","name":"Organisation 4"},"access":"public","investment_categories":["Private Business","Bond"],"min_amount":{"NGN":0.4},"max_amount":{"NGN":2000000},"max_outstanding":{"NGN":4000000},"collateral_ratio":0.8,"interest_rate":0.025,"duration":12,"grace_period":7,"grace_period_unit":"DAYS","status":"Approved","organisation_ids":[],"reason":null,"pending":null}}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:34.936982+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-01d2-720b-82ea-041ac642d6c9', 'loan.created', '01a20577-01d2-7208-9784-6d3d367847da', '{"id":"01a20577-01d2-720b-82ea-041ac642d6c9","type":"loan.created","timestamp":"2026-11-22T22:53:35.045Z","data":{"loan":{"id":"01a20577-01d2-7208-9784-6d3d367847da","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Stock for the shop","created_at":"2026-11-22T22:53:35.045Z","updated_at":"2026-11-22T22:53:35.045Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.045686+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-024a-7680-8ea4-1b674fcbb64b', 'loan.created', '01a20577-024a-767d-b290-518466d9b0cb', '{"id":"01a20577-024a-7680-8ea4-1b674fcbb64b","type":"loan.created","timestamp":"2026-11-22T22:53:35.176Z","data":{"loan":{"id":"01a20577-024a-767d-b290-518466d9b0cb","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"School fees","created_at":"2026-11-22T22:53:35.176Z","updated_at":"2026-11-22T22:53:35.176Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.176802+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-02ac-77a5-a921-8b96624a8ba3', 'loan.repaid', '01a20577-024a-767d-b290-518466d9b0cb', '{"id":"01a20577-02ac-77a5-a921-8b96624a8ba3","type":"loan.repaid","timestamp":"2026-11-22T22:53:35.195Z","data":{"loan":{"id":"01a20577-024a-767d-b290-518466d9b0cb","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"COMPLETED","grace_period":7,"grace_period_unit":"DAYS","reason":"School fees","created_at":"2026-11-22T22:53:35.176Z","updated_at":"2026-11-22T22:53:35.231Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.195957+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-02bd-76dd-bbdd-e908dadb01fc', 'loan.created', '01a20577-02bc-70f8-b7ba-89ee414258d4', '{"id":"01a20577-02bd-76dd-bbdd-e908dadb01fc","type":"loan.created","timestamp":"2026-11-22T22:53:35.290Z","data":{"loan":{"id":"01a20577-02bc-70f8-b7ba-89ee414258d4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Thu Nov 19 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Farm inputs","created_at":"2026-08-19T22:53:35.290Z","updated_at":"2026-08-19T22:53:35.290Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.290958+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-02ec-7799-b7af-702706993cb8', 'loan.overdue', '01a20577-02bc-70f8-b7ba-89ee414258d4', '{"id":"01a20577-02ec-7799-b7af-702706993cb8","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.315Z","data":{"loan":{"id":"01a20577-02bc-70f8-b7ba-89ee414258d4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Thu Nov 19 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Farm inputs","created_at":"2026-08-19T22:53:35.290Z","updated_at":"2026-11-22T22:53:35.323Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.31597+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-02f1-7520-a32b-11b0ac200b3c', 'loan.created', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-02f1-7520-a32b-11b0ac200b3c","type":"loan.created","timestamp":"2026-11-22T22:53:35.344Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-06-25T22:53:35.344Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.344513+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0312-7737-89cf-632685d9dbe2', 'loan.overdue', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-0312-7737-89cf-632685d9dbe2","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.358Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.367Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.358563+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-031f-7623-be08-56506c9cd894', 'loan.defaulted', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-031f-7623-be08-56506c9cd894","type":"loan.defaulted","timestamp":"2026-11-22T22:53:35.358Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.380Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.358563+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0412-726e-9ee7-857e0deeee49', 'loan.liquidated', '01a20577-02f1-751d-90ad-bfdeb8546f6d', '{"id":"01a20577-0412-726e-9ee7-857e0deeee49","type":"loan.liquidated","timestamp":"2026-11-22T22:53:35.495Z","data":{"loan":{"id":"01a20577-02f1-751d-90ad-bfdeb8546f6d","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"LIQUIDATED","grace_period":7,"grace_period_unit":"DAYS","reason":"Bakery oven","created_at":"2026-06-25T22:53:35.344Z","updated_at":"2026-11-22T22:53:35.591Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null,"liquidation":{"owed":430000,"value_passed":430000,"deficiency":0}}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.495982+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-041d-726f-951e-e8cd94b9604d', 'loan.created', '01a20577-041d-726c-a0a9-08b21831d943', '{"id":"01a20577-041d-726f-951e-e8cd94b9604d","type":"loan.created","timestamp":"2026-11-22T22:53:35.640Z","data":{"loan":{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-06-25T22:53:35.639Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.640058+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-044b-76c5-8ef6-10303574d23a', 'loan.overdue', '01a20577-041d-726c-a0a9-08b21831d943', '{"id":"01a20577-044b-76c5-8ef6-10303574d23a","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.666Z","data":{"loan":{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-11-22T22:53:35.677Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.666931+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0468-73ce-86c1-cffa81960b92', 'loan.defaulted', '01a20577-041d-726c-a0a9-08b21831d943', '{"id":"01a20577-0468-73ce-86c1-cffa81960b92","type":"loan.defaulted","timestamp":"2026-11-22T22:53:35.666Z","data":{"loan":{"id":"01a20577-041d-726c-a0a9-08b21831d943","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Market stall","created_at":"2026-06-25T22:53:35.639Z","updated_at":"2026-11-22T22:53:35.696Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.666931+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0544-765e-b6e2-7f53f801599d', 'loan.created', '01a20577-0544-765b-ae78-9cc7783fc2b4', '{"id":"01a20577-0544-765e-b6e2-7f53f801599d","type":"loan.created","timestamp":"2026-11-22T22:53:35.938Z","data":{"loan":{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-06-25T22:53:35.937Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.938192+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0576-77a9-9c34-1e165d10f6d9', 'loan.overdue', '01a20577-0544-765b-ae78-9cc7783fc2b4', '{"id":"01a20577-0576-77a9-9c34-1e165d10f6d9","type":"loan.overdue","timestamp":"2026-11-22T22:53:35.957Z","data":{"loan":{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"OVERDUE","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-11-22T22:53:35.971Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.957678+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0594-7031-829b-40aa56da315c', 'loan.defaulted', '01a20577-0544-765b-ae78-9cc7783fc2b4', '{"id":"01a20577-0594-7031-829b-40aa56da315c","type":"loan.defaulted","timestamp":"2026-11-22T22:53:35.957Z","data":{"loan":{"id":"01a20577-0544-765b-ae78-9cc7783fc2b4","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Fri Sep 25 2026 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"DEFAULTED","grace_period":7,"grace_period_unit":"DAYS","reason":"Delivery van","created_at":"2026-06-25T22:53:35.937Z","updated_at":"2026-11-22T22:53:35.993Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:35.957678+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-05d7-7778-87ad-c2ea117e00c9', 'loan.created', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71', '{"id":"01a20577-05d7-7778-87ad-c2ea117e00c9","type":"loan.created","timestamp":"2026-11-22T22:53:36.085Z","data":{"loan":{"id":"01a20577-05d7-7775-b7ef-0d1e3e2d3d71","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:36 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Roof repair","created_at":"2026-11-22T22:53:36.085Z","updated_at":"2026-11-22T22:53:36.085Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:36.085649+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20577-0688-72a8-933a-6a4eaf532f2c', 'loan.shortfall', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71', '{"id":"01a20577-0688-72a8-933a-6a4eaf532f2c","type":"loan.shortfall","timestamp":"2026-11-22T22:53:36.211Z","data":{"loan":{"id":"01a20577-05d7-7775-b7ef-0d1e3e2d3d71","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:36 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Roof repair","created_at":"2026-11-22T22:53:36.085Z","updated_at":"2026-11-22T22:53:36.085Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":null,"shortfall":{"id":"01a20577-0680-77ed-a453-4fcd742656dd","collateral_value":450000,"required_value":500000}}}', 'Unsent', 0, NULL, NULL, '2026-11-22 22:53:36.21196+00', NULL, '01a20577-00a8-7299-88c3-3d05381b71c8'),
	('01a20576-f738-7591-ae4f-e683431e42f7', 'withdrawal.rejected', '01a20576-f6e1-7552-9122-76d7ff799de3', '{"id":"01a20576-f738-7591-ae4f-e683431e42f7","type":"withdrawal.rejected","timestamp":"2026-11-22T22:53:32.288Z","data":{"withdrawal":{"_id":"01a20576-f6e1-7552-9122-76d7ff799de3","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hfnhtj8b8a98n2bgnr7fwtcrhk","amount":510,"disburse_amount":480,"fee":30,"currency":"KES","bank":"01a20576-f6e1-7553-bc45-92a757717ca5","status":"Rejected","actioned_on":"2026-11-22T22:53:32.334Z","createdAt":"2026-11-22T22:53:32.257Z","updatedAt":"2026-11-22T22:53:32.342Z","actioned_by":{"role":"finance approver","id":"staff_e530adef3e824c3d8f95989a75730718"}},"bank":{"_id":"01a20576-f6e1-7553-bc45-92a757717ca5","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.485069+00', NULL, '2026-11-22 22:53:32.288244+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f917-720b-9c16-53861fcba613', 'withdrawal.approved', '01a20576-f884-7702-b7de-4e2dc5b5d722', '{"id":"01a20576-f917-720b-9c16-53861fcba613","type":"withdrawal.approved","timestamp":"2026-11-22T22:53:32.759Z","data":{"withdrawal":{"_id":"01a20576-f884-7702-b7de-4e2dc5b5d722","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hb3am6emjmy736tyz0jn2afhfr","amount":540,"disburse_amount":510,"fee":30,"currency":"KES","bank":"01a20576-f884-7703-a1cd-b70f08470d08","status":"Approved","actioned_on":"2026-11-22T22:53:32.783Z","createdAt":"2026-11-22T22:53:32.676Z","updatedAt":"2026-11-22T22:53:32.822Z","actioned_by":{"role":"staff","id":"staff_4012c8d39bf2444d9801237e80cfb6a8"}},"bank":{"_id":"01a20576-f884-7703-a1cd-b70f08470d08","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.524228+00', NULL, '2026-11-22 22:53:32.75935+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f884-7705-b077-cdfb6d17d5ba', 'withdrawal.created', '01a20576-f884-7702-b7de-4e2dc5b5d722', '{"id":"01a20576-f884-7705-b077-cdfb6d17d5ba","type":"withdrawal.created","timestamp":"2026-11-22T22:53:32.676Z","data":{"withdrawal":{"_id":"01a20576-f884-7702-b7de-4e2dc5b5d722","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hb3am6emjmy736tyz0jn2afhfr","amount":540,"disburse_amount":510,"fee":30,"currency":"KES","bank":"01a20576-f884-7703-a1cd-b70f08470d08","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.676Z","updatedAt":"2026-11-22T22:53:32.676Z","actioned_by":null},"bank":{"_id":"01a20576-f884-7703-a1cd-b70f08470d08","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.377301+00', NULL, '2026-11-22 22:53:32.676483+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fa95-75f2-b5fb-023d2cd7b2d6', 'withdrawal.created', '01a20576-fa95-75ef-819d-dea14ada20ee', '{"id":"01a20576-fa95-75f2-b5fb-023d2cd7b2d6","type":"withdrawal.created","timestamp":"2026-11-22T22:53:33.208Z","data":{"withdrawal":{"_id":"01a20576-fa95-75ef-819d-dea14ada20ee","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_604aejxdv7ce4pwa36qe9nqkpg","amount":560,"disburse_amount":530,"fee":30,"currency":"KES","bank":"01a20576-fa95-75f0-a486-fbf0c008956a","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:33.208Z","updatedAt":"2026-11-22T22:53:33.208Z","actioned_by":null},"bank":{"_id":"01a20576-fa95-75f0-a486-fbf0c008956a","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.522613+00', NULL, '2026-11-22 22:53:33.208807+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fb1b-7532-abe3-caa6746699ea', 'withdrawal.processing', '01a20576-fa95-75ef-819d-dea14ada20ee', '{"id":"01a20576-fb1b-7532-abe3-caa6746699ea","type":"withdrawal.processing","timestamp":"2026-11-22T22:53:33.323Z","data":{"withdrawal":{"_id":"01a20576-fa95-75ef-819d-dea14ada20ee","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_604aejxdv7ce4pwa36qe9nqkpg","amount":560,"disburse_amount":530,"fee":30,"currency":"KES","bank":"01a20576-fa95-75f0-a486-fbf0c008956a","status":"Processing","actioned_on":"2026-11-22T22:53:33.292Z","createdAt":"2026-11-22T22:53:33.208Z","updatedAt":"2026-11-22T22:53:33.338Z","actioned_by":{"role":"staff","id":"staff_8a2d40e2f4b446a490f72f835a415faf"}},"bank":{"_id":"01a20576-fa95-75f0-a486-fbf0c008956a","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.782581+00', NULL, '2026-11-22 22:53:33.32328+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fafa-7696-bdf1-dfd1b488ea39', 'withdrawal.approved', '01a20576-fa95-75ef-819d-dea14ada20ee', '{"id":"01a20576-fafa-7696-bdf1-dfd1b488ea39","type":"withdrawal.approved","timestamp":"2026-11-22T22:53:33.269Z","data":{"withdrawal":{"_id":"01a20576-fa95-75ef-819d-dea14ada20ee","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_604aejxdv7ce4pwa36qe9nqkpg","amount":560,"disburse_amount":530,"fee":30,"currency":"KES","bank":"01a20576-fa95-75f0-a486-fbf0c008956a","status":"Approved","actioned_on":"2026-11-22T22:53:33.292Z","createdAt":"2026-11-22T22:53:33.208Z","updatedAt":"2026-11-22T22:53:33.305Z","actioned_by":{"role":"staff","id":"staff_8a2d40e2f4b446a490f72f835a415faf"}},"bank":{"_id":"01a20576-fa95-75f0-a486-fbf0c008956a","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.549591+00', NULL, '2026-11-22 22:53:33.269009+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fde2-7462-a232-ae38d83617c9', 'withdrawal.reversed', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '{"id":"01a20576-fde2-7462-a232-ae38d83617c9","type":"withdrawal.reversed","timestamp":"2026-11-22T22:53:33.984Z","data":{"withdrawal":{"_id":"01a20576-fbd8-7423-ac43-e0c8a65793dd","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_j024a7wv4phph41bx5tmff6ny9","amount":570,"disburse_amount":540,"fee":30,"currency":"KES","bank":"01a20576-fbd8-7424-83ea-7522288184bf","status":"Reversed","actioned_on":"2026-11-22T22:53:33.619Z","createdAt":"2026-11-22T22:53:33.531Z","updatedAt":"2026-11-22T22:53:34.049Z","actioned_by":{"role":"staff","id":"staff_804c1b6c9b5a41ac9fdf6977f917ee7f"}},"bank":{"_id":"01a20576-fbd8-7424-83ea-7522288184bf","name":"KCB Bank Kenya","code":"01","account_number":"0690000038","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:42.86547+00', NULL, '2026-11-22 22:53:33.984442+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fe84-75e4-a45c-3dbf3a619a2f', 'withdrawal.approved', '01a20576-fe0c-767f-b5e1-c08567f91dec', '{"id":"01a20576-fe84-75e4-a45c-3dbf3a619a2f","type":"withdrawal.approved","timestamp":"2026-11-22T22:53:34.154Z","data":{"withdrawal":{"_id":"01a20576-fe0c-767f-b5e1-c08567f91dec","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_cam1ypg4qaqst6vs9khqte2ypm","amount":580,"disburse_amount":550,"fee":30,"currency":"KES","bank":"01a20576-fe0c-7680-bea9-fc8b74035535","status":"Approved","actioned_on":"2026-11-22T22:53:34.192Z","createdAt":"2026-11-22T22:53:34.092Z","updatedAt":"2026-11-22T22:53:34.208Z","actioned_by":{"role":"staff","id":"staff_5266f4a731d041a8b7ef81aa32d30985"}},"bank":{"_id":"01a20576-fe0c-7680-bea9-fc8b74035535","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.002182+00', NULL, '2026-11-22 22:53:34.154738+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-ffe6-73a2-bdb2-828f00000001', 'order.created', '01a20576-ffe4-7558-bdb2-828fedd8cfc3', '{"id":"01a20576-ffe6-73a2-bdb2-828f00000001","type":"order.created","timestamp":"2026-11-22T22:53:34.565Z","data":{"order":{"_id":"01a20576-ffe4-7558-bdb2-828fedd8cfc3","price":9400,"amount":18800,"type":"Buy","owner_model":"user","status":"Active","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":2,"filled":0},"createdAt":"2026-11-22T22:53:34.565Z","updatedAt":"2026-11-22T22:53:34.565Z"}}}', 'Pending', 1, '2026-11-22 22:53:43.367779+00', NULL, '2026-11-22 22:53:34.565153+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0098-7fec-9ca6-7d7e00000005', 'order.fulfilled', '01a20577-008a-7493-9ca6-7d7eb050e554', '{"id":"01a20577-0098-7fec-9ca6-7d7e00000005","type":"order.fulfilled","timestamp":"2026-11-22T22:53:34.735Z","data":{"order":{"_id":"01a20577-008a-7493-9ca6-7d7eb050e554","price":100,"amount":2000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20577-0025-751c-ab09-34c9062057dc","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":20,"filled":20},"createdAt":"2026-11-22T22:53:34.736Z","updatedAt":"2026-11-22T22:53:34.736Z"},"reason":null}}', 'Pending', 1, '2026-11-22 22:53:43.235649+00', NULL, '2026-11-22 22:53:34.735497+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-024a-767f-9bb4-618f37864a9e', 'loan.created', '01a20577-024a-767d-b290-518466d9b0cb', '{"id":"01a20577-024a-767f-9bb4-618f37864a9e","type":"loan.created","timestamp":"2026-11-22T22:53:35.176Z","data":{"loan":{"id":"01a20577-024a-767d-b290-518466d9b0cb","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:35 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"School fees","created_at":"2026-11-22T22:53:35.176Z","updated_at":"2026-11-22T22:53:35.176Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"}}}', 'Pending', 1, '2026-11-22 22:53:43.062312+00', NULL, '2026-11-22 22:53:35.176802+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-0683-731f-8f72-580774da7361', 'loan.shortfall', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71', '{"id":"01a20577-0683-731f-8f72-580774da7361","type":"loan.shortfall","timestamp":"2026-11-22T22:53:36.211Z","data":{"loan":{"id":"01a20577-05d7-7775-b7ef-0d1e3e2d3d71","borrower":"01a20576-f60c-7448-b022-08df2c2a2b58","creditor":"01a20577-00a8-7299-88c3-3d05381b71c8","amount":400000,"currency":"NGN","repayment_amount":430000,"repayment_date":"Mon Feb 22 2027 23:53:36 GMT+0100 (West Africa Standard Time)","interest_rate":0.025,"duration":3,"status":"ACTIVE","grace_period":7,"grace_period_unit":"DAYS","reason":"Roof repair","created_at":"2026-11-22T22:53:36.085Z","updated_at":"2026-11-22T22:53:36.085Z","collaterals":[{"name":"Savannah Foods","token_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","quantity":50}]},"user":{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com"},"shortfall":{"id":"01a20577-0680-77ed-a453-4fcd742656dd","collateral_value":450000,"required_value":500000}}}', 'Pending', 1, '2026-11-22 22:53:43.362236+00', NULL, '2026-11-22 22:53:36.21196+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1');


--
-- Data for Name: exchange_export; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_export (id, source, title, query, filter_words, first_day, last_day, form, file_name, status, direct, about_rows, rows_done, size_bytes, error, attempts, claimed_by, leased_until, created_at, as_of, finished_at, requested_by_id) VALUES
	('01a20577-0ee4-76e1-a112-70e5055d178f', 'wallets.withdrawal', 'Withdrawals', '', 'status: Pending', NULL, NULL, 'csv', 'withdrawals_until_2026-11-22.csv', 'Handed over', true, 2, 2, 892, '', 0, '', '2026-11-22 22:55:38.396775+00', '2026-11-22 22:53:38.396775+00', '2026-11-22 22:53:38.416392+00', '2026-11-22 22:53:38.535486+00', '01a20576-ec51-7427-9210-d6a1a884f2c2'),
	('01a20577-0fcc-70a6-b358-2e7620819404', 'wallets.withdrawal', 'Withdrawals', '', 'status: Pending', NULL, NULL, 'csv', 'withdrawals_until_2026-11-22.csv', 'Ready', false, 2, 2, 892, '', 1, 'export_7vmj8cfcvddfd8zrf3jjhdn3yr', NULL, '2026-11-22 22:53:38.628211+00', '2026-11-22 22:53:38.671292+00', '2026-11-22 22:53:38.747136+00', '01a20576-ec51-7427-9210-d6a1a884f2c2');


--
-- Data for Name: exchange_exportchunk; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_exportchunk (id, "position", data, export_id) VALUES
	(1, 0, '\xefbbbf5265666572656e63652c5374617475732c437265617465642028555443292c4f7267616e69736174696f6e2c4f776e65722c4f776e65722069732c4f776e65722069642c43757272656e63792c416d6f756e742c4665652c4e657420746f2062616e6b2c50616964206f75742c416d6f756e7420696e205553442c42616e6b2c42616e6b20636f64652c4163636f756e74206e756d6265722c4163636f756e74206e616d652c4e616d6520676976656e2c446563696465642028555443292c446563696465642062792c466972737420617070726f76616c2c5365636f6e6420617070726f76616c2c526561736f6e2c53656e742028555443292c536574746c65642028555443292c50726f766964657227732069642c50726f76696465722773207374617475732c50726f76696465722773206368617267652c5769746864726177616c2069640d0a7061796f75745f6a627234703567346436316b387a38397168767136336378396e2c50656e64696e672c323032362d31312d32325432323a35333a33322e3230395a2c4f7267616e69736174696f6e20312c4f7267616e69736174696f6e20312c6f7267616e69736174696f6e2c30316132303537362d663566342d373762352d396565642d3137656265643235353963312c4b45532c3530302c33302c3437302c2c332e38382c4b43422042616e6b204b656e79612c30312c303639303030303035312c416461204f62692c416461204f62692c2c2c2c2c2c2c2c2c2c2c30316132303537362d663661662d373235302d393332652d6136323063336533633462380d0a7061796f75745f346632366877743762377031357a6e6763387a6a3076306130762c50656e64696e672c323032362d31312d32325432323a35333a33322e3234395a2c4f7267616e69736174696f6e20312c416461204f62692c757365722c30316132303537362d663630632d373434382d623032322d3038646632633261326235382c4b45532c3530302c33302c3437302c2c332e38382c4b43422042616e6b204b656e79612c30312c303639303030303033312c416461204f62692c416461204f62692c2c2c2c2c2c2c2c2c2c2c30316132303537362d663664382d373363392d393534642d3532343962643638633036630d0a22436f6d706c6574653a203220726f77732c206173206f6620323032362d31312d32325432323a35333a33382e3637315a220d0a', '01a20577-0fcc-70a6-b358-2e7620819404');


--
-- Data for Name: exchange_idempotencyrecord; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_idempotencyrecord (id, method, path, key, body_hash, status_code, message, data, created_at, organisation_id) VALUES
	(1, 'POST', '/v1/api/wallet/withdraw', '33c8fc35-3e0f-4cd3-9278-117ea2d63359', 'c37df59c5cef03b0bb2e20e652a280d5089f75e507e3e2a236f1cd54e4754a12', 201, 'Withdrawal request created', '{"withdrawalRequest":{"_id":"01a20576-f6af-7250-932e-a620c3e3c4b8","owner":"01a20576-f5f4-77b5-9eed-17ebed2559c1","owner_model":"organisation","reference":"payout_jbr4p5g4d61k8z89qhvq63cx9n","amount":500,"disburse_amount":470,"fee":30,"gusd_amount":3.88,"internal_fee":0,"internal_fee_type":"NONE","currency":"KES","bank":"01a20576-f6af-7251-812b-efab37e96e9b","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.209Z","updatedAt":"2026-11-22T22:53:32.209Z"},"bank":{"_id":"01a20576-f6af-7251-812b-efab37e96e9b","name":"KCB Bank Kenya","code":"01","account_number":"0690000051","account_name":"Ada Obi","currency":"KES"}}', '2026-11-22 22:53:32.209667+00', '01a20576-f5f4-77b5-9eed-17ebed2559c1');


--
-- Data for Name: exchange_member; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_member (id, name, email, external_id, created_at, updated_at, document, organisation_id) VALUES
	('01a20576-f60c-7448-b022-08df2c2a2b58', 'Ada Obi', 'ada@example.com', '', '2026-11-22 22:53:32.044892+00', '2026-11-22 22:53:32.044915+00', '{"_id":"01a20576-f60c-7448-b022-08df2c2a2b58","name":"Ada Obi","email":"ada@example.com","external_id":null,"createdAt":"2026-11-22T22:53:32.044Z","updatedAt":"2026-11-22T22:53:32.044Z"}', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-08bd-73aa-ab3a-f519728e4feb', 'Jo Bloggs', 'jo@example.com', '', '2026-11-22 22:53:36.830298+00', '2026-11-22 22:53:36.830323+00', '{"_id":"01a20577-08bd-73aa-ab3a-f519728e4feb","name":"Jo Bloggs","email":"jo@example.com","external_id":null,"createdAt":"2026-11-22T22:53:36.830Z","updatedAt":"2026-11-22T22:53:36.830Z"}', '01a20576-f5f4-77b5-9eed-17ebed2559c1');


--
-- Data for Name: exchange_organisation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_organisation (id, name, email, active, created_at, updated_at) VALUES
	('01a20576-f5f4-77b5-9eed-17ebed2559c1', 'Organisation 1', '', true, '2026-11-22 22:53:32.020784+00', '2026-11-22 22:53:32.020809+00'),
	('01a20576-ff2c-7609-a5cf-992e5421e3a5', 'Organisation 3', '', true, '2026-11-22 22:53:34.380599+00', '2026-11-22 22:53:34.380623+00'),
	('01a20577-00a8-7299-88c3-3d05381b71c8', 'Organisation 4', '', true, '2026-11-22 22:53:34.760844+00', '2026-11-22 22:53:34.760869+00');


--
-- Data for Name: exchange_quote; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_quote (id, buy, sell, exchange, status, note, reason, created_at, decided_at, decided_by_id, proposed_by_id, token_id) VALUES
	('01a20577-0622-7573-96e8-be207fdcea18', 9000.00000000, 9000.00000000, 0.00000000, 'Approved', 'Monthly valuation', '', '2026-11-22 22:53:36.162605+00', '2026-11-22 22:53:36.204256+00', '01a20576-ecc8-76b8-bc96-8a66c498ad22', '01a20576-f504-7485-a407-3482ba56d27c', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20577-069b-73d7-af02-66053500aa21', 9100.00000000, 9100.00000000, 0.00000000, 'Pending', 'Monthly valuation', '', '2026-11-22 22:53:36.283495+00', NULL, NULL, '01a20576-f504-7485-a407-3482ba56d27c', '01a20576-ff34-7234-b868-f6bbf3fc9665');


--
-- Data for Name: exchange_recoverycode; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_recoverycode (id, code_hash, used_at, user_id) VALUES
	('01a20576-ed19-7156-9abb-64b97843d168', 'bf6584a36f002ddf31577a373040dc0463bbf4a611c2c4e325bd41fd01c2a9a7', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-7157-ba0c-66aaad7171b0', '16ae18d3c44da0503817be732c2285dd0d88241bac87d3bd18172e44fa96762d', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-7158-ab4d-94fe5a1744bb', 'caf3eaa1ae30fec478d7ee305facea2c8bc9565d459b64a457348905b084b1f9', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-7159-ab5e-d49281e2fbae', '1e4811f89c55fecb6310064fda33233af1c37989d3efe75163a82e136ad404bd', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-715a-8030-80c5091323f2', '8666b89c7f1daec3c4cbebb7c50a2a1da79f8d996fa426a830bb39902cacd463', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-715b-8274-a7322e9486e5', '8f0df45327a2c6444c9bfc7d57510441c5cadb017d20eef453539e85aae78b56', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-715c-ac11-6120c2e0c8ea', 'b6cce2ce03513c76469b726dda47ef713f4e80accdac8ec8e30b07988ae31de4', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-715d-a461-8f9aed4b0c56', '7a59210f32716cc9d9ecc0f3b972c107ea7f15f1203fac9c15e790a29040f633', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-715e-ba6b-0102954042e0', '35fa82f3a48672c2c325c8b1b8012a09121c75853c02ae0262909f69988cbc8d', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22'),
	('01a20576-ed19-715f-95e4-ddb932dbaf51', '64e86936ff9dbfb863c8567b52e80a89f4e53f45871fe521942582a2b9745a56', NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22');


--
-- Data for Name: exchange_secondfactor; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_secondfactor (user_id, secret_encrypted, last_step, set_up_at) VALUES
	('01a20576-ecc8-76b8-bc96-8a66c498ad22', 'gAAAAABrA3JpjwSIPYPOuU111JZrZ7d30SxUkyoMYkl0FyHWn6BrwqKesBpyjQwBsACrFcGNAmfLTBKwoYRUNhdWzvFAID2gP5qBoYp2-ky1_ctJCUGYsrfOnknCasdXwo9EQ5SY-AvU', 59846267, '2026-11-22 22:53:29.729119+00');


--
-- Data for Name: exchange_signintries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_signintries (key, tries, ends_at, locked_until) VALUES
	('4e942a5c8d483e8d9110f9c1cac2748fa27d6066a2f1908bab1fd7507b9b7322', 1, '2026-11-22 23:08:31.186379+00', NULL),
	('38de9dbbed2d57ae35ac8f764f9142b86579ef162fd526f36aa89eab55df42b9', 0, '2026-11-22 23:08:31.644745+00', NULL);


--
-- Data for Name: exchange_staffuser; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_staffuser (password, last_login, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined, id, session_epoch, access_changed_at, public_id) VALUES
	('md5$5Cv6oj0TQMQP0ozt2sMuYT$b6e42cd2f78ee2b636f50587dc14c13e', NULL, true, 'owner', '', '', '', true, true, '2026-11-22 22:53:29.553479+00', '01a20576-ec51-7427-9210-d6a1a884f2c2', 0, '2026-10-23 22:53:29.553253+00', '141be103-59f1-445c-ad06-2313e37f0caa'),
	('md5$5yz50ULZwjrqVX2CJOjG3e$84f2b1ea7bb0b705c1cde10033d25082', '2026-11-22 22:53:31.68231+00', false, 'amina.finance', '', '', '', true, true, '2026-11-22 22:53:29.672753+00', '01a20576-ecc8-76b8-bc96-8a66c498ad22', 1, '2026-10-23 22:53:29.673354+00', 'e530adef-3e82-4c3d-8f95-989a75730718'),
	('md5$u2NzmBcqUuYUx3Q4s3Ubnc$37e9c76dad6f0bedb6921fb29d76e44d', NULL, false, 'lindiwe.office', '', '', '', true, true, '2026-11-22 22:53:31.780255+00', '01a20576-f504-7485-a407-3482ba56d27c', 0, '2026-10-23 22:53:31.780655+00', '085b7b96-42a2-457b-9a22-c10fe0679b8a'),
	('md5$CSzbHwWBYgBbG6OkuW5XFa$c8154e2fec60cc461f7d91a348cd2a88', NULL, false, 'imani.credit', '', '', '', true, true, '2026-11-22 22:53:31.901027+00', '01a20576-f57d-7299-8441-2cd4a76272d3', 0, '2026-10-23 22:53:31.901431+00', 'a275a0cb-3280-43dc-9215-c1881a30d620'),
	('md5$SMwkJTbPwbAHoZGSlOEhrW$1e12e7b8201b509bc5d23cd6f7c86778', NULL, false, 'sefu.credit', '', '', '', true, true, '2026-11-22 22:53:32.004802+00', '01a20576-f5e4-771e-b355-93a6dffee388', 0, '2026-10-23 22:53:32.005218+00', '0ad3bffb-5ba9-486b-86ca-dd2fa52b1f6e'),
	('!UbVmNOwnRgrjgfnVUchiqg3GlDn0XDACAiBB1QIo', NULL, false, 'staff4', '', '', '', true, true, '2026-11-22 22:53:32.463117+00', '01a20576-f7af-74d6-9658-df5ac550d024', 0, '2026-10-23 22:53:32.462927+00', 'dcac5600-8807-40ba-8d8c-947f3b9b086f'),
	('!EK48MKrSGdUIv1te0bWmzBgp5icfPWhppfIdOGyA', NULL, false, 'staff5', '', '', '', true, true, '2026-11-22 22:53:32.698893+00', '01a20576-f89a-72f1-9a68-4e60c6fd686b', 0, '2026-10-23 22:53:32.698787+00', '4012c8d3-9bf2-444d-9801-237e80cfb6a8'),
	('!k7iBuXmbGv3XJrNZXXPyZL8HeqqDbwqqlDhCq55O', NULL, false, 'staff6', '', '', '', true, true, '2026-11-22 22:53:32.943454+00', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 0, '2026-10-23 22:53:32.943347+00', '5e057f94-3261-43f6-9b30-4a53dd6fcf5d'),
	('!CeBlr07mQStF6qL0mlyESzk29R4cyEDYYHg4g3V0', NULL, false, 'staff7', '', '', '', true, true, '2026-11-22 22:53:33.220795+00', '01a20576-faa4-7468-945d-96a760bc9621', 0, '2026-10-23 22:53:33.220687+00', '8a2d40e2-f4b4-46a4-90f7-2f835a415faf'),
	('!heQQtTon92IJYFn7kwudzT2RucfwpViMwAsj3HeG', NULL, false, 'staff8', '', '', '', true, true, '2026-11-22 22:53:33.544764+00', '01a20576-fbe8-70a1-acd1-294918dee500', 0, '2026-10-23 22:53:33.54465+00', '804c1b6c-9b5a-41ac-9fdf-6977f917ee7f'),
	('!69HL6WUUrWpRAvfWGI8SC9oR1LIjK4TdOwRHFx84', NULL, false, 'staff9', '', '', '', true, true, '2026-11-22 22:53:33.912353+00', '01a20576-fd58-75e8-af5b-7c07beb49db4', 0, '2026-10-23 22:53:33.912239+00', 'c754cae6-a331-4a0f-bdef-2929074376df'),
	('!xFQSWhmCZy4t3qVqtED4pvu2C4z6sbQV13jOKJfj', NULL, false, 'staff10', '', '', '', true, true, '2026-11-22 22:53:34.106817+00', '01a20576-fe1a-7563-a75e-a0825603f4e4', 0, '2026-10-23 22:53:34.106708+00', '5266f4a7-31d0-41a8-b7ef-81aa32d30985'),
	('!E1aJFUXcnShvUj9BhfRDkqV7TubSu4T37yALEAQi', NULL, false, 'staff12', '', '', '', true, true, '2026-11-22 22:53:34.858769+00', '01a20577-010a-767c-8f18-e70704aa71de', 0, '2026-10-23 22:53:34.858633+00', '638e871e-8f5b-4389-91e5-d1be91f9e9c3'),
	('md5$lEWuSkNFh5ogDto8leBzAp$a52716a10d8dbd98dba534c8792142f7', NULL, false, 'second-person', '', '', '', true, true, '2026-11-22 22:53:36.529094+00', '01a20577-0791-771b-978b-2517038e4ff8', 0, '2026-10-23 22:53:36.529554+00', '41e68a2f-9a8f-4e5c-918b-69369f0b8cea'),
	('!2NJVMjkdbjU7GOBum4cT3iaSCOkgEByMJRD3G0eb', NULL, false, 'invited', '', '', '', true, true, '2026-11-22 22:53:36.621692+00', '01a20577-07ed-7020-98ed-38b7d3fb5abb', 0, '2026-11-22 22:53:36.621774+00', '40ebab21-0cc6-41b7-8d81-dc68dc525593');


--
-- Data for Name: exchange_staffuser_groups; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_staffuser_groups (id, staffuser_id, group_id) VALUES
	(1, '01a20576-ecc8-76b8-bc96-8a66c498ad22', 1),
	(2, '01a20576-f504-7485-a407-3482ba56d27c', 2),
	(3, '01a20576-f57d-7299-8441-2cd4a76272d3', 3),
	(4, '01a20576-f5e4-771e-b355-93a6dffee388', 3),
	(5, '01a20577-0791-771b-978b-2517038e4ff8', 5),
	(6, '01a20577-07ed-7020-98ed-38b7d3fb5abb', 5);


--
-- Data for Name: exchange_staffuser_user_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_staffuser_user_permissions (id, staffuser_id, permission_id) VALUES
	(1, '01a20576-f7af-74d6-9658-df5ac550d024', 122),
	(2, '01a20576-f7af-74d6-9658-df5ac550d024', 131),
	(3, '01a20576-f7af-74d6-9658-df5ac550d024', 132),
	(4, '01a20576-f7af-74d6-9658-df5ac550d024', 118),
	(5, '01a20576-f89a-72f1-9a68-4e60c6fd686b', 122),
	(6, '01a20576-f89a-72f1-9a68-4e60c6fd686b', 131),
	(7, '01a20576-f89a-72f1-9a68-4e60c6fd686b', 132),
	(8, '01a20576-f89a-72f1-9a68-4e60c6fd686b', 118),
	(9, '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 122),
	(10, '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 131),
	(11, '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 132),
	(12, '01a20576-f98f-7556-b7a5-8a5ba9b54b62', 118),
	(13, '01a20576-faa4-7468-945d-96a760bc9621', 122),
	(14, '01a20576-faa4-7468-945d-96a760bc9621', 131),
	(15, '01a20576-faa4-7468-945d-96a760bc9621', 132),
	(16, '01a20576-faa4-7468-945d-96a760bc9621', 118),
	(17, '01a20576-fbe8-70a1-acd1-294918dee500', 122),
	(18, '01a20576-fbe8-70a1-acd1-294918dee500', 131),
	(19, '01a20576-fbe8-70a1-acd1-294918dee500', 132),
	(20, '01a20576-fbe8-70a1-acd1-294918dee500', 118),
	(21, '01a20576-fd58-75e8-af5b-7c07beb49db4', 122),
	(22, '01a20576-fd58-75e8-af5b-7c07beb49db4', 131),
	(23, '01a20576-fd58-75e8-af5b-7c07beb49db4', 132),
	(24, '01a20576-fd58-75e8-af5b-7c07beb49db4', 118),
	(25, '01a20576-fe1a-7563-a75e-a0825603f4e4', 122),
	(26, '01a20576-fe1a-7563-a75e-a0825603f4e4', 131),
	(27, '01a20576-fe1a-7563-a75e-a0825603f4e4', 132),
	(28, '01a20576-fe1a-7563-a75e-a0825603f4e4', 118),
	(29, '01a20577-010a-767c-8f18-e70704aa71de', 166),
	(30, '01a20577-010a-767c-8f18-e70704aa71de', 207);


--
-- Data for Name: exchange_token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_token (id, name, symbol, reference, image, listing_reference, type, deal_access, investment_type, investment_category, payout_frequency, price_buy, price_sell, price_exchange, prev_price_buy, prev_price_sell, prev_price_exchange, quoted_at, min_buy, min_sell, max_buy, max_sell, min_trade_buy, min_trade_sell, max_trade_buy, max_trade_sell, vol_buy, vol_sell, buy_fee, sell_fee, carry, management_fee, discount, interest, dividend, tenor, valuation, post_raise_valuation, total_supply, supply, total_allocated, raise_amount, total_raised, completed_raise, secondaries, closed, exited, cancelled, esop_token, created_at, updated_at, document, words, creator_id, currency_id, issuer_id) VALUES
	('01a20577-0025-751c-ab09-34c9062057dc', 'Njia Growth', 'NJIA', 2, '', '', 'Public', 'Private', 'the service', 'Private Business', '', 100.00000000, 100.00000000, 0.00000000, 100.00000000, 100.00000000, 0.00000000, '2026-11-22 22:53:34.629089+00', 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 20.00000000, 0.00000000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0, 0.00000000, 0.00000000, 1000.00000000, 20.00000000, 20.00000000, 50000.00000000, 2000.00000000, false, false, false, false, false, false, '2026-11-22 22:53:34.629089+00', '2026-11-22 22:53:34.745718+00', '{"_id":"01a20577-0025-751c-ab09-34c9062057dc","name":"Njia Growth","symbol":"NJIA","reference":2,"image":"","currency":"NGN","creator":null,"asset":"01a20577-0025-751c-ab09-34c9062057dc","request":"","price":{"buy":100,"sell":100,"exchange":0},"prev_price":{"buy":100,"sell":100,"exchange":0},"min":{"buy":0,"sell":0},"max":{"buy":0,"sell":0},"vol":{"buy":20,"sell":0},"min_trade":{"buy":0,"sell":0},"max_trade":{"buy":0,"sell":0},"type":"Public","deal_access":"Private","investment_type":"the service","investment_category":"Private Business","payout_frequency":"","raise_amount":50000,"buy_fee":0,"sell_fee":0,"carry":0,"management_fee":0,"valuation":0,"discount":0,"interest":0,"dividend":0,"tenor":0,"secondaries":false,"completed_raise":false,"supply":20,"total_supply":1000,"total_raised":2000,"exited":false,"cancelled":false,"esop_token":false,"post_raise_valuation":0,"milestone":"4","total_allocated":20,"createdAt":"2026-11-22T22:53:34.629Z","updatedAt":"2026-11-22T22:53:34.745Z"}', '''growth'':2 ''njia'':1', NULL, 'NGN', '01a20576-ff2c-7609-a5cf-992e5421e3a5'),
	('01a20576-ff34-7234-b868-f6bbf3fc9665', 'Savannah Foods', 'SAVF', 1, '', '', 'Public', 'Public', 'the service', 'Private Business', '', 9000.00000000, 9000.00000000, 0.00000000, 10000.00000000, 10000.00000000, 0.00000000, '2026-11-22 22:53:36.196429+00', 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 0.00000000, 600.00000000, 600.00000000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0, 0.00000000, 0.00000000, 10000.00000000, 10000.00000000, 0.00000000, 0.00000000, 0.00000000, true, true, false, false, false, false, '2026-11-22 22:53:34.38869+00', '2026-11-22 22:53:36.197888+00', '{"_id":"01a20576-ff34-7234-b868-f6bbf3fc9665","name":"Savannah Foods","symbol":"SAVF","reference":1,"image":"","currency":"NGN","creator":null,"asset":"01a20576-ff34-7234-b868-f6bbf3fc9665","request":"","price":{"buy":9000,"sell":9000,"exchange":0},"prev_price":{"buy":10000,"sell":10000,"exchange":0},"min":{"buy":0,"sell":0},"max":{"buy":0,"sell":0},"vol":{"buy":600,"sell":600},"min_trade":{"buy":0,"sell":0},"max_trade":{"buy":0,"sell":0},"type":"Public","deal_access":"Public","investment_type":"the service","investment_category":"Private Business","payout_frequency":"","raise_amount":0,"buy_fee":0,"sell_fee":0,"carry":0,"management_fee":0,"valuation":0,"discount":0,"interest":0,"dividend":0,"tenor":0,"secondaries":true,"completed_raise":true,"supply":10000,"total_supply":10000,"total_raised":0,"exited":false,"cancelled":false,"esop_token":false,"post_raise_valuation":0,"milestone":"0","total_allocated":0,"createdAt":"2026-11-22T22:53:34.388Z","updatedAt":"2026-11-22T22:53:36.197Z"}', '''foods'':2 ''savannah'':1', NULL, 'NGN', '01a20576-ff2c-7609-a5cf-992e5421e3a5');


--
-- Data for Name: exchange_tokenaccess; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_tokenaccess (id, created_at, granted_by_id, organisation_id, token_id) VALUES
	(1, '2026-11-22 22:53:34.720907+00', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-0025-751c-ab09-34c9062057dc');


--
-- Data for Name: exchange_webhookendpoint; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange_webhookendpoint (id, url, secret, previous_secret, previous_secret_until, enabled, disabled_reason, created_at, updated_at, organisation_id) VALUES
	('01a20577-0898-732c-a71e-a33b0835d253', 'http://127.0.0.1:9/hook', 'gAAAAABrA3JwOMN7zJrFrdZLAzOIJrolZfAFEoIYua8kiJ2dpeLXQUgtWqVpy54JRvBXy9l8OsWbI3trtjQZOywJx_SAZLNYpLMdGzH7w7JSjmerGgiKtutI15k9DkbqLG6yZfoerenM0YRm6E96n2eicOZ6uqavJg==', '', NULL, true, '', '2026-11-22 22:53:36.793337+00', '2026-11-22 22:53:36.793362+00', '01a20576-f5f4-77b5-9eed-17ebed2559c1');


--
-- Data for Name: oauth2_provider_accesstoken; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth2_provider_accesstoken (id, token, expires, scope, application_id, user_id, created, updated, source_refresh_token_id, id_token_id, token_checksum, resource) VALUES
	(1, '', '2026-11-22 23:53:32.039648+00', 'tokens:read tokens:write orders:read orders:write portfolio:read credit:read credit:write wallets:read wallets:withdraw wallets:transfer deposits:write members:read members:write webhooks:manage sandbox', '01a20576-f601-70de-ab3d-8b0f22393055', NULL, '2026-11-22 22:53:32.040279+00', '2026-11-22 22:53:32.040286+00', NULL, NULL, 'b94158cc73b7b0ae522df3157ffd5ff76e1db9888603f04a91d2c604b1676830', '[]'),
	(2, '', '2026-11-22 23:53:36.824514+00', 'wallets:read', '01a20577-08ad-7510-a16f-c9bc59776aec', NULL, '2026-11-22 22:53:36.825216+00', '2026-11-22 22:53:36.825231+00', NULL, NULL, '3405e4fef6170879295da1a9cf3c228589d0474987eb6d74e5cd3e7793735efc', '[]');


--
-- Data for Name: oauth2_provider_devicegrant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth2_provider_devicegrant (id, device_code, user_code, scope, "interval", expires, status, client_id, last_checked, user_id) VALUES
	(1, 'unused', 'unused', '', 5, '2026-11-22 22:53:39.0674+00', 'authorization-pending', 'EMxzTYAhdUE1h5SZTZL8Q0krD6wL80KVSXCHkBVs', '2026-11-22 22:53:39.073757+00', NULL);


--
-- Data for Name: oauth2_provider_grant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth2_provider_grant (id, code, expires, redirect_uri, scope, application_id, user_id, created, updated, code_challenge, code_challenge_method, nonce, claims, resource) VALUES
	(1, 'unused', '2026-11-22 22:53:39.042773+00', 'https://localhost/', '', '01a20576-f601-70de-ab3d-8b0f22393055', '01a20576-ec51-7427-9210-d6a1a884f2c2', '2026-11-22 22:53:39.043434+00', '2026-11-22 22:53:39.043442+00', '', '', '', '', '[]');


--
-- Data for Name: oauth2_provider_idtoken; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth2_provider_idtoken (id, jti, expires, scope, created, updated, application_id, user_id) VALUES
	(1, '79bf80db-62e7-43cc-9b04-7ef691c40f8f', '2026-11-22 22:53:39.042773+00', '', '2026-11-22 22:53:39.062964+00', '2026-11-22 22:53:39.062975+00', '01a20576-f601-70de-ab3d-8b0f22393055', '01a20576-ec51-7427-9210-d6a1a884f2c2');


--
-- Data for Name: oauth2_provider_refreshtoken; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.oauth2_provider_refreshtoken (id, token, access_token_id, application_id, user_id, created, updated, revoked, token_family, token_checksum, resource) VALUES
	(1, 'unused', 1, '01a20576-f601-70de-ab3d-8b0f22393055', '01a20576-ec51-7427-9210-d6a1a884f2c2', '2026-11-22 22:53:39.057117+00', '2026-11-22 22:53:39.057138+00', NULL, NULL, 'febe1d741b49e5a9c31526728d8c5134a803adfc4c04c4f052673722ed85597e', '[]');


--
-- Data for Name: orders_order; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.orders_order (id, seq, owner_model, type, price, tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee, reserved, customer_name, customer_email, client_order_id, placed_by, reason, created_at, updated_at, closed_at, document, api_key_id, member_id, organisation_id, token_id) VALUES
	('01a20576-ffac-73da-91af-58e16e847f5c', 2, 'user', 'Buy', 10000.00000000, 600.00000000, 6000000.00000000, 0.0000, 'Fulfilled', 600.00000000, 6000000.0000000000000000, 6000000.00000000, 0.00000000, 0.00000000, '', '', '', 'system:tests', '', '2026-11-22 22:53:34.509983+00', '2026-11-22 22:53:34.509983+00', '2026-11-22 22:53:34.509983+00', '{"_id":"01a20576-ffac-73da-91af-58e16e847f5c","price":10000,"amount":6000000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":600,"filled":600},"createdAt":"2026-11-22T22:53:34.509Z","updatedAt":"2026-11-22T22:53:34.509Z"}', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20576-ff6d-7047-bea1-dadbc1d02b49', 1, 'organisation', 'Sell', 10000.00000000, 650.00000000, 6500000.00000000, 0.0000, 'Active', 600.00000000, 6000000.0000000000000000, 6000000.00000000, 0.00000000, 50.00000000, '', '', '', 'system:tests', '', '2026-11-22 22:53:34.461065+00', '2026-11-22 22:53:34.509983+00', NULL, '{"_id":"01a20576-ff6d-7047-bea1-dadbc1d02b49","price":10000,"amount":6500000,"type":"Sell","owner_model":"organisation","status":"Active","user":null,"token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":650,"filled":600},"createdAt":"2026-11-22T22:53:34.461Z","updatedAt":"2026-11-22T22:53:34.509Z"}', NULL, NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20576-ffd6-707f-a59b-29950ccdff11', 4, 'user', 'Buy', 9500.00000000, 2.00000000, 19000.00000000, 0.0000, 'Active', 0.00000000, 0.0000000000000000, 0.00000000, 0.00000000, 19000.00000000, '', '', '', 'system:tests', '', '2026-11-22 22:53:34.556797+00', '2026-11-22 22:53:34.556797+00', NULL, '{"_id":"01a20576-ffd6-707f-a59b-29950ccdff11","price":9500,"amount":19000,"type":"Buy","owner_model":"user","status":"Active","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":2,"filled":0},"createdAt":"2026-11-22T22:53:34.556Z","updatedAt":"2026-11-22T22:53:34.556Z"}', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20576-ffe4-7558-bdb2-828fedd8cfc3', 5, 'user', 'Buy', 9400.00000000, 2.00000000, 18800.00000000, 0.0000, 'Cancelled', 0.00000000, 0.0000000000000000, 0.00000000, 0.00000000, 0.00000000, '', '', '', 'system:tests', '', '2026-11-22 22:53:34.565906+00', '2026-11-22 22:53:34.598581+00', '2026-11-22 22:53:34.598582+00', '{"_id":"01a20576-ffe4-7558-bdb2-828fedd8cfc3","price":9400,"amount":18800,"type":"Buy","owner_model":"user","status":"Cancelled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":2,"filled":0},"createdAt":"2026-11-22T22:53:34.565Z","updatedAt":"2026-11-22T22:53:34.598Z"}', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20577-008a-7493-9ca6-7d7eb050e554', 6, 'user', 'Buy', 100.00000000, 20.00000000, 2000.00000000, 0.0000, 'Fulfilled', 20.00000000, 2000.0000000000000000, 2000.00000000, 0.00000000, 0.00000000, '', '', '', 'system:tests', '', '2026-11-22 22:53:34.736713+00', '2026-11-22 22:53:34.736713+00', '2026-11-22 22:53:34.736713+00', '{"_id":"01a20577-008a-7493-9ca6-7d7eb050e554","price":100,"amount":2000,"type":"Buy","owner_model":"user","status":"Fulfilled","user":"01a20576-f60c-7448-b022-08df2c2a2b58","token":"01a20577-0025-751c-ab09-34c9062057dc","customer":{"name":"","email":""},"api_customer_email":null,"meta":{"tokens":20,"filled":20},"createdAt":"2026-11-22T22:53:34.736Z","updatedAt":"2026-11-22T22:53:34.736Z"}', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-0025-751c-ab09-34c9062057dc');


--
-- Data for Name: orders_trade; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.orders_trade (id, seq, taker, price, tokens, buyer_value, buyer_fee, seller_value, seller_fee, created_at, document, buy_order_id, sell_order_id, token_id, half_even) VALUES
	('01a20576-ffae-7158-91af-58e120000003', 3, 'Buy', 10000.00000000, 600.00000000, 6000000.00000000, 0.00000000, 6000000.00000000, 0.00000000, '2026-11-22 22:53:34.509983+00', '{"_id":"01a20576-ffae-7158-91af-58e120000003","token":"01a20576-ff34-7234-b868-f6bbf3fc9665","price":10000,"tokens":600,"amount":6000000,"type":"Buy","createdAt":"2026-11-22T22:53:34.509Z"}', '01a20576-ffac-73da-91af-58e16e847f5c', '01a20576-ff6d-7047-bea1-dadbc1d02b49', '01a20576-ff34-7234-b868-f6bbf3fc9665', false),
	('01a20577-0090-7c73-9ca6-7d7e20000007', 7, 'Buy', 100.00000000, 20.00000000, 2000.00000000, 0.00000000, 2000.00000000, 0.00000000, '2026-11-22 22:53:34.736713+00', '{"_id":"01a20577-0090-7c73-9ca6-7d7e20000007","token":"01a20577-0025-751c-ab09-34c9062057dc","price":100,"tokens":20,"amount":2000,"type":"Buy","createdAt":"2026-11-22T22:53:34.736Z"}', '01a20577-008a-7493-9ca6-7d7eb050e554', NULL, '01a20577-0025-751c-ab09-34c9062057dc', false);


--
-- Data for Name: wallets_account; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_account (id, kind, balance, member_id, organisation_id, asset_id) VALUES
	('01a20575-bc0c-7680-a49c-249b3143f158', 'clearing', NULL, NULL, NULL, 'NGN'),
	('01a20575-bc13-7639-aa99-f2cdd69c5803', 'fees', NULL, NULL, NULL, 'NGN'),
	('01a20575-bc20-7036-9e38-3f22e3c7eab8', 'expenses', NULL, NULL, NULL, 'NGN'),
	('01a20575-bc35-75b6-b364-96b56c5e7af6', 'clearing', NULL, NULL, NULL, 'KES'),
	('01a20575-bc36-7724-9975-b5870a440f03', 'fees', NULL, NULL, NULL, 'KES'),
	('01a20575-bc3c-732c-813b-86d246176f75', 'expenses', NULL, NULL, NULL, 'KES'),
	('01a20575-bc54-7548-8beb-6708c85fbdb1', 'clearing', NULL, NULL, NULL, 'GHS'),
	('01a20575-bc56-7555-a9d4-151866b85d5b', 'fees', NULL, NULL, NULL, 'GHS'),
	('01a20575-bc57-70dd-a196-1c4ca8b21779', 'expenses', NULL, NULL, NULL, 'GHS'),
	('01a20575-bc6d-7791-a270-d8179fd87f79', 'clearing', NULL, NULL, NULL, 'ZAR'),
	('01a20575-bc6e-7475-b99f-e3d8f485aa09', 'fees', NULL, NULL, NULL, 'ZAR'),
	('01a20575-bc72-73f1-b934-9b9e09c5e858', 'expenses', NULL, NULL, NULL, 'ZAR'),
	('01a20575-bc89-768d-88ac-4336d840526a', 'clearing', NULL, NULL, NULL, 'UGX'),
	('01a20575-bc8a-7104-ba48-5c7ae56a62be', 'fees', NULL, NULL, NULL, 'UGX'),
	('01a20575-bc8b-77a7-a13c-9d0659aabfdd', 'expenses', NULL, NULL, NULL, 'UGX'),
	('01a20575-bcac-759d-8b78-ea93a1309fa0', 'clearing', NULL, NULL, NULL, 'TZS'),
	('01a20575-bcb0-72c0-b113-ca18fbaa10e1', 'fees', NULL, NULL, NULL, 'TZS'),
	('01a20575-bcb2-7738-a119-f59db950ecef', 'expenses', NULL, NULL, NULL, 'TZS'),
	('01a20575-bccc-73d1-8848-02d7e6c8f1b4', 'clearing', NULL, NULL, NULL, 'USD'),
	('01a20575-bccd-7208-aafd-221257e57a73', 'fees', NULL, NULL, NULL, 'USD'),
	('01a20575-bcd1-70c8-bb85-e97f358446c0', 'expenses', NULL, NULL, NULL, 'USD'),
	('01a20576-f645-760a-a5e3-c679ca2c91b3', 'escrow', 0.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'NGN'),
	('01a20577-0039-7557-8469-0bcfe1832ff6', 'issuance', NULL, NULL, NULL, '01a20577-0025-751c-ab09-34c9062057dc'),
	('01a20576-f651-74d5-bfe0-e04e48639d73', 'available', 4500.00000000, NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'KES'),
	('01a20576-f652-766c-85f7-3e91651d4b35', 'escrow', 500.00000000, NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'KES'),
	('01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'available', 17260.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'KES'),
	('01a20576-f62d-761b-934b-95c6f4a5733d', 'escrow', 2150.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'KES'),
	('01a20576-ff50-7711-99e1-d0f7345c42df', 'issuance', NULL, NULL, NULL, '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20576-ff50-7710-bfce-26ce90a4f63b', 'available', 9350.00000000, NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20576-ff90-7199-b573-41a8bb4533a4', 'reserved', 50.00000000, NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20576-f643-7143-aedb-b7fc5f5247d5', 'available', 8299000.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'NGN'),
	('01a20576-ffb6-75ae-b180-3726b51d1092', 'available', 6000000.00000000, NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5', 'NGN'),
	('01a20577-0039-7555-8a6f-e21786fbad90', 'unsold', 980.00000000, NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5', '01a20577-0025-751c-ab09-34c9062057dc'),
	('01a20577-0039-7556-bfa3-5b4d40aab245', 'raise', 2000.00000000, NULL, '01a20576-ff2c-7609-a5cf-992e5421e3a5', 'NGN'),
	('01a20577-0093-7a28-8dba-429a08d5794c', 'available', 20.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20577-0025-751c-ab09-34c9062057dc'),
	('01a20576-ffb5-7c97-ae9a-493efba9f730', 'available', 357.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20577-00bd-760f-98ba-8a0863f20e36', 'escrow', 0.00000000, NULL, '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN'),
	('01a20577-00bc-76fd-8071-bd85acd79284', 'available', 2680000.00000000, NULL, '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN'),
	('01a20576-ffdd-793b-9572-e74b0c322efe', 'reserved', 19000.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', 'NGN'),
	('01a20577-01d8-7297-a7e6-740ab40c2270', 'loans', NULL, NULL, NULL, 'NGN'),
	('01a20577-01d9-7400-952e-a1520b545a38', 'principal', 1580000.00000000, NULL, '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN'),
	('01a20577-01d9-7743-b57b-83007988a52a', 'lien', 200.00000000, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20577-03d2-7659-a0db-e9c2203cc210', 'available', 43.00000000, NULL, '01a20577-00a8-7299-88c3-3d05381b71c8', '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20577-020d-7393-89e0-0ab8f597de05', 'interest', 60000.00000000, NULL, '01a20577-00a8-7299-88c3-3d05381b71c8', 'NGN');


--
-- Data for Name: wallets_alert; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_alert (id, kind, subject, message, raised_at, times, resolved_at) VALUES
	('01a20576-fd2c-7795-b02a-585ba9418edf', 'payout_returned', 'payout_j024a7wv4phph41bx5tmff6ny9', 'The bank returned payout_j024a7wv4phph41bx5tmff6ny9: DISBURSE FAILED: Transfer was returned by the beneficiary bank. Two people must reverse it.', '2026-11-22 22:53:33.855981+00', 1, '2026-11-22 22:53:34.04378+00'),
	('01a20576-ff2a-75a9-947d-8427df95dd60', 'payout_unknown', 'payout_cam1ypg4qaqst6vs9khqte2ypm', 'The outcome of payout_cam1ypg4qaqst6vs9khqte2ypm is not known: the provider failed (503)', '2026-11-22 22:53:34.337123+00', 1, NULL),
	('01a20577-1154-7707-96d4-fe4376d7aaf7', 'float', 'NGN', 'Too little NGN at the provider', '2026-11-22 22:53:39.029235+00', 1, NULL);


--
-- Data for Name: wallets_asset; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_asset (id, decimals, currency_id, token_id) VALUES
	('NGN', 2, 'NGN', NULL),
	('KES', 2, 'KES', NULL),
	('GHS', 2, 'GHS', NULL),
	('ZAR', 2, 'ZAR', NULL),
	('UGX', 0, 'UGX', NULL),
	('TZS', 2, 'TZS', NULL),
	('USD', 2, 'USD', NULL),
	('01a20576-ff34-7234-b868-f6bbf3fc9665', 8, NULL, '01a20576-ff34-7234-b868-f6bbf3fc9665'),
	('01a20577-0025-751c-ab09-34c9062057dc', 8, NULL, '01a20577-0025-751c-ab09-34c9062057dc');


--
-- Data for Name: wallets_bankaccount; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_bankaccount (id, name, code, provider_bank_id, account_number, account_name, given_name, name_resolved, branch_code, recipient_first_name, recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at, document, currency_id, organisation_id) VALUES
	('01a20576-f6af-7251-812b-efab37e96e9b', 'KCB Bank Kenya', '01', 201, '0690000051', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.209667+00', '{"_id":"01a20576-f6af-7251-812b-efab37e96e9b","name":"KCB Bank Kenya","code":"01","account_number":"0690000051","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f6d8-73ca-9974-3d5e8d2a60c2', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.249009+00', '{"_id":"01a20576-f6d8-73ca-9974-3d5e8d2a60c2","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f6e1-7553-bc45-92a757717ca5', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.257618+00', '{"_id":"01a20576-f6e1-7553-bc45-92a757717ca5","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f754-7108-851f-c054128fc8ce', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.372711+00', '{"_id":"01a20576-f754-7108-851f-c054128fc8ce","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f7a1-76f9-a448-5ef1baf6137d', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.450189+00', '{"_id":"01a20576-f7a1-76f9-a448-5ef1baf6137d","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f884-7703-a1cd-b70f08470d08', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.676483+00', '{"_id":"01a20576-f884-7703-a1cd-b70f08470d08","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f97f-770a-84ff-88edadb50f0e', 'KCB Bank Kenya', '01', 201, '0690000036', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:32.929079+00', '{"_id":"01a20576-f97f-770a-84ff-88edadb50f0e","name":"KCB Bank Kenya","code":"01","account_number":"0690000036","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fa95-75f0-a486-fbf0c008956a', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:33.208807+00', '{"_id":"01a20576-fa95-75f0-a486-fbf0c008956a","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fbd8-7424-83ea-7522288184bf', 'KCB Bank Kenya', '01', 201, '0690000038', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:33.531979+00', '{"_id":"01a20576-fbd8-7424-83ea-7522288184bf","name":"KCB Bank Kenya","code":"01","account_number":"0690000038","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-fe0c-7680-bea9-fc8b74035535', 'KCB Bank Kenya', '01', 201, '0690000031', 'Ada Obi', 'Ada Obi', false, '', '', '', '', '', '', '2026-11-22 22:53:34.092566+00', '{"_id":"01a20576-fe0c-7680-bea9-fc8b74035535","name":"KCB Bank Kenya","code":"01","account_number":"0690000031","account_name":"Ada Obi","currency":"KES"}', 'KES', '01a20576-f5f4-77b5-9eed-17ebed2559c1');


--
-- Data for Name: wallets_banklist; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_banklist (currency_id, banks, fetched_at) VALUES
	('KES', '[{"id": 201, "code": "01", "name": "KCB Bank Kenya"}, {"id": 202, "code": "02", "name": "Standard Chartered Bank Kenya"}, {"id": 203, "code": "03", "name": "Absa Bank Kenya"}, {"id": 204, "code": "07", "name": "NCBA Bank Kenya"}, {"id": 205, "code": "10", "name": "Prime Bank"}, {"id": 206, "code": "11", "name": "Co-operative Bank of Kenya"}, {"id": 207, "code": "12", "name": "National Bank of Kenya"}, {"id": 208, "code": "16", "name": "Citibank N.A. Kenya"}, {"id": 209, "code": "19", "name": "Bank of Africa Kenya"}, {"id": 210, "code": "23", "name": "Consolidated Bank of Kenya"}, {"id": 211, "code": "25", "name": "Credit Bank"}, {"id": 212, "code": "31", "name": "Stanbic Bank Kenya"}, {"id": 213, "code": "35", "name": "African Banking Corporation"}, {"id": 214, "code": "43", "name": "Ecobank Kenya"}, {"id": 215, "code": "54", "name": "Victoria Commercial Bank"}, {"id": 216, "code": "57", "name": "I&M Bank"}, {"id": 217, "code": "63", "name": "Diamond Trust Bank Kenya"}, {"id": 218, "code": "66", "name": "Sidian Bank"}, {"id": 219, "code": "68", "name": "Equity Bank Kenya"}, {"id": 220, "code": "70", "name": "Family Bank"}, {"id": 221, "code": "72", "name": "Gulf African Bank"}, {"id": 222, "code": "76", "name": "UBA Kenya Bank"}]', '2026-11-22 22:53:32.185872+00');


--
-- Data for Name: wallets_booksproof; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_booksproof (id, ran_at, passed, findings, milliseconds, totals, totals_before) VALUES
	('01a20577-121f-7181-924f-4d8b35a01334', '2026-11-22 22:53:39.231808+00', true, '[]', 155, '{}', '01a20540-239e-7000-8000-000000000000');


--
-- Data for Name: wallets_breakexplanation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_breakexplanation (id, status, created_at, decided_at, reason, explanation, decided_by_id, proposed_by_id, subject_id) VALUES
	('01a20577-1139-7682-b779-8ca475abe178', 'Pending', '2026-11-22 22:53:39.001101+00', NULL, '', 'A collection of the bank''s, booked late', NULL, '01a20576-ec51-7427-9210-d6a1a884f2c2', '01a20577-1124-76f6-89bc-a20a25bbc0bb');


--
-- Data for Name: wallets_configuration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_configuration (key, value, description, updated_at) VALUES
	('MINIMUM_WITHDRAWAL_NGN', 1000.00000000, 'Smallest withdrawal, in NGN', '2026-11-22 22:52:11.682392+00'),
	('NGN_WITHDRAWAL_FEE', 50.00000000, 'Flat fee of a withdrawal, in NGN', '2026-11-22 22:52:11.688527+00'),
	('NGN_USD_RATE', 1500.00000000, 'NGN for one USD, for the USD value shown on withdrawals', '2026-11-22 22:52:11.692914+00'),
	('SECOND_APPROVAL_ABOVE_NGN', 5000000.00000000, 'From this amount in NGN two different people must approve', '2026-11-22 22:52:11.696511+00'),
	('MINIMUM_WITHDRAWAL_KES', 100.00000000, 'Smallest withdrawal, in KES', '2026-11-22 22:52:11.716606+00'),
	('KES_WITHDRAWAL_FEE', 30.00000000, 'Flat fee of a withdrawal, in KES', '2026-11-22 22:52:11.718029+00'),
	('KES_USD_RATE', 129.00000000, 'KES for one USD, for the USD value shown on withdrawals', '2026-11-22 22:52:11.718784+00'),
	('SECOND_APPROVAL_ABOVE_KES', 500000.00000000, 'From this amount in KES two different people must approve', '2026-11-22 22:52:11.71974+00'),
	('MINIMUM_WITHDRAWAL_GHS', 20.00000000, 'Smallest withdrawal, in GHS', '2026-11-22 22:52:11.73615+00'),
	('GHS_WITHDRAWAL_FEE', 5.00000000, 'Flat fee of a withdrawal, in GHS', '2026-11-22 22:52:11.740444+00'),
	('GHS_USD_RATE', 12.00000000, 'GHS for one USD, for the USD value shown on withdrawals', '2026-11-22 22:52:11.744445+00'),
	('SECOND_APPROVAL_ABOVE_GHS', 50000.00000000, 'From this amount in GHS two different people must approve', '2026-11-22 22:52:11.752536+00'),
	('MINIMUM_WITHDRAWAL_ZAR', 50.00000000, 'Smallest withdrawal, in ZAR', '2026-11-22 22:52:11.773366+00'),
	('ZAR_WITHDRAWAL_FEE', 10.00000000, 'Flat fee of a withdrawal, in ZAR', '2026-11-22 22:52:11.774403+00'),
	('ZAR_USD_RATE', 18.00000000, 'ZAR for one USD, for the USD value shown on withdrawals', '2026-11-22 22:52:11.775399+00'),
	('SECOND_APPROVAL_ABOVE_ZAR', 75000.00000000, 'From this amount in ZAR two different people must approve', '2026-11-22 22:52:11.780578+00'),
	('MINIMUM_WITHDRAWAL_UGX', 5000.00000000, 'Smallest withdrawal, in UGX', '2026-11-22 22:52:11.796607+00'),
	('UGX_WITHDRAWAL_FEE', 1500.00000000, 'Flat fee of a withdrawal, in UGX', '2026-11-22 22:52:11.801054+00'),
	('UGX_USD_RATE', 3700.00000000, 'UGX for one USD, for the USD value shown on withdrawals', '2026-11-22 22:52:11.804521+00'),
	('SECOND_APPROVAL_ABOVE_UGX', 15000000.00000000, 'From this amount in UGX two different people must approve', '2026-11-22 22:52:11.808514+00'),
	('MINIMUM_WITHDRAWAL_TZS', 2500.00000000, 'Smallest withdrawal, in TZS', '2026-11-22 22:52:11.827275+00'),
	('TZS_WITHDRAWAL_FEE', 1000.00000000, 'Flat fee of a withdrawal, in TZS', '2026-11-22 22:52:11.832488+00'),
	('TZS_USD_RATE', 2500.00000000, 'TZS for one USD, for the USD value shown on withdrawals', '2026-11-22 22:52:11.837008+00'),
	('SECOND_APPROVAL_ABOVE_TZS', 10000000.00000000, 'From this amount in TZS two different people must approve', '2026-11-22 22:52:11.837937+00'),
	('NGN_INTERNAL_FEE', 0.00000000, 'Internal fee shown on an organisation''s withdrawal, in NGN', '2026-11-22 22:52:47.295383+00'),
	('KES_INTERNAL_FEE', 0.00000000, 'Internal fee shown on an organisation''s withdrawal, in KES', '2026-11-22 22:52:47.317144+00'),
	('GHS_INTERNAL_FEE', 0.00000000, 'Internal fee shown on an organisation''s withdrawal, in GHS', '2026-11-22 22:52:47.328399+00'),
	('ZAR_INTERNAL_FEE', 0.00000000, 'Internal fee shown on an organisation''s withdrawal, in ZAR', '2026-11-22 22:52:47.343532+00'),
	('UGX_INTERNAL_FEE', 0.00000000, 'Internal fee shown on an organisation''s withdrawal, in UGX', '2026-11-22 22:52:47.353799+00'),
	('TZS_INTERNAL_FEE', 0.00000000, 'Internal fee shown on an organisation''s withdrawal, in TZS', '2026-11-22 22:52:47.365357+00'),
	('SECOND_APPROVAL_DAILY_ABOVE_NGN', 100000000.00000000, 'From this amount asked for by an organisation and its members in 24 hours, in NGN, two different people must approve', '2026-11-22 22:53:06.96026+00'),
	('SECOND_APPROVAL_DAILY_ABOVE_KES', 10000000.00000000, 'From this amount asked for by an organisation and its members in 24 hours, in KES, two different people must approve', '2026-11-22 22:53:06.96026+00'),
	('SECOND_APPROVAL_DAILY_ABOVE_GHS', 1000000.00000000, 'From this amount asked for by an organisation and its members in 24 hours, in GHS, two different people must approve', '2026-11-22 22:53:06.96026+00'),
	('SECOND_APPROVAL_DAILY_ABOVE_ZAR', 1500000.00000000, 'From this amount asked for by an organisation and its members in 24 hours, in ZAR, two different people must approve', '2026-11-22 22:53:06.96026+00'),
	('SECOND_APPROVAL_DAILY_ABOVE_UGX', 300000000.00000000, 'From this amount asked for by an organisation and its members in 24 hours, in UGX, two different people must approve', '2026-11-22 22:53:06.96026+00'),
	('SECOND_APPROVAL_DAILY_ABOVE_TZS', 200000000.00000000, 'From this amount asked for by an organisation and its members in 24 hours, in TZS, two different people must approve', '2026-11-22 22:53:06.96026+00'),
	('SOLE_APPROVALS_DAILY_NGN', 50000000.00000000, 'What one person may approve alone within 24 hours, in NGN', '2026-11-22 22:53:06.96026+00'),
	('SOLE_APPROVALS_DAILY_KES', 5000000.00000000, 'What one person may approve alone within 24 hours, in KES', '2026-11-22 22:53:06.96026+00'),
	('SOLE_APPROVALS_DAILY_GHS', 500000.00000000, 'What one person may approve alone within 24 hours, in GHS', '2026-11-22 22:53:06.96026+00'),
	('SOLE_APPROVALS_DAILY_ZAR', 750000.00000000, 'What one person may approve alone within 24 hours, in ZAR', '2026-11-22 22:53:06.96026+00'),
	('SOLE_APPROVALS_DAILY_UGX', 150000000.00000000, 'What one person may approve alone within 24 hours, in UGX', '2026-11-22 22:53:06.96026+00'),
	('SOLE_APPROVALS_DAILY_TZS', 100000000.00000000, 'What one person may approve alone within 24 hours, in TZS', '2026-11-22 22:53:06.96026+00');


--
-- Data for Name: wallets_configurationfigure; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_configurationfigure (id, value, reason, effective_from, status, created_at, decided_at, decision_note, in_force_from, withdrawal_reason, withdrawn_at, configuration_id, decided_by_id, proposed_by_id, withdrawal_asked_by_id, withdrawn_by_id) VALUES
	('01a20576-f667-758c-8748-f28203a6e182', 75.50000000, 'Costs rose', NULL, 'Pending', '2026-11-22 22:53:32.134932+00', NULL, '', NULL, '', NULL, 'NGN_WITHDRAWAL_FEE', NULL, '01a20576-ec51-7427-9210-d6a1a884f2c2', NULL, NULL);


--
-- Data for Name: wallets_decision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_decision (id, verdict, actor, actor_label, reason, details, version, created_at, withdrawal_id, flags, override) VALUES
	('01a20576-f71c-7230-bdbc-4b6443cb0354', 'Reject', 'staff:01a20576-ecc8-76b8-bc96-8a66c498ad22', 'amina.finance', 'The account is not in the member''s own name', '{}', 1, '2026-11-22 22:53:32.316841+00', '01a20576-f6e1-7552-9122-76d7ff799de3', '[{"code": "account_never_paid", "text": "Nothing was ever paid to this account for this owner, out of 1 earlier request.", "level": "Look"}]', ''),
	('01a20576-f77c-779f-8126-adaa8ffde6cf', 'Cancel', 'system:tests', 'tests', '', '{}', 1, '2026-11-22 22:53:32.412549+00', '01a20576-f754-7107-8a67-c21689a8e229', NULL, ''),
	('01a20576-f818-777c-a1a6-d8482c6a0ac6', 'Approve', 'staff:01a20576-f7af-74d6-9658-df5ac550d024', 'staff4', '', '{}', 1, '2026-11-22 22:53:32.568166+00', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', '[{"code": "account_never_paid", "text": "Nothing was ever paid to this account for this owner, out of 3 earlier requests.", "level": "Look"}]', 'The bank confirmed the payee by telephone'),
	('01a20576-f87f-70b6-b460-a4bd13406f52', 'Propose', 'staff:01a20576-ecc8-76b8-bc96-8a66c498ad22', 'amina.finance', 'The provider is out', '{"action": "Return"}', 2, '2026-11-22 22:53:32.671745+00', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', NULL, ''),
	('01a20576-f8ec-720a-b145-cd26ddcf96a4', 'Approve', 'staff:01a20576-f89a-72f1-9a68-4e60c6fd686b', 'staff5', '', '{}', 1, '2026-11-22 22:53:32.780745+00', '01a20576-f884-7702-b7de-4e2dc5b5d722', '[{"code": "account_never_paid", "text": "Nothing was ever paid to this account for this owner, out of 4 earlier requests.", "level": "Look"}]', 'The bank confirmed the payee by telephone'),
	('01a20576-f9ce-740b-85ff-b127c1c306ce', 'Approve', 'staff:01a20576-f98f-7556-b7a5-8a5ba9b54b62', 'staff6', '', '{}', 1, '2026-11-22 22:53:33.006546+00', '01a20576-f97e-74c1-a48f-cefeda8c69e9', '[{"code": "account_first_used", "text": "This owner uses this account for the first time.", "level": "Look"}]', 'The bank confirmed the payee by telephone'),
	('01a20576-fae8-7224-8fd3-03c412396152', 'Approve', 'staff:01a20576-faa4-7468-945d-96a760bc9621', 'staff7', '', '{}', 1, '2026-11-22 22:53:33.288549+00', '01a20576-fa95-75ef-819d-dea14ada20ee', '[{"code": "account_never_paid", "text": "Nothing was ever paid to this account for this owner, out of 5 earlier requests.", "level": "Look"}]', 'The bank confirmed the payee by telephone'),
	('01a20576-fc32-74fc-93b7-4f858c6c65c9', 'Approve', 'staff:01a20576-fbe8-70a1-acd1-294918dee500', 'staff8', '', '{}', 1, '2026-11-22 22:53:33.618393+00', '01a20576-fbd8-7423-ac43-e0c8a65793dd', '[{"code": "account_first_used", "text": "This owner uses this account for the first time.", "level": "Look"}, {"code": "many_a_day", "text": "5 requests of this owner within 24 hours, together 2,700.00 KES.", "level": "Look"}]', 'The bank confirmed the payee by telephone'),
	('01a20576-fd54-75d3-8bcb-71d221acf684', 'Propose', 'staff:01a20576-ecc8-76b8-bc96-8a66c498ad22', 'amina.finance', 'The bank''s statement has it as returned', '{"action": "Reverse"}', 4, '2026-11-22 22:53:33.908509+00', '01a20576-fbd8-7423-ac43-e0c8a65793dd', NULL, ''),
	('01a20576-fdc0-7256-8782-8b6462e388a0', 'Confirm', 'staff:01a20576-fd58-75e8-af5b-7c07beb49db4', 'staff9', 'The bank''s statement has it as returned', '{"action": "Reverse"}', 4, '2026-11-22 22:53:34.016304+00', '01a20576-fbd8-7423-ac43-e0c8a65793dd', NULL, ''),
	('01a20576-fe6d-7202-be74-da415914bbef', 'Approve', 'staff:01a20576-fe1a-7563-a75e-a0825603f4e4', 'staff10', '', '{}', 1, '2026-11-22 22:53:34.18911+00', '01a20576-fe0c-767f-b5e1-c08567f91dec', '[{"code": "many_a_day", "text": "5 requests of this owner within 24 hours, together 2,710.00 KES.", "level": "Look"}]', 'The bank confirmed the payee by telephone');


--
-- Data for Name: wallets_deposit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_deposit (id, amount, reference, note, status, decided_at, reason, created_at, currency_id, decided_by_id, entered_by_id, member_id, organisation_id) VALUES
	('01a20576-f620-7298-8c31-0ceb2ba5c506', 20000.00000000, 'arrival-1', '', 'Confirmed', '2026-11-22 22:53:32.086363+00', '', '2026-11-22 22:53:32.064471+00', 'KES', NULL, NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f641-7223-a234-9eba64a11dae', 12000000.00000000, 'arrival-2', '', 'Confirmed', '2026-11-22 22:53:32.108261+00', '', '2026-11-22 22:53:32.097377+00', 'NGN', NULL, NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f64f-7478-9c9a-b43b4eb9fee1', 5000.00000000, 'arrival-3', '', 'Confirmed', '2026-11-22 22:53:32.12013+00', '', '2026-11-22 22:53:32.111707+00', 'KES', NULL, NULL, NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20576-f65d-745f-bccf-d2789d4724ad', 700.00000000, 'entered by hand', '', 'Pending', NULL, '', '2026-11-22 22:53:32.125765+00', 'KES', NULL, '01a20576-ec51-7427-9210-d6a1a884f2c2', NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1'),
	('01a20577-00b5-7143-83f6-73bd120d70f6', 5000000.00000000, 'arrival-11', '', 'Confirmed', '2026-11-22 22:53:34.789436+00', '', '2026-11-22 22:53:34.773078+00', 'NGN', NULL, NULL, NULL, '01a20577-00a8-7299-88c3-3d05381b71c8');


--
-- Data for Name: wallets_entry; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_entry (id, amount, balance_after, account_id, asset_id, transfer_id) VALUES
	('01a20576-f632-7ff8-86c4-b18a10000001', -20000.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-f62e-76eb-86c4-b18af2e61d2e'),
	('01a20576-f632-7ff8-86c4-b18a10000002', 20000.00000000, 20000.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f62e-76eb-86c4-b18af2e61d2e'),
	('01a20576-f647-736d-990c-510a10000001', -12000000.00000000, NULL, '01a20575-bc0c-7680-a49c-249b3143f158', 'NGN', '01a20576-f646-73d2-990c-510a0543219b'),
	('01a20576-f647-736d-990c-510a10000002', 12000000.00000000, 12000000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20576-f646-73d2-990c-510a0543219b'),
	('01a20576-f654-7337-9441-c01810000001', -5000.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-f653-73c0-9441-c0185d71db14'),
	('01a20576-f654-7337-9441-c01810000002', 5000.00000000, 5000.00000000, '01a20576-f651-74d5-bfe0-e04e48639d73', 'KES', '01a20576-f653-73c0-9441-c0185d71db14'),
	('01a20576-f6c1-7a3d-a075-0be610000001', -500.00000000, 4500.00000000, '01a20576-f651-74d5-bfe0-e04e48639d73', 'KES', '01a20576-f6af-7252-a075-0be6dd3e5802'),
	('01a20576-f6c1-7a3d-a075-0be610000002', 500.00000000, 500.00000000, '01a20576-f652-766c-85f7-3e91651d4b35', 'KES', '01a20576-f6af-7252-a075-0be6dd3e5802'),
	('01a20576-f6da-7171-845b-80f110000001', -500.00000000, 19500.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f6d8-73cb-845b-80f10f9c73de'),
	('01a20576-f6da-7171-845b-80f110000002', 500.00000000, 500.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f6d8-73cb-845b-80f10f9c73de'),
	('01a20576-f6e2-7842-b35a-131b10000001', -510.00000000, 18990.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f6e1-7554-b35a-131b374195c1'),
	('01a20576-f6e2-7842-b35a-131b10000002', 510.00000000, 1010.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f6e1-7554-b35a-131b374195c1'),
	('01a20576-f72a-79df-a13f-810b10000002', 510.00000000, 19500.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f729-74f8-a13f-810b327aac56'),
	('01a20576-f72a-79df-a13f-810b10000001', -510.00000000, 500.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f729-74f8-a13f-810b327aac56'),
	('01a20576-f755-7fe3-b0a6-b07710000001', -520.00000000, 18980.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f754-7109-b0a6-b077a734f034'),
	('01a20576-f755-7fe3-b0a6-b07710000002', 520.00000000, 1020.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f754-7109-b0a6-b077a734f034'),
	('01a20576-f786-7e62-92f8-4e7a10000002', 520.00000000, 19500.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f784-7190-92f8-4e7a2ba41eff'),
	('01a20576-f786-7e62-92f8-4e7a10000001', -520.00000000, 500.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f784-7190-92f8-4e7a2ba41eff'),
	('01a20576-f7a3-784e-84e0-f30010000001', -530.00000000, 18970.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f7a1-76fa-84e0-f30071886e52'),
	('01a20576-f7a3-784e-84e0-f30010000002', 530.00000000, 1030.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f7a1-76fa-84e0-f30071886e52'),
	('01a20576-f885-7bd3-8fb0-8db310000001', -540.00000000, 18430.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f884-7704-8fb0-8db37af52a31'),
	('01a20576-f885-7bd3-8fb0-8db310000002', 540.00000000, 1570.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f884-7704-8fb0-8db37af52a31'),
	('01a20576-f984-71d3-aa97-07cb10000001', -550.00000000, 17880.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-f97f-770b-aa97-07cb99067544'),
	('01a20576-f984-71d3-aa97-07cb10000002', 550.00000000, 2120.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-f97f-770b-aa97-07cb99067544'),
	('01a20576-fa6c-78c5-ba90-f65910000002', 550.00000000, 18430.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-fa67-70fc-ba90-f65994d7633c'),
	('01a20576-fa6c-78c5-ba90-f65910000001', -550.00000000, 1570.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-fa67-70fc-ba90-f65994d7633c'),
	('01a20576-fa99-7edd-a01c-9ea310000001', -560.00000000, 17870.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-fa95-75f1-a01c-9ea3926cfc74'),
	('01a20576-fa99-7edd-a01c-9ea310000002', 560.00000000, 2130.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-fa95-75f1-a01c-9ea3926cfc74'),
	('01a20576-fb9a-72e1-8be1-154610000002', 530.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-fb99-7587-8be1-1546213b32ce'),
	('01a20576-fb9a-72e1-8be1-154610000003', 30.00000000, NULL, '01a20575-bc36-7724-9975-b5870a440f03', 'KES', '01a20576-fb99-7587-8be1-1546213b32ce'),
	('01a20576-fb9a-72e1-8be1-154610000001', -560.00000000, 1570.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-fb99-7587-8be1-1546213b32ce'),
	('01a20576-fba2-74c5-99e1-fa2810000002', 100.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-fba1-736c-99e1-fa285d46b53b'),
	('01a20576-fba2-74c5-99e1-fa2810000001', -100.00000000, NULL, '01a20575-bc3c-732c-813b-86d246176f75', 'KES', '01a20576-fba1-736c-99e1-fa285d46b53b'),
	('01a20576-fbdd-7396-a65a-6be710000001', -570.00000000, 17300.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-fbd8-7425-a65a-6be78aad7db1'),
	('01a20576-fbdd-7396-a65a-6be710000002', 570.00000000, 2140.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-fbd8-7425-a65a-6be78aad7db1'),
	('01a20576-fcd5-760c-a1ad-0e2110000002', 540.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-fcd0-7601-a1ad-0e2171da701f'),
	('01a20576-fcd5-760c-a1ad-0e2110000003', 30.00000000, NULL, '01a20575-bc36-7724-9975-b5870a440f03', 'KES', '01a20576-fcd0-7601-a1ad-0e2171da701f'),
	('01a20576-fcd5-760c-a1ad-0e2110000001', -570.00000000, 1570.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-fcd0-7601-a1ad-0e2171da701f'),
	('01a20576-fcd9-74d1-82c2-67e310000002', 100.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-fcd8-7500-82c2-67e3063b0917'),
	('01a20576-fcd9-74d1-82c2-67e310000001', -100.00000000, NULL, '01a20575-bc3c-732c-813b-86d246176f75', 'KES', '01a20576-fcd8-7500-82c2-67e3063b0917'),
	('01a20576-fdda-7385-a3dc-989e10000001', -540.00000000, NULL, '01a20575-bc35-75b6-b364-96b56c5e7af6', 'KES', '01a20576-fdd8-75ff-a3dc-989e5c11ff0b'),
	('01a20576-fdda-7385-a3dc-989e10000002', 540.00000000, 17840.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-fdd8-75ff-a3dc-989e5c11ff0b'),
	('01a20576-fe0d-7c00-879d-242610000001', -580.00000000, 17260.00000000, '01a20576-f62a-704f-9ff4-63c07f9fb5a8', 'KES', '01a20576-fe0c-7681-879d-2426c35330b1'),
	('01a20576-fe0d-7c00-879d-242610000002', 580.00000000, 2150.00000000, '01a20576-f62d-761b-934b-95c6f4a5733d', 'KES', '01a20576-fe0c-7681-879d-2426c35330b1'),
	('01a20576-ff5a-7231-9a4b-f39b10000002', 10000.00000000, 10000.00000000, '01a20576-ff50-7710-bfce-26ce90a4f63b', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20576-ff58-7739-9a4b-f39bbf74c383'),
	('01a20576-ff5a-7231-9a4b-f39b10000001', -10000.00000000, NULL, '01a20576-ff50-7711-99e1-d0f7345c42df', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20576-ff58-7739-9a4b-f39bbf74c383'),
	('01a20576-ffa1-7fdb-bea1-dadb10000001', -650.00000000, 9350.00000000, '01a20576-ff50-7710-bfce-26ce90a4f63b', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20576-ff6d-7047-bea1-dadbc1d02b49'),
	('01a20576-ffa1-7fdb-bea1-dadb10000002', 650.00000000, 650.00000000, '01a20576-ff90-7199-b573-41a8bb4533a4', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20576-ff6d-7047-bea1-dadbc1d02b49'),
	('01a20576-ffcb-7c39-91af-58e110000001', -6000000.00000000, 6000000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20576-ffae-7158-91af-58e120000003'),
	('01a20576-ffcb-7c39-91af-58e110000003', -600.00000000, 50.00000000, '01a20576-ff90-7199-b573-41a8bb4533a4', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20576-ffae-7158-91af-58e120000003'),
	('01a20576-ffcb-7c39-91af-58e110000002', 600.00000000, 600.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20576-ffae-7158-91af-58e120000003'),
	('01a20576-ffcb-7c39-91af-58e110000004', 6000000.00000000, 6000000.00000000, '01a20576-ffb6-75ae-b180-3726b51d1092', 'NGN', '01a20576-ffae-7158-91af-58e120000003'),
	('01a20576-ffdf-7410-a59b-299510000001', -19000.00000000, 5981000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20576-ffd6-707f-a59b-29950ccdff11'),
	('01a20576-ffdf-7410-a59b-299510000002', 19000.00000000, 19000.00000000, '01a20576-ffdd-793b-9572-e74b0c322efe', 'NGN', '01a20576-ffd6-707f-a59b-29950ccdff11'),
	('01a20576-ffe7-7210-bdb2-828f10000001', -18800.00000000, 5962200.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20576-ffe4-7558-bdb2-828fedd8cfc3'),
	('01a20576-ffe7-7210-bdb2-828f10000002', 18800.00000000, 37800.00000000, '01a20576-ffdd-793b-9572-e74b0c322efe', 'NGN', '01a20576-ffe4-7558-bdb2-828fedd8cfc3'),
	('01a20577-0005-7a08-90e7-30f510000002', 18800.00000000, 5981000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-0004-7e9f-90e7-30f58a907f89'),
	('01a20577-0005-7a08-90e7-30f510000001', -18800.00000000, 19000.00000000, '01a20576-ffdd-793b-9572-e74b0c322efe', 'NGN', '01a20577-0004-7e9f-90e7-30f58a907f89'),
	('01a20577-0041-7fd7-9cef-e24f10000002', 1000.00000000, 1000.00000000, '01a20577-0039-7555-8a6f-e21786fbad90', '01a20577-0025-751c-ab09-34c9062057dc', '01a20577-0040-7156-9cef-e24ffe7ac9e3'),
	('01a20577-0041-7fd7-9cef-e24f10000001', -1000.00000000, NULL, '01a20577-0039-7557-8469-0bcfe1832ff6', '01a20577-0025-751c-ab09-34c9062057dc', '01a20577-0040-7156-9cef-e24ffe7ac9e3'),
	('01a20577-009a-79ec-9ca6-7d7e10000001', -2000.00000000, 5979000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-0090-7c73-9ca6-7d7e20000007'),
	('01a20577-009a-79ec-9ca6-7d7e10000003', -20.00000000, 980.00000000, '01a20577-0039-7555-8a6f-e21786fbad90', '01a20577-0025-751c-ab09-34c9062057dc', '01a20577-0090-7c73-9ca6-7d7e20000007'),
	('01a20577-009a-79ec-9ca6-7d7e10000004', 2000.00000000, 2000.00000000, '01a20577-0039-7556-bfa3-5b4d40aab245', 'NGN', '01a20577-0090-7c73-9ca6-7d7e20000007'),
	('01a20577-009a-79ec-9ca6-7d7e10000002', 20.00000000, 20.00000000, '01a20577-0093-7a28-8dba-429a08d5794c', '01a20577-0025-751c-ab09-34c9062057dc', '01a20577-0090-7c73-9ca6-7d7e20000007'),
	('01a20577-00c3-7144-aab8-368b10000001', -5000000.00000000, NULL, '01a20575-bc0c-7680-a49c-249b3143f158', 'NGN', '01a20577-00c1-7737-aab8-368bc390a490'),
	('01a20577-00c3-7144-aab8-368b10000002', 5000000.00000000, 5000000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-00c1-7737-aab8-368bc390a490'),
	('01a20577-01da-7358-b009-b8df10000002', 400000.00000000, 6379000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-01d2-7209-b009-b8dfd2156f1c'),
	('01a20577-01da-7358-b009-b8df10000004', -50.00000000, 550.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-01d2-7209-b009-b8dfd2156f1c'),
	('01a20577-01da-7358-b009-b8df10000001', -400000.00000000, 4600000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-01d2-7209-b009-b8dfd2156f1c'),
	('01a20577-01da-7358-b009-b8df10000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-01d2-7209-b009-b8dfd2156f1c'),
	('01a20577-01da-7358-b009-b8df10000003', 400000.00000000, 400000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-01d2-7209-b009-b8dfd2156f1c'),
	('01a20577-01da-7358-b009-b8df10000005', 50.00000000, 50.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-01d2-7209-b009-b8dfd2156f1c'),
	('01a20577-0211-796d-b6db-c71810000001', -50000.00000000, 6329000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-0210-7306-b6db-c71835b3d7e0'),
	('01a20577-0211-796d-b6db-c71810000002', 50000.00000000, 4650000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-0210-7306-b6db-c71835b3d7e0'),
	('01a20577-0211-796d-b6db-c71810000005', -10000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-0210-7306-b6db-c71835b3d7e0'),
	('01a20577-0211-796d-b6db-c71810000003', -20000.00000000, 380000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-0210-7306-b6db-c71835b3d7e0'),
	('01a20577-0211-796d-b6db-c71810000004', 30000.00000000, 30000.00000000, '01a20577-020d-7393-89e0-0ab8f597de05', 'NGN', '01a20577-0210-7306-b6db-c71835b3d7e0'),
	('01a20577-024c-71d7-a237-ac3510000002', 400000.00000000, 6729000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-024a-767e-a237-ac35047deced'),
	('01a20577-024c-71d7-a237-ac3510000004', -50.00000000, 500.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-024a-767e-a237-ac35047deced'),
	('01a20577-024c-71d7-a237-ac3510000001', -400000.00000000, 4250000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-024a-767e-a237-ac35047deced'),
	('01a20577-024c-71d7-a237-ac3510000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-024a-767e-a237-ac35047deced'),
	('01a20577-024c-71d7-a237-ac3510000003', 400000.00000000, 780000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-024a-767e-a237-ac35047deced'),
	('01a20577-024c-71d7-a237-ac3510000005', 50.00000000, 100.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-024a-767e-a237-ac35047deced'),
	('01a20577-0273-7466-93d8-ee1910000001', -430000.00000000, 6299000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-0273-7466-93d8-ee1910000006', 50.00000000, 550.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-0273-7466-93d8-ee1910000002', 430000.00000000, 4680000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-0273-7466-93d8-ee1910000005', 370000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-0273-7466-93d8-ee1910000003', -400000.00000000, 380000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-0273-7466-93d8-ee1910000007', -50.00000000, 50.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-0273-7466-93d8-ee1910000004', 30000.00000000, 60000.00000000, '01a20577-020d-7393-89e0-0ab8f597de05', 'NGN', '01a20577-0272-7366-93d8-ee199939c95c'),
	('01a20577-02c0-7d27-baa5-614110000002', 400000.00000000, 6699000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-02bd-76db-baa5-61419c189c06'),
	('01a20577-02c0-7d27-baa5-614110000004', -50.00000000, 500.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-02bd-76db-baa5-61419c189c06'),
	('01a20577-02c0-7d27-baa5-614110000001', -400000.00000000, 4280000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-02bd-76db-baa5-61419c189c06'),
	('01a20577-02c0-7d27-baa5-614110000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-02bd-76db-baa5-61419c189c06'),
	('01a20577-02c0-7d27-baa5-614110000003', 400000.00000000, 780000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-02bd-76db-baa5-61419c189c06'),
	('01a20577-02c0-7d27-baa5-614110000005', 50.00000000, 100.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-02bd-76db-baa5-61419c189c06'),
	('01a20577-02f3-738d-b6d0-b3cc10000002', 400000.00000000, 7099000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-02f1-751e-b6d0-b3cce50c5072'),
	('01a20577-02f3-738d-b6d0-b3cc10000004', -50.00000000, 450.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-02f1-751e-b6d0-b3cce50c5072'),
	('01a20577-02f3-738d-b6d0-b3cc10000001', -400000.00000000, 3880000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-02f1-751e-b6d0-b3cce50c5072'),
	('01a20577-02f3-738d-b6d0-b3cc10000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-02f1-751e-b6d0-b3cce50c5072');
INSERT INTO public.wallets_entry (id, amount, balance_after, account_id, asset_id, transfer_id) VALUES
	('01a20577-02f3-738d-b6d0-b3cc10000003', 400000.00000000, 1180000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-02f1-751e-b6d0-b3cce50c5072'),
	('01a20577-02f3-738d-b6d0-b3cc10000005', 50.00000000, 150.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-02f1-751e-b6d0-b3cce50c5072'),
	('01a20577-03db-7b91-90a8-86b410000004', 7.00000000, 457.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-03d4-72c2-90a8-86b45f8f03be'),
	('01a20577-03db-7b91-90a8-86b410000002', 400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-03d4-72c2-90a8-86b45f8f03be'),
	('01a20577-03db-7b91-90a8-86b410000001', -400000.00000000, 780000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-03d4-72c2-90a8-86b45f8f03be'),
	('01a20577-03db-7b91-90a8-86b410000003', -50.00000000, 100.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-03d4-72c2-90a8-86b45f8f03be'),
	('01a20577-03db-7b91-90a8-86b410000005', 43.00000000, 43.00000000, '01a20577-03d2-7659-a0db-e9c2203cc210', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-03d4-72c2-90a8-86b45f8f03be'),
	('01a20577-041f-71c7-8042-9a4210000002', 400000.00000000, 7499000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-041d-726d-8042-9a42570c7569'),
	('01a20577-041f-71c7-8042-9a4210000004', -50.00000000, 407.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-041d-726d-8042-9a42570c7569'),
	('01a20577-041f-71c7-8042-9a4210000001', -400000.00000000, 3480000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-041d-726d-8042-9a42570c7569'),
	('01a20577-041f-71c7-8042-9a4210000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-041d-726d-8042-9a42570c7569'),
	('01a20577-041f-71c7-8042-9a4210000003', 400000.00000000, 1180000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-041d-726d-8042-9a42570c7569'),
	('01a20577-041f-71c7-8042-9a4210000005', 50.00000000, 150.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-041d-726d-8042-9a42570c7569'),
	('01a20577-0501-7c4e-b3a1-085b10000004', 50.00000000, 457.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-04f7-73a9-b3a1-085bcefa2a12'),
	('01a20577-0501-7c4e-b3a1-085b10000002', 400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-04f7-73a9-b3a1-085bcefa2a12'),
	('01a20577-0501-7c4e-b3a1-085b10000001', -400000.00000000, 780000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-04f7-73a9-b3a1-085bcefa2a12'),
	('01a20577-0501-7c4e-b3a1-085b10000003', -50.00000000, 100.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-04f7-73a9-b3a1-085bcefa2a12'),
	('01a20577-0545-7dcb-b830-25b110000002', 400000.00000000, 7899000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-0544-765c-b830-25b1a85f182b'),
	('01a20577-0545-7dcb-b830-25b110000004', -50.00000000, 407.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-0544-765c-b830-25b1a85f182b'),
	('01a20577-0545-7dcb-b830-25b110000001', -400000.00000000, 3080000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-0544-765c-b830-25b1a85f182b'),
	('01a20577-0545-7dcb-b830-25b110000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-0544-765c-b830-25b1a85f182b'),
	('01a20577-0545-7dcb-b830-25b110000003', 400000.00000000, 1180000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-0544-765c-b830-25b1a85f182b'),
	('01a20577-0545-7dcb-b830-25b110000005', 50.00000000, 150.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-0544-765c-b830-25b1a85f182b'),
	('01a20577-05db-7221-a9c7-690510000002', 400000.00000000, 8299000.00000000, '01a20576-f643-7143-aedb-b7fc5f5247d5', 'NGN', '01a20577-05d7-7776-a9c7-690517b30205'),
	('01a20577-05db-7221-a9c7-690510000004', -50.00000000, 357.00000000, '01a20576-ffb5-7c97-ae9a-493efba9f730', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-05d7-7776-a9c7-690517b30205'),
	('01a20577-05db-7221-a9c7-690510000001', -400000.00000000, 2680000.00000000, '01a20577-00bc-76fd-8071-bd85acd79284', 'NGN', '01a20577-05d7-7776-a9c7-690517b30205'),
	('01a20577-05db-7221-a9c7-690510000006', -400000.00000000, NULL, '01a20577-01d8-7297-a7e6-740ab40c2270', 'NGN', '01a20577-05d7-7776-a9c7-690517b30205'),
	('01a20577-05db-7221-a9c7-690510000003', 400000.00000000, 1580000.00000000, '01a20577-01d9-7400-952e-a1520b545a38', 'NGN', '01a20577-05d7-7776-a9c7-690517b30205'),
	('01a20577-05db-7221-a9c7-690510000005', 50.00000000, 200.00000000, '01a20577-01d9-7743-b57b-83007988a52a', '01a20576-ff34-7234-b868-f6bbf3fc9665', '01a20577-05d7-7776-a9c7-690517b30205');


--
-- Data for Name: wallets_payout; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_payout (withdrawal_id, claimed_by, leased_until, attempts, posted_at, provider_id, provider_status, provider_fee, provider_message, last_error, next_step_at, look_ups, not_found_count, first_not_found_at, last_not_found_at, settled_at, watch_until, created_at, updated_at) VALUES
	('01a20576-f7a1-76f8-813d-a8d52cc3b34d', '', NULL, 0, NULL, '', '', NULL, '', '', '2026-11-22 22:53:32.572062+00', 0, 0, NULL, NULL, NULL, NULL, '2026-11-22 22:53:32.572062+00', '2026-11-22 22:53:32.572062+00'),
	('01a20576-f884-7702-b7de-4e2dc5b5d722', '', NULL, 1, '2026-11-22 22:53:32.888153+00', '1', 'NEW', NULL, '', '', '2026-11-22 22:53:37.923181+00', 1, 0, NULL, NULL, NULL, NULL, '2026-11-22 22:53:32.78309+00', '2026-11-22 22:53:32.923424+00'),
	('01a20576-f97e-74c1-a48f-cefeda8c69e9', 'claim_g8gj9tf1pz4gcn9b8e00aj81f3', NULL, 1, '2026-11-22 22:53:33.104748+00', '', '', NULL, '', '', NULL, 0, 0, NULL, NULL, NULL, NULL, '2026-11-22 22:53:33.00765+00', '2026-11-22 22:53:33.143083+00'),
	('01a20576-fa95-75ef-819d-dea14ada20ee', '', NULL, 1, '2026-11-22 22:53:33.36075+00', '2', 'SUCCESSFUL', 100.00000000, 'Transaction was successful', '', '2026-11-22 22:53:33.516027+00', 2, 0, NULL, NULL, '2026-11-22 22:53:33.455556+00', '2026-12-22 22:53:33.455556+00', '2026-11-22 22:53:33.292212+00', '2026-11-22 22:53:33.475773+00'),
	('01a20576-fbd8-7423-ac43-e0c8a65793dd', '', NULL, 1, '2026-11-22 22:53:33.695222+00', '3', 'FAILED', 100.00000000, 'DISBURSE FAILED: Transfer was returned by the beneficiary bank', '', NULL, 3, 0, NULL, NULL, '2026-11-22 22:53:33.775565+00', '2026-12-22 22:53:33.775565+00', '2026-11-22 22:53:33.619653+00', '2026-11-22 22:53:34.029057+00'),
	('01a20576-fe0c-767f-b5e1-c08567f91dec', 'claim_a7a7k7kbz7zvehevqbyf60ev91', NULL, 1, '2026-11-22 22:53:34.279782+00', '', '', NULL, '', 'the provider failed (503)', '2026-11-22 22:53:39.356523+00', 1, 1, '2026-11-22 22:53:34.324809+00', '2026-11-22 22:53:34.324809+00', NULL, NULL, '2026-11-22 22:53:34.192769+00', '2026-11-22 22:53:34.324809+00');


--
-- Data for Name: wallets_payoutcircuit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_payoutcircuit (id, state, failures, failed_trials, reason, opened_at, next_probe_at, trial_until, quiet_until, updated_at, trial_id) VALUES
	(1, 'Closed', 1, 0, 'the provider failed (503)', NULL, NULL, NULL, NULL, '2026-11-22 22:53:34.306247+00', NULL);


--
-- Data for Name: wallets_proposal; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_proposal (id, action, reason, status, created_at, decided_at, decided_by_id, proposed_by_id, withdrawal_id) VALUES
	('01a20576-f87c-7315-af6b-d35b18dedae1', 'Return', 'The provider is out', 'Open', '2026-11-22 22:53:32.668102+00', NULL, NULL, '01a20576-ecc8-76b8-bc96-8a66c498ad22', '01a20576-f7a1-76f8-813d-a8d52cc3b34d'),
	('01a20576-fd50-776d-8ad9-3b091fbb3f2a', 'Reverse', 'The bank''s statement has it as returned', 'Confirmed', '2026-11-22 22:53:33.904088+00', '2026-11-22 22:53:34.010706+00', '01a20576-fd58-75e8-af5b-7c07beb49db4', '01a20576-ecc8-76b8-bc96-8a66c498ad22', '01a20576-fbd8-7423-ac43-e0c8a65793dd');


--
-- Data for Name: wallets_providerevent; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_providerevent (id, digest, reference, provider_id, body, received_at, seen) VALUES
	('01a20576-fbc3-74ae-a04c-746d64abdbcc', '9377b611002f4b6d6b3d68eca4ddb6b828d1af12050a4947670ba7d20d24b5df', 'payout_604aejxdv7ce4pwa36qe9nqkpg', '1', '{"data": {"id": 1, "reference": "payout_604aejxdv7ce4pwa36qe9nqkpg"}}', '2026-11-22 22:53:33.508462+00', 1);


--
-- Data for Name: wallets_reconciliation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_reconciliation (id, day, status, reason, differences, compared, asked_by, asked_by_label, claimed_by, leased_until, attempts, created_at, finished_at, balances_at) VALUES
	('01a20577-1040-76c0-b9e9-cb276db0b0b9', '2026-11-22', 'Differs', '', 8, 5, 'staff:01a20576-ecc8-76b8-bc96-8a66c498ad22', 'amina.finance', 'report_wbyfpq4r1czccayexw7kepfej9', NULL, 1, '2026-11-22 22:53:38.752605+00', '2026-11-22 22:53:38.918852+00', '2026-11-22 22:53:38.772851+00'),
	('01a20577-111d-71bd-98d8-c59c0550ec07', '2026-11-21', 'Differs', '', 1, 0, 'system:tests', 'tests', '', NULL, 0, '2026-11-22 22:53:38.973258+00', '2026-11-22 22:53:38.973258+00', '2026-11-22 22:53:38.973258+00');


--
-- Data for Name: wallets_reconciliationbreak; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_reconciliationbreak (id, day, kind, our_amount, their_amount, difference, our_text, their_text, reference, provider_id, status, shown, created_at, currency_id, first_report_id, latest_report_id, owner_id, withdrawal_id) VALUES
	('01a20577-1124-76f6-89bc-a20a25bbc0bb', '2026-11-21', 'Balance', 0.00000000, -250000.55000000, -250000.55000000, '', 'The gap moved by -250000.55', '', '', 'Explained', true, '2026-11-22 22:53:38.973258+00', 'NGN', '01a20577-111d-71bd-98d8-c59c0550ec07', '01a20577-111d-71bd-98d8-c59c0550ec07', NULL, NULL);


--
-- Data for Name: wallets_reconciliationline; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_reconciliationline (id, "position", off, kind, our_count, our_amount, their_count, their_amount, our_text, their_text, reference, provider_id, currency_id, report_id, withdrawal_id) VALUES
	('01a20577-10ec-71fa-a6eb-b2ad12b07f1d', 0, true, 'Missing at the provider', NULL, 550.00000000, NULL, NULL, 'Unknown', '', 'payout_cam1ypg4qaqst6vs9khqte2ypm', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', '01a20576-fe0c-767f-b5e1-c08567f91dec'),
	('01a20577-10ec-71fb-a5a3-a72ca0383fe8', 1, true, 'Status', NULL, NULL, NULL, NULL, 'Processing', 'SUCCESSFUL', 'payout_hb3am6emjmy736tyz0jn2afhfr', '1', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', '01a20576-f884-7702-b7de-4e2dc5b5d722'),
	('01a20577-10ec-71fc-8205-a86612bfa4bf', 2, true, 'Balance', NULL, 0.00000000, NULL, 999983000000.00000000, '', 'Unexplained: 999983000000', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ec-71fd-9d9f-98b9926dc1b8', 3, true, 'Balance', NULL, 0.00000000, NULL, 999999975000.00000000, '', 'Unexplained: 999999975000', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ec-71fe-b643-91911e4f4010', 4, true, 'Balance', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'Unexplained: 1000000000000', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ec-71ff-a9d5-d097e4941003', 5, true, 'Balance', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'Unexplained: 1000000000000', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73c6-9eaa-edf030a8a962', 6, true, 'Balance', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'Unexplained: 1000000000000', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73c7-aa8b-1cc3f12fb982', 7, true, 'Balance', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'Unexplained: 1000000000000', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73c8-9100-d450ab683fdb', 8, false, 'In flight', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73c9-84eb-ba9ecb97ce0c', 9, false, 'Completed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73ca-83b9-c5c33530ddc3', 10, false, 'Failed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73cb-a0bd-3aa8a5dcaeb2', 11, false, 'Charges', NULL, 0.00000000, NULL, 0.00000000, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73cc-883d-fc12b8843c27', 12, false, 'In flight', 2, 1060.00000000, 0, 0.00000000, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73cd-bf6b-7a57d4ba9b32', 13, false, 'Completed', 1, 530.00000000, 2, 1040.00000000, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73ce-8866-2de0b9d88387', 14, false, 'Failed', 2, 1060.00000000, 1, 540.00000000, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73cf-93cb-88279b341e1b', 15, false, 'Charges', NULL, 200.00000000, NULL, 200.00000000, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73d0-af0c-7d7cb2be8193', 16, false, 'In flight', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73d1-bf58-d0f88ef20d29', 17, false, 'Completed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73d2-ae0d-dd220d21a477', 18, false, 'Failed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73d3-8137-b6025134bf3a', 19, false, 'Charges', NULL, 0.00000000, NULL, 0.00000000, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ed-73d4-afbd-01960c59027b', 20, false, 'In flight', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74cc-a276-ca5e5cf33782', 21, false, 'Completed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74cd-a1c9-e31c65b9cba6', 22, false, 'Failed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74ce-8922-aa0be15356b0', 23, false, 'Charges', NULL, 0.00000000, NULL, 0.00000000, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74cf-b8f7-d9627647d071', 24, false, 'In flight', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d0-9f70-cc0a0b4ef3f2', 25, false, 'Completed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d1-bef3-655f2379751c', 26, false, 'Failed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d2-b63a-065ecd8ed62e', 27, false, 'Charges', NULL, 0.00000000, NULL, 0.00000000, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d3-bbe5-00640f690adf', 28, false, 'In flight', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d4-be68-8bd6940df595', 29, false, 'Completed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d5-801f-913adb762d09', 30, false, 'Failed', 0, 0.00000000, 0, 0.00000000, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d6-a62d-c359c54f826e', 31, false, 'Charges', NULL, 0.00000000, NULL, 0.00000000, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d7-9ffc-60f8f928caaf', 32, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d8-8773-748402129a1b', 33, false, 'Deposits', NULL, 17000000.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74d9-9817-a825829b46b7', 34, false, 'Payouts', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74da-adad-a4c6f80653e5', 35, false, 'Charges of the provider', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ee-74db-be68-f44df59f97cf', 36, false, 'Reversals', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75f8-8b48-783af865355e', 37, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75f9-827e-fb15836844d6', 38, false, 'Clearing at the end of the day', NULL, 17000000.00000000, NULL, NULL, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75fa-8628-56c4e75e52bd', 39, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75fb-a2cd-e423e552ab1f', 40, false, 'Deposits', NULL, 25000.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75fc-869c-8c11f6db200a', 41, false, 'Payouts', NULL, -1070.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75fd-ab6b-fed639fa3e17', 42, false, 'Charges of the provider', NULL, -200.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75fe-8b88-baf6c3701ac8', 43, false, 'Reversals', NULL, 540.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-75ff-b8dd-58572c241461', 44, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-7600-8e5d-bae62f09d05f', 45, false, 'Clearing at the end of the day', NULL, 24270.00000000, NULL, NULL, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-7601-a739-d86759ee3b7c', 46, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-7602-b46c-8790a739b260', 47, false, 'Deposits', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-7603-9226-bac35c61af79', 48, false, 'Payouts', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-7604-9017-26b9aaf9bc93', 49, false, 'Charges of the provider', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10ef-7605-b3a5-5d590375c460', 50, false, 'Reversals', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7737-9451-b2aff145649d', 51, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7738-9c3e-a38fbdb237a2', 52, false, 'Clearing at the end of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7739-8358-f01e35e9c6e3', 53, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-773a-91fd-8b9c1cf6edab', 54, false, 'Deposits', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-773b-b760-8eb818fd6144', 55, false, 'Payouts', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-773c-a382-8e8be2fa335e', 56, false, 'Charges of the provider', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-773d-aa12-407869386edc', 57, false, 'Reversals', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-773e-9969-945981c47f11', 58, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-773f-9741-432cfb1fe6b4', 59, false, 'Clearing at the end of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7740-8837-246aa6247792', 60, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7741-9804-1f5e343bfd6c', 61, false, 'Deposits', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7742-a54e-a4142dc93519', 62, false, 'Payouts', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f4-7743-9e5b-2175bc34755b', 63, false, 'Charges of the provider', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76c7-b99b-88d803c0eefb', 64, false, 'Reversals', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76c8-8ffc-c6b8b3b83523', 65, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76c9-97a1-1712688c3384', 66, false, 'Clearing at the end of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76ca-a482-236441c9224f', 67, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76cb-9190-32035079dd64', 68, false, 'Deposits', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76cc-9c4a-5e2e796cb2cd', 69, false, 'Payouts', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76cd-a97e-8c5e1ac31971', 70, false, 'Charges of the provider', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76ce-944d-246cd2953101', 71, false, 'Reversals', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76cf-9c73-747c05bacc35', 72, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76d0-a07d-8de2021817ed', 73, false, 'Clearing at the end of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76d1-a38f-6ad66680dedc', 74, false, 'Clearing at the start of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76d2-ac7f-8d057f9b4230', 75, false, 'Deposits', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76d3-920c-e5ccdda9cb45', 76, false, 'Payouts', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76d4-8119-2ae76132dcc4', 77, false, 'Charges of the provider', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f5-76d5-bc60-6e490b2bfe99', 78, false, 'Reversals', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73de-a568-dbfdffad65a0', 79, false, 'Other movements', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73df-9e03-453a5fa4813f', 80, false, 'Clearing at the end of the day', NULL, 0.00000000, NULL, NULL, '', '', '', '', 'USD', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e0-8b42-3957b899d545', 81, false, 'Balance now', NULL, 17000000.00000000, NULL, 1000000000000.00000000, '', 'In its books: 1000000000000', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e1-b2f2-f158c1bca59a', 82, false, 'Expected gap', NULL, NULL, NULL, 0.00000000, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e2-b668-2fdfc7d6ca0c', 83, false, 'Gap nobody explains', NULL, 0.00000000, NULL, 999983000000.00000000, '', '', '', '', 'NGN', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e3-ad2f-5e588a37431e', 84, false, 'Balance now', NULL, 24270.00000000, NULL, 999999998660.00000000, '', 'In its books: 999999998660', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e4-bbfe-47d3bf1f209e', 85, false, 'Expected gap', NULL, NULL, NULL, -610.00000000, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e5-9d9a-79617450bcbb', 86, false, 'Gap nobody explains', NULL, 0.00000000, NULL, 999999975000.00000000, '', '', '', '', 'KES', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e6-8c43-192960619311', 87, false, 'Balance now', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'In its books: 1000000000000', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e7-a97d-228b333da0df', 88, false, 'Expected gap', NULL, NULL, NULL, 0.00000000, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e8-9f68-07b015335846', 89, false, 'Gap nobody explains', NULL, 0.00000000, NULL, 1000000000000.00000000, '', '', '', '', 'GHS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73e9-ba6c-6fdf8641a5c1', 90, false, 'Balance now', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'In its books: 1000000000000', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73ea-bc0b-c422fcd850b7', 91, false, 'Expected gap', NULL, NULL, NULL, 0.00000000, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73eb-af27-c279e5759177', 92, false, 'Gap nobody explains', NULL, 0.00000000, NULL, 1000000000000.00000000, '', '', '', '', 'ZAR', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f6-73ec-b023-40b8d7030332', 93, false, 'Balance now', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'In its books: 1000000000000', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f7-72b3-92a2-f656f5424c87', 94, false, 'Expected gap', NULL, NULL, NULL, 0.00000000, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f7-72b4-9595-cfd9b81dee2c', 95, false, 'Gap nobody explains', NULL, 0.00000000, NULL, 1000000000000.00000000, '', '', '', '', 'UGX', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f7-72b5-a222-74c21c27f9b3', 96, false, 'Balance now', NULL, 0.00000000, NULL, 1000000000000.00000000, '', 'In its books: 1000000000000', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f7-72b6-be13-f19e616ec591', 97, false, 'Expected gap', NULL, NULL, NULL, 0.00000000, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL),
	('01a20577-10f7-72b7-a106-8214c64a61e0', 98, false, 'Gap nobody explains', NULL, 0.00000000, NULL, 1000000000000.00000000, '', '', '', '', 'TZS', '01a20577-1040-76c0-b9e9-cb276db0b0b9', NULL);


--
-- Data for Name: wallets_transfer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_transfer (id, kind, reference, subject_id, actor, memo, created_at, created_txid) VALUES
	('01a20576-f62e-76eb-86c4-b18af2e61d2e', 'deposit', 'deposit:01a20576-f620-7298-8c31-0ceb2ba5c506', '01a20576-f620-7298-8c31-0ceb2ba5c506', 'system:tests', 'arrival-1', '2026-11-22 22:53:32.058551+00', 1344),
	('01a20576-f646-73d2-990c-510a0543219b', 'deposit', 'deposit:01a20576-f641-7223-a234-9eba64a11dae', '01a20576-f641-7223-a234-9eba64a11dae', 'system:tests', 'arrival-2', '2026-11-22 22:53:32.096713+00', 1347),
	('01a20576-f653-73c0-9441-c0185d71db14', 'deposit', 'deposit:01a20576-f64f-7478-9c9a-b43b4eb9fee1', '01a20576-f64f-7478-9c9a-b43b4eb9fee1', 'system:tests', 'arrival-3', '2026-11-22 22:53:32.111535+00', 1350),
	('01a20576-f6af-7252-a075-0be6dd3e5802', 'withdrawal_hold', 'withdrawal:01a20576-f6af-7250-932e-a620c3e3c4b8:hold', '01a20576-f6af-7250-932e-a620c3e3c4b8', 'api_key:01a20576-f601-70de-ab3d-8b0f22393055', 'payout_jbr4p5g4d61k8z89qhvq63cx9n', '2026-11-22 22:53:32.209667+00', 1358),
	('01a20576-f6d8-73cb-845b-80f10f9c73de', 'withdrawal_hold', 'withdrawal:01a20576-f6d8-73c9-954d-5249bd68c06c:hold', '01a20576-f6d8-73c9-954d-5249bd68c06c', 'system:tests', 'payout_4f26hwt7b7p15zngc8zj0v0a0v', '2026-11-22 22:53:32.249009+00', 1359),
	('01a20576-f6e1-7554-b35a-131b374195c1', 'withdrawal_hold', 'withdrawal:01a20576-f6e1-7552-9122-76d7ff799de3:hold', '01a20576-f6e1-7552-9122-76d7ff799de3', 'system:tests', 'payout_hfnhtj8b8a98n2bgnr7fwtcrhk', '2026-11-22 22:53:32.257618+00', 1360),
	('01a20576-f729-74f8-a13f-810b327aac56', 'withdrawal_release', 'withdrawal:01a20576-f6e1-7552-9122-76d7ff799de3:close', '01a20576-f6e1-7552-9122-76d7ff799de3', 'staff:01a20576-ecc8-76b8-bc96-8a66c498ad22', 'rejected: The account is not in the member''s own name', '2026-11-22 22:53:32.288244+00', 1361),
	('01a20576-f754-7109-b0a6-b077a734f034', 'withdrawal_hold', 'withdrawal:01a20576-f754-7107-8a67-c21689a8e229:hold', '01a20576-f754-7107-8a67-c21689a8e229', 'system:tests', 'payout_77bnr97q91kdewfjw216xhwegf', '2026-11-22 22:53:32.372711+00', 1363),
	('01a20576-f784-7190-92f8-4e7a2ba41eff', 'withdrawal_release', 'withdrawal:01a20576-f754-7107-8a67-c21689a8e229:close', '01a20576-f754-7107-8a67-c21689a8e229', 'system:tests', 'cancelled', '2026-11-22 22:53:32.410253+00', 1364),
	('01a20576-f7a1-76fa-84e0-f30071886e52', 'withdrawal_hold', 'withdrawal:01a20576-f7a1-76f8-813d-a8d52cc3b34d:hold', '01a20576-f7a1-76f8-813d-a8d52cc3b34d', 'system:tests', 'payout_vxxncpsddthhe6twwks188f7ky', '2026-11-22 22:53:32.450189+00', 1366),
	('01a20576-f884-7704-8fb0-8db37af52a31', 'withdrawal_hold', 'withdrawal:01a20576-f884-7702-b7de-4e2dc5b5d722:hold', '01a20576-f884-7702-b7de-4e2dc5b5d722', 'system:tests', 'payout_hb3am6emjmy736tyz0jn2afhfr', '2026-11-22 22:53:32.676483+00', 1372),
	('01a20576-f97f-770b-aa97-07cb99067544', 'withdrawal_hold', 'withdrawal:01a20576-f97e-74c1-a48f-cefeda8c69e9:hold', '01a20576-f97e-74c1-a48f-cefeda8c69e9', 'system:tests', 'payout_nqt68zrccxsnp6r682jx1175vb', '2026-11-22 22:53:32.929079+00', 1379),
	('01a20576-fa67-70fc-ba90-f65994d7633c', 'withdrawal_release', 'withdrawal:01a20576-f97e-74c1-a48f-cefeda8c69e9:close', '01a20576-f97e-74c1-a48f-cefeda8c69e9', 'system:payouts', 'failed: Payout was made to a blacklisted account number', '2026-11-22 22:53:33.138094+00', 1385),
	('01a20576-fa95-75f1-a01c-9ea3926cfc74', 'withdrawal_hold', 'withdrawal:01a20576-fa95-75ef-819d-dea14ada20ee:hold', '01a20576-fa95-75ef-819d-dea14ada20ee', 'system:tests', 'payout_604aejxdv7ce4pwa36qe9nqkpg', '2026-11-22 22:53:33.208807+00', 1387),
	('01a20576-fb99-7587-8be1-1546213b32ce', 'withdrawal_settle', 'withdrawal:01a20576-fa95-75ef-819d-dea14ada20ee:close', '01a20576-fa95-75ef-819d-dea14ada20ee', 'system:payouts', 'payout_604aejxdv7ce4pwa36qe9nqkpg', '2026-11-22 22:53:33.45374+00', 1394),
	('01a20576-fba1-736c-99e1-fa285d46b53b', 'provider_charge', 'withdrawal:01a20576-fa95-75ef-819d-dea14ada20ee:charge', '01a20576-fa95-75ef-819d-dea14ada20ee', 'system:payouts', 'payout_604aejxdv7ce4pwa36qe9nqkpg', '2026-11-22 22:53:33.45374+00', 1394),
	('01a20576-fbd8-7425-a65a-6be78aad7db1', 'withdrawal_hold', 'withdrawal:01a20576-fbd8-7423-ac43-e0c8a65793dd:hold', '01a20576-fbd8-7423-ac43-e0c8a65793dd', 'system:tests', 'payout_j024a7wv4phph41bx5tmff6ny9', '2026-11-22 22:53:33.531979+00', 1399),
	('01a20576-fcd0-7601-a1ad-0e2171da701f', 'withdrawal_settle', 'withdrawal:01a20576-fbd8-7423-ac43-e0c8a65793dd:close', '01a20576-fbd8-7423-ac43-e0c8a65793dd', 'system:payouts', 'payout_j024a7wv4phph41bx5tmff6ny9', '2026-11-22 22:53:33.770633+00', 1406),
	('01a20576-fcd8-7500-82c2-67e3063b0917', 'provider_charge', 'withdrawal:01a20576-fbd8-7423-ac43-e0c8a65793dd:charge', '01a20576-fbd8-7423-ac43-e0c8a65793dd', 'system:payouts', 'payout_j024a7wv4phph41bx5tmff6ny9', '2026-11-22 22:53:33.770633+00', 1406),
	('01a20576-fdd8-75ff-a3dc-989e5c11ff0b', 'withdrawal_reverse', 'withdrawal:01a20576-fbd8-7423-ac43-e0c8a65793dd:reverse', '01a20576-fbd8-7423-ac43-e0c8a65793dd', 'staff:01a20576-fd58-75e8-af5b-7c07beb49db4', 'returned: The bank''s statement has it as returned', '2026-11-22 22:53:33.984442+00', 1415),
	('01a20576-fe0c-7681-879d-2426c35330b1', 'withdrawal_hold', 'withdrawal:01a20576-fe0c-767f-b5e1-c08567f91dec:hold', '01a20576-fe0c-767f-b5e1-c08567f91dec', 'system:tests', 'payout_cam1ypg4qaqst6vs9khqte2ypm', '2026-11-22 22:53:34.092566+00', 1417),
	('01a20576-ff58-7739-9a4b-f39bbf74c383', 'units_issue', 'token:01a20576-ff34-7234-b868-f6bbf3fc9665:issue', '01a20576-ff34-7234-b868-f6bbf3fc9665', 'system:tests', 'SAVF', '2026-11-22 22:53:34.389843+00', 1426),
	('01a20576-ff6d-7047-bea1-dadbc1d02b49', 'order_reserve', 'order:01a20576-ff6d-7047-bea1-dadbc1d02b49:reserve', '01a20576-ff6d-7047-bea1-dadbc1d02b49', 'system:tests', 'SAVF', '2026-11-22 22:53:34.450709+00', 1429),
	('01a20576-ffae-7158-91af-58e120000003', 'trade', 'trade:01a20576-ffae-7158-91af-58e120000003', '01a20576-ffae-7158-91af-58e120000003', 'system:tests', 'SAVF', '2026-11-22 22:53:34.509226+00', 1430),
	('01a20576-ffd6-707f-a59b-29950ccdff11', 'order_reserve', 'order:01a20576-ffd6-707f-a59b-29950ccdff11:reserve', '01a20576-ffd6-707f-a59b-29950ccdff11', 'system:tests', 'SAVF', '2026-11-22 22:53:34.556039+00', 1431),
	('01a20576-ffe4-7558-bdb2-828fedd8cfc3', 'order_reserve', 'order:01a20576-ffe4-7558-bdb2-828fedd8cfc3:reserve', '01a20576-ffe4-7558-bdb2-828fedd8cfc3', 'system:tests', 'SAVF', '2026-11-22 22:53:34.565153+00', 1432),
	('01a20577-0004-7e9f-90e7-30f58a907f89', 'order_release', 'order:01a20576-ffe4-7558-bdb2-828fedd8cfc3:release', '01a20576-ffe4-7558-bdb2-828fedd8cfc3', 'system:tests', '', '2026-11-22 22:53:34.578354+00', 1433),
	('01a20577-0040-7156-9cef-e24ffe7ac9e3', 'units_issue', 'token:01a20577-0025-751c-ab09-34c9062057dc:issue', '01a20577-0025-751c-ab09-34c9062057dc', 'system:tests', 'NJIA', '2026-11-22 22:53:34.630167+00', 1434),
	('01a20577-0090-7c73-9ca6-7d7e20000007', 'raise_sale', 'trade:01a20577-0090-7c73-9ca6-7d7e20000007', '01a20577-0090-7c73-9ca6-7d7e20000007', 'system:tests', 'NJIA', '2026-11-22 22:53:34.735497+00', 1439),
	('01a20577-00c1-7737-aab8-368bc390a490', 'deposit', 'deposit:01a20577-00b5-7143-83f6-73bd120d70f6', '01a20577-00b5-7143-83f6-73bd120d70f6', 'system:tests', 'arrival-11', '2026-11-22 22:53:34.772787+00', 1441),
	('01a20577-01d2-7209-b009-b8dfd2156f1c', 'loan_disburse', 'loan:01a20577-01d2-7208-9784-6d3d367847da:disburse', '01a20577-01d2-7208-9784-6d3d367847da', 'system:tests', 'Stock for the shop', '2026-11-22 22:53:35.045686+00', 1449),
	('01a20577-0210-7306-b6db-c71835b3d7e0', 'loan_repay', 'loan:01a20577-01d2-7208-9784-6d3d367847da:repay:01a20577-0205-7423-a4e2-12c0eb32d31b', '01a20577-01d2-7208-9784-6d3d367847da', 'system:tests', '', '2026-11-22 22:53:35.108151+00', 1451),
	('01a20577-024a-767e-a237-ac35047deced', 'loan_disburse', 'loan:01a20577-024a-767d-b290-518466d9b0cb:disburse', '01a20577-024a-767d-b290-518466d9b0cb', 'system:tests', 'School fees', '2026-11-22 22:53:35.176802+00', 1455),
	('01a20577-0272-7366-93d8-ee199939c95c', 'loan_repay', 'loan:01a20577-024a-767d-b290-518466d9b0cb:repay:01a20577-025d-73bc-bfa4-ff5bed0f3e1d', '01a20577-024a-767d-b290-518466d9b0cb', 'system:tests', '', '2026-11-22 22:53:35.195957+00', 1457),
	('01a20577-02bd-76db-baa5-61419c189c06', 'loan_disburse', 'loan:01a20577-02bc-70f8-b7ba-89ee414258d4:disburse', '01a20577-02bc-70f8-b7ba-89ee414258d4', 'system:tests', 'Farm inputs', '2026-11-22 22:53:35.290958+00', 1461),
	('01a20577-02f1-751e-b6d0-b3cce50c5072', 'loan_disburse', 'loan:01a20577-02f1-751d-90ad-bfdeb8546f6d:disburse', '01a20577-02f1-751d-90ad-bfdeb8546f6d', 'system:tests', 'Bakery oven', '2026-11-22 22:53:35.344513+00', 1464),
	('01a20577-03d4-72c2-90a8-86b45f8f03be', 'loan_liquidate', 'loan:01a20577-02f1-751d-90ad-bfdeb8546f6d:end', '01a20577-02f1-751d-90ad-bfdeb8546f6d', 'staff:01a20576-f5e4-771e-b355-93a6dffee388', 'The borrower has not answered', '2026-11-22 22:53:35.495982+00', 1469),
	('01a20577-041d-726d-8042-9a42570c7569', 'loan_disburse', 'loan:01a20577-041d-726c-a0a9-08b21831d943:disburse', '01a20577-041d-726c-a0a9-08b21831d943', 'system:tests', 'Market stall', '2026-11-22 22:53:35.640058+00', 1473),
	('01a20577-04f7-73a9-b3a1-085bcefa2a12', 'loan_write_off', 'loan:01a20577-041d-726c-a0a9-08b21831d943:end', '01a20577-041d-726c-a0a9-08b21831d943', 'staff:01a20576-f5e4-771e-b355-93a6dffee388', 'The borrower has not answered', '2026-11-22 22:53:35.790968+00', 1478),
	('01a20577-0544-765c-b830-25b1a85f182b', 'loan_disburse', 'loan:01a20577-0544-765b-ae78-9cc7783fc2b4:disburse', '01a20577-0544-765b-ae78-9cc7783fc2b4', 'system:tests', 'Delivery van', '2026-11-22 22:53:35.938192+00', 1482),
	('01a20577-05d7-7776-a9c7-690517b30205', 'loan_disburse', 'loan:01a20577-05d7-7775-b7ef-0d1e3e2d3d71:disburse', '01a20577-05d7-7775-b7ef-0d1e3e2d3d71', 'system:tests', 'Roof repair', '2026-11-22 22:53:36.085649+00', 1487);


--
-- Data for Name: wallets_transferrule; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_transferrule (kind, leaves, enters, reference, record, states, by_service) VALUES
	('deposit', '{clearing}', '{available}', 'deposit:{id}', 'wallets_deposit', '{Confirmed}', true),
	('withdrawal_hold', '{available}', '{escrow}', 'withdrawal:{id}:hold', 'wallets_withdrawal', '{}', false),
	('withdrawal_settle', '{escrow}', '{clearing,fees}', 'withdrawal:{id}:close', 'wallets_withdrawal', '{Completed,Reversed}', true),
	('withdrawal_release', '{escrow}', '{available}', 'withdrawal:{id}:close', 'wallets_withdrawal', '{Rejected,Cancelled,Failed}', true),
	('withdrawal_reverse', '{clearing}', '{available}', 'withdrawal:{id}:reverse', 'wallets_withdrawal', '{Reversed}', true),
	('provider_charge', '{expenses}', '{clearing}', 'withdrawal:{id}:charge', 'wallets_withdrawal', '{Completed,Reversed}', true),
	('units_issue', '{issuance}', '{unsold,available}', 'token:{id}:issue', 'exchange_token', '{}', true),
	('units_retire', '{unsold}', '{issuance}', 'token:{id}:retire', 'exchange_token', '{cancelled}', true),
	('order_reserve', '{available}', '{reserved}', 'order:{id}:%', 'orders_order', '{}', false),
	('order_release', '{reserved}', '{available}', 'order:{id}:%', 'orders_order', '{}', false),
	('trade', '{available,reserved,fees}', '{available,reserved,fees}', 'trade:{id}', 'orders_trade', '{}', false),
	('raise_sale', '{available,reserved,unsold,fees}', '{available,raise,fees}', 'trade:{id}', 'orders_trade', '{}', false),
	('raise_complete', '{raise,unsold}', '{available}', 'raise:{id}:close', 'exchange_token', '{completed}', false),
	('raise_refund', '{raise,fees,available}', '{available,unsold,fees}', 'trade:{id}:refund', 'orders_trade', '{cancelled}', true),
	('loan_disburse', '{available,loans}', '{available,principal,lien}', 'loan:{id}:disburse', 'credit_loan', '{}', false),
	('loan_repay', '{available,principal,loans,lien}', '{available,interest,loans}', 'loan:{id}:repay:%', 'credit_loan', '{}', true),
	('loan_pledge', '{available}', '{lien}', 'loan:{id}:loan_pledge:%', 'credit_loan', '{}', true),
	('loan_release', '{lien}', '{available}', 'loan:{id}:loan_release:%', 'credit_loan', '{}', true),
	('loan_liquidate', '{principal,lien}', '{loans,available}', 'loan:{id}:end', 'credit_loan', '{LIQUIDATED}', true),
	('loan_write_off', '{principal,lien}', '{loans,available}', 'loan:{id}:end', 'credit_loan', '{WRITTEN_OFF}', true);


--
-- Data for Name: wallets_withdrawal; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wallets_withdrawal (id, reference, amount, fee, disburse_amount, gusd_amount, internal_fee, internal_fee_type, status, version, requested_by, approvals_needed, actioned_on, actioned_by, reason, created_at, updated_at, document, bank_id, currency_id, escrow_account_id, first_approver_id, member_id, organisation_id, second_approver_id) VALUES
	('01a20576-f6af-7250-932e-a620c3e3c4b8', 'payout_jbr4p5g4d61k8z89qhvq63cx9n', 500.00000000, 30.00000000, 470.00000000, 3.88000000, 0.00000000, 'NONE', 'Pending', 1, 'api_key:01a20576-f601-70de-ab3d-8b0f22393055', 1, NULL, '', '', '2026-11-22 22:53:32.209667+00', '2026-11-22 22:53:32.209667+00', '{"_id":"01a20576-f6af-7250-932e-a620c3e3c4b8","owner":"01a20576-f5f4-77b5-9eed-17ebed2559c1","owner_model":"organisation","reference":"payout_jbr4p5g4d61k8z89qhvq63cx9n","amount":500,"disburse_amount":470,"fee":30,"gusd_amount":3.88,"internal_fee":0,"internal_fee_type":"NONE","currency":"KES","bank":"01a20576-f6af-7251-812b-efab37e96e9b","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.209Z","updatedAt":"2026-11-22T22:53:32.209Z"}', '01a20576-f6af-7251-812b-efab37e96e9b', 'KES', '01a20576-f652-766c-85f7-3e91651d4b35', NULL, NULL, '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-f6d8-73c9-954d-5249bd68c06c', 'payout_4f26hwt7b7p15zngc8zj0v0a0v', 500.00000000, 30.00000000, 470.00000000, 3.88000000, 0.00000000, 'NONE', 'Pending', 1, 'system:tests', 1, NULL, '', '', '2026-11-22 22:53:32.249009+00', '2026-11-22 22:53:32.249009+00', '{"_id":"01a20576-f6d8-73c9-954d-5249bd68c06c","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_4f26hwt7b7p15zngc8zj0v0a0v","amount":500,"disburse_amount":470,"fee":30,"currency":"KES","bank":"01a20576-f6d8-73ca-9974-3d5e8d2a60c2","status":"Pending","actioned_on":null,"createdAt":"2026-11-22T22:53:32.249Z","updatedAt":"2026-11-22T22:53:32.249Z"}', '01a20576-f6d8-73ca-9974-3d5e8d2a60c2', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-f6e1-7552-9122-76d7ff799de3', 'payout_hfnhtj8b8a98n2bgnr7fwtcrhk', 510.00000000, 30.00000000, 480.00000000, 3.95000000, 0.00000000, 'NONE', 'Rejected', 2, 'system:tests', 1, '2026-11-22 22:53:32.334092+00', 'amina.finance', 'The account is not in the member''s own name', '2026-11-22 22:53:32.257618+00', '2026-11-22 22:53:32.342044+00', '{"_id":"01a20576-f6e1-7552-9122-76d7ff799de3","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hfnhtj8b8a98n2bgnr7fwtcrhk","amount":510,"disburse_amount":480,"fee":30,"currency":"KES","bank":"01a20576-f6e1-7553-bc45-92a757717ca5","status":"Rejected","actioned_on":"2026-11-22T22:53:32.334Z","createdAt":"2026-11-22T22:53:32.257Z","updatedAt":"2026-11-22T22:53:32.342Z"}', '01a20576-f6e1-7553-bc45-92a757717ca5', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-f754-7107-8a67-c21689a8e229', 'payout_77bnr97q91kdewfjw216xhwegf', 520.00000000, 30.00000000, 490.00000000, 4.03000000, 0.00000000, 'NONE', 'Cancelled', 2, 'system:tests', 1, '2026-11-22 22:53:32.425946+00', 'tests', '', '2026-11-22 22:53:32.372711+00', '2026-11-22 22:53:32.428489+00', '{"_id":"01a20576-f754-7107-8a67-c21689a8e229","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_77bnr97q91kdewfjw216xhwegf","amount":520,"disburse_amount":490,"fee":30,"currency":"KES","bank":"01a20576-f754-7108-851f-c054128fc8ce","status":"Cancelled","actioned_on":"2026-11-22T22:53:32.425Z","createdAt":"2026-11-22T22:53:32.372Z","updatedAt":"2026-11-22T22:53:32.428Z"}', '01a20576-f754-7108-851f-c054128fc8ce', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', NULL, '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-f7a1-76f8-813d-a8d52cc3b34d', 'payout_vxxncpsddthhe6twwks188f7ky', 530.00000000, 30.00000000, 500.00000000, 4.11000000, 0.00000000, 'NONE', 'Approved', 2, 'system:tests', 1, '2026-11-22 22:53:32.572062+00', 'staff4', '', '2026-11-22 22:53:32.450189+00', '2026-11-22 22:53:32.61731+00', '{"_id":"01a20576-f7a1-76f8-813d-a8d52cc3b34d","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_vxxncpsddthhe6twwks188f7ky","amount":530,"disburse_amount":500,"fee":30,"currency":"KES","bank":"01a20576-f7a1-76f9-a448-5ef1baf6137d","status":"Approved","actioned_on":"2026-11-22T22:53:32.572Z","createdAt":"2026-11-22T22:53:32.450Z","updatedAt":"2026-11-22T22:53:32.617Z"}', '01a20576-f7a1-76f9-a448-5ef1baf6137d', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', '01a20576-f7af-74d6-9658-df5ac550d024', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-f884-7702-b7de-4e2dc5b5d722', 'payout_hb3am6emjmy736tyz0jn2afhfr', 540.00000000, 30.00000000, 510.00000000, 4.19000000, 0.00000000, 'NONE', 'Processing', 3, 'system:tests', 1, '2026-11-22 22:53:32.78309+00', 'staff5', '', '2026-11-22 22:53:32.676483+00', '2026-11-22 22:53:32.862533+00', '{"_id":"01a20576-f884-7702-b7de-4e2dc5b5d722","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_hb3am6emjmy736tyz0jn2afhfr","amount":540,"disburse_amount":510,"fee":30,"currency":"KES","bank":"01a20576-f884-7703-a1cd-b70f08470d08","status":"Processing","actioned_on":"2026-11-22T22:53:32.783Z","createdAt":"2026-11-22T22:53:32.676Z","updatedAt":"2026-11-22T22:53:32.862Z"}', '01a20576-f884-7703-a1cd-b70f08470d08', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', '01a20576-f89a-72f1-9a68-4e60c6fd686b', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-f97e-74c1-a48f-cefeda8c69e9', 'payout_nqt68zrccxsnp6r682jx1175vb', 550.00000000, 30.00000000, 520.00000000, 4.26000000, 0.00000000, 'NONE', 'Failed', 4, 'system:tests', 1, '2026-11-22 22:53:33.00765+00', 'staff6', 'Payout was made to a blacklisted account number', '2026-11-22 22:53:32.929079+00', '2026-11-22 22:53:33.173416+00', '{"_id":"01a20576-f97e-74c1-a48f-cefeda8c69e9","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_nqt68zrccxsnp6r682jx1175vb","amount":550,"disburse_amount":520,"fee":30,"currency":"KES","bank":"01a20576-f97f-770a-84ff-88edadb50f0e","status":"Failed","actioned_on":"2026-11-22T22:53:33.007Z","createdAt":"2026-11-22T22:53:32.929Z","updatedAt":"2026-11-22T22:53:33.173Z"}', '01a20576-f97f-770a-84ff-88edadb50f0e', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', '01a20576-f98f-7556-b7a5-8a5ba9b54b62', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-fa95-75ef-819d-dea14ada20ee', 'payout_604aejxdv7ce4pwa36qe9nqkpg', 560.00000000, 30.00000000, 530.00000000, 4.34000000, 0.00000000, 'NONE', 'Completed', 4, 'system:tests', 1, '2026-11-22 22:53:33.292212+00', 'staff7', '', '2026-11-22 22:53:33.208807+00', '2026-11-22 22:53:33.486294+00', '{"_id":"01a20576-fa95-75ef-819d-dea14ada20ee","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_604aejxdv7ce4pwa36qe9nqkpg","amount":560,"disburse_amount":530,"fee":30,"currency":"KES","bank":"01a20576-fa95-75f0-a486-fbf0c008956a","status":"Completed","actioned_on":"2026-11-22T22:53:33.292Z","createdAt":"2026-11-22T22:53:33.208Z","updatedAt":"2026-11-22T22:53:33.486Z"}', '01a20576-fa95-75f0-a486-fbf0c008956a', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', '01a20576-faa4-7468-945d-96a760bc9621', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-fbd8-7423-ac43-e0c8a65793dd', 'payout_j024a7wv4phph41bx5tmff6ny9', 570.00000000, 30.00000000, 540.00000000, 4.42000000, 0.00000000, 'NONE', 'Reversed', 5, 'system:tests', 1, '2026-11-22 22:53:33.619653+00', 'staff8', 'The bank''s statement has it as returned', '2026-11-22 22:53:33.531979+00', '2026-11-22 22:53:34.049832+00', '{"_id":"01a20576-fbd8-7423-ac43-e0c8a65793dd","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_j024a7wv4phph41bx5tmff6ny9","amount":570,"disburse_amount":540,"fee":30,"currency":"KES","bank":"01a20576-fbd8-7424-83ea-7522288184bf","status":"Reversed","actioned_on":"2026-11-22T22:53:33.619Z","createdAt":"2026-11-22T22:53:33.531Z","updatedAt":"2026-11-22T22:53:34.049Z"}', '01a20576-fbd8-7424-83ea-7522288184bf', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', '01a20576-fbe8-70a1-acd1-294918dee500', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL),
	('01a20576-fe0c-767f-b5e1-c08567f91dec', 'payout_cam1ypg4qaqst6vs9khqte2ypm', 580.00000000, 30.00000000, 550.00000000, 4.50000000, 0.00000000, 'NONE', 'Unknown', 4, 'system:tests', 1, '2026-11-22 22:53:34.192769+00', 'staff10', '', '2026-11-22 22:53:34.092566+00', '2026-11-22 22:53:34.369271+00', '{"_id":"01a20576-fe0c-767f-b5e1-c08567f91dec","owner":"01a20576-f60c-7448-b022-08df2c2a2b58","owner_model":"user","reference":"payout_cam1ypg4qaqst6vs9khqte2ypm","amount":580,"disburse_amount":550,"fee":30,"currency":"KES","bank":"01a20576-fe0c-7680-bea9-fc8b74035535","status":"Unknown","actioned_on":"2026-11-22T22:53:34.192Z","createdAt":"2026-11-22T22:53:34.092Z","updatedAt":"2026-11-22T22:53:34.369Z"}', '01a20576-fe0c-7680-bea9-fc8b74035535', 'KES', '01a20576-f62d-761b-934b-95c6f4a5733d', '01a20576-fe1a-7563-a75e-a0825603f4e4', '01a20576-f60c-7448-b022-08df2c2a2b58', '01a20576-f5f4-77b5-9eed-17ebed2559c1', NULL);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 5, true);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 210, true);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 244, true);


--
-- Name: credit_collateral_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.credit_collateral_id_seq', 7, true);


--
-- Name: credit_configurationversion_organisations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.credit_configurationversion_organisations_id_seq', 1, true);


--
-- Name: credit_loanlimit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.credit_loanlimit_id_seq', 2, true);


--
-- Name: credit_outstanding_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.credit_outstanding_id_seq', 1, true);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, true);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 64, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 115, true);


--
-- Name: exchange_exportchunk_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_exportchunk_id_seq', 1, true);


--
-- Name: exchange_idempotencyrecord_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_idempotencyrecord_id_seq', 1, true);


--
-- Name: exchange_staffuser_groups_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_staffuser_groups_id_seq', 6, true);


--
-- Name: exchange_staffuser_user_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_staffuser_user_permissions_id_seq', 30, true);


--
-- Name: exchange_token_reference; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_token_reference', 2, true);


--
-- Name: exchange_tokenaccess_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.exchange_tokenaccess_id_seq', 1, true);


--
-- Name: oauth2_provider_accesstoken_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oauth2_provider_accesstoken_id_seq', 2, true);


--
-- Name: oauth2_provider_devicegrant_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oauth2_provider_devicegrant_id_seq', 1, true);


--
-- Name: oauth2_provider_grant_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oauth2_provider_grant_id_seq', 1, true);


--
-- Name: oauth2_provider_idtoken_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oauth2_provider_idtoken_id_seq', 1, true);


--
-- Name: oauth2_provider_refreshtoken_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.oauth2_provider_refreshtoken_id_seq', 1, true);


--
-- Name: orders_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.orders_seq', 7, true);


--
-- Name: wallets_account account_once_per_owner; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_account
    ADD CONSTRAINT account_once_per_owner UNIQUE NULLS NOT DISTINCT (owner_id, asset_id, kind);


--
-- Name: wallets_account account_owner; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_account
    ADD CONSTRAINT account_owner UNIQUE (id, owner_id, organisation_id, asset_id);


--
-- Name: exchange_apikey api_key_organisation; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT api_key_organisation UNIQUE (id, organisation_id);


--
-- Name: auth_group auth_group_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);


--
-- Name: auth_group_permissions auth_group_permissions_group_id_permission_id_0cd325b0_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);


--
-- Name: auth_group_permissions auth_group_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);


--
-- Name: auth_permission auth_permission_content_type_id_codename_01ab375a_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);


--
-- Name: auth_permission auth_permission_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);


--
-- Name: wallets_bankaccount bank_organisation; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_bankaccount
    ADD CONSTRAINT bank_organisation UNIQUE (id, organisation_id);


--
-- Name: credit_collateral collateral_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_collateral
    ADD CONSTRAINT collateral_once UNIQUE (loan_id, token_id);


--
-- Name: credit_collateral credit_collateral_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_collateral
    ADD CONSTRAINT credit_collateral_pkey PRIMARY KEY (id);


--
-- Name: credit_configurationversion_organisations credit_configurationvers_configurationversion_id__b2b7a4bd_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion_organisations
    ADD CONSTRAINT credit_configurationvers_configurationversion_id__b2b7a4bd_uniq UNIQUE (configurationversion_id, organisation_id);


--
-- Name: credit_configurationversion_organisations credit_configurationversion_organisations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion_organisations
    ADD CONSTRAINT credit_configurationversion_organisations_pkey PRIMARY KEY (id);


--
-- Name: credit_configurationversion credit_configurationversion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion
    ADD CONSTRAINT credit_configurationversion_pkey PRIMARY KEY (id);


--
-- Name: credit_endingproposal credit_endingproposal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_endingproposal
    ADD CONSTRAINT credit_endingproposal_pkey PRIMARY KEY (id);


--
-- Name: credit_loan credit_loan_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT credit_loan_pkey PRIMARY KEY (id);


--
-- Name: credit_loanconfiguration credit_loanconfiguration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loanconfiguration
    ADD CONSTRAINT credit_loanconfiguration_pkey PRIMARY KEY (id);


--
-- Name: credit_loanlimit credit_loanlimit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loanlimit
    ADD CONSTRAINT credit_loanlimit_pkey PRIMARY KEY (id);


--
-- Name: credit_outstanding credit_outstanding_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_outstanding
    ADD CONSTRAINT credit_outstanding_pkey PRIMARY KEY (id);


--
-- Name: credit_repayment credit_repayment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_repayment
    ADD CONSTRAINT credit_repayment_pkey PRIMARY KEY (id);


--
-- Name: credit_shortfall credit_shortfall_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_shortfall
    ADD CONSTRAINT credit_shortfall_pkey PRIMARY KEY (id);


--
-- Name: credit_valuation credit_valuation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_valuation
    ADD CONSTRAINT credit_valuation_pkey PRIMARY KEY (loan_id);


--
-- Name: django_admin_log django_admin_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);


--
-- Name: django_content_type django_content_type_app_label_model_76bd3d3b_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);


--
-- Name: django_content_type django_content_type_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);


--
-- Name: django_migrations django_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);


--
-- Name: django_session django_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);


--
-- Name: exchange_accessproposal exchange_accessproposal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessproposal
    ADD CONSTRAINT exchange_accessproposal_pkey PRIMARY KEY (id);


--
-- Name: exchange_accessrecord exchange_accessrecord_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessrecord
    ADD CONSTRAINT exchange_accessrecord_pkey PRIMARY KEY (id);


--
-- Name: exchange_apikey exchange_apikey_client_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT exchange_apikey_client_id_key UNIQUE (client_id);


--
-- Name: exchange_apikey exchange_apikey_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT exchange_apikey_pkey PRIMARY KEY (id);


--
-- Name: exchange_apikey exchange_apikey_rotated_to_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT exchange_apikey_rotated_to_id_key UNIQUE (rotated_to_id);


--
-- Name: exchange_catalogue exchange_catalogue_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_catalogue
    ADD CONSTRAINT exchange_catalogue_pkey PRIMARY KEY (id);


--
-- Name: exchange_change exchange_change_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_change
    ADD CONSTRAINT exchange_change_pkey PRIMARY KEY (id);


--
-- Name: exchange_currency exchange_currency_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_currency
    ADD CONSTRAINT exchange_currency_pkey PRIMARY KEY (code);


--
-- Name: exchange_deliveryattempt exchange_deliveryattempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_deliveryattempt
    ADD CONSTRAINT exchange_deliveryattempt_pkey PRIMARY KEY (id);


--
-- Name: exchange_event exchange_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_event
    ADD CONSTRAINT exchange_event_pkey PRIMARY KEY (id);


--
-- Name: exchange_export exchange_export_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_export
    ADD CONSTRAINT exchange_export_pkey PRIMARY KEY (id);


--
-- Name: exchange_exportchunk exchange_exportchunk_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_exportchunk
    ADD CONSTRAINT exchange_exportchunk_pkey PRIMARY KEY (id);


--
-- Name: exchange_idempotencyrecord exchange_idempotencyrecord_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_idempotencyrecord
    ADD CONSTRAINT exchange_idempotencyrecord_pkey PRIMARY KEY (id);


--
-- Name: exchange_member exchange_member_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_member
    ADD CONSTRAINT exchange_member_pkey PRIMARY KEY (id);


--
-- Name: exchange_organisation exchange_organisation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_organisation
    ADD CONSTRAINT exchange_organisation_pkey PRIMARY KEY (id);


--
-- Name: exchange_quote exchange_quote_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_quote
    ADD CONSTRAINT exchange_quote_pkey PRIMARY KEY (id);


--
-- Name: exchange_recoverycode exchange_recoverycode_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_recoverycode
    ADD CONSTRAINT exchange_recoverycode_pkey PRIMARY KEY (id);


--
-- Name: exchange_secondfactor exchange_secondfactor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_secondfactor
    ADD CONSTRAINT exchange_secondfactor_pkey PRIMARY KEY (user_id);


--
-- Name: exchange_signintries exchange_signintries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_signintries
    ADD CONSTRAINT exchange_signintries_pkey PRIMARY KEY (key);


--
-- Name: exchange_staffuser_groups exchange_staffuser_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_groups
    ADD CONSTRAINT exchange_staffuser_groups_pkey PRIMARY KEY (id);


--
-- Name: exchange_staffuser_groups exchange_staffuser_groups_staffuser_id_group_id_14ce02e1_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_groups
    ADD CONSTRAINT exchange_staffuser_groups_staffuser_id_group_id_14ce02e1_uniq UNIQUE (staffuser_id, group_id);


--
-- Name: exchange_staffuser exchange_staffuser_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser
    ADD CONSTRAINT exchange_staffuser_pkey PRIMARY KEY (id);


--
-- Name: exchange_staffuser exchange_staffuser_public_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser
    ADD CONSTRAINT exchange_staffuser_public_id_key UNIQUE (public_id);


--
-- Name: exchange_staffuser_user_permissions exchange_staffuser_user__staffuser_id_permission__5683a808_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_user_permissions
    ADD CONSTRAINT exchange_staffuser_user__staffuser_id_permission__5683a808_uniq UNIQUE (staffuser_id, permission_id);


--
-- Name: exchange_staffuser_user_permissions exchange_staffuser_user_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_user_permissions
    ADD CONSTRAINT exchange_staffuser_user_permissions_pkey PRIMARY KEY (id);


--
-- Name: exchange_staffuser exchange_staffuser_username_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser
    ADD CONSTRAINT exchange_staffuser_username_key UNIQUE (username);


--
-- Name: exchange_token exchange_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_token
    ADD CONSTRAINT exchange_token_pkey PRIMARY KEY (id);


--
-- Name: exchange_token exchange_token_reference_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_token
    ADD CONSTRAINT exchange_token_reference_key UNIQUE (reference);


--
-- Name: exchange_token exchange_token_symbol_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_token
    ADD CONSTRAINT exchange_token_symbol_key UNIQUE (symbol);


--
-- Name: exchange_tokenaccess exchange_tokenaccess_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_tokenaccess
    ADD CONSTRAINT exchange_tokenaccess_pkey PRIMARY KEY (id);


--
-- Name: exchange_webhookendpoint exchange_webhookendpoint_organisation_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_webhookendpoint
    ADD CONSTRAINT exchange_webhookendpoint_organisation_id_key UNIQUE (organisation_id);


--
-- Name: exchange_webhookendpoint exchange_webhookendpoint_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_webhookendpoint
    ADD CONSTRAINT exchange_webhookendpoint_pkey PRIMARY KEY (id);


--
-- Name: exchange_exportchunk export_chunk_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_exportchunk
    ADD CONSTRAINT export_chunk_once UNIQUE (export_id, "position");


--
-- Name: exchange_idempotencyrecord idempotency_key_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_idempotencyrecord
    ADD CONSTRAINT idempotency_key_once UNIQUE (organisation_id, method, path, key);


--
-- Name: credit_loanlimit limit_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loanlimit
    ADD CONSTRAINT limit_once UNIQUE (version_id, currency_id);


--
-- Name: exchange_member member_organisation; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_member
    ADD CONSTRAINT member_organisation UNIQUE (id, organisation_id);


--
-- Name: oauth2_provider_accesstoken oauth2_provider_accesstoken_id_token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_id_token_id_key UNIQUE (id_token_id);


--
-- Name: oauth2_provider_accesstoken oauth2_provider_accesstoken_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_pkey PRIMARY KEY (id);


--
-- Name: oauth2_provider_accesstoken oauth2_provider_accesstoken_source_refresh_token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_source_refresh_token_id_key UNIQUE (source_refresh_token_id);


--
-- Name: oauth2_provider_accesstoken oauth2_provider_accesstoken_token_checksum_85319a26_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_token_checksum_85319a26_uniq UNIQUE (token_checksum);


--
-- Name: oauth2_provider_devicegrant oauth2_provider_devicegrant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_devicegrant
    ADD CONSTRAINT oauth2_provider_devicegrant_pkey PRIMARY KEY (id);


--
-- Name: oauth2_provider_devicegrant oauth2_provider_devicegrant_unique_device_code; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_devicegrant
    ADD CONSTRAINT oauth2_provider_devicegrant_unique_device_code UNIQUE (device_code);


--
-- Name: oauth2_provider_grant oauth2_provider_grant_code_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_grant_code_key UNIQUE (code);


--
-- Name: oauth2_provider_grant oauth2_provider_grant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_grant_pkey PRIMARY KEY (id);


--
-- Name: oauth2_provider_idtoken oauth2_provider_idtoken_jti_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idtoken_jti_key UNIQUE (jti);


--
-- Name: oauth2_provider_idtoken oauth2_provider_idtoken_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idtoken_pkey PRIMARY KEY (id);


--
-- Name: oauth2_provider_refreshtoken oauth2_provider_refresht_token_checksum_revoked_46c81d1d_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refresht_token_checksum_revoked_46c81d1d_uniq UNIQUE (token_checksum, revoked);


--
-- Name: oauth2_provider_refreshtoken oauth2_provider_refreshtoken_access_token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refreshtoken_access_token_id_key UNIQUE (access_token_id);


--
-- Name: oauth2_provider_refreshtoken oauth2_provider_refreshtoken_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refreshtoken_pkey PRIMARY KEY (id);


--
-- Name: orders_order orders_order_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders_order
    ADD CONSTRAINT orders_order_pkey PRIMARY KEY (id);


--
-- Name: orders_order orders_order_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders_order
    ADD CONSTRAINT orders_order_seq_key UNIQUE (seq);


--
-- Name: orders_trade orders_trade_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders_trade
    ADD CONSTRAINT orders_trade_pkey PRIMARY KEY (id);


--
-- Name: orders_trade orders_trade_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders_trade
    ADD CONSTRAINT orders_trade_seq_key UNIQUE (seq);


--
-- Name: credit_outstanding outstanding_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_outstanding
    ADD CONSTRAINT outstanding_once UNIQUE (configuration_id, currency_id);


--
-- Name: exchange_quote quote_sell_not_above_buy; Type: CHECK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE public.exchange_quote
    ADD CONSTRAINT quote_sell_not_above_buy CHECK (((sell <= buy) OR ((status)::text = 'Rejected'::text))) NOT VALID;


--
-- Name: wallets_reconciliationline reconciliation_line_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationline
    ADD CONSTRAINT reconciliation_line_once UNIQUE (report_id, "position");


--
-- Name: exchange_recoverycode recovery_code_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_recoverycode
    ADD CONSTRAINT recovery_code_once UNIQUE (user_id, code_hash);


--
-- Name: exchange_tokenaccess token_access_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_tokenaccess
    ADD CONSTRAINT token_access_once UNIQUE (organisation_id, token_id);


--
-- Name: wallets_transfer transfer_reference_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_transfer
    ADD CONSTRAINT transfer_reference_once UNIQUE (reference);


--
-- Name: credit_configurationversion version_number; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion
    ADD CONSTRAINT version_number UNIQUE (configuration_id, number);


--
-- Name: wallets_account wallets_account_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_account
    ADD CONSTRAINT wallets_account_pkey PRIMARY KEY (id);


--
-- Name: wallets_alert wallets_alert_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_alert
    ADD CONSTRAINT wallets_alert_pkey PRIMARY KEY (id);


--
-- Name: wallets_asset wallets_asset_currency_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_asset
    ADD CONSTRAINT wallets_asset_currency_id_key UNIQUE (currency_id);


--
-- Name: wallets_asset wallets_asset_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_asset
    ADD CONSTRAINT wallets_asset_pkey PRIMARY KEY (id);


--
-- Name: wallets_asset wallets_asset_token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_asset
    ADD CONSTRAINT wallets_asset_token_id_key UNIQUE (token_id);


--
-- Name: wallets_bankaccount wallets_bankaccount_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_bankaccount
    ADD CONSTRAINT wallets_bankaccount_pkey PRIMARY KEY (id);


--
-- Name: wallets_banklist wallets_banklist_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_banklist
    ADD CONSTRAINT wallets_banklist_pkey PRIMARY KEY (currency_id);


--
-- Name: wallets_booksproof wallets_booksproof_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_booksproof
    ADD CONSTRAINT wallets_booksproof_pkey PRIMARY KEY (id);


--
-- Name: wallets_breakexplanation wallets_breakexplanation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_breakexplanation
    ADD CONSTRAINT wallets_breakexplanation_pkey PRIMARY KEY (id);


--
-- Name: wallets_configuration wallets_configuration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configuration
    ADD CONSTRAINT wallets_configuration_pkey PRIMARY KEY (key);


--
-- Name: wallets_configurationfigure wallets_configurationfigure_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configurationfigure
    ADD CONSTRAINT wallets_configurationfigure_pkey PRIMARY KEY (id);


--
-- Name: wallets_decision wallets_decision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_decision
    ADD CONSTRAINT wallets_decision_pkey PRIMARY KEY (id);


--
-- Name: wallets_deposit wallets_deposit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_deposit
    ADD CONSTRAINT wallets_deposit_pkey PRIMARY KEY (id);


--
-- Name: wallets_entry wallets_entry_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_entry
    ADD CONSTRAINT wallets_entry_pkey PRIMARY KEY (id);


--
-- Name: wallets_payout wallets_payout_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_payout
    ADD CONSTRAINT wallets_payout_pkey PRIMARY KEY (withdrawal_id);


--
-- Name: wallets_payoutcircuit wallets_payoutcircuit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_payoutcircuit
    ADD CONSTRAINT wallets_payoutcircuit_pkey PRIMARY KEY (id);


--
-- Name: wallets_proposal wallets_proposal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_proposal
    ADD CONSTRAINT wallets_proposal_pkey PRIMARY KEY (id);


--
-- Name: wallets_providerevent wallets_providerevent_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_providerevent
    ADD CONSTRAINT wallets_providerevent_digest_key UNIQUE (digest);


--
-- Name: wallets_providerevent wallets_providerevent_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_providerevent
    ADD CONSTRAINT wallets_providerevent_pkey PRIMARY KEY (id);


--
-- Name: wallets_reconciliation wallets_reconciliation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliation
    ADD CONSTRAINT wallets_reconciliation_pkey PRIMARY KEY (id);


--
-- Name: wallets_reconciliationbreak wallets_reconciliationbreak_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationbreak
    ADD CONSTRAINT wallets_reconciliationbreak_pkey PRIMARY KEY (id);


--
-- Name: wallets_reconciliationline wallets_reconciliationline_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationline
    ADD CONSTRAINT wallets_reconciliationline_pkey PRIMARY KEY (id);


--
-- Name: wallets_transfer wallets_transfer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_transfer
    ADD CONSTRAINT wallets_transfer_pkey PRIMARY KEY (id);


--
-- Name: wallets_transferrule wallets_transferrule_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_transferrule
    ADD CONSTRAINT wallets_transferrule_pkey PRIMARY KEY (kind);


--
-- Name: wallets_withdrawal wallets_withdrawal_bank_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT wallets_withdrawal_bank_id_key UNIQUE (bank_id);


--
-- Name: wallets_withdrawal wallets_withdrawal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT wallets_withdrawal_pkey PRIMARY KEY (id);


--
-- Name: wallets_withdrawal withdrawal_reference_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT withdrawal_reference_once UNIQUE (reference);


--
-- Name: access_proposal_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX access_proposal_pending ON public.exchange_accessproposal USING btree (created_at) WHERE ((status)::text = 'Pending'::text);


--
-- Name: access_proposal_pending_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX access_proposal_pending_once ON public.exchange_accessproposal USING btree (kind, person_id) WHERE ((person_id IS NOT NULL) AND ((status)::text = 'Pending'::text));


--
-- Name: access_record_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX access_record_user ON public.exchange_accessrecord USING btree (user_id, id DESC);


--
-- Name: alert_open_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX alert_open_once ON public.wallets_alert USING btree (kind, subject) WHERE (resolved_at IS NULL);


--
-- Name: auth_group_name_a6ea08ec_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);


--
-- Name: auth_group_permissions_group_id_b120cbf9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);


--
-- Name: auth_group_permissions_permission_id_84c5c92e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);


--
-- Name: auth_permission_content_type_id_2f476e4b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);


--
-- Name: bank_account_used; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX bank_account_used ON public.wallets_bankaccount USING btree (account_number, code);


--
-- Name: bank_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX bank_words ON public.wallets_bankaccount USING gin (words);


--
-- Name: break_of_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX break_of_day ON public.wallets_reconciliationbreak USING btree (day);


--
-- Name: break_open_of_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX break_open_of_day ON public.wallets_reconciliationbreak USING btree (day) WHERE (NOT ((status)::text = 'Closed'::text));


--
-- Name: change_about_record; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX change_about_record ON public.exchange_change USING btree (about_id, id DESC);


--
-- Name: change_by_actor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX change_by_actor ON public.exchange_change USING btree (actor, id DESC);


--
-- Name: change_by_operation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX change_by_operation ON public.exchange_change USING btree (operation, id DESC);


--
-- Name: change_of_record; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX change_of_record ON public.exchange_change USING btree (record_id, id DESC);


--
-- Name: change_of_table; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX change_of_table ON public.exchange_change USING btree (table_name, id DESC);


--
-- Name: change_via; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX change_via ON public.exchange_change USING btree (via);


--
-- Name: credit_collateral_loan_id_ee25a808; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_collateral_loan_id_ee25a808 ON public.credit_collateral USING btree (loan_id);


--
-- Name: credit_collateral_token_id_7531c5aa; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_collateral_token_id_7531c5aa ON public.credit_collateral USING btree (token_id);


--
-- Name: credit_configurationversio_configurationversion_id_cef625ca; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_configurationversio_configurationversion_id_cef625ca ON public.credit_configurationversion_organisations USING btree (configurationversion_id);


--
-- Name: credit_configurationversio_organisation_id_8b7390c2; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_configurationversio_organisation_id_8b7390c2 ON public.credit_configurationversion_organisations USING btree (organisation_id);


--
-- Name: credit_configurationversion_configuration_id_3261fe5f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_configurationversion_configuration_id_3261fe5f ON public.credit_configurationversion USING btree (configuration_id);


--
-- Name: credit_configurationversion_decided_by_id_405184bc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_configurationversion_decided_by_id_405184bc ON public.credit_configurationversion USING btree (decided_by_id);


--
-- Name: credit_endingproposal_decided_by_id_d121408e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_endingproposal_decided_by_id_d121408e ON public.credit_endingproposal USING btree (decided_by_id);


--
-- Name: credit_endingproposal_loan_id_5c757403; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_endingproposal_loan_id_5c757403 ON public.credit_endingproposal USING btree (loan_id);


--
-- Name: credit_endingproposal_proposed_by_id_aa634510; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_endingproposal_proposed_by_id_aa634510 ON public.credit_endingproposal USING btree (proposed_by_id);


--
-- Name: credit_loan_borrower_id_00a0ddb8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_borrower_id_00a0ddb8 ON public.credit_loan USING btree (borrower_id);


--
-- Name: credit_loan_configuration_id_a73a1713; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_configuration_id_a73a1713 ON public.credit_loan USING btree (configuration_id);


--
-- Name: credit_loan_creditor_id_98899040; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_creditor_id_98899040 ON public.credit_loan USING btree (creditor_id);


--
-- Name: credit_loan_currency_id_556e02d8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_currency_id_556e02d8 ON public.credit_loan USING btree (currency_id);


--
-- Name: credit_loan_currency_id_556e02d8_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_currency_id_556e02d8_like ON public.credit_loan USING btree (currency_id varchar_pattern_ops);


--
-- Name: credit_loan_organisation_id_7c18651e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_organisation_id_7c18651e ON public.credit_loan USING btree (organisation_id);


--
-- Name: credit_loan_version_id_e09bb88f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loan_version_id_e09bb88f ON public.credit_loan USING btree (version_id);


--
-- Name: credit_loanconfiguration_creditor_id_dcccf182; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loanconfiguration_creditor_id_dcccf182 ON public.credit_loanconfiguration USING btree (creditor_id);


--
-- Name: credit_loanlimit_currency_id_c98e202d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loanlimit_currency_id_c98e202d ON public.credit_loanlimit USING btree (currency_id);


--
-- Name: credit_loanlimit_currency_id_c98e202d_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loanlimit_currency_id_c98e202d_like ON public.credit_loanlimit USING btree (currency_id varchar_pattern_ops);


--
-- Name: credit_loanlimit_version_id_f526eaff; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_loanlimit_version_id_f526eaff ON public.credit_loanlimit USING btree (version_id);


--
-- Name: credit_outstanding_configuration_id_50840e6f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_outstanding_configuration_id_50840e6f ON public.credit_outstanding USING btree (configuration_id);


--
-- Name: credit_outstanding_currency_id_18f73307; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_outstanding_currency_id_18f73307 ON public.credit_outstanding USING btree (currency_id);


--
-- Name: credit_outstanding_currency_id_18f73307_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_outstanding_currency_id_18f73307_like ON public.credit_outstanding USING btree (currency_id varchar_pattern_ops);


--
-- Name: credit_repayment_loan_id_f09c4b7d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_repayment_loan_id_f09c4b7d ON public.credit_repayment USING btree (loan_id);


--
-- Name: credit_shortfall_loan_id_64b61e35; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_shortfall_loan_id_64b61e35 ON public.credit_shortfall USING btree (loan_id);


--
-- Name: decision_once_per_version; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX decision_once_per_version ON public.wallets_decision USING btree (withdrawal_id, version) WHERE ((verdict)::text = ANY ((ARRAY['Approve'::character varying, 'Reject'::character varying, 'Cancel'::character varying])::text[]));


--
-- Name: deposit_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deposit_pending ON public.wallets_deposit USING btree (created_at) WHERE ((status)::text = 'Pending'::text);


--
-- Name: deposit_reference_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX deposit_reference_once ON public.wallets_deposit USING btree (reference) WHERE (NOT ((status)::text = ANY ((ARRAY['Rejected'::character varying, 'Cancelled'::character varying])::text[])));


--
-- Name: django_admin_log_content_type_id_c4bce8eb; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);


--
-- Name: django_admin_log_user_id_c564eba6; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);


--
-- Name: django_session_expire_date_a5c62663; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);


--
-- Name: django_session_session_key_c0390e0f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);


--
-- Name: ending_pending_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX ending_pending_once ON public.credit_endingproposal USING btree (loan_id) WHERE ((status)::text = 'Pending'::text);


--
-- Name: entry_statement; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entry_statement ON public.wallets_entry USING btree (account_id, id DESC);


--
-- Name: event_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX event_due ON public.exchange_event USING btree (organisation_id, next_attempt_at) WHERE ((status)::text = 'Pending'::text);


--
-- Name: event_listed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX event_listed ON public.exchange_event USING btree (organisation_id, created_at DESC, id DESC);


--
-- Name: event_not_told; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX event_not_told ON public.exchange_event USING btree (status, id DESC) WHERE ((status)::text = ANY ((ARRAY['Exhausted'::character varying, 'Unsent'::character varying])::text[]));


--
-- Name: event_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX event_subject ON public.exchange_event USING btree (subject_id);


--
-- Name: exchange_accessproposal_decided_by_id_081bb2d7; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessproposal_decided_by_id_081bb2d7 ON public.exchange_accessproposal USING btree (decided_by_id);


--
-- Name: exchange_accessproposal_key_id_5f69d567; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessproposal_key_id_5f69d567 ON public.exchange_accessproposal USING btree (key_id);


--
-- Name: exchange_accessproposal_organisation_id_58c58a9c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessproposal_organisation_id_58c58a9c ON public.exchange_accessproposal USING btree (organisation_id);


--
-- Name: exchange_accessproposal_person_id_6686756f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessproposal_person_id_6686756f ON public.exchange_accessproposal USING btree (person_id);


--
-- Name: exchange_accessproposal_proposed_by_id_101a88c5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessproposal_proposed_by_id_101a88c5 ON public.exchange_accessproposal USING btree (proposed_by_id);


--
-- Name: exchange_accessrecord_by_id_39177f7e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessrecord_by_id_39177f7e ON public.exchange_accessrecord USING btree (by_id);


--
-- Name: exchange_accessrecord_user_id_099eb3a5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_accessrecord_user_id_099eb3a5 ON public.exchange_accessrecord USING btree (user_id);


--
-- Name: exchange_apikey_client_id_d83bf30f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_apikey_client_id_d83bf30f_like ON public.exchange_apikey USING btree (client_id varchar_pattern_ops);


--
-- Name: exchange_apikey_client_secret_22c41932; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_apikey_client_secret_22c41932 ON public.exchange_apikey USING btree (client_secret);


--
-- Name: exchange_apikey_client_secret_22c41932_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_apikey_client_secret_22c41932_like ON public.exchange_apikey USING btree (client_secret varchar_pattern_ops);


--
-- Name: exchange_apikey_organisation_id_6f936332; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_apikey_organisation_id_6f936332 ON public.exchange_apikey USING btree (organisation_id);


--
-- Name: exchange_apikey_user_id_2cd269be; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_apikey_user_id_2cd269be ON public.exchange_apikey USING btree (user_id);


--
-- Name: exchange_currency_code_20f69c7d_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_currency_code_20f69c7d_like ON public.exchange_currency USING btree (code varchar_pattern_ops);


--
-- Name: exchange_deliveryattempt_event_id_47aaad0f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_deliveryattempt_event_id_47aaad0f ON public.exchange_deliveryattempt USING btree (event_id);


--
-- Name: exchange_export_requested_by_id_a89c3eed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_export_requested_by_id_a89c3eed ON public.exchange_export USING btree (requested_by_id);


--
-- Name: exchange_idempotencyrecord_organisation_id_72445e89; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_idempotencyrecord_organisation_id_72445e89 ON public.exchange_idempotencyrecord USING btree (organisation_id);


--
-- Name: exchange_member_organisation_id_f4550a4c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_member_organisation_id_f4550a4c ON public.exchange_member USING btree (organisation_id);


--
-- Name: exchange_quote_decided_by_id_cb63904a; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_quote_decided_by_id_cb63904a ON public.exchange_quote USING btree (decided_by_id);


--
-- Name: exchange_quote_proposed_by_id_3f502970; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_quote_proposed_by_id_3f502970 ON public.exchange_quote USING btree (proposed_by_id);


--
-- Name: exchange_quote_token_id_65ae58c8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_quote_token_id_65ae58c8 ON public.exchange_quote USING btree (token_id);


--
-- Name: exchange_recoverycode_user_id_0ce88ea9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_recoverycode_user_id_0ce88ea9 ON public.exchange_recoverycode USING btree (user_id);


--
-- Name: exchange_signintries_key_3fc2b634_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_signintries_key_3fc2b634_like ON public.exchange_signintries USING btree (key varchar_pattern_ops);


--
-- Name: exchange_staffuser_groups_group_id_0e889e4c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_staffuser_groups_group_id_0e889e4c ON public.exchange_staffuser_groups USING btree (group_id);


--
-- Name: exchange_staffuser_groups_staffuser_id_e896b44e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_staffuser_groups_staffuser_id_e896b44e ON public.exchange_staffuser_groups USING btree (staffuser_id);


--
-- Name: exchange_staffuser_user_permissions_permission_id_cbd22310; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_staffuser_user_permissions_permission_id_cbd22310 ON public.exchange_staffuser_user_permissions USING btree (permission_id);


--
-- Name: exchange_staffuser_user_permissions_staffuser_id_e8af8a12; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_staffuser_user_permissions_staffuser_id_e8af8a12 ON public.exchange_staffuser_user_permissions USING btree (staffuser_id);


--
-- Name: exchange_staffuser_username_321e6ea1_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_staffuser_username_321e6ea1_like ON public.exchange_staffuser USING btree (username varchar_pattern_ops);


--
-- Name: exchange_token_symbol_419c62d3_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_token_symbol_419c62d3_like ON public.exchange_token USING btree (symbol varchar_pattern_ops);


--
-- Name: exchange_tokenaccess_granted_by_id_74c5624b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_tokenaccess_granted_by_id_74c5624b ON public.exchange_tokenaccess USING btree (granted_by_id);


--
-- Name: exchange_tokenaccess_organisation_id_07afd523; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_tokenaccess_organisation_id_07afd523 ON public.exchange_tokenaccess USING btree (organisation_id);


--
-- Name: exchange_tokenaccess_token_id_78a6174e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_tokenaccess_token_id_78a6174e ON public.exchange_tokenaccess USING btree (token_id);


--
-- Name: explanation_pending_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX explanation_pending_once ON public.wallets_breakexplanation USING btree (subject_id) WHERE ((status)::text = 'Pending'::text);


--
-- Name: export_under_way; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX export_under_way ON public.exchange_export USING btree (created_at) WHERE ((status)::text = ANY ((ARRAY['Waiting'::character varying, 'Running'::character varying])::text[]));


--
-- Name: export_with_file; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX export_with_file ON public.exchange_export USING btree (finished_at) WHERE ((status)::text = 'Ready'::text);


--
-- Name: figure_history; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX figure_history ON public.wallets_configurationfigure USING btree (configuration_id, created_at DESC);


--
-- Name: figure_in_force; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX figure_in_force ON public.wallets_configurationfigure USING btree (configuration_id, in_force_from DESC, decided_at DESC) INCLUDE (value) WHERE ((status)::text = 'Approved'::text);


--
-- Name: figure_pending_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX figure_pending_once ON public.wallets_configurationfigure USING btree (configuration_id) WHERE ((status)::text = 'Pending'::text);


--
-- Name: idempotency_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_age ON public.exchange_idempotencyrecord USING btree (created_at);


--
-- Name: loan_of_borrower; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX loan_of_borrower ON public.credit_loan USING btree (organisation_id, created_at DESC, id DESC);


--
-- Name: loan_of_creditor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX loan_of_creditor ON public.credit_loan USING btree (creditor_id, created_at DESC, id DESC);


--
-- Name: loan_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX loan_open ON public.credit_loan USING btree (repayment_date) WHERE ((status)::text = ANY ((ARRAY['ACTIVE'::character varying, 'OVERDUE'::character varying, 'DEFAULTED'::character varying])::text[]));


--
-- Name: member_email_once_per_organisation; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX member_email_once_per_organisation ON public.exchange_member USING btree (organisation_id, lower((email)::text));


--
-- Name: member_external_id_once_per_organisation; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX member_external_id_once_per_organisation ON public.exchange_member USING btree (organisation_id, external_id) WHERE (NOT ((external_id)::text = ''::text));


--
-- Name: member_listed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX member_listed ON public.exchange_member USING btree (organisation_id, created_at DESC, id DESC);


--
-- Name: oauth2_prov_token_f_996e8a_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_prov_token_f_996e8a_idx ON public.oauth2_provider_refreshtoken USING btree (token_family);


--
-- Name: oauth2_provider_accesstoken_application_id_b22886e1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_accesstoken_application_id_b22886e1 ON public.oauth2_provider_accesstoken USING btree (application_id);


--
-- Name: oauth2_provider_accesstoken_token_checksum_85319a26_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_accesstoken_token_checksum_85319a26_like ON public.oauth2_provider_accesstoken USING btree (token_checksum varchar_pattern_ops);


--
-- Name: oauth2_provider_accesstoken_user_id_6e4c9a65; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_accesstoken_user_id_6e4c9a65 ON public.oauth2_provider_accesstoken USING btree (user_id);


--
-- Name: oauth2_provider_devicegrant_client_id_229dd06d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_devicegrant_client_id_229dd06d ON public.oauth2_provider_devicegrant USING btree (client_id);


--
-- Name: oauth2_provider_devicegrant_client_id_229dd06d_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_devicegrant_client_id_229dd06d_like ON public.oauth2_provider_devicegrant USING btree (client_id varchar_pattern_ops);


--
-- Name: oauth2_provider_devicegrant_user_id_1cec5156; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_devicegrant_user_id_1cec5156 ON public.oauth2_provider_devicegrant USING btree (user_id);


--
-- Name: oauth2_provider_grant_application_id_81923564; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_grant_application_id_81923564 ON public.oauth2_provider_grant USING btree (application_id);


--
-- Name: oauth2_provider_grant_code_49ab4ddf_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_grant_code_49ab4ddf_like ON public.oauth2_provider_grant USING btree (code varchar_pattern_ops);


--
-- Name: oauth2_provider_grant_user_id_e8f62af8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_grant_user_id_e8f62af8 ON public.oauth2_provider_grant USING btree (user_id);


--
-- Name: oauth2_provider_idtoken_application_id_08c5ff4f; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_idtoken_application_id_08c5ff4f ON public.oauth2_provider_idtoken USING btree (application_id);


--
-- Name: oauth2_provider_idtoken_user_id_dd512b59; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_idtoken_user_id_dd512b59 ON public.oauth2_provider_idtoken USING btree (user_id);


--
-- Name: oauth2_provider_refreshtoken_application_id_2d1c311b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_refreshtoken_application_id_2d1c311b ON public.oauth2_provider_refreshtoken USING btree (application_id);


--
-- Name: oauth2_provider_refreshtoken_user_id_da837fce; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth2_provider_refreshtoken_user_id_da837fce ON public.oauth2_provider_refreshtoken USING btree (user_id);


--
-- Name: order_asks; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_asks ON public.orders_order USING btree (token_id, price, seq) WHERE (((status)::text = 'Active'::text) AND ((type)::text = 'Sell'::text));


--
-- Name: order_bids; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_bids ON public.orders_order USING btree (token_id, price DESC, seq) WHERE (((status)::text = 'Active'::text) AND ((type)::text = 'Buy'::text));


--
-- Name: order_client_id_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX order_client_id_once ON public.orders_order USING btree (organisation_id, client_order_id) WHERE (NOT ((client_order_id)::text = ''::text));


--
-- Name: order_of_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_of_owner ON public.orders_order USING btree (organisation_id, created_at DESC, id DESC) INCLUDE (token_id, type, status, owner_model, member_id, price, amount);


--
-- Name: order_of_owner_on_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_of_owner_on_token ON public.orders_order USING btree (organisation_id, token_id, created_at DESC, id DESC) INCLUDE (type, status, price, amount);


--
-- Name: order_of_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_of_token ON public.orders_order USING btree (token_id, created_at DESC, id DESC);


--
-- Name: order_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_open ON public.orders_order USING btree (token_id, created_at DESC, id DESC) INCLUDE (type, price, amount) WHERE ((status)::text = 'Active'::text);


--
-- Name: orders_trade_buy_order_id_07ba13fc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX orders_trade_buy_order_id_07ba13fc ON public.orders_trade USING btree (buy_order_id);


--
-- Name: orders_trade_sell_order_id_1b87c4bd; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX orders_trade_sell_order_id_1b87c4bd ON public.orders_trade USING btree (sell_order_id);


--
-- Name: payout_returned; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payout_returned ON public.wallets_payout USING btree (withdrawal_id) WHERE (((provider_status)::text = 'FAILED'::text) AND (settled_at IS NOT NULL));


--
-- Name: payout_step_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payout_step_due ON public.wallets_payout USING btree (next_step_at) WHERE (next_step_at IS NOT NULL);


--
-- Name: proposal_one_open_per_withdrawal; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX proposal_one_open_per_withdrawal ON public.wallets_proposal USING btree (withdrawal_id) WHERE ((status)::text = 'Open'::text);


--
-- Name: quote_pending_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX quote_pending_once ON public.exchange_quote USING btree (token_id) WHERE ((status)::text = 'Pending'::text);


--
-- Name: reconciliation_of_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reconciliation_of_day ON public.wallets_reconciliation USING btree (day, created_at DESC);


--
-- Name: reconciliation_one_under_way; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX reconciliation_one_under_way ON public.wallets_reconciliation USING btree (day) WHERE ((status)::text = ANY ((ARRAY['Waiting'::character varying, 'Running'::character varying])::text[]));


--
-- Name: shortfall_open_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX shortfall_open_once ON public.credit_shortfall USING btree (loan_id) WHERE (cured_at IS NULL);


--
-- Name: token_issuer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_issuer ON public.exchange_token USING btree (issuer_id);


--
-- Name: token_listed_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_listed_by_name ON public.exchange_token USING btree (name, id) INCLUDE (deal_access, issuer_id, closed, exited, cancelled, completed_raise, secondaries, type, investment_type, investment_category, currency_id, words);


--
-- Name: token_listed_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_listed_newest ON public.exchange_token USING btree (created_at DESC, id DESC) INCLUDE (deal_access, issuer_id, closed, exited, cancelled, completed_raise, secondaries, type, investment_type, investment_category, currency_id, words);


--
-- Name: token_private_deals; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_private_deals ON public.exchange_token USING btree (issuer_id) WHERE ((deal_access)::text = 'Private'::text);


--
-- Name: token_symbol_start; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_symbol_start ON public.exchange_token USING btree (upper((symbol)::text) text_pattern_ops);


--
-- Name: token_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_words ON public.exchange_token USING gin (words) WITH (fastupdate=off);


--
-- Name: trade_of_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trade_of_token ON public.orders_trade USING btree (token_id, seq DESC) INCLUDE (id, taker, price, tokens, created_at);


--
-- Name: transfer_charges_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX transfer_charges_once ON public.wallets_transfer USING btree (subject_id) WHERE ((kind)::text = 'provider_charge'::text);


--
-- Name: transfer_closes_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX transfer_closes_once ON public.wallets_transfer USING btree (subject_id) WHERE ((kind)::text = ANY ((ARRAY['withdrawal_settle'::character varying, 'withdrawal_release'::character varying])::text[]));


--
-- Name: transfer_reverses_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX transfer_reverses_once ON public.wallets_transfer USING btree (subject_id) WHERE ((kind)::text = 'withdrawal_reverse'::text);


--
-- Name: transfer_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX transfer_subject ON public.wallets_transfer USING btree (subject_id);


--
-- Name: version_in_force_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX version_in_force_once ON public.credit_configurationversion USING btree (configuration_id) WHERE ((status)::text = 'Approved'::text);


--
-- Name: version_pending_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX version_pending_once ON public.credit_configurationversion USING btree (configuration_id) WHERE ((status)::text = 'Pending'::text);


--
-- Name: wallets_account_asset_id_5723c1e8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_account_asset_id_5723c1e8 ON public.wallets_account USING btree (asset_id);


--
-- Name: wallets_account_asset_id_5723c1e8_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_account_asset_id_5723c1e8_like ON public.wallets_account USING btree (asset_id varchar_pattern_ops);


--
-- Name: wallets_account_member_id_f2ef3c8b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_account_member_id_f2ef3c8b ON public.wallets_account USING btree (member_id);


--
-- Name: wallets_account_organisation_id_e621723c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_account_organisation_id_e621723c ON public.wallets_account USING btree (organisation_id);


--
-- Name: wallets_asset_currency_id_4ad58975_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_asset_currency_id_4ad58975_like ON public.wallets_asset USING btree (currency_id varchar_pattern_ops);


--
-- Name: wallets_asset_id_1782632e_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_asset_id_1782632e_like ON public.wallets_asset USING btree (id varchar_pattern_ops);


--
-- Name: wallets_banklist_currency_id_faceae99_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_banklist_currency_id_faceae99_like ON public.wallets_banklist USING btree (currency_id varchar_pattern_ops);


--
-- Name: wallets_breakexplanation_decided_by_id_0ec0204a; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_breakexplanation_decided_by_id_0ec0204a ON public.wallets_breakexplanation USING btree (decided_by_id);


--
-- Name: wallets_breakexplanation_proposed_by_id_4da3c26b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_breakexplanation_proposed_by_id_4da3c26b ON public.wallets_breakexplanation USING btree (proposed_by_id);


--
-- Name: wallets_breakexplanation_subject_id_5f34246e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_breakexplanation_subject_id_5f34246e ON public.wallets_breakexplanation USING btree (subject_id);


--
-- Name: wallets_configuration_key_85109e6a_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_configuration_key_85109e6a_like ON public.wallets_configuration USING btree (key varchar_pattern_ops);


--
-- Name: wallets_configurationfigure_decided_by_id_af7dc3b5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_configurationfigure_decided_by_id_af7dc3b5 ON public.wallets_configurationfigure USING btree (decided_by_id);


--
-- Name: wallets_configurationfigure_proposed_by_id_d87bf32d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_configurationfigure_proposed_by_id_d87bf32d ON public.wallets_configurationfigure USING btree (proposed_by_id);


--
-- Name: wallets_configurationfigure_withdrawal_asked_by_id_1a49b8db; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_configurationfigure_withdrawal_asked_by_id_1a49b8db ON public.wallets_configurationfigure USING btree (withdrawal_asked_by_id);


--
-- Name: wallets_configurationfigure_withdrawn_by_id_25d3e5ea; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_configurationfigure_withdrawn_by_id_25d3e5ea ON public.wallets_configurationfigure USING btree (withdrawn_by_id);


--
-- Name: wallets_decision_withdrawal_id_18352757; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_decision_withdrawal_id_18352757 ON public.wallets_decision USING btree (withdrawal_id);


--
-- Name: wallets_deposit_currency_id_32efc317; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_deposit_currency_id_32efc317 ON public.wallets_deposit USING btree (currency_id);


--
-- Name: wallets_deposit_currency_id_32efc317_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_deposit_currency_id_32efc317_like ON public.wallets_deposit USING btree (currency_id varchar_pattern_ops);


--
-- Name: wallets_deposit_decided_by_id_37fd74b3; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_deposit_decided_by_id_37fd74b3 ON public.wallets_deposit USING btree (decided_by_id);


--
-- Name: wallets_deposit_entered_by_id_a00e8097; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_deposit_entered_by_id_a00e8097 ON public.wallets_deposit USING btree (entered_by_id);


--
-- Name: wallets_deposit_member_id_4a2048d9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_deposit_member_id_4a2048d9 ON public.wallets_deposit USING btree (member_id);


--
-- Name: wallets_deposit_organisation_id_2f6522a6; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_deposit_organisation_id_2f6522a6 ON public.wallets_deposit USING btree (organisation_id);


--
-- Name: wallets_entry_transfer_id_a90bf50d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_entry_transfer_id_a90bf50d ON public.wallets_entry USING btree (transfer_id);


--
-- Name: wallets_proposal_decided_by_id_e2f68335; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_proposal_decided_by_id_e2f68335 ON public.wallets_proposal USING btree (decided_by_id);


--
-- Name: wallets_proposal_proposed_by_id_cca26a23; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_proposal_proposed_by_id_cca26a23 ON public.wallets_proposal USING btree (proposed_by_id);


--
-- Name: wallets_proposal_withdrawal_id_0c1d8184; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_proposal_withdrawal_id_0c1d8184 ON public.wallets_proposal USING btree (withdrawal_id);


--
-- Name: wallets_providerevent_digest_9f21a1a8_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_providerevent_digest_9f21a1a8_like ON public.wallets_providerevent USING btree (digest varchar_pattern_ops);


--
-- Name: wallets_reconciliationbreak_owner_id_c92baf84; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallets_reconciliationbreak_owner_id_c92baf84 ON public.wallets_reconciliationbreak USING btree (owner_id);


--
-- Name: withdrawal_approved_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_approved_by ON public.wallets_withdrawal USING btree (first_approver_id, actioned_on) WHERE (first_approver_id IS NOT NULL);


--
-- Name: withdrawal_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_ended ON public.wallets_withdrawal USING btree (updated_at, status, currency_id, disburse_amount) WHERE ((status)::text = ANY ((ARRAY['Completed'::character varying, 'Failed'::character varying, 'Reversed'::character varying])::text[]));


--
-- Name: withdrawal_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_failed ON public.wallets_withdrawal USING btree (updated_at) WHERE ((status)::text = 'Failed'::text);


--
-- Name: withdrawal_listed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_listed ON public.wallets_withdrawal USING btree (organisation_id, created_at DESC, id DESC);


--
-- Name: withdrawal_of_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_of_owner ON public.wallets_withdrawal USING btree (owner_id, created_at DESC);


--
-- Name: withdrawal_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX withdrawal_open ON public.wallets_withdrawal USING btree (status, created_at) WHERE ((status)::text = ANY ((ARRAY['Pending'::character varying, 'Approved'::character varying, 'Processing'::character varying, 'Unknown'::character varying])::text[]));


--
-- Name: exchange_accessproposal access_proposal_once; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER access_proposal_once BEFORE UPDATE ON public.exchange_accessproposal FOR EACH ROW EXECUTE FUNCTION public.access_proposal_once();


--
-- Name: oauth2_provider_accesstoken access_token_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER access_token_guard BEFORE UPDATE OF scope, expires, application_id ON public.oauth2_provider_accesstoken FOR EACH ROW EXECUTE FUNCTION public.access_token_guard();


--
-- Name: wallets_account account_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER account_guard AFTER DELETE OR UPDATE OF id, asset_id, kind, organisation_id, member_id ON public.wallets_account FOR EACH ROW EXECUTE FUNCTION public.account_guard();


--
-- Name: wallets_account account_guard_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER account_guard_truncate BEFORE TRUNCATE ON public.wallets_account FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_account account_starts_right; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER account_starts_right BEFORE INSERT ON public.wallets_account FOR EACH ROW EXECUTE FUNCTION public.account_starts_right();


--
-- Name: exchange_apikey api_key_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER api_key_guard BEFORE UPDATE OF scopes, organisation_id, expires_at, revoked_at ON public.exchange_apikey FOR EACH ROW EXECUTE FUNCTION public.api_key_guard();


--
-- Name: credit_repayment append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.credit_repayment FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_accessrecord append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.exchange_accessrecord FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_change append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.exchange_change FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_deliveryattempt append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.exchange_deliveryattempt FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: orders_trade append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.orders_trade FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_decision append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.wallets_decision FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_entry append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.wallets_entry FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_reconciliationline append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.wallets_reconciliationline FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_transfer append_only_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_rows BEFORE DELETE OR UPDATE ON public.wallets_transfer FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: credit_repayment append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.credit_repayment FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_accessrecord append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.exchange_accessrecord FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_change append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.exchange_change FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_deliveryattempt append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.exchange_deliveryattempt FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: orders_trade append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.orders_trade FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_decision append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.wallets_decision FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_entry append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.wallets_entry FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_reconciliationline append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.wallets_reconciliationline FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_transfer append_only_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.wallets_transfer FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: credit_configurationversion approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.credit_configurationversion FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('version', 'proposed_by', 'Pending', 'Approved', 'reason', 'status');


--
-- Name: credit_endingproposal approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.credit_endingproposal FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('ending', 'proposed_by_id', 'Pending', 'Confirmed', 'final_plan,final_owed,final_value,final_deficiency');


--
-- Name: exchange_quote approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.exchange_quote FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('quote', 'proposed_by_id', 'Pending', 'Approved', 'reason');


--
-- Name: wallets_breakexplanation approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.wallets_breakexplanation FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('explanation', 'proposed_by_id', 'Pending', 'Approved', 'reason');


--
-- Name: wallets_configurationfigure approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.wallets_configurationfigure FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('figure', 'proposed_by_id', 'Pending', 'Approved', 'decision_note,in_force_from', 'status,withdrawal_asked_by_id,withdrawal_reason,withdrawn_by_id,withdrawn_at');


--
-- Name: wallets_deposit approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.wallets_deposit FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('deposit', 'entered_by_id', 'Pending', 'Confirmed', 'reason,owner_id', 'owner_id');


--
-- Name: wallets_proposal approval_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approval_guard BEFORE INSERT OR DELETE OR UPDATE ON public.wallets_proposal FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('proposal', 'proposed_by_id', 'Open', 'Confirmed', '');


--
-- Name: auth_group audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.auth_group FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: auth_group_permissions audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.auth_group_permissions FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'group_id', '{}', '{}');


--
-- Name: credit_collateral audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_collateral FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: credit_configurationversion audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_configurationversion FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configuration_id', '{}', '{}');


--
-- Name: credit_configurationversion_organisations audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_configurationversion_organisations FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configurationversion_id', '{}', '{}');


--
-- Name: credit_endingproposal audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_endingproposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: credit_loan audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_loan FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{updated_at,collateral_text,document}');


--
-- Name: credit_loanconfiguration audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_loanconfiguration FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'creditor_id', '{}', '{updated_at}');


--
-- Name: credit_loanlimit audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_loanlimit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'version_id', '{}', '{}');


--
-- Name: credit_shortfall audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.credit_shortfall FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: exchange_accessproposal audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_accessproposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'person_id', '{}', '{}');


--
-- Name: exchange_apikey audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_apikey FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{client_secret}', '{updated,last_used_at}');


--
-- Name: exchange_currency audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_currency FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('code', '', '{}', '{}');


--
-- Name: exchange_event audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_event FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'subject_id', '{}', '{body,attempts,next_attempt_at,leased_until,delivered_at}');


--
-- Name: exchange_export audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_export FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'requested_by_id', '{}', '{rows_done,size_bytes,attempts,claimed_by,leased_until,as_of,finished_at}');


--
-- Name: exchange_member audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_member FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{updated_at,document}');


--
-- Name: exchange_organisation audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_organisation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{updated_at}');


--
-- Name: exchange_quote audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_quote FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{}');


--
-- Name: exchange_recoverycode audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_recoverycode FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'user_id', '{code_hash}', '{}');


--
-- Name: exchange_secondfactor audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_secondfactor FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('user_id', '', '{secret_encrypted}', '{last_step}');


--
-- Name: exchange_staffuser audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_staffuser FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{password}', '{last_login}');


--
-- Name: exchange_staffuser_groups audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_staffuser_groups FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'staffuser_id', '{}', '{}');


--
-- Name: exchange_staffuser_user_permissions audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_staffuser_user_permissions FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'staffuser_id', '{}', '{}');


--
-- Name: exchange_token audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_token FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{vol_buy,vol_sell,supply,total_allocated,total_raised,updated_at,document,words}');


--
-- Name: exchange_tokenaccess audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_tokenaccess FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{}');


--
-- Name: exchange_webhookendpoint audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.exchange_webhookendpoint FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{secret,previous_secret}', '{updated_at}');


--
-- Name: oauth2_provider_accesstoken audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.oauth2_provider_accesstoken FOR EACH ROW WHEN ((old.expires > now())) EXECUTE FUNCTION public.audit_row('id', 'application_id', '{token,token_checksum}', '{updated}');


--
-- Name: orders_order audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.orders_order FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{owner_id,updated_at,document}');


--
-- Name: wallets_account audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_account FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{balance,owner_id}');


--
-- Name: wallets_alert audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_alert FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{times}');


--
-- Name: wallets_asset audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_asset FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: wallets_bankaccount audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_bankaccount FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{document,words}');


--
-- Name: wallets_banklist audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_banklist FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('currency_id', '', '{}', '{fetched_at}');


--
-- Name: wallets_booksproof audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_booksproof FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: wallets_breakexplanation audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_breakexplanation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'subject_id', '{}', '{}');


--
-- Name: wallets_configuration audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_configuration FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('key', '', '{}', '{updated_at}');


--
-- Name: wallets_configurationfigure audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_configurationfigure FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configuration_id', '{}', '{}');


--
-- Name: wallets_deposit audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_deposit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{owner_id}');


--
-- Name: wallets_payout audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_payout FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('withdrawal_id', '', '{}', '{claimed_by,leased_until,attempts,next_step_at,look_ups,last_not_found_at,watch_until,updated_at}');


--
-- Name: wallets_payoutcircuit audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_payoutcircuit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{failures,next_probe_at,trial_until,quiet_until,updated_at}');


--
-- Name: wallets_proposal audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_proposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'withdrawal_id', '{}', '{}');


--
-- Name: wallets_providerevent audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_providerevent FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{seen}');


--
-- Name: wallets_reconciliation audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_reconciliation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{compared,claimed_by,leased_until,attempts,finished_at,balances_at,provisional}');


--
-- Name: wallets_reconciliationbreak audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_reconciliationbreak FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{latest_report_id,shown}');


--
-- Name: wallets_transferrule audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_transferrule FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('kind', '', '{}', '{}');


--
-- Name: wallets_withdrawal audit_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_delete AFTER DELETE ON public.wallets_withdrawal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{owner_id,updated_at,document}');


--
-- Name: auth_group audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.auth_group FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: auth_group_permissions audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.auth_group_permissions FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'group_id', '{}', '{}');


--
-- Name: credit_collateral audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_collateral FOR EACH ROW WHEN ((NOT public.recorded_by_function())) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: credit_configurationversion audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_configurationversion FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configuration_id', '{}', '{}');


--
-- Name: credit_configurationversion_organisations audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_configurationversion_organisations FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configurationversion_id', '{}', '{}');


--
-- Name: credit_endingproposal audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_endingproposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: credit_loan audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_loan FOR EACH ROW WHEN ((NOT public.recorded_by_function())) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{updated_at,collateral_text,document}');


--
-- Name: credit_loanconfiguration audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_loanconfiguration FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'creditor_id', '{}', '{updated_at}');


--
-- Name: credit_loanlimit audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_loanlimit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'version_id', '{}', '{}');


--
-- Name: credit_shortfall audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.credit_shortfall FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: exchange_accessproposal audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_accessproposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'person_id', '{}', '{}');


--
-- Name: exchange_apikey audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_apikey FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{client_secret}', '{updated,last_used_at}');


--
-- Name: exchange_currency audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_currency FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('code', '', '{}', '{}');


--
-- Name: exchange_export audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_export FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'requested_by_id', '{}', '{rows_done,size_bytes,attempts,claimed_by,leased_until,as_of,finished_at}');


--
-- Name: exchange_member audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_member FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{updated_at,document}');


--
-- Name: exchange_organisation audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_organisation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{updated_at}');


--
-- Name: exchange_quote audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_quote FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{}');


--
-- Name: exchange_recoverycode audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_recoverycode FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'user_id', '{code_hash}', '{}');


--
-- Name: exchange_secondfactor audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_secondfactor FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('user_id', '', '{secret_encrypted}', '{last_step}');


--
-- Name: exchange_staffuser audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_staffuser FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{password}', '{last_login}');


--
-- Name: exchange_staffuser_groups audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_staffuser_groups FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'staffuser_id', '{}', '{}');


--
-- Name: exchange_staffuser_user_permissions audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_staffuser_user_permissions FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'staffuser_id', '{}', '{}');


--
-- Name: exchange_token audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_token FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{vol_buy,vol_sell,supply,total_allocated,total_raised,updated_at,document,words}');


--
-- Name: exchange_tokenaccess audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_tokenaccess FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{}');


--
-- Name: exchange_webhookendpoint audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.exchange_webhookendpoint FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{secret,previous_secret}', '{updated_at}');


--
-- Name: oauth2_provider_accesstoken audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.oauth2_provider_accesstoken FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'application_id', '{token,token_checksum}', '{updated}');


--
-- Name: orders_order audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.orders_order FOR EACH ROW WHEN ((NOT public.recorded_by_function())) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{owner_id,updated_at,document}');


--
-- Name: wallets_alert audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_alert FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{times}');


--
-- Name: wallets_bankaccount audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_bankaccount FOR EACH ROW WHEN ((NOT public.recorded_by_function())) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{document,words}');


--
-- Name: wallets_banklist audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_banklist FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('currency_id', '', '{}', '{fetched_at}');


--
-- Name: wallets_breakexplanation audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_breakexplanation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'subject_id', '{}', '{}');


--
-- Name: wallets_configuration audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_configuration FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('key', '', '{}', '{updated_at}');


--
-- Name: wallets_configurationfigure audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_configurationfigure FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configuration_id', '{}', '{}');


--
-- Name: wallets_deposit audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_deposit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{owner_id}');


--
-- Name: wallets_payout audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_payout FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('withdrawal_id', '', '{}', '{claimed_by,leased_until,attempts,next_step_at,look_ups,last_not_found_at,watch_until,updated_at}');


--
-- Name: wallets_payoutcircuit audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_payoutcircuit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{failures,next_probe_at,trial_until,quiet_until,updated_at}');


--
-- Name: wallets_proposal audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_proposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'withdrawal_id', '{}', '{}');


--
-- Name: wallets_reconciliation audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_reconciliation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{compared,claimed_by,leased_until,attempts,finished_at,balances_at,provisional}');


--
-- Name: wallets_reconciliationbreak audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_reconciliationbreak FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{latest_report_id,shown}');


--
-- Name: wallets_withdrawal audit_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_insert AFTER INSERT ON public.wallets_withdrawal FOR EACH ROW WHEN ((NOT public.recorded_by_function())) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{owner_id,updated_at,document}');


--
-- Name: auth_group audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.auth_group FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: auth_group_permissions audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.auth_group_permissions FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_collateral audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_collateral FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_configurationversion audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_configurationversion FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_configurationversion_organisations audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_configurationversion_organisations FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_endingproposal audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_endingproposal FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_loan audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_loan FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_loanconfiguration audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_loanconfiguration FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_loanlimit audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_loanlimit FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: credit_shortfall audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.credit_shortfall FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_accessproposal audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_accessproposal FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_apikey audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_apikey FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_currency audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_currency FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_event audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_event FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_export audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_export FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_member audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_member FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_organisation audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_organisation FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_quote audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_quote FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_recoverycode audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_recoverycode FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_secondfactor audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_secondfactor FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_staffuser audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_staffuser FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_staffuser_groups audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_staffuser_groups FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_staffuser_user_permissions audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_staffuser_user_permissions FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_token audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_token FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_tokenaccess audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_tokenaccess FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: exchange_webhookendpoint audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.exchange_webhookendpoint FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: oauth2_provider_accesstoken audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.oauth2_provider_accesstoken FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: orders_order audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.orders_order FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_account audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_account FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_alert audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_alert FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_asset audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_asset FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_bankaccount audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_bankaccount FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_banklist audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_banklist FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_booksproof audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_booksproof FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_breakexplanation audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_breakexplanation FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_configuration audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_configuration FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_configurationfigure audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_configurationfigure FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_deposit audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_deposit FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_payout audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_payout FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_payoutcircuit audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_payoutcircuit FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_proposal audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_proposal FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_providerevent audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_providerevent FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_reconciliation audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_reconciliation FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_reconciliationbreak audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_reconciliationbreak FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_transferrule audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_transferrule FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: wallets_withdrawal audit_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_truncate AFTER TRUNCATE ON public.wallets_withdrawal FOR EACH STATEMENT EXECUTE FUNCTION public.audit_truncate();


--
-- Name: auth_group audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.auth_group FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: auth_group_permissions audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.auth_group_permissions FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'group_id', '{}', '{}');


--
-- Name: credit_collateral audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.credit_collateral FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: credit_configurationversion audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.credit_configurationversion FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configuration_id', '{}', '{}');


--
-- Name: credit_configurationversion_organisations audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.credit_configurationversion_organisations FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configurationversion_id', '{}', '{}');


--
-- Name: credit_endingproposal audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.credit_endingproposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: credit_loan audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, amount, repayment_amount, repayment_date, interest_rate, collateral_ratio, duration, grace_period, grace_period_unit, status, interest_repaid, principal_repaid, reason, bank_name, bank_code, account_number, requested_by, created_at, closed_at, borrower_id, creditor_id, currency_id, organisation_id, version_id, configuration_id ON public.credit_loan FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{updated_at,collateral_text,document}');


--
-- Name: credit_loanconfiguration audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, status, created_at, creditor_id ON public.credit_loanconfiguration FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'creditor_id', '{}', '{updated_at}');


--
-- Name: credit_loanlimit audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.credit_loanlimit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'version_id', '{}', '{}');


--
-- Name: credit_shortfall audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.credit_shortfall FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'loan_id', '{}', '{}');


--
-- Name: exchange_accessproposal audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_accessproposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'person_id', '{}', '{}');


--
-- Name: exchange_apikey audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF client_id, redirect_uris, post_logout_redirect_uris, client_type, authorization_grant_type, client_secret, hash_client_secret, name, skip_authorization, created, algorithm, allowed_origins, registration_source, cimd_expires_at, id, scopes, expires_at, revoked_at, user_id, organisation_id, rotated_to_id ON public.exchange_apikey FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{client_secret}', '{updated,last_used_at}');


--
-- Name: exchange_currency audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_currency FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('code', '', '{}', '{}');


--
-- Name: exchange_event audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, type, subject_id, status, created_at, organisation_id ON public.exchange_event FOR EACH ROW WHEN ((((new.status)::text = 'Pending'::text) AND ((old.status)::text <> 'Pending'::text))) EXECUTE FUNCTION public.audit_row('id', 'subject_id', '{}', '{body,attempts,next_attempt_at,leased_until,delivered_at}');


--
-- Name: exchange_export audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, source, title, query, filter_words, first_day, last_day, form, file_name, status, direct, about_rows, error, created_at, requested_by_id ON public.exchange_export FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'requested_by_id', '{}', '{rows_done,size_bytes,attempts,claimed_by,leased_until,as_of,finished_at}');


--
-- Name: exchange_member audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, name, email, external_id, created_at, organisation_id ON public.exchange_member FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{updated_at,document}');


--
-- Name: exchange_organisation audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, name, email, active, created_at ON public.exchange_organisation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{updated_at}');


--
-- Name: exchange_quote audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_quote FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{}');


--
-- Name: exchange_recoverycode audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_recoverycode FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'user_id', '{code_hash}', '{}');


--
-- Name: exchange_secondfactor audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF user_id, secret_encrypted, set_up_at ON public.exchange_secondfactor FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('user_id', '', '{secret_encrypted}', '{last_step}');


--
-- Name: exchange_staffuser audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF password, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined, id, session_epoch, access_changed_at, public_id ON public.exchange_staffuser FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{password}', '{last_login}');


--
-- Name: exchange_staffuser_groups audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_staffuser_groups FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'staffuser_id', '{}', '{}');


--
-- Name: exchange_staffuser_user_permissions audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_staffuser_user_permissions FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'staffuser_id', '{}', '{}');


--
-- Name: exchange_token audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, name, symbol, reference, image, listing_reference, type, deal_access, investment_type, investment_category, payout_frequency, price_buy, price_sell, price_exchange, prev_price_buy, prev_price_sell, prev_price_exchange, quoted_at, min_buy, min_sell, max_buy, max_sell, min_trade_buy, min_trade_sell, max_trade_buy, max_trade_sell, buy_fee, sell_fee, carry, management_fee, discount, interest, dividend, tenor, valuation, post_raise_valuation, total_supply, raise_amount, completed_raise, secondaries, closed, exited, cancelled, esop_token, created_at, creator_id, currency_id, issuer_id ON public.exchange_token FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{vol_buy,vol_sell,supply,total_allocated,total_raised,updated_at,document,words}');


--
-- Name: exchange_tokenaccess audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.exchange_tokenaccess FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{}');


--
-- Name: exchange_webhookendpoint audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, url, secret, previous_secret, previous_secret_until, enabled, disabled_reason, created_at, organisation_id ON public.exchange_webhookendpoint FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{secret,previous_secret}', '{updated_at}');


--
-- Name: oauth2_provider_accesstoken audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, token, expires, scope, application_id, user_id, created, source_refresh_token_id, id_token_id, token_checksum, resource ON public.oauth2_provider_accesstoken FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'application_id', '{token,token_checksum}', '{updated}');


--
-- Name: orders_order audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, seq, owner_model, type, price, tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee, reserved, customer_name, customer_email, client_order_id, placed_by, reason, created_at, closed_at, api_key_id, member_id, organisation_id, token_id ON public.orders_order FOR EACH ROW WHEN (((NOT public.recorded_by_function()) OR ((new.status)::text = 'Cancelled'::text))) EXECUTE FUNCTION public.audit_row('id', 'token_id', '{}', '{owner_id,updated_at,document}');


--
-- Name: wallets_account audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, kind, member_id, organisation_id, asset_id ON public.wallets_account FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{balance,owner_id}');


--
-- Name: wallets_alert audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, kind, subject, message, raised_at, resolved_at ON public.wallets_alert FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{times}');


--
-- Name: wallets_asset audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.wallets_asset FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: wallets_bankaccount audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, name, code, provider_bank_id, account_number, account_name, given_name, name_resolved, branch_code, recipient_first_name, recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at, currency_id, organisation_id ON public.wallets_bankaccount FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{document,words}');


--
-- Name: wallets_banklist audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF currency_id, banks ON public.wallets_banklist FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('currency_id', '', '{}', '{fetched_at}');


--
-- Name: wallets_booksproof audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.wallets_booksproof FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{}');


--
-- Name: wallets_breakexplanation audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.wallets_breakexplanation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'subject_id', '{}', '{}');


--
-- Name: wallets_configuration audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF key, value, description ON public.wallets_configuration FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('key', '', '{}', '{updated_at}');


--
-- Name: wallets_configurationfigure audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.wallets_configurationfigure FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'configuration_id', '{}', '{}');


--
-- Name: wallets_deposit audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, amount, reference, note, status, decided_at, reason, created_at, currency_id, decided_by_id, entered_by_id, member_id, organisation_id ON public.wallets_deposit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{owner_id}');


--
-- Name: wallets_payout audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF withdrawal_id, posted_at, provider_id, provider_status, provider_fee, provider_message, last_error, not_found_count, first_not_found_at, settled_at, created_at ON public.wallets_payout FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('withdrawal_id', '', '{}', '{claimed_by,leased_until,attempts,next_step_at,look_ups,last_not_found_at,watch_until,updated_at}');


--
-- Name: wallets_payoutcircuit audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, state, failed_trials, reason, opened_at, trial_id ON public.wallets_payoutcircuit FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{failures,next_probe_at,trial_until,quiet_until,updated_at}');


--
-- Name: wallets_proposal audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.wallets_proposal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'withdrawal_id', '{}', '{}');


--
-- Name: wallets_providerevent audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, digest, reference, provider_id, body, received_at ON public.wallets_providerevent FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{seen}');


--
-- Name: wallets_reconciliation audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, day, status, reason, differences, asked_by, asked_by_label, created_at ON public.wallets_reconciliation FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{compared,claimed_by,leased_until,attempts,finished_at,balances_at,provisional}');


--
-- Name: wallets_reconciliationbreak audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, day, kind, our_amount, their_amount, difference, our_text, their_text, reference, provider_id, status, created_at, currency_id, first_report_id, owner_id, withdrawal_id ON public.wallets_reconciliationbreak FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', '', '{}', '{latest_report_id,shown}');


--
-- Name: wallets_transferrule audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE ON public.wallets_transferrule FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('kind', '', '{}', '{}');


--
-- Name: wallets_withdrawal audit_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_update AFTER UPDATE OF id, reference, amount, fee, disburse_amount, gusd_amount, internal_fee, internal_fee_type, status, version, requested_by, approvals_needed, actioned_on, actioned_by, reason, created_at, bank_id, currency_id, escrow_account_id, first_approver_id, member_id, organisation_id, second_approver_id ON public.wallets_withdrawal FOR EACH ROW WHEN (true) EXECUTE FUNCTION public.audit_row('id', 'organisation_id', '{}', '{owner_id,updated_at,document}');


--
-- Name: wallets_bankaccount bank_account_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER bank_account_guard BEFORE DELETE OR UPDATE ON public.wallets_bankaccount FOR EACH ROW EXECUTE FUNCTION public.bank_account_guard();


--
-- Name: wallets_reconciliationbreak break_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER break_guard BEFORE INSERT OR UPDATE OF status, owner_id ON public.wallets_reconciliationbreak FOR EACH ROW EXECUTE FUNCTION public.break_guard();


--
-- Name: exchange_token catalogue_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER catalogue_changed AFTER INSERT OR DELETE OR UPDATE OF issuer_id, name, symbol, currency_id, type, deal_access, investment_type, investment_category, completed_raise, secondaries, closed, exited, cancelled ON public.exchange_token FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_changed();


--
-- Name: exchange_tokenaccess catalogue_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER catalogue_changed AFTER INSERT OR DELETE OR UPDATE ON public.exchange_tokenaccess FOR EACH STATEMENT EXECUTE FUNCTION public.catalogue_changed();


--
-- Name: credit_loanconfiguration configuration_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER configuration_guard BEFORE UPDATE ON public.credit_loanconfiguration FOR EACH ROW EXECUTE FUNCTION public.configuration_guard();


--
-- Name: wallets_configuration configuration_key_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER configuration_key_guard BEFORE UPDATE ON public.wallets_configuration FOR EACH ROW EXECUTE FUNCTION public.configuration_key_guard();


--
-- Name: credit_configurationversion configuration_matches; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER configuration_matches AFTER INSERT OR UPDATE ON public.credit_configurationversion DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.configuration_matches();


--
-- Name: credit_loanconfiguration configuration_matches; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER configuration_matches AFTER INSERT OR UPDATE ON public.credit_loanconfiguration DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.configuration_matches();


--
-- Name: wallets_deposit deposit_entry; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER deposit_entry BEFORE INSERT OR UPDATE ON public.wallets_deposit FOR EACH ROW EXECUTE FUNCTION public.deposit_entry();


--
-- Name: credit_endingproposal ending_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER ending_guard BEFORE INSERT OR UPDATE ON public.credit_endingproposal FOR EACH ROW EXECUTE FUNCTION public.ending_guard();


--
-- Name: exchange_event event_frozen; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER event_frozen BEFORE UPDATE ON public.exchange_event FOR EACH ROW EXECUTE FUNCTION public.event_guard();


--
-- Name: wallets_configurationfigure figure_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER figure_guard BEFORE INSERT OR UPDATE ON public.wallets_configurationfigure FOR EACH ROW EXECUTE FUNCTION public.figure_guard();


--
-- Name: wallets_entry legs_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER legs_guard AFTER INSERT ON public.wallets_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.legs_guard();


--
-- Name: credit_loan loan_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER loan_guard BEFORE INSERT OR DELETE OR UPDATE ON public.credit_loan FOR EACH ROW EXECUTE FUNCTION public.loan_guard();


--
-- Name: credit_loan loan_outstanding; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER loan_outstanding AFTER INSERT OR UPDATE OF principal_repaid, closed_at ON public.credit_loan FOR EACH ROW EXECUTE FUNCTION public.loan_outstanding();


--
-- Name: credit_loan loan_terms; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER loan_terms BEFORE INSERT ON public.credit_loan FOR EACH ROW EXECUTE FUNCTION public.loan_terms();


--
-- Name: orders_order order_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER order_guard BEFORE DELETE OR UPDATE ON public.orders_order FOR EACH ROW EXECUTE FUNCTION public.order_guard();


--
-- Name: orders_order order_state; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER order_state BEFORE INSERT OR UPDATE ON public.orders_order FOR EACH ROW EXECUTE FUNCTION public.order_state();


--
-- Name: wallets_payoutcircuit payout_circuit_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payout_circuit_guard BEFORE UPDATE ON public.wallets_payoutcircuit FOR EACH ROW EXECUTE FUNCTION public.payout_circuit_guard();


--
-- Name: wallets_payout payout_post_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payout_post_guard BEFORE UPDATE OF posted_at ON public.wallets_payout FOR EACH ROW WHEN (((old.posted_at IS NULL) AND (new.posted_at IS NOT NULL))) EXECUTE FUNCTION public.payout_post_guard();


--
-- Name: exchange_currency permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.exchange_currency FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_member permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.exchange_member FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_organisation permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.exchange_organisation FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_token permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.exchange_token FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: orders_order permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.orders_order FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_configurationfigure permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.wallets_configurationfigure FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_payoutcircuit permanent_rows; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_rows BEFORE DELETE ON public.wallets_payoutcircuit FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_currency permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.exchange_currency FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_member permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.exchange_member FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_organisation permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.exchange_organisation FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_token permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.exchange_token FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: orders_order permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.orders_order FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_configurationfigure permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.wallets_configurationfigure FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: wallets_payoutcircuit permanent_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON public.wallets_payoutcircuit FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: exchange_token price_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER price_guard AFTER UPDATE OF price_buy, price_sell, price_exchange, quoted_at ON public.exchange_token DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((((old.price_buy IS DISTINCT FROM new.price_buy) OR (old.price_sell IS DISTINCT FROM new.price_sell)) OR (old.price_exchange IS DISTINCT FROM new.price_exchange)) OR COALESCE((new.quoted_at > old.quoted_at), (new.quoted_at IS NOT NULL)))) EXECUTE FUNCTION public.price_guard();


--
-- Name: credit_repayment repayment_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER repayment_guard BEFORE INSERT ON public.credit_repayment FOR EACH ROW EXECUTE FUNCTION public.repayment_guard();


--
-- Name: exchange_staffuser staff_access_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER staff_access_guard BEFORE UPDATE OF access_changed_at, is_active ON public.exchange_staffuser FOR EACH ROW EXECUTE FUNCTION public.staff_access_guard();


--
-- Name: exchange_staffuser superuser_guard_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER superuser_guard_insert BEFORE INSERT ON public.exchange_staffuser FOR EACH ROW WHEN (new.is_superuser) EXECUTE FUNCTION public.superuser_guard();


--
-- Name: exchange_staffuser superuser_guard_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER superuser_guard_update BEFORE UPDATE OF is_superuser ON public.exchange_staffuser FOR EACH ROW WHEN ((new.is_superuser AND (NOT old.is_superuser))) EXECUTE FUNCTION public.superuser_guard();


--
-- Name: exchange_token token_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER token_guard BEFORE INSERT OR UPDATE ON public.exchange_token FOR EACH ROW EXECUTE FUNCTION public.token_guard();


--
-- Name: exchange_token token_terms; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER token_terms BEFORE INSERT OR UPDATE OF secondaries, completed_raise, raise_amount, price_buy, price_sell, price_exchange, prev_price_buy, prev_price_sell, prev_price_exchange, valuation, post_raise_valuation, buy_fee, sell_fee, carry, management_fee, discount, interest, dividend, min_buy, max_buy, min_sell, max_sell, min_trade_buy, max_trade_buy, min_trade_sell, max_trade_sell, image, type, deal_access, investment_type, investment_category, payout_frequency ON public.exchange_token FOR EACH ROW EXECUTE FUNCTION public.token_terms();


--
-- Name: exchange_token token_words; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER token_words BEFORE INSERT OR UPDATE OF name, words ON public.exchange_token FOR EACH ROW EXECUTE FUNCTION public.token_words();


--
-- Name: wallets_transfer transfer_justified; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER transfer_justified AFTER INSERT ON public.wallets_transfer DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.transfer_justified();


--
-- Name: wallets_transfer transfer_stamp; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER transfer_stamp BEFORE INSERT ON public.wallets_transfer FOR EACH ROW EXECUTE FUNCTION public.transfer_stamp();


--
-- Name: exchange_accessproposal two_person_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER two_person_guard AFTER INSERT OR DELETE OR UPDATE ON public.exchange_accessproposal FOR EACH ROW EXECUTE FUNCTION public.two_person_guard('access_proposal', 'proposed_by_id', 'Pending', 'Approved', 'reason,proposed_by_id,person_id', 'collected_at,key_id');


--
-- Name: credit_configurationversion version_decision; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER version_decision BEFORE UPDATE ON public.credit_configurationversion FOR EACH ROW EXECUTE FUNCTION public.version_decision();


--
-- Name: credit_configurationversion_organisations version_part_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER version_part_guard BEFORE INSERT OR DELETE OR UPDATE ON public.credit_configurationversion_organisations FOR EACH ROW EXECUTE FUNCTION public.version_part_guard();


--
-- Name: credit_loanlimit version_part_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER version_part_guard BEFORE INSERT OR DELETE OR UPDATE ON public.credit_loanlimit FOR EACH ROW EXECUTE FUNCTION public.version_part_guard();


--
-- Name: wallets_withdrawal withdrawal_guard; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER withdrawal_guard BEFORE INSERT OR DELETE OR UPDATE ON public.wallets_withdrawal FOR EACH ROW EXECUTE FUNCTION public.withdrawal_guard();


--
-- Name: credit_loan zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.credit_loan FOR EACH ROW EXECUTE FUNCTION public.credit_loan_document();


--
-- Name: exchange_member zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.exchange_member FOR EACH ROW EXECUTE FUNCTION public.exchange_member_document();


--
-- Name: exchange_token zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.exchange_token FOR EACH ROW EXECUTE FUNCTION public.exchange_token_document();


--
-- Name: orders_order zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.orders_order FOR EACH ROW EXECUTE FUNCTION public.orders_order_document();


--
-- Name: orders_trade zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.orders_trade FOR EACH ROW EXECUTE FUNCTION public.orders_trade_document();


--
-- Name: wallets_bankaccount zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.wallets_bankaccount FOR EACH ROW EXECUTE FUNCTION public.wallets_bankaccount_document();


--
-- Name: wallets_withdrawal zz_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER zz_document BEFORE INSERT OR UPDATE ON public.wallets_withdrawal FOR EACH ROW EXECUTE FUNCTION public.wallets_withdrawal_document();


--
-- Name: wallets_account account_member_of_organisation; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_account
    ADD CONSTRAINT account_member_of_organisation FOREIGN KEY (member_id, organisation_id) REFERENCES public.exchange_member(id, organisation_id);


--
-- Name: auth_group_permissions auth_group_permissio_permission_id_84c5c92e_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissions_group_id_b120cbf9_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_permission auth_permission_content_type_id_2f476e4b_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_collateral credit_collateral_loan_id_ee25a808_fk_credit_loan_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_collateral
    ADD CONSTRAINT credit_collateral_loan_id_ee25a808_fk_credit_loan_id FOREIGN KEY (loan_id) REFERENCES public.credit_loan(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_collateral credit_collateral_token_id_7531c5aa_fk_exchange_token_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_collateral
    ADD CONSTRAINT credit_collateral_token_id_7531c5aa_fk_exchange_token_id FOREIGN KEY (token_id) REFERENCES public.exchange_token(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_configurationversion credit_configuration_configuration_id_3261fe5f_fk_credit_lo; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion
    ADD CONSTRAINT credit_configuration_configuration_id_3261fe5f_fk_credit_lo FOREIGN KEY (configuration_id) REFERENCES public.credit_loanconfiguration(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_configurationversion_organisations credit_configuration_configurationversion_cef625ca_fk_credit_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion_organisations
    ADD CONSTRAINT credit_configuration_configurationversion_cef625ca_fk_credit_co FOREIGN KEY (configurationversion_id) REFERENCES public.credit_configurationversion(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_configurationversion credit_configuration_decided_by_id_405184bc_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_configurationversion
    ADD CONSTRAINT credit_configuration_decided_by_id_405184bc_fk_exchange_ FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_endingproposal credit_endingproposa_decided_by_id_d121408e_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_endingproposal
    ADD CONSTRAINT credit_endingproposa_decided_by_id_d121408e_fk_exchange_ FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_endingproposal credit_endingproposa_proposed_by_id_aa634510_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_endingproposal
    ADD CONSTRAINT credit_endingproposa_proposed_by_id_aa634510_fk_exchange_ FOREIGN KEY (proposed_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_endingproposal credit_endingproposal_loan_id_5c757403_fk_credit_loan_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_endingproposal
    ADD CONSTRAINT credit_endingproposal_loan_id_5c757403_fk_credit_loan_id FOREIGN KEY (loan_id) REFERENCES public.credit_loan(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loan credit_loan_configuration_id_a73a1713_fk_credit_lo; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT credit_loan_configuration_id_a73a1713_fk_credit_lo FOREIGN KEY (configuration_id) REFERENCES public.credit_loanconfiguration(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loan credit_loan_creditor_id_98899040_fk_exchange_organisation_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT credit_loan_creditor_id_98899040_fk_exchange_organisation_id FOREIGN KEY (creditor_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loan credit_loan_currency_id_556e02d8_fk_exchange_currency_code; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT credit_loan_currency_id_556e02d8_fk_exchange_currency_code FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loan credit_loan_organisation_id_7c18651e_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT credit_loan_organisation_id_7c18651e_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loan credit_loan_version_id_e09bb88f_fk_credit_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT credit_loan_version_id_e09bb88f_fk_credit_co FOREIGN KEY (version_id) REFERENCES public.credit_configurationversion(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loanconfiguration credit_loanconfigura_creditor_id_dcccf182_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loanconfiguration
    ADD CONSTRAINT credit_loanconfigura_creditor_id_dcccf182_fk_exchange_ FOREIGN KEY (creditor_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loanlimit credit_loanlimit_currency_id_c98e202d_fk_exchange_currency_code; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loanlimit
    ADD CONSTRAINT credit_loanlimit_currency_id_c98e202d_fk_exchange_currency_code FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loanlimit credit_loanlimit_version_id_f526eaff_fk_credit_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loanlimit
    ADD CONSTRAINT credit_loanlimit_version_id_f526eaff_fk_credit_co FOREIGN KEY (version_id) REFERENCES public.credit_configurationversion(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_outstanding credit_outstanding_configuration_id_50840e6f_fk_credit_lo; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_outstanding
    ADD CONSTRAINT credit_outstanding_configuration_id_50840e6f_fk_credit_lo FOREIGN KEY (configuration_id) REFERENCES public.credit_loanconfiguration(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_outstanding credit_outstanding_currency_id_18f73307_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_outstanding
    ADD CONSTRAINT credit_outstanding_currency_id_18f73307_fk_exchange_ FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_repayment credit_repayment_loan_id_f09c4b7d_fk_credit_loan_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_repayment
    ADD CONSTRAINT credit_repayment_loan_id_f09c4b7d_fk_credit_loan_id FOREIGN KEY (loan_id) REFERENCES public.credit_loan(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_shortfall credit_shortfall_loan_id_64b61e35_fk_credit_loan_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_shortfall
    ADD CONSTRAINT credit_shortfall_loan_id_64b61e35_fk_credit_loan_id FOREIGN KEY (loan_id) REFERENCES public.credit_loan(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_valuation credit_valuation_loan_id_8ad1595e_fk_credit_loan_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_valuation
    ADD CONSTRAINT credit_valuation_loan_id_8ad1595e_fk_credit_loan_id FOREIGN KEY (loan_id) REFERENCES public.credit_loan(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_deposit deposit_member_of_organisation; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_deposit
    ADD CONSTRAINT deposit_member_of_organisation FOREIGN KEY (member_id, organisation_id) REFERENCES public.exchange_member(id, organisation_id);


--
-- Name: django_admin_log django_admin_log_content_type_id_c4bce8eb_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_user_id_c564eba6_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_exchange_staffuser_id FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessproposal exchange_accesspropo_decided_by_id_081bb2d7_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessproposal
    ADD CONSTRAINT exchange_accesspropo_decided_by_id_081bb2d7_fk_exchange_ FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessproposal exchange_accesspropo_organisation_id_58c58a9c_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessproposal
    ADD CONSTRAINT exchange_accesspropo_organisation_id_58c58a9c_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessproposal exchange_accesspropo_person_id_6686756f_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessproposal
    ADD CONSTRAINT exchange_accesspropo_person_id_6686756f_fk_exchange_ FOREIGN KEY (person_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessproposal exchange_accesspropo_proposed_by_id_101a88c5_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessproposal
    ADD CONSTRAINT exchange_accesspropo_proposed_by_id_101a88c5_fk_exchange_ FOREIGN KEY (proposed_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessproposal exchange_accessproposal_key_id_5f69d567_fk_exchange_apikey_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessproposal
    ADD CONSTRAINT exchange_accessproposal_key_id_5f69d567_fk_exchange_apikey_id FOREIGN KEY (key_id) REFERENCES public.exchange_apikey(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessrecord exchange_accessrecord_by_id_39177f7e_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessrecord
    ADD CONSTRAINT exchange_accessrecord_by_id_39177f7e_fk_exchange_staffuser_id FOREIGN KEY (by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_accessrecord exchange_accessrecord_user_id_099eb3a5_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_accessrecord
    ADD CONSTRAINT exchange_accessrecord_user_id_099eb3a5_fk_exchange_staffuser_id FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_apikey exchange_apikey_organisation_id_6f936332_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT exchange_apikey_organisation_id_6f936332_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_apikey exchange_apikey_rotated_to_id_6bc99262_fk_exchange_apikey_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT exchange_apikey_rotated_to_id_6bc99262_fk_exchange_apikey_id FOREIGN KEY (rotated_to_id) REFERENCES public.exchange_apikey(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_apikey exchange_apikey_user_id_2cd269be_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_apikey
    ADD CONSTRAINT exchange_apikey_user_id_2cd269be_fk_exchange_staffuser_id FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_deliveryattempt exchange_deliveryattempt_event_id_47aaad0f_fk_exchange_event_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_deliveryattempt
    ADD CONSTRAINT exchange_deliveryattempt_event_id_47aaad0f_fk_exchange_event_id FOREIGN KEY (event_id) REFERENCES public.exchange_event(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_export exchange_export_requested_by_id_a89c3eed_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_export
    ADD CONSTRAINT exchange_export_requested_by_id_a89c3eed_fk_exchange_ FOREIGN KEY (requested_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_exportchunk exchange_exportchunk_export_id_c611df8b_fk_exchange_export_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_exportchunk
    ADD CONSTRAINT exchange_exportchunk_export_id_c611df8b_fk_exchange_export_id FOREIGN KEY (export_id) REFERENCES public.exchange_export(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_idempotencyrecord exchange_idempotency_organisation_id_72445e89_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_idempotencyrecord
    ADD CONSTRAINT exchange_idempotency_organisation_id_72445e89_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_member exchange_member_organisation_id_f4550a4c_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_member
    ADD CONSTRAINT exchange_member_organisation_id_f4550a4c_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_quote exchange_quote_decided_by_id_cb63904a_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_quote
    ADD CONSTRAINT exchange_quote_decided_by_id_cb63904a_fk_exchange_staffuser_id FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_quote exchange_quote_proposed_by_id_3f502970_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_quote
    ADD CONSTRAINT exchange_quote_proposed_by_id_3f502970_fk_exchange_staffuser_id FOREIGN KEY (proposed_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_quote exchange_quote_token_id_65ae58c8_fk_exchange_token_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_quote
    ADD CONSTRAINT exchange_quote_token_id_65ae58c8_fk_exchange_token_id FOREIGN KEY (token_id) REFERENCES public.exchange_token(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_recoverycode exchange_recoverycode_user_id_0ce88ea9_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_recoverycode
    ADD CONSTRAINT exchange_recoverycode_user_id_0ce88ea9_fk_exchange_staffuser_id FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_secondfactor exchange_secondfactor_user_id_b5160a12_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_secondfactor
    ADD CONSTRAINT exchange_secondfactor_user_id_b5160a12_fk_exchange_staffuser_id FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_staffuser_groups exchange_staffuser_g_staffuser_id_e896b44e_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_groups
    ADD CONSTRAINT exchange_staffuser_g_staffuser_id_e896b44e_fk_exchange_ FOREIGN KEY (staffuser_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_staffuser_groups exchange_staffuser_groups_group_id_0e889e4c_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_groups
    ADD CONSTRAINT exchange_staffuser_groups_group_id_0e889e4c_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_staffuser_user_permissions exchange_staffuser_u_permission_id_cbd22310_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_user_permissions
    ADD CONSTRAINT exchange_staffuser_u_permission_id_cbd22310_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_staffuser_user_permissions exchange_staffuser_u_staffuser_id_e8af8a12_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_staffuser_user_permissions
    ADD CONSTRAINT exchange_staffuser_u_staffuser_id_e8af8a12_fk_exchange_ FOREIGN KEY (staffuser_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_token exchange_token_creator_id_9170ca0e_fk_exchange_member_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_token
    ADD CONSTRAINT exchange_token_creator_id_9170ca0e_fk_exchange_member_id FOREIGN KEY (creator_id) REFERENCES public.exchange_member(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_token exchange_token_currency_id_4325d3b7_fk_exchange_currency_code; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_token
    ADD CONSTRAINT exchange_token_currency_id_4325d3b7_fk_exchange_currency_code FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_token exchange_token_issuer_id_ac6ada0b_fk_exchange_organisation_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_token
    ADD CONSTRAINT exchange_token_issuer_id_ac6ada0b_fk_exchange_organisation_id FOREIGN KEY (issuer_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_tokenaccess exchange_tokenaccess_granted_by_id_74c5624b_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_tokenaccess
    ADD CONSTRAINT exchange_tokenaccess_granted_by_id_74c5624b_fk_exchange_ FOREIGN KEY (granted_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_tokenaccess exchange_tokenaccess_organisation_id_07afd523_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_tokenaccess
    ADD CONSTRAINT exchange_tokenaccess_organisation_id_07afd523_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_tokenaccess exchange_tokenaccess_token_id_78a6174e_fk_exchange_token_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_tokenaccess
    ADD CONSTRAINT exchange_tokenaccess_token_id_78a6174e_fk_exchange_token_id FOREIGN KEY (token_id) REFERENCES public.exchange_token(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange_webhookendpoint exchange_webhookendp_organisation_id_6ab67269_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange_webhookendpoint
    ADD CONSTRAINT exchange_webhookendp_organisation_id_6ab67269_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: credit_loan loan_borrower_of_organisation; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_loan
    ADD CONSTRAINT loan_borrower_of_organisation FOREIGN KEY (borrower_id, organisation_id) REFERENCES public.exchange_member(id, organisation_id);


--
-- Name: oauth2_provider_accesstoken oauth2_provider_acce_application_id_b22886e1_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_application_id_b22886e1_fk_exchange_ FOREIGN KEY (application_id) REFERENCES public.exchange_apikey(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_accesstoken oauth2_provider_acce_id_token_id_85db651b_fk_oauth2_pr; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_id_token_id_85db651b_fk_oauth2_pr FOREIGN KEY (id_token_id) REFERENCES public.oauth2_provider_idtoken(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_accesstoken oauth2_provider_acce_source_refresh_token_e66fbc72_fk_oauth2_pr; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_source_refresh_token_e66fbc72_fk_oauth2_pr FOREIGN KEY (source_refresh_token_id) REFERENCES public.oauth2_provider_refreshtoken(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_accesstoken oauth2_provider_acce_user_id_6e4c9a65_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_user_id_6e4c9a65_fk_exchange_ FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_devicegrant oauth2_provider_devi_user_id_1cec5156_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_devicegrant
    ADD CONSTRAINT oauth2_provider_devi_user_id_1cec5156_fk_exchange_ FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_grant oauth2_provider_gran_application_id_81923564_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_gran_application_id_81923564_fk_exchange_ FOREIGN KEY (application_id) REFERENCES public.exchange_apikey(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_grant oauth2_provider_grant_user_id_e8f62af8_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_grant_user_id_e8f62af8_fk_exchange_staffuser_id FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_idtoken oauth2_provider_idto_application_id_08c5ff4f_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idto_application_id_08c5ff4f_fk_exchange_ FOREIGN KEY (application_id) REFERENCES public.exchange_apikey(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_idtoken oauth2_provider_idto_user_id_dd512b59_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idto_user_id_dd512b59_fk_exchange_ FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_refreshtoken oauth2_provider_refr_access_token_id_775e84e8_fk_oauth2_pr; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refr_access_token_id_775e84e8_fk_oauth2_pr FOREIGN KEY (access_token_id) REFERENCES public.oauth2_provider_accesstoken(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_refreshtoken oauth2_provider_refr_application_id_2d1c311b_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refr_application_id_2d1c311b_fk_exchange_ FOREIGN KEY (application_id) REFERENCES public.exchange_apikey(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: oauth2_provider_refreshtoken oauth2_provider_refr_user_id_da837fce_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refr_user_id_da837fce_fk_exchange_ FOREIGN KEY (user_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: orders_order order_key_of_organisation; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.orders_order
    ADD CONSTRAINT order_key_of_organisation FOREIGN KEY (api_key_id, organisation_id) REFERENCES public.exchange_apikey(id, organisation_id);


--
-- Name: wallets_account wallets_account_asset_id_5723c1e8_fk_wallets_asset_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_account
    ADD CONSTRAINT wallets_account_asset_id_5723c1e8_fk_wallets_asset_id FOREIGN KEY (asset_id) REFERENCES public.wallets_asset(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_account wallets_account_organisation_id_e621723c_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_account
    ADD CONSTRAINT wallets_account_organisation_id_e621723c_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_asset wallets_asset_currency_id_4ad58975_fk_exchange_currency_code; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_asset
    ADD CONSTRAINT wallets_asset_currency_id_4ad58975_fk_exchange_currency_code FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_asset wallets_asset_token_id_f28e74fb_fk_exchange_token_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_asset
    ADD CONSTRAINT wallets_asset_token_id_f28e74fb_fk_exchange_token_id FOREIGN KEY (token_id) REFERENCES public.exchange_token(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_banklist wallets_banklist_currency_id_faceae99_fk_exchange_currency_code; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_banklist
    ADD CONSTRAINT wallets_banklist_currency_id_faceae99_fk_exchange_currency_code FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_breakexplanation wallets_breakexplana_decided_by_id_0ec0204a_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_breakexplanation
    ADD CONSTRAINT wallets_breakexplana_decided_by_id_0ec0204a_fk_exchange_ FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_breakexplanation wallets_breakexplana_proposed_by_id_4da3c26b_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_breakexplanation
    ADD CONSTRAINT wallets_breakexplana_proposed_by_id_4da3c26b_fk_exchange_ FOREIGN KEY (proposed_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_breakexplanation wallets_breakexplana_subject_id_5f34246e_fk_wallets_r; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_breakexplanation
    ADD CONSTRAINT wallets_breakexplana_subject_id_5f34246e_fk_wallets_r FOREIGN KEY (subject_id) REFERENCES public.wallets_reconciliationbreak(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_configurationfigure wallets_configuratio_configuration_id_f0eb5772_fk_wallets_c; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configurationfigure
    ADD CONSTRAINT wallets_configuratio_configuration_id_f0eb5772_fk_wallets_c FOREIGN KEY (configuration_id) REFERENCES public.wallets_configuration(key) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_configurationfigure wallets_configuratio_decided_by_id_af7dc3b5_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configurationfigure
    ADD CONSTRAINT wallets_configuratio_decided_by_id_af7dc3b5_fk_exchange_ FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_configurationfigure wallets_configuratio_proposed_by_id_d87bf32d_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configurationfigure
    ADD CONSTRAINT wallets_configuratio_proposed_by_id_d87bf32d_fk_exchange_ FOREIGN KEY (proposed_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_configurationfigure wallets_configuratio_withdrawal_asked_by__1a49b8db_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configurationfigure
    ADD CONSTRAINT wallets_configuratio_withdrawal_asked_by__1a49b8db_fk_exchange_ FOREIGN KEY (withdrawal_asked_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_configurationfigure wallets_configuratio_withdrawn_by_id_25d3e5ea_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_configurationfigure
    ADD CONSTRAINT wallets_configuratio_withdrawn_by_id_25d3e5ea_fk_exchange_ FOREIGN KEY (withdrawn_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_decision wallets_decision_withdrawal_id_18352757_fk_wallets_w; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_decision
    ADD CONSTRAINT wallets_decision_withdrawal_id_18352757_fk_wallets_w FOREIGN KEY (withdrawal_id) REFERENCES public.wallets_withdrawal(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_deposit wallets_deposit_currency_id_32efc317_fk_exchange_currency_code; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_deposit
    ADD CONSTRAINT wallets_deposit_currency_id_32efc317_fk_exchange_currency_code FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_deposit wallets_deposit_decided_by_id_37fd74b3_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_deposit
    ADD CONSTRAINT wallets_deposit_decided_by_id_37fd74b3_fk_exchange_staffuser_id FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_deposit wallets_deposit_entered_by_id_a00e8097_fk_exchange_staffuser_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_deposit
    ADD CONSTRAINT wallets_deposit_entered_by_id_a00e8097_fk_exchange_staffuser_id FOREIGN KEY (entered_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_deposit wallets_deposit_organisation_id_2f6522a6_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_deposit
    ADD CONSTRAINT wallets_deposit_organisation_id_2f6522a6_fk_exchange_ FOREIGN KEY (organisation_id) REFERENCES public.exchange_organisation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_payout wallets_payout_withdrawal_id_caa0c36b_fk_wallets_withdrawal_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_payout
    ADD CONSTRAINT wallets_payout_withdrawal_id_caa0c36b_fk_wallets_withdrawal_id FOREIGN KEY (withdrawal_id) REFERENCES public.wallets_withdrawal(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_payoutcircuit wallets_payoutcircui_trial_id_b312790e_fk_wallets_w; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_payoutcircuit
    ADD CONSTRAINT wallets_payoutcircui_trial_id_b312790e_fk_wallets_w FOREIGN KEY (trial_id) REFERENCES public.wallets_withdrawal(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_proposal wallets_proposal_decided_by_id_e2f68335_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_proposal
    ADD CONSTRAINT wallets_proposal_decided_by_id_e2f68335_fk_exchange_ FOREIGN KEY (decided_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_proposal wallets_proposal_proposed_by_id_cca26a23_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_proposal
    ADD CONSTRAINT wallets_proposal_proposed_by_id_cca26a23_fk_exchange_ FOREIGN KEY (proposed_by_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_proposal wallets_proposal_withdrawal_id_0c1d8184_fk_wallets_w; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_proposal
    ADD CONSTRAINT wallets_proposal_withdrawal_id_0c1d8184_fk_wallets_w FOREIGN KEY (withdrawal_id) REFERENCES public.wallets_withdrawal(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationline wallets_reconciliati_currency_id_2ca1ffe0_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationline
    ADD CONSTRAINT wallets_reconciliati_currency_id_2ca1ffe0_fk_exchange_ FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationbreak wallets_reconciliati_currency_id_c002d3bb_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationbreak
    ADD CONSTRAINT wallets_reconciliati_currency_id_c002d3bb_fk_exchange_ FOREIGN KEY (currency_id) REFERENCES public.exchange_currency(code) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationbreak wallets_reconciliati_first_report_id_8d379336_fk_wallets_r; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationbreak
    ADD CONSTRAINT wallets_reconciliati_first_report_id_8d379336_fk_wallets_r FOREIGN KEY (first_report_id) REFERENCES public.wallets_reconciliation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationbreak wallets_reconciliati_latest_report_id_0a291bcc_fk_wallets_r; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationbreak
    ADD CONSTRAINT wallets_reconciliati_latest_report_id_0a291bcc_fk_wallets_r FOREIGN KEY (latest_report_id) REFERENCES public.wallets_reconciliation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationbreak wallets_reconciliati_owner_id_c92baf84_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationbreak
    ADD CONSTRAINT wallets_reconciliati_owner_id_c92baf84_fk_exchange_ FOREIGN KEY (owner_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationline wallets_reconciliati_report_id_d7dceb31_fk_wallets_r; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationline
    ADD CONSTRAINT wallets_reconciliati_report_id_d7dceb31_fk_wallets_r FOREIGN KEY (report_id) REFERENCES public.wallets_reconciliation(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationbreak wallets_reconciliati_withdrawal_id_196fc50d_fk_wallets_w; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationbreak
    ADD CONSTRAINT wallets_reconciliati_withdrawal_id_196fc50d_fk_wallets_w FOREIGN KEY (withdrawal_id) REFERENCES public.wallets_withdrawal(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_reconciliationline wallets_reconciliati_withdrawal_id_fbdba74b_fk_wallets_w; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_reconciliationline
    ADD CONSTRAINT wallets_reconciliati_withdrawal_id_fbdba74b_fk_wallets_w FOREIGN KEY (withdrawal_id) REFERENCES public.wallets_withdrawal(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_withdrawal wallets_withdrawal_first_approver_id_b37e61de_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT wallets_withdrawal_first_approver_id_b37e61de_fk_exchange_ FOREIGN KEY (first_approver_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_withdrawal wallets_withdrawal_second_approver_id_63bab4c7_fk_exchange_; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT wallets_withdrawal_second_approver_id_63bab4c7_fk_exchange_ FOREIGN KEY (second_approver_id) REFERENCES public.exchange_staffuser(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: wallets_withdrawal withdrawal_bank_of_organisation; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT withdrawal_bank_of_organisation FOREIGN KEY (bank_id, organisation_id) REFERENCES public.wallets_bankaccount(id, organisation_id);


--
-- Name: wallets_withdrawal withdrawal_escrow_of_owner; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallets_withdrawal
    ADD CONSTRAINT withdrawal_escrow_of_owner FOREIGN KEY (escrow_account_id, owner_id, organisation_id, currency_id) REFERENCES public.wallets_account(id, owner_id, organisation_id, asset_id);


--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA public TO exchange_runtime;


--
-- Name: TABLE orders_order; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.orders_order TO exchange_runtime;


--
-- Name: FUNCTION audit_table(target regclass, record text, about text, hidden text[], left_out text[], inserts text, updates text, deletes text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.audit_table(target regclass, record text, about text, hidden text[], left_out text[], inserts text, updates text, deletes text) FROM PUBLIC;


--
-- Name: FUNCTION claim_free_keys(p_claims public.idempotency_claim[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.claim_free_keys(p_claims public.idempotency_claim[]) FROM PUBLIC;


--
-- Name: FUNCTION close_order(p_order uuid, p_reason text, p_actor text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.close_order(p_order uuid, p_reason text, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.close_order(p_order uuid, p_reason text, p_actor text) TO exchange_runtime;


--
-- Name: FUNCTION complete_raise(p_token uuid, p_actor text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.complete_raise(p_token uuid, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.complete_raise(p_token uuid, p_actor text) TO exchange_runtime;


--
-- Name: FUNCTION enter_orders(p_requests jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.enter_orders(p_requests jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.enter_orders(p_requests jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text) TO exchange_runtime;


--
-- Name: FUNCTION hold_withdrawals(p_orders public.withdrawal_order[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.hold_withdrawals(p_orders public.withdrawal_order[]) FROM PUBLIC;


--
-- Name: FUNCTION keep_answers(p_claims public.idempotency_claim[], p_done uuid[], p_answers text[], p_status_code integer, p_message text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.keep_answers(p_claims public.idempotency_claim[], p_done uuid[], p_answers text[], p_status_code integer, p_message text) FROM PUBLIC;


--
-- Name: TABLE credit_loan; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.credit_loan TO exchange_runtime;


--
-- Name: TABLE wallets_transfer; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.wallets_transfer TO exchange_runtime;


--
-- Name: FUNCTION loan_outstanding(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.loan_outstanding() FROM PUBLIC;


--
-- Name: FUNCTION lock_accounts_of_token(p_token uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.lock_accounts_of_token(p_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.lock_accounts_of_token(p_token uuid) TO exchange_runtime;


--
-- Name: FUNCTION make_append_only(target regclass); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.make_append_only(target regclass) FROM PUBLIC;


--
-- Name: FUNCTION make_loan(p_loan jsonb, p_tokens uuid[], p_quantities numeric[], p_prices numeric[], p_ids uuid[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.make_loan(p_loan jsonb, p_tokens uuid[], p_quantities numeric[], p_prices numeric[], p_ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.make_loan(p_loan jsonb, p_tokens uuid[], p_quantities numeric[], p_prices numeric[], p_ids uuid[]) TO exchange_runtime;


--
-- Name: FUNCTION make_permanent(target regclass); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.make_permanent(target regclass) FROM PUBLIC;


--
-- Name: FUNCTION open_account(p_id uuid, p_asset text, p_kind text, p_organisation uuid, p_member uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.open_account(p_id uuid, p_asset text, p_kind text, p_organisation uuid, p_member uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.open_account(p_id uuid, p_asset text, p_kind text, p_organisation uuid, p_member uuid) TO exchange_runtime;


--
-- Name: FUNCTION open_token_units(p_token uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.open_token_units(p_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.open_token_units(p_token uuid) TO exchange_runtime;


--
-- Name: FUNCTION post_service_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.post_service_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.post_service_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]) TO exchange_runtime;


--
-- Name: FUNCTION post_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.post_transfers(p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[], p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]) FROM PUBLIC;


--
-- Name: FUNCTION refuse_withdrawal(o public.withdrawal_order); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.refuse_withdrawal(o public.withdrawal_order) FROM PUBLIC;


--
-- Name: FUNCTION request_withdrawal(p_order jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text, OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.request_withdrawal(p_order jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text, OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.request_withdrawal(p_order jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text, OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text) TO exchange_runtime;


--
-- Name: FUNCTION request_withdrawals(p_orders jsonb, p_status_code integer, p_message text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.request_withdrawals(p_orders jsonb, p_status_code integer, p_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.request_withdrawals(p_orders jsonb, p_status_code integer, p_message text) TO exchange_runtime;


--
-- Name: FUNCTION set_transfer_rule(p_kind text, p_leaves text[], p_enters text[], p_reference text, p_record text, p_states text[], p_by_service boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.set_transfer_rule(p_kind text, p_leaves text[], p_enters text[], p_reference text, p_record text, p_states text[], p_by_service boolean) FROM PUBLIC;


--
-- Name: TABLE exchange_token; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_token TO exchange_runtime;


--
-- Name: FUNCTION write_change(p_table text, p_operation text, p_record text, p_about text, p_before jsonb, p_after jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.write_change(p_table text, p_operation text, p_record text, p_about text, p_before jsonb, p_after jsonb) FROM PUBLIC;


--
-- Name: TABLE auth_group; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group TO exchange_runtime;


--
-- Name: SEQUENCE auth_group_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.auth_group_id_seq TO exchange_runtime;


--
-- Name: TABLE auth_group_permissions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_group_permissions TO exchange_runtime;


--
-- Name: SEQUENCE auth_group_permissions_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.auth_group_permissions_id_seq TO exchange_runtime;


--
-- Name: TABLE auth_permission; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.auth_permission TO exchange_runtime;


--
-- Name: SEQUENCE auth_permission_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.auth_permission_id_seq TO exchange_runtime;


--
-- Name: TABLE credit_collateral; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.credit_collateral TO exchange_runtime;


--
-- Name: SEQUENCE credit_collateral_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.credit_collateral_id_seq TO exchange_runtime;


--
-- Name: TABLE credit_configurationversion; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.credit_configurationversion TO exchange_runtime;


--
-- Name: TABLE credit_configurationversion_organisations; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.credit_configurationversion_organisations TO exchange_runtime;


--
-- Name: SEQUENCE credit_configurationversion_organisations_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.credit_configurationversion_organisations_id_seq TO exchange_runtime;


--
-- Name: TABLE credit_endingproposal; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.credit_endingproposal TO exchange_runtime;


--
-- Name: TABLE credit_loanconfiguration; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.credit_loanconfiguration TO exchange_runtime;


--
-- Name: TABLE credit_loanlimit; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.credit_loanlimit TO exchange_runtime;


--
-- Name: SEQUENCE credit_loanlimit_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.credit_loanlimit_id_seq TO exchange_runtime;


--
-- Name: TABLE credit_outstanding; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_outstanding TO exchange_runtime;


--
-- Name: SEQUENCE credit_outstanding_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.credit_outstanding_id_seq TO exchange_runtime;


--
-- Name: TABLE credit_repayment; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.credit_repayment TO exchange_runtime;


--
-- Name: TABLE credit_shortfall; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.credit_shortfall TO exchange_runtime;


--
-- Name: TABLE credit_valuation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.credit_valuation TO exchange_runtime;


--
-- Name: TABLE django_admin_log; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_admin_log TO exchange_runtime;


--
-- Name: SEQUENCE django_admin_log_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.django_admin_log_id_seq TO exchange_runtime;


--
-- Name: TABLE django_content_type; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_content_type TO exchange_runtime;


--
-- Name: SEQUENCE django_content_type_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.django_content_type_id_seq TO exchange_runtime;


--
-- Name: TABLE django_migrations; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_migrations TO exchange_runtime;


--
-- Name: SEQUENCE django_migrations_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.django_migrations_id_seq TO exchange_runtime;


--
-- Name: TABLE django_session; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.django_session TO exchange_runtime;


--
-- Name: TABLE exchange_accessproposal; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_accessproposal TO exchange_runtime;


--
-- Name: TABLE exchange_accessrecord; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.exchange_accessrecord TO exchange_runtime;


--
-- Name: TABLE exchange_apikey; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_apikey TO exchange_runtime;


--
-- Name: TABLE exchange_catalogue; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.exchange_catalogue TO exchange_runtime;


--
-- Name: TABLE exchange_change; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.exchange_change TO exchange_runtime;


--
-- Name: TABLE exchange_currency; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_currency TO exchange_runtime;


--
-- Name: TABLE exchange_deliveryattempt; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.exchange_deliveryattempt TO exchange_runtime;


--
-- Name: TABLE exchange_event; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.type; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(type) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.subject_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(subject_id) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.body; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(body) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.next_attempt_at; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(next_attempt_at) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.created_at; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(created_at) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: COLUMN exchange_event.organisation_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(organisation_id) ON TABLE public.exchange_event TO exchange_runtime;


--
-- Name: TABLE exchange_export; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.rows_done; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(rows_done) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.size_bytes; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(size_bytes) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.error; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(error) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.attempts; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(attempts) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.claimed_by; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(claimed_by) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.leased_until; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(leased_until) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.as_of; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(as_of) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: COLUMN exchange_export.finished_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(finished_at) ON TABLE public.exchange_export TO exchange_runtime;


--
-- Name: TABLE exchange_exportchunk; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_exportchunk TO exchange_runtime;


--
-- Name: SEQUENCE exchange_exportchunk_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.exchange_exportchunk_id_seq TO exchange_runtime;


--
-- Name: TABLE exchange_idempotencyrecord; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_idempotencyrecord TO exchange_runtime;


--
-- Name: SEQUENCE exchange_idempotencyrecord_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.exchange_idempotencyrecord_id_seq TO exchange_runtime;


--
-- Name: TABLE exchange_member; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_member TO exchange_runtime;


--
-- Name: TABLE exchange_organisation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_organisation TO exchange_runtime;


--
-- Name: TABLE exchange_quote; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.exchange_quote TO exchange_runtime;


--
-- Name: TABLE exchange_recoverycode; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_recoverycode TO exchange_runtime;


--
-- Name: TABLE exchange_secondfactor; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_secondfactor TO exchange_runtime;


--
-- Name: TABLE exchange_signintries; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_signintries TO exchange_runtime;


--
-- Name: TABLE exchange_staffuser; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_staffuser TO exchange_runtime;


--
-- Name: TABLE exchange_staffuser_groups; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_staffuser_groups TO exchange_runtime;


--
-- Name: SEQUENCE exchange_staffuser_groups_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.exchange_staffuser_groups_id_seq TO exchange_runtime;


--
-- Name: TABLE exchange_staffuser_user_permissions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_staffuser_user_permissions TO exchange_runtime;


--
-- Name: SEQUENCE exchange_staffuser_user_permissions_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.exchange_staffuser_user_permissions_id_seq TO exchange_runtime;


--
-- Name: SEQUENCE exchange_token_reference; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.exchange_token_reference TO exchange_runtime;


--
-- Name: TABLE exchange_tokenaccess; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_tokenaccess TO exchange_runtime;


--
-- Name: SEQUENCE exchange_tokenaccess_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.exchange_tokenaccess_id_seq TO exchange_runtime;


--
-- Name: TABLE exchange_webhookendpoint; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exchange_webhookendpoint TO exchange_runtime;


--
-- Name: TABLE oauth2_provider_accesstoken; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth2_provider_accesstoken TO exchange_runtime;


--
-- Name: SEQUENCE oauth2_provider_accesstoken_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.oauth2_provider_accesstoken_id_seq TO exchange_runtime;


--
-- Name: TABLE oauth2_provider_devicegrant; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth2_provider_devicegrant TO exchange_runtime;


--
-- Name: SEQUENCE oauth2_provider_devicegrant_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.oauth2_provider_devicegrant_id_seq TO exchange_runtime;


--
-- Name: TABLE oauth2_provider_grant; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth2_provider_grant TO exchange_runtime;


--
-- Name: SEQUENCE oauth2_provider_grant_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.oauth2_provider_grant_id_seq TO exchange_runtime;


--
-- Name: TABLE oauth2_provider_idtoken; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth2_provider_idtoken TO exchange_runtime;


--
-- Name: SEQUENCE oauth2_provider_idtoken_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.oauth2_provider_idtoken_id_seq TO exchange_runtime;


--
-- Name: TABLE oauth2_provider_refreshtoken; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.oauth2_provider_refreshtoken TO exchange_runtime;


--
-- Name: SEQUENCE oauth2_provider_refreshtoken_id_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.oauth2_provider_refreshtoken_id_seq TO exchange_runtime;


--
-- Name: SEQUENCE orders_seq; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,USAGE ON SEQUENCE public.orders_seq TO exchange_runtime;


--
-- Name: TABLE orders_trade; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.orders_trade TO exchange_runtime;


--
-- Name: TABLE wallets_account; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.wallets_account TO exchange_runtime;


--
-- Name: TABLE wallets_alert; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_alert TO exchange_runtime;


--
-- Name: TABLE wallets_asset; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.wallets_asset TO exchange_runtime;


--
-- Name: TABLE wallets_bankaccount; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.wallets_bankaccount TO exchange_runtime;


--
-- Name: TABLE wallets_banklist; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.wallets_banklist TO exchange_runtime;


--
-- Name: TABLE wallets_booksproof; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_booksproof TO exchange_runtime;


--
-- Name: TABLE wallets_breakexplanation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_breakexplanation TO exchange_runtime;


--
-- Name: TABLE wallets_configuration; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.wallets_configuration TO exchange_runtime;


--
-- Name: TABLE wallets_configurationfigure; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_configurationfigure TO exchange_runtime;


--
-- Name: TABLE wallets_decision; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.wallets_decision TO exchange_runtime;


--
-- Name: TABLE wallets_deposit; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_deposit TO exchange_runtime;


--
-- Name: TABLE wallets_entry; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.wallets_entry TO exchange_runtime;


--
-- Name: TABLE wallets_payout; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_payout TO exchange_runtime;


--
-- Name: TABLE wallets_payoutcircuit; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.wallets_payoutcircuit TO exchange_runtime;


--
-- Name: TABLE wallets_proposal; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_proposal TO exchange_runtime;


--
-- Name: TABLE wallets_providerevent; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE public.wallets_providerevent TO exchange_runtime;


--
-- Name: TABLE wallets_reconciliation; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.reason; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(reason) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.differences; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(differences) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.compared; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(compared) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.claimed_by; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(claimed_by) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.leased_until; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(leased_until) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.attempts; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(attempts) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.finished_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(finished_at) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliation.balances_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(balances_at) ON TABLE public.wallets_reconciliation TO exchange_runtime;


--
-- Name: TABLE wallets_reconciliationbreak; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.wallets_reconciliationbreak TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliationbreak.status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status) ON TABLE public.wallets_reconciliationbreak TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliationbreak.shown; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(shown) ON TABLE public.wallets_reconciliationbreak TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliationbreak.latest_report_id; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(latest_report_id) ON TABLE public.wallets_reconciliationbreak TO exchange_runtime;


--
-- Name: COLUMN wallets_reconciliationbreak.owner_id; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(owner_id) ON TABLE public.wallets_reconciliationbreak TO exchange_runtime;


--
-- Name: TABLE wallets_reconciliationline; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT ON TABLE public.wallets_reconciliationline TO exchange_runtime;


--
-- Name: TABLE wallets_transferrule; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.wallets_transferrule TO exchange_runtime;


--
-- Name: TABLE wallets_withdrawal; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,UPDATE ON TABLE public.wallets_withdrawal TO exchange_runtime;


--
-- Name: DEFAULT PRIVILEGES FOR SEQUENCES; Type: DEFAULT ACL; Schema: public; Owner: -
--

ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT,USAGE ON SEQUENCES TO exchange_runtime;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: public; Owner: -
--

ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT,INSERT,DELETE,UPDATE ON TABLES TO exchange_runtime;


--
-- PostgreSQL database dump complete
--



DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;

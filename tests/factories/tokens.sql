-- Tokens %(first)s to %(last)s, in bulk and without units; the table's triggers write the documents.
-- A row is a function of its number. Most are public and open. Some words of names are common and
-- others rare; one name in 20,000 has the word Zambezi. Issuers 1 to 50 come with them.
INSERT INTO exchange_organisation (id, name, email, active, created_at, updated_at)
SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Issuer ' || n, '', true,
    now(), now()
FROM generate_series(1, 50) n ON CONFLICT DO NOTHING;

WITH lists AS (
    SELECT
        '{Lagos,Nairobi,Accra,Kampala,Cape,Abuja,Mombasa,Kumasi,Durban,Ibadan,Kano,Kisumu,Tema,Entebbe,Arusha,Pretoria,Enugu,Jos,Gulu,Dodoma}'::text[] AS places,
        '{Green,Blue,First,Prime,United,Heritage,Summit,Horizon,Unity,Savanna,Baobab,Sunrise,Delta,Coastal,Royal,Golden,Pioneer,Legacy,Crown,Noble,Swift,Bright,Harvest,River,Copper,Cedar,Falcon,Atlas,Kola,Acacia}'::text[] AS styles,
        '{Energy,Estate,Farms,Homes,Foods,Logistics,Cinema,Music,Health,Tech,Mining,Textiles,Schools,Water,Transport,Power,Cocoa,Coffee,Cashew,Maize,Solar,Steel,Cement,Timber,Leather,Hotels,Towers,Ports,Rail,Media,Pharma,Motors,Dairy,Poultry,Fisheries,Flowers,Sugar,Tea,Cotton,Gas}'::text[] AS trades,
        '{Fund,Fund,Fund,Notes,Notes,Bond,Bond,Growth,Income,Series}'::text[] AS kinds,
        '{NGN,NGN,NGN,NGN,NGN,NGN,NGN,NGN,NGN,KES,KES,KES,KES,GHS,GHS,ZAR,ZAR,UGX,TZS,USD}'::text[] AS currencies,
        '{the service,the service,the service,the service,SAFE,Debt,Debt,Fixed Interest,Fixed Interest,Fixed Interest}'::text[] AS types,
        '{ETF,Bond,Commercial Paper,Debt Note,Real Estate,Private Business,Startup,Commodities,Fund,Art,Music,Movie,Charity}'::text[] AS categories
), dice AS (
    -- Each column a fair number from 0 to 9999 that depends on n alone.
    SELECT n, timestamptz '2020-01-01Z' + n * interval '3 minutes' AS listed,
        (hashint8(n) & 2147483647) %% 10000 AS a, (hashint8(n + 1000000007) & 2147483647) %% 10000 AS b,
        (hashint8(n + 2000000011) & 2147483647) %% 10000 AS c, (hashint8(n + 3000000019) & 2147483647) %% 10000 AS d,
        (hashint8(n + 4000000007) & 2147483647) %% 10000 AS e, (hashint8(n + 5000000029) & 2147483647) %% 10000 AS f
    FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
), rows AS (
    SELECT *, 100 + b / 10.0 AS price, (1 + c %% 90) * 1000000::bigint AS goal, d < 1800 AS raising
    FROM dice, lists
)
INSERT INTO exchange_token (
    id, issuer_id, name, symbol, reference, image, listing_reference, currency_id,
    type, deal_access, investment_type, investment_category, payout_frequency,
    price_buy, price_sell, price_exchange, prev_price_buy, prev_price_sell, prev_price_exchange,
    quoted_at, min_buy, min_sell, max_buy, max_sell,
    min_trade_buy, min_trade_sell, max_trade_buy, max_trade_sell, vol_buy, vol_sell,
    buy_fee, sell_fee, carry, management_fee, discount, interest, dividend, tenor,
    valuation, post_raise_valuation, total_supply, supply, total_allocated, raise_amount,
    total_raised, completed_raise, secondaries, closed, exited, cancelled, esop_token,
    created_at, updated_at, document)
SELECT
    (lpad(to_hex((extract(epoch FROM listed) * 1000)::bigint), 12, '0') || '7'
        || lpad(to_hex(a %% 4096), 3, '0') || '8' || lpad(to_hex(n * 7919 + b), 15, '0'))::uuid,
    ('00000000-0000-7000-8000-' || lpad(to_hex(1 + e %% 50), 12, '0'))::uuid,
    concat_ws(' ', places[1 + floor(20 * (a / 10000.0) ^ 2)], CASE n %% 20000 WHEN 77 THEN 'Zambezi' END,
        styles[1 + floor(30 * (b / 10000.0) ^ 2)], trades[1 + floor(40 * (c / 10000.0) ^ 2)],
        kinds[1 + d %% 10], 1 + e %% 30),
    'T' || upper(to_hex(n)), 1000000000 + n, 'https://images.example.com/tokens/' || n || '.png', 'REQ-' || n,
    currencies[1 + f %% 20],
    CASE WHEN a < 1200 THEN 'Private' ELSE 'Public' END,
    CASE WHEN a < 300 THEN 'Private' ELSE 'Public' END,
    types[1 + e %% 10], categories[1 + floor(13 * (f / 10000.0) ^ 1.5)],
    CASE WHEN e %% 10 > 4 THEN 'Quarterly' ELSE '' END,
    price, price * 0.98, 1500, price - 1, price * 0.98 - 1, 1490, listed, price * 0.5, price * 0.5,
    price * 2, price * 2, 1000, 1000, goal, goal, a * 10, b * 10,
    1.5, 1.25, 20, 2, 0, e %% 18, f %% 9, 30 * (1 + e %% 36),
    goal * 12, goal * 15, goal / 50, CASE WHEN raising THEN 0 ELSE goal / 50 END, goal / 50, goal,
    CASE WHEN raising THEN goal / 4 ELSE goal END, NOT raising, NOT raising AND d < 9000,
    f < 500, c < 400, b < 150, false, listed, listed, ''
FROM rows;

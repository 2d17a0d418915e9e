-- Intents of one merchant, the first the newest. One in a hundred is open, and the open ones among the first
-- ten thousand are due; the rest is final.
INSERT INTO payments_paymentintent (
    id, merchant_id, mode, status, event_sequence, amount, currency,
    settlement_chain, settlement_token, settlement_token_address, settlement_decimals, settlement_address,
    customer_email, metadata, reference, return_url, created_at, expires_at, expires_due_at,
    received_usd, overpaid_usd, refunded_usd, returned_usd, owed_usd, in_doubt, last_error_code, last_error_message,
    failure_reason, settled_reason
)
SELECT
    md5(number::text)::uuid, %(merchant_id)s, 'test',
    CASE WHEN number %% 100 = 0 THEN 'requires_payment' WHEN number %% 10 = 1 THEN 'expired' ELSE 'settled' END, 2,
    25000000, 'USD', 'base', 'USDC', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6,
    '0x7e57000000000000000000000000000000000001', 'buyer' || number %% 1000 || '@shop.example',
    '{"order_id": "A-1042"}', 'A-' || number, '', now() - number * interval '2 seconds',
    now() - number * interval '2 seconds' + interval '30 minutes',
    CASE WHEN number %% 100 = 0 THEN now() + interval '20 days'
         ELSE now() - number * interval '2 seconds' + interval '30 minutes' END,
    25000000, 0, 0, 0, 0, false, '', '', '', ''
FROM generate_series(1, %(intents)s) AS number;
INSERT INTO payments_queuedintent (intent_id, due_at, listed_at, is_over)
SELECT md5(number::text)::uuid, due.at, due.at, false
FROM generate_series(100, %(intents)s, 100) AS number,
    LATERAL (
        SELECT CASE WHEN number <= 10000 THEN now() - interval '1 minute' ELSE now() + interval '20 days' END AS at
    ) AS due

-- The least that creating an intent writes: the intent, its event and the remembered answer.
\set answer_bytes 1400
BEGIN;
INSERT INTO payments_paymentintent (
    id, merchant_id, mode, status, event_sequence, amount, currency,
    settlement_chain, settlement_token, settlement_token_address, settlement_decimals, settlement_address,
    customer_email, metadata, reference, return_url, created_at, expires_at, expires_due_at,
    received_usd, overpaid_usd, refunded_usd, returned_usd, owed_usd, in_doubt, last_error_code, last_error_message,
    failure_reason, settled_reason
) VALUES (
    gen_random_uuid(), :merchant_id, 'test', 'created', 1, 25000000, 'USD',
    'base', 'USDC', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6, '0x7e57000000000000000000000000000000000001',
    'buyer@shop.example', '{"order_id": "A-1042"}', '', '', now(), now() + interval '30 minutes',
    now() + interval '30 minutes', 0, 0, 0, 0, 0, false, '', '', '', ''
);
INSERT INTO webhooks_event (
    id, merchant_id, mode, type, resource_type, resource_id, sequence, payload, occurred_at, kept_until
) VALUES (
    'evt_' || replace(gen_random_uuid()::text, '-', ''), :merchant_id, 'test', 'payment_intent.created',
    'payment_intent', gen_random_uuid(), 1, repeat('x', 550), now(), now() + interval '30 days'
);
INSERT INTO merchants_idempotencyrecord (scope, key, fingerprint, http_status, answer, created_at, expires_at)
VALUES (
    'floor', gen_random_uuid()::text, repeat('f', 64), 201, decode(repeat('ab', :answer_bytes), 'hex'),
    now(), now() + interval '24 hours'
);
COMMIT;

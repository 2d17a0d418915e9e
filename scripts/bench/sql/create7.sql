-- The fixed floor of a creation: it never changes, so that a slower schema of ours cannot flatter the ratio.
BEGIN;
INSERT INTO floor_intent VALUES (
    gen_random_uuid(), :merchant_id, 'test', 'created', 25000000, 'USD', 'base', 'USDC',
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6, '0x7e57000000000000000000000000000000000001',
    'buyer@shop.example', '{"order_id": "A-1042"}', '', '', 0, 0, now(), now() + interval '30 minutes',
    now() + interval '30 minutes'
);
INSERT INTO floor_idempotency VALUES (
    'floor', gen_random_uuid()::text, repeat('f', 64), decode(repeat('ab', 1000), 'hex'), now() + interval '24 hours'
);
INSERT INTO floor_event VALUES (
    gen_random_uuid(), :merchant_id, 'payment_intent.created', repeat('x', 550), now()
);
COMMIT;

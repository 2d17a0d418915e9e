-- The events and deliveries of so many intents, all long since told, and two hundred that are not.
INSERT INTO webhooks_webhookendpoint (
    id, merchant_id, mode, url, events, enabled, created_at, disabled_reason, owner_told, event_sequence
)
SELECT md5('endpoint' || number)::uuid, %(merchant_id)s, 'test', 'https://shop.example/' || number, '["*"]', true,
    now() - interval '1 year', '', 0, 0
FROM generate_series(0, 9) AS number;

INSERT INTO webhooks_event (
    id, merchant_id, mode, type, resource_type, resource_id, sequence, payload, occurred_at, fanned_out_at, kept_until
)
SELECT 'evt_' || md5(number::text), %(merchant_id)s, 'test', 'payment_intent.settled', 'payment_intent',
    md5(number::text)::uuid, 1, '{"type": "payment_intent.settled"}', now() - number * interval '2 seconds',
    CASE WHEN number > 200 THEN now() END, now() + interval '30 days'
FROM generate_series(1, %(intents)s) AS number;

INSERT INTO webhooks_delivery (
    id, merchant_id, mode, event_id, event_at, endpoint_id, outcome, next_attempt_at, attempts, attempts_before,
    created_at, finished_at
)
SELECT md5(number::text)::uuid, %(merchant_id)s, 'test', 'evt_' || md5(number::text),
    now() - number * interval '2 seconds', md5('endpoint' || number %% 10)::uuid, CASE WHEN number <= 200 THEN 'due' ELSE 'delivered' END,
    CASE WHEN number <= 200 THEN now() - interval '1 minute' END, 1, 0, now() - number * interval '2 seconds',
    CASE WHEN number > 200 THEN now() END
FROM generate_series(1, %(intents)s) AS number;

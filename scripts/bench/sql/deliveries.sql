-- So many events, over so many weeks up to this one, each due for delivery to one of the endpoints in turn.
WITH drafted AS (
    SELECT number, 'evt_' || replace(gen_random_uuid()::text, '-', '') AS id, gen_random_uuid() AS resource_id,
        now() - number / %(endpoint_count)s %% %(weeks)s * interval '1 week' AS moment
    FROM generate_series(1, %(events)s) AS number
), stored AS (
    INSERT INTO webhooks_event (
        id, merchant_id, mode, type, resource_type, resource_id, sequence, payload, occurred_at, fanned_out_at,
        kept_until
    )
    SELECT
        id, %(merchant_id)s, 'test', 'payment_intent.settled', 'payment_intent', resource_id, 1,
        '{"type": "payment_intent.settled", "data": "' || repeat('x', 500) || '"}', moment, now(),
        now() + interval '30 days'
    FROM drafted
)
INSERT INTO webhooks_delivery (
    id, merchant_id, mode, event_id, event_at, endpoint_id, outcome, next_attempt_at, attempts, attempts_before, created_at
)
SELECT
    gen_random_uuid(), %(merchant_id)s, 'test', id, moment, (%(endpoints)s::uuid[])[1 + number %% %(endpoint_count)s],
    'due', now(), 0, 0, now()
FROM drafted

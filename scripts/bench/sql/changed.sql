-- So many payments that were made and settled just now, as the service writes them: what a check has to read.
CREATE TEMPORARY TABLE fresh AS
SELECT number, gen_random_uuid() AS id, '0x' || md5('fresh' || number) AS tx_hash
FROM generate_series(1, %(changed)s) AS number;

INSERT INTO webhooks_subscription (merchant_id, endpoint_id, mode, events, valid_from)
VALUES (%(merchant_id)s, md5('endpoint0')::uuid, 'test', '["*"]', now() - interval '1 minute');

INSERT INTO payments_paymentintent (
    id, merchant_id, mode, status, event_sequence, attempts, amount, currency, settlement_chain, settlement_token,
    settlement_token_address, settlement_decimals, settlement_address, metadata, reference, return_url, created_at,
    expires_at, expires_due_at, target_base_units, received_usd, overpaid_usd, refunded_usd, returned_usd, owed_usd,
    platform_fee_usd, net_settlement_usd, settled_at, in_doubt, last_error_code, last_error_message, failure_reason,
    settled_reason
)
SELECT id, %(merchant_id)s, 'test', 'settled', 3, 0, 25000000, 'USD', 'base', 'USDC',
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6, '0x7e57000000000000000000000000000000000001', '{}', '', '', now(),
    now(), now(), 25000000, 25000000, 0, 0, 0, 0, 0, 25000000, now(), false, '', '', '', ''
FROM fresh;

INSERT INTO payments_intenttransition (
    subject_id, from_status, trigger, to_status, actor, reason, request_id, created_at
)
SELECT id, step.came_from, step.trigger, step.went_to, 'worker', '', '', now()
FROM fresh,
    (VALUES (1, '', 'create', 'created'), (2, 'created', 'observe_credit', 'executing'),
        (3, 'executing', 'settle', 'settled')) AS step (number, came_from, trigger, went_to)
ORDER BY fresh.number, step.number;

INSERT INTO payments_credit (
    network, chain, tx_hash, kind, position, purpose, mark, mode, token_address, base_units, value_usd, sender, payer,
    payer_proof, recipient, block_number, block_hash, block_time, late, observed_at, final_at, finalized_at,
    merchant_id, intent_id
)
SELECT 'simulated', 'base', tx_hash, 'transfer', '0', 'settlement', '', 'test',
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 25000000, 25000000, '0xpayer', '', '',
    '0x7e57000000000000000000000000000000000001', number, '', now(), false, now(), now(), now(), %(merchant_id)s, id
FROM fresh;

INSERT INTO chains_simulatedtransaction (
    chain, tx_hash, owner, tag, role, behaviour, sender, recipient, token, base_units, lands_at, block_time, created_at
)
SELECT 'base', tx_hash, 'm' || %(merchant_id)s, id::text, 'whole', '', '0xpayer',
    '0x7e57000000000000000000000000000000000001', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 25000000, now(), now(),
    now()
FROM fresh;

INSERT INTO webhooks_event (
    id, merchant_id, mode, type, resource_type, resource_id, sequence, payload, occurred_at, fanned_out_at, kept_until
)
SELECT 'evt_' || md5(id::text || step.number), %(merchant_id)s, 'test', step.type, 'payment_intent', id, step.number,
    json_build_object(
        'id', 'evt_' || md5(id::text || step.number), 'type', step.type, 'sequence', step.number, 'mode', 'test',
        'data', json_build_object('id', id)
    )::text,
    now(), now(), now() + interval '30 days'
FROM fresh,
    (VALUES (1, 'payment_intent.created'), (2, 'payment_intent.executing'), (3, 'payment_intent.settled'))
        AS step (number, type);

INSERT INTO webhooks_delivery (
    id, merchant_id, mode, event_id, event_at, endpoint_id, outcome, attempts, attempts_before, created_at, finished_at
)
SELECT gen_random_uuid(), %(merchant_id)s, 'test', event.id, event.occurred_at, md5('endpoint0')::uuid, 'delivered', 1, 0, now(), now()
FROM fresh JOIN webhooks_event AS event ON event.resource_id = fresh.id;

INSERT INTO webhooks_deliveryattempt (
    delivery_id, merchant_id, mode, event_at, number, at, latency_ms, response_status, response_headers, response_body,
    error
)
SELECT delivery.id, %(merchant_id)s, 'test', delivery.event_at, 1, now(), 5, 200, '{}', '', ''
FROM fresh
JOIN webhooks_event AS event ON event.resource_id = fresh.id
JOIN webhooks_delivery AS delivery ON delivery.event_id = event.id;

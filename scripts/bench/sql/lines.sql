-- A history of three lines for each of so many intents, and an arrival for each, all of two days ago; nothing of the
-- last day, so that only what changed.sql adds is new.
UPDATE webhooks_event SET occurred_at = occurred_at - interval '2 days', fanned_out_at = now() - interval '1 day'
WHERE occurred_at > now() - interval '2 days';

UPDATE webhooks_delivery SET event_at = event.occurred_at FROM webhooks_event AS event
WHERE event.id = event_id AND event.occurred_at <> event_at;

INSERT INTO payments_intenttransition (
    subject_id, from_status, trigger, to_status, actor, reason, request_id, created_at
)
SELECT md5(number::text)::uuid, step.came_from, step.trigger, step.went_to, 'worker', '', '', now() - interval '2 days'
FROM generate_series(1, %(intents)s) AS number,
    (VALUES ('', 'create', 'created'), ('created', 'observe_credit', 'executing'), ('executing', 'settle', 'settled'))
        AS step (came_from, trigger, went_to);

INSERT INTO payments_credit (
    network, chain, tx_hash, kind, position, purpose, mark, mode, token_address, base_units, value_usd, sender, payer,
    payer_proof, recipient, block_number, block_hash, block_time, late, observed_at, final_at, finalized_at,
    merchant_id, intent_id
)
SELECT 'simulated', 'base', '0x' || md5('old' || number), 'transfer', '0', 'settlement', '', 'test',
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 25000000, 25000000, '0xpayer', '', '',
    '0x7e57000000000000000000000000000000000001', number, '', now() - interval '2 days', false,
    now() - interval '2 days', now() - interval '2 days', now() - interval '2 days', %(merchant_id)s,
    md5(number::text)::uuid
FROM generate_series(1, %(intents)s) AS number;

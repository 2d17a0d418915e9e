-- The tables of the fixed floor, which never change: what the least schema of such a service would be.
CREATE TABLE floor_intent (
    id uuid PRIMARY KEY, merchant_id bigint NOT NULL, mode text NOT NULL, status text NOT NULL, amount bigint NOT NULL,
    currency text NOT NULL, chain text NOT NULL, token text NOT NULL, token_address text NOT NULL,
    decimals smallint NOT NULL, address text NOT NULL, email text, metadata jsonb NOT NULL, reference text NOT NULL,
    return_url text NOT NULL, received bigint NOT NULL, attempts integer NOT NULL, created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL, due_at timestamptz
);
CREATE INDEX floor_intent_list ON floor_intent (merchant_id, mode, created_at, id);
CREATE INDEX floor_intent_due ON floor_intent (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE floor_idempotency (
    scope text NOT NULL, key text NOT NULL, fingerprint text NOT NULL, answer bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX floor_idempotency_once ON floor_idempotency (scope, key);
CREATE TABLE floor_event (
    id uuid NOT NULL, merchant_id bigint NOT NULL, type text NOT NULL, payload text NOT NULL,
    occurred_at timestamptz NOT NULL
);
CREATE INDEX floor_event_new ON floor_event (occurred_at);

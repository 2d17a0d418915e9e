-- Takes foreign keys and indexes from the tables that are filled by the million, so that filling them is quick.
-- The indexes are remembered for indexed.sql.
CREATE TABLE bench_index AS
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename IN ('payments_paymentintent', 'webhooks_event', 'webhooks_delivery')
    AND indexname NOT IN (SELECT conname FROM pg_constraint);

DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT conrelid::regclass AS place, conname FROM pg_constraint
        WHERE contype = 'f' AND conrelid::regclass::text IN (
            'payments_paymentintent', 'webhooks_event', 'webhooks_delivery'
        )
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.place, found.conname);
    END LOOP;
    FOR found IN SELECT indexname FROM bench_index LOOP
        EXECUTE format('DROP INDEX %I', found.indexname);
    END LOOP;
END $$

-- Takes foreign keys, keys and indexes from the tables that are filled by the million, and their lines in the log, so
-- that filling them is quick. Keys and indexes are remembered for indexed.sql; foreign keys are not, since the rows
-- that are made here fit together.
CREATE TABLE bench_filled AS
SELECT unnest(ARRAY[
    'payments_paymentintent', 'payments_intenttransition', 'payments_credit', 'webhooks_event', 'webhooks_delivery'
]) AS name;

CREATE TABLE bench_index AS
SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS made_by
FROM pg_constraint
WHERE contype IN ('p', 'u') AND conrelid IN (SELECT name::regclass FROM bench_filled);

INSERT INTO bench_index
SELECT indexdef FROM pg_indexes
WHERE tablename IN (SELECT name FROM bench_filled) AND indexname NOT IN (SELECT conname FROM pg_constraint);

DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT conrelid::regclass AS place, conname FROM pg_constraint
        WHERE (contype IN ('f', 'p', 'u') AND conrelid IN (SELECT name::regclass FROM bench_filled))
            OR (contype = 'f' AND confrelid IN (SELECT name::regclass FROM bench_filled))
        ORDER BY contype  -- foreign keys before what they lead to
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.place, found.conname);
    END LOOP;
    FOR found IN SELECT indexname FROM pg_indexes WHERE tablename IN (SELECT name FROM bench_filled) LOOP
        EXECUTE format('DROP INDEX %I', found.indexname);
    END LOOP;
    FOR found IN SELECT name FROM bench_filled LOOP
        EXECUTE format('ALTER TABLE %I SET UNLOGGED', found.name);
    END LOOP;
END $$

-- Gives the tables the indexes back that bare.sql took.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT indexdef FROM bench_index LOOP
        EXECUTE found.indexdef;
    END LOOP;
END $$

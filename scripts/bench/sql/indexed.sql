-- Gives the tables the keys and indexes back that bare.sql took.
SET maintenance_work_mem = '1GB';
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT made_by FROM bench_index LOOP
        EXECUTE replace(found.made_by, ' ON ONLY ', ' ON ');  -- of a partitioned table: in each partition too
    END LOOP;
END $$

-- Gives the tables the keys and indexes back that bare.sql took.
SET maintenance_work_mem = '1GB';
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT made_by FROM bench_index LOOP
        EXECUTE found.made_by;
    END LOOP;
END $$

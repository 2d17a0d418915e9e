-- Of each table that has a row, partitions and indexes with it: the bytes that it holds.
SELECT coalesce(parent.relname, child.relname), sum(pg_total_relation_size(child.oid))::bigint
FROM pg_class AS child
LEFT JOIN pg_inherits ON inhrelid = child.oid
LEFT JOIN pg_class AS parent ON parent.oid = inhparent
WHERE child.relkind = 'r' AND child.relnamespace = 'public'::regnamespace AND (
    xpath('//row', query_to_xml(format('SELECT 1 FROM %I LIMIT 1', child.relname), false, false, ''))
)[1] IS NOT NULL
GROUP BY 1

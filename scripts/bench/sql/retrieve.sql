-- One intent by its key.
\set number random(1, :intents)
SELECT * FROM payments_paymentintent WHERE id = md5(:number::text)::uuid;

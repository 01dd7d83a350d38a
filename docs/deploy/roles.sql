-- Lets the running service add to the history and to the access changes, and neither change nor delete them.
--
-- The tables belong to one role, with which `migrate` and `clean_old_history` run. The web server and the worker run as
-- another, named by `service`. Run this as the owner after each `migrate`; docs/operators/installing.md ("Two roles") shows how:
--   psql -d dimensions -v ON_ERROR_STOP=1 -v service=dimensions_service -f docs/deploy/roles.sql

BEGIN;

GRANT USAGE ON SCHEMA public TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :"service";
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO :"service";

REVOKE UPDATE, DELETE ON repositories_accesschange, changes_changeset FROM :"service";
-- The versions of the elements of each dimension.
SELECT format('REVOKE UPDATE, DELETE ON %I FROM %I', tablename, :'service')
  FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE '%version'
\gexec
-- Only the owner records which migrations have run.
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM :"service";

COMMIT;

-- The users of the ledger's database, each with the role that it needs and no more, for psql. As a superuser, before the tables
-- are made; may be repeated, which sets the passwords again. The variables of the environment have them:
--
--   OWNER_PASSWORD=… WORKER_PASSWORD=… OPERATOR_PASSWORD=… READER_PASSWORD=… psql -f users.sql postgres://postgres@db/voxbatch
--
-- People who share no login: create role ann login password '…' in role voxbatch_operator;

\set ON_ERROR_STOP on
\getenv owner OWNER_PASSWORD
\getenv worker WORKER_PASSWORD
\getenv operator OPERATOR_PASSWORD
\getenv reader READER_PASSWORD

-- What each of the roles may do is in roles.sql, which the owner runs once it has made the tables.
select format('create role %I nologin', role)
from unnest(array['voxbatch_worker', 'voxbatch_operator', 'voxbatch_reader']) as role
where to_regrole(role) is null \gexec

select format('create role %I', name) from unnest(array['owner', 'worker', 'operator', 'reader']) as name
where to_regrole(name) is null \gexec

alter role owner login password :'owner';
alter role worker login password :'worker';
alter role operator login password :'operator';
alter role reader login password :'reader';
grant voxbatch_worker to worker;
grant voxbatch_operator to operator;
grant voxbatch_reader to reader;

-- The owner makes a schema of its own there.
select format('alter database %I owner to owner', current_database()) \gexec
select format('revoke connect, temporary on database %I from public', current_database()) \gexec
select format('grant connect on database %I to owner, voxbatch_worker, voxbatch_operator, voxbatch_reader', current_database()) \gexec

-- Roles for a ledger in PostgreSQL: what workers, operators and readers may do, and no more. For psql.
--
-- The owner of the schema makes and changes its tables (voxbatch ledger migrate), and nobody else does. Run this as the
-- owner or a superuser after that, and again after each upgrade: it may be repeated. Then give each user its role:
--
--   create role ann login password '…' in role voxbatch_operator;
--
-- Nobody but the owner can remove a charge, a decision or an action, change what an action or a decision says, or make another
-- ledger of this one. An operator cannot say that a request was another row's, or when and by whom it was sent.
--
-- Not prevented, so give these roles to people and hosts that you trust so far:
-- - An operator settles requests, so it can also settle one wrongly by SQL (`state`, `job_id`), and change rows, batches and budgets.
--   What voxbatch does for it is on record in `actions` and `decisions`; what it does by SQL of its own is not.
-- - Whoever may connect, a reader too, can take the locks by which writers take turns (pg_advisory_lock), and so stop them all as
--   long as it is connected; they wait, and lose nothing. pg_locks says who has one, pg_terminate_backend ends it.
-- - An operator can have commands run on the hosts of workers (`voxbatch tune --on-end`, `schedule update`, or SQL: `update batches
--   set settings`), and so can a worker on those of others. They run as the worker's user, with its PGPASSWORD and the keys of its
--   bucket, and can read the file of its token. So whoever may be an operator is trusted with the hosts of the workers.
-- - Readers see all of the ledger but the address of an account's webhook, which contains a secret: texts, links, and the hooks of
--   batches and schedules, whole, also former commands (`batches.settings`, `schedules.notify` and `on_end`, `actions`). voxbatch shows
--   only the host of a `--notify` URL, but SQL shows all of it. So write no secret into a hook: let the command of `--on-end` read it from
--   a file on the worker's host, and send what has a secret URL by such a command (docs/guide/hooks.md).

\set ON_ERROR_STOP on

-- All at once: workers that are at work would fail between the revoke and the grants.
begin;

do $$
begin
  if to_regrole('voxbatch_reader') is null then create role voxbatch_reader nologin; end if;
  if to_regrole('voxbatch_operator') is null then create role voxbatch_operator nologin; end if;
  if to_regrole('voxbatch_worker') is null then create role voxbatch_worker nologin; end if;
end $$;

revoke all on all tables in schema voxbatch from voxbatch_reader, voxbatch_operator, voxbatch_worker;
grant usage on schema voxbatch to voxbatch_reader, voxbatch_operator, voxbatch_worker;

-- Readers look: list, status, watch, explain, history, results, verify, compare, plan.
grant select on all tables in schema voxbatch to voxbatch_reader, voxbatch_operator, voxbatch_worker;

set search_path = voxbatch;

-- The address of a webhook contains a secret, and so do former ones.
revoke select on webhooks from voxbatch_reader;
grant select (api_url, account, owner, taken_at) on webhooks to voxbatch_reader;

-- Whoever writes leaves a mark of each commit in `facts`, by which it finds out what was kept if the answer is lost.
grant insert, update, delete on facts to voxbatch_operator, voxbatch_worker;

-- It also says which ledger this is, in which database it was last written, and which store is its own. Operators accept a copy
-- (voxbatch ledger accept-copy) and a new store (--new-store); all else of these is the owner's.
create or replace function keep_facts() returns trigger language plpgsql as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_catalog.pg_class where oid = tg_relid), 'member')
    and not (pg_has_role(current_user, 'voxbatch_operator', 'member')
      and ((tg_op = 'DELETE' and old.name = 'database') or (tg_op = 'UPDATE' and old.name = 'store' and new.name = 'store')))
  then
    raise insufficient_privilege using message = format('permission denied for the fact "%s" of the ledger', old.name);
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
-- Whoever of owner and superuser ran this first, both may run it again.
do $$
begin
  execute format('alter function voxbatch.keep_facts() owner to %s',
    (select relowner::regrole from pg_catalog.pg_class where oid = 'voxbatch.facts'::regclass));
end $$;
create or replace trigger keep_facts before update or delete on facts
  for each row when (old.name in ('id', 'database', 'store')) execute function keep_facts();

-- Operators load, pause, resume and stop batches, and settle rows. They cannot record a paid request, so nothing is sent in their name.
grant insert on batches, rows, takes, decisions, results, actions, awaited_voices, notices, schedules, allowed_firings,
  occurrences, limiters, row_counts, sums, charge_ratios to voxbatch_operator;
grant update on batches, rows, takes, results, awaited_voices, notices, schedules, allowed_firings, occurrences,
  limiters, row_counts, sums, charge_ratios to voxbatch_operator;
-- Not which row a request was for, nor when and by whom it was sent.
grant update (from_take, operation, state, job_id, quoted, charged, charged_from, told, failure, request_id,
  link_hash, name_free, verdict_at, finished_at, priced_at, file, result_key, source, damaged,
  judgement) on charges to voxbatch_operator;
grant delete on batches, rows, takes, results, awaited_voices, schedules, allowed_firings, row_counts, sums
  to voxbatch_operator;

-- Workers send, fetch and record, and load the batches of schedules. They cannot make, change or remove a schedule.
grant insert on batches, rows, charges, takes, decisions, results, actions, awaited_voices, notices, occurrences,
  lanes, workers, worker_duties, limiters, text_limits, webhooks, job_hints, row_counts, sums, charge_ratios
  to voxbatch_worker;
grant update on batches, rows, charges, takes, results, awaited_voices, notices, schedules, allowed_firings, occurrences,
  lanes, workers, limiters, text_limits, webhooks, job_hints, row_counts, sums, charge_ratios to voxbatch_worker;
grant delete on batches, rows, takes, results, awaited_voices, lanes, workers, worker_duties, webhooks,
  job_hints, row_counts, sums to voxbatch_worker;

reset search_path;

commit;

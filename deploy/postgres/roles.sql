-- Roles for a ledger in PostgreSQL: what workers, operators and readers may do, and no more.
--
-- The owner of the schema makes and changes its tables (voxbatch ledger migrate), and nobody else does. Run this as the
-- owner or a superuser after that, and again after each upgrade: it may be repeated. Then give each user its role:
--
--   create role ann login password '…' in role voxbatch_operator;
--
-- Nobody but the owner can remove a charge, a decision or an action, or change what an action says.

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

-- Whoever writes leaves a mark of each commit in `facts`, by which it finds out what was kept if the answer is lost.
grant insert, update, delete on facts to voxbatch_operator, voxbatch_worker;

-- Operators load batches, steer them and settle rows. They cannot record a paid request, so nothing is sent in their name.
grant insert on batches, rows, takes, decisions, results, actions, awaited_voices, notices, schedules, allowed_firings,
  occurrences, limiters, row_counts, sums, charge_ratios to voxbatch_operator;
grant update on batches, rows, charges, takes, results, awaited_voices, notices, schedules, allowed_firings, occurrences,
  limiters, row_counts, sums, charge_ratios to voxbatch_operator;
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

/**
 * Begins a transaction of the one writer at a time, in all processes. Read committed, whatever the server's default is:
 * otherwise it would see what there was before it waited for the lock.
 */
export const BEGIN_WRITING =
  'begin isolation level read committed; select pg_advisory_xact_lock(hashtext(current_schema()))';

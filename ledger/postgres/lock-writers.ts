/** One writer at a time, in all processes: held to the end of the transaction. */
export const LOCK_WRITERS = 'select pg_advisory_xact_lock(hashtext(current_schema()))';

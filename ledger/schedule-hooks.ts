import type { ScheduleHooks } from '../contract/schedule.ts';
import type { Db, Tx } from './schema.ts';
import { write } from './transactions.ts';

/** Sets the hooks of a schedule that is known; absent ones stay as they are. */
export async function setScheduleHooks(
  db: Db,
  schedule: string,
  { onEnd, notify }: Partial<ScheduleHooks>,
): Promise<void> {
  if (onEnd === undefined && notify === undefined) return;
  const changes = { ...(onEnd === undefined ? {} : { on_end: onEnd }), ...(notify === undefined ? {} : { notify }) };
  await write(db, async (tx) => {
    await tx.updateTable('schedules').set(changes).where('name', '=', schedule).execute();
  });
}

/** The hooks of a schedule; none for one that is not known. */
export async function scheduleHooks(db: Db | Tx, schedule: string): Promise<ScheduleHooks> {
  const line = await db
    .selectFrom('schedules')
    .select(['on_end', 'notify'])
    .where('name', '=', schedule)
    .executeTakeFirst();
  return { onEnd: line?.on_end ?? null, notify: line?.notify ?? null };
}

import type { Ledger } from '../../ledger/ledger.ts';
import { pausesOnFailure } from '../../policy/schedules/legal-firing.ts';
import type { Occurrence } from '../../policy/schedules/occurrence.ts';

/** Whether its schedule is to pause if this occurrence fails. */
export async function pausesSchedule(
  ledger: Pick<Ledger, 'scheduleRecord'>,
  { schedule, at }: Occurrence,
): Promise<{ readonly pauses: boolean }> {
  const record = await ledger.scheduleRecord(schedule);
  if (record === undefined) return { pauses: false };
  return { pauses: pausesOnFailure(at, { spec: record.settings.spec, allowed: record.allowed }) };
}

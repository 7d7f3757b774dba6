import { dutyOfLane, type WorkerDuty } from '../../contract/worker-duty.ts';
import type { Dependencies } from '../dependencies.ts';

/** The living workers that could have a lane: of one for downloads, those that do nothing else. */
export async function peersOf(
  { ledger, realm }: Pick<Dependencies, 'ledger' | 'realm'>,
  lane: number,
): Promise<readonly string[]> {
  const { apiUrl, account } = realm;
  const senders = await ledger.livingWorkers(apiUrl, account, 'submit');
  if (dutyOfLane(lane) === 'submit') return senders;
  return (await ledger.livingWorkers(apiUrl, account)).filter((worker) => !senders.includes(worker));
}

/** Whether lanes of a batch have different duties: none of them then sees all of its rows through. */
export function isWorkSplit(only: WorkerDuty | undefined, lanes: readonly { readonly lane: number }[]): boolean {
  return only !== undefined || lanes.some(({ lane }) => dutyOfLane(lane) === 'download');
}

import { dutyOfLane, type WorkerDuty } from '../../contract/worker-duty.ts';
import { ofSameVersion } from '../../policy/lanes/versions.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * The living workers that could have a lane: those of this worker's version; of a lane for downloads, those that do
 * nothing else, which have no version.
 */
export async function eligibleWorkers(
  { ledger, realm, owner }: Pick<Dependencies, 'ledger' | 'realm' | 'owner'>,
  lane: number,
): Promise<readonly string[]> {
  const { apiUrl, account } = realm;
  const senders = await ledger.livingWorkers(apiUrl, account, 'submit');
  if (dutyOfLane(lane) === 'submit') return ofSameVersion(owner, senders);
  return (await ledger.livingWorkers(apiUrl, account)).filter((worker) => !senders.includes(worker));
}

/** Whether lanes of a batch have different duties: none of them then sees all of its rows through. */
export function areDutiesSplit(only: WorkerDuty | undefined, lanes: readonly { readonly lane: number }[]): boolean {
  return only !== undefined || lanes.some(({ lane }) => dutyOfLane(lane) === 'download');
}

import { dutyOfLane, type WorkerDuty } from '../../contract/worker-duty.ts';
import { ofSameVersion } from '../../policy/lanes/worker-names.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Returns the identities of the living workers that could take a lane. A lane that sends needs a worker of this
 * worker's version; a lane for downloads, a worker that only downloads, of any version.
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

/**
 * Returns whether sending and downloading are split between workers, so that lanes hand rows over to each other.
 * `only`: this worker's duty. `lanes`: all lanes of the batch.
 */
export function areDutiesSplit(only: WorkerDuty | undefined, lanes: readonly { readonly lane: number }[]): boolean {
  return only !== undefined || lanes.some(({ lane }) => dutyOfLane(lane) === 'download');
}

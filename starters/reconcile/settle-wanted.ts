import { hostname, userInfo } from 'node:os';
import { adoptJob, type NamedJob } from '../../batches/adopt-job.ts';
import { releaseTake, settleNotCharged } from '../../batches/decide-take.ts';
import type { RowTake } from '../../batches/find-take.ts';
import type { FreeReads } from '../../batches/free-reads.ts';
import { settleUnknown } from '../../batches/settle-unknown.ts';
import type { SettledRow } from '../../batches/settled-row.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { newIdentity } from '../../worker/dependencies.ts';
import { freeReadsOf } from '../../worker/free-reads.ts';
import { openLog } from '../../client/embedded-worker.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { claimStore } from '../../client/claim-store.ts';
import type { Settings } from '../../client/settings.ts';

/** What a person wants to be settled, and how. */
export interface Wanted {
  readonly releases: readonly RowTake[];
  readonly notCharged: readonly RowTake[];
  readonly adoptions: readonly NamedJob[];
  /** Rows to be looked for, by number. */
  readonly lookFor: readonly number[];
}

/** This process reads as a worker does, but sends nothing and starts no workflow. */
export async function readsOf(settings: Settings, ledger: Ledger, open: OpenApi): Promise<FreeReads> {
  const store = await claimStore(settings, ledger);
  const realm = { ...realmOf(open), ledgerId: ledger.id };
  const onFault = (fault: Error): void => {
    throw fault;
  };
  return freeReadsOf({
    ledger,
    store,
    api: open.api,
    realm,
    owner: newIdentity(),
    log: openLog(settings.home),
    onFault,
  });
}

/** Settles what is wanted, by a person's word first; gives each row once it is settled, or refused. */
export async function* settleWanted(
  { ledger, reads, batch }: { readonly ledger: Ledger; readonly reads: FreeReads; readonly batch: BatchRecord },
  { releases, notCharged, adoptions, lookFor }: Wanted,
): AsyncGenerator<SettledRow, void, undefined> {
  const who = whoAsks();
  for (const take of releases) yield releaseTake(ledger, batch.name, take, who);
  for (const take of notCharged) yield settleNotCharged(ledger, batch.name, take, who);
  for (const job of adoptions) yield adoptJob(ledger, reads, batch, job, who);
  yield* settleUnknown(ledger, reads, batch, lookFor);
}

/** User and host, for the record of a decision. */
function whoAsks(): string {
  let user = 'somebody';
  try {
    user = userInfo().username;
  } catch {
    // A container may run under a number that has no name.
  }
  return `${user}@${hostname()}`;
}

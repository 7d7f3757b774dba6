import { setTimeout as sleep } from 'node:timers/promises';
import type { Voice } from '../../api/speech-api.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { Finding } from '../../policy/reconcile/match-lost-job.ts';
import { chooseVoice, isSameName } from '../../policy/voices/match-lost-voice.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiForRow } from '../row-api.ts';
import type { LoadedAttempt } from '../attempt.ts';
import { readWithRetries } from '../polling/read-with-retries.ts';

/**
 * Delay before a list without the voice is read once more, ms. A voice may appear in the list a moment after its
 * creation.
 */
const SECOND_LOOK_MS = 1_500;
/** No voice appears any more for a request older than this, ms. */
const SETTLED_AFTER_MS = 60_000;

/**
 * Calls `adopt` with the voice that a lost request made, if the list leaves no doubt; false if another row was quicker.
 * Returns the adopted voice. Throws ApiError if the list cannot be read.
 */
export async function adoptLostVoice(
  deps: Dependencies,
  loaded: LoadedAttempt,
  signal: AbortSignal,
  adopt: (voiceId: string) => Promise<boolean>,
): Promise<string | undefined> {
  const { charge, row } = loaded;
  // The name of an earlier take may have been another one.
  if (charge === undefined || charge.take !== row.take) return undefined;
  for (let looks = 1; ; looks++) {
    const finding = await look(deps, loaded, charge, signal);
    if (finding.type === 'found') return (await adopt(finding.id)) ? finding.id : undefined;
    const isYoung = deps.clock.now().wall - charge.intentAt < SETTLED_AFTER_MS;
    if (finding.type === 'ambiguous' || looks > 1 || !isYoung) return undefined;
    await sleep(SECOND_LOOK_MS, undefined, { signal });
  }
}

async function look(
  deps: Dependencies,
  { batch, row }: LoadedAttempt,
  charge: ChargeRecord,
  signal: AbortSignal,
): Promise<Finding> {
  const { apiUrl, account } = batch;
  const name = row.spec.name ?? '';
  const named = (await voicesNamed(deps, { batch, row }, name, signal)).map(({ id }) => id);
  // After the list: a request that began since is in doubt now, or has its voice by then.
  const unresolved = await deps.ledger.otherUnresolved(apiUrl, account, charge, 0);
  const claimed = new Set<string>();
  for (const id of named) {
    const holder = await deps.ledger.holderOfJob(apiUrl, account, charge.step, id);
    if (holder !== undefined) claimed.add(id);
  }
  const others = unresolved.filter(({ spec }) => isSameName(spec.name ?? '', name)).length;
  const ageMs = deps.clock.now().wall - charge.intentAt;
  return chooseVoice({ nameWasFree: charge.nameWasFree, named, claimed, others, ageMs });
}

/** Lists the voices of the account that have this name. Throws ApiError. */
export async function voicesNamed(
  deps: Dependencies,
  { batch, row }: Pick<LoadedAttempt, 'batch' | 'row'>,
  name: string,
  signal: AbortSignal,
): Promise<readonly Voice[]> {
  const found: Voice[] = [];
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => readWithRetries(deps, batch.name, signal, read);
  for await (const voice of apiForRow(deps, row).listVoices({ search: name, inTurn }, signal)) {
    if (isSameName(voice.name, name)) found.push(voice);
  }
  return found;
}

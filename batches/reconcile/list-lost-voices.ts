import { defined } from '../../contract/defined.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { isBefore, isNewSince, isSameName } from '../../policy/voices/match-lost-voice.ts';
import type { FreeReads, Unreadable } from '../free-reads.ts';
import { findUnresolved } from './settle-unknown.ts';

/** A voice that a lost request may have made: it has its name, and no row has it. */
export interface VoiceOfRow {
  readonly row: number;
  /** Of the row. */
  readonly id: string;
  readonly voice: string;
  readonly name: string;
  readonly provider: string;
  /** Whether it is certain that it was not there before the request. */
  readonly isNew: boolean;
  /** If the API says when it was made. */
  readonly createdAtMs?: number;
}

/**
 * The voices that these rows' lost requests may have made, those first that were made soonest after the request. One that
 * was made before it is left out. Reads the list only if one of the rows makes a voice.
 */
export async function listLostVoices(
  ledger: Pick<Ledger, 'readRow' | 'isJobClaimed'>,
  reads: Pick<FreeReads, 'listVoices'>,
  batch: Pick<BatchRecord, 'name' | 'apiUrl' | 'account'>,
  rows: readonly number[],
): Promise<{ readonly type: 'listed'; readonly voices: readonly VoiceOfRow[] } | Unreadable> {
  const { name: batchName, apiUrl, account } = batch;
  const found: VoiceOfRow[] = [];
  let list: Awaited<ReturnType<FreeReads['listVoices']>> | undefined;
  for (const row of rows) {
    const attempt = await findUnresolved(ledger, batchName, row);
    const record = (await ledger.readRow(batchName, row))?.row;
    if (attempt?.step !== 'voice' || record === undefined) continue;
    list ??= await reads.listVoices(batchName, dialectOf(record.spec));
    if (list.type === 'unreadable') return list;
    const { name: wanted = '' } = record.spec;
    const own: VoiceOfRow[] = [];
    for (const { id: voice, name, provider, createdAtMs } of list.voices) {
      if (!isSameName(name, wanted) || (createdAtMs !== undefined && isBefore(createdAtMs, attempt))) continue;
      if (await ledger.isJobClaimed(apiUrl, account, 'voice', voice)) continue;
      own.push({
        row,
        id: record.id,
        voice,
        name,
        provider,
        isNew: isNewSince(attempt, { createdAtMs }),
        ...defined({ createdAtMs }),
      });
    }
    found.push(...own.sort((a, b) => (a.createdAtMs ?? Infinity) - (b.createdAtMs ?? Infinity)));
  }
  return { type: 'listed', voices: found };
}

import type { Account } from '../../contract/names.ts';
import type { Compilable } from 'kysely';
import { isSameName } from '../../policy/voices/match-lost-voice.ts';
import { isNoPart } from '../conditions.ts';
import type { Db, Tx } from '../schema.ts';
import { readSnapshot } from '../database/transactions.ts';

/** A voice of the account. */
export interface NamedVoice {
  readonly id: string;
  /** Undefined if unknown. */
  readonly name: string | undefined;
}

/** A batch whose rows need a voice. */
export interface VoiceUser {
  readonly batch: string;
  /** Number of open rows that speak with it. */
  readonly speaking: number;
  /** Number of open rows that make a voice of this name: it may be theirs, if their answer has not arrived yet. */
  readonly making: number;
}

/** Returns the open batches with open rows that speak with the voice, or make one of its name. */
export async function voiceUsers(db: Db, account: Account, { id, name }: NamedVoice): Promise<readonly VoiceUser[]> {
  return readSnapshot(db, async (tx) => {
    const users = new Map<string, { speaking: number; making: number }>();
    const userOf = (batch: string): { speaking: number; making: number } => {
      const user = users.get(batch) ?? { speaking: 0, making: 0 };
      users.set(batch, user);
      return user;
    };
    for (const { batch, rows } of await selectSpeaking(tx, account, id).execute()) userOf(batch).speaking = rows;
    const makers = name === undefined ? [] : await selectMaking(tx, account).execute();
    for (const maker of makers) if (isSameName(maker.name ?? '', name ?? '')) userOf(maker.batch).making += 1;
    return [...users].map(([batch, user]) => ({ batch, ...user })).sort((a, b) => (a.batch < b.batch ? -1 : 1));
  });
}

type Query<Line> = Compilable<Line> & { execute(): Promise<Line[]> };

/** Counts speaking rows by batch. By id only: names become ids when the batch is created, or the voice is made. */
function selectSpeaking(tx: Tx, account: Account, id: string): Query<{ batch: string; rows: number }> {
  return openRows(tx, account)
    .select((eb) => ['rows.batch', eb.fn.countAll<number>().as('rows')])
    .where('rows.voice', '=', id)
    .where(isNoPart('rows'))
    .groupBy('rows.batch');
}

function selectMaking(tx: Tx, account: Account): Query<{ batch: string; name: string | null }> {
  return openRows(tx, account).select(['rows.batch', 'rows.name']).where('rows.kind', '=', 'voice');
}

/** Selects the open rows of an account's open batches. */
function openRows(tx: Tx, { apiUrl, account }: Account) {
  return tx
    .selectFrom('batches')
    .innerJoin('rows', 'rows.batch', 'batches.name')
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account)
    .where('batches.state', '<>', 'closed')
    .where('rows.outcome', 'is', null);
}

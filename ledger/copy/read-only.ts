import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/*
 * Read-only ledgers: those that have moved, are being filled, or are backups. A fact of each says why, and guard
 * triggers refuse every write with a message that contains that fact.
 */

/** Facts about one copy of a ledger to another place, recorded on both sides. */
export interface CopyFacts {
  /** The other side, without secrets. */
  readonly place: string;
  /** Random id of this copy. */
  readonly copy: string;
  /** When it was begun, ms. */
  readonly at: number;
}

/**
 * Why a ledger is read-only; the database itself refuses writes (`CopyDialect.guard`). `moved`: work goes on at
 * `place`. `incoming`: it is being filled from the ledger at `place`, and not open yet. `backup`: it is a backup of the
 * ledger at `place`, made at `at`, that nobody has accepted; it lacks what was recorded since.
 */
export interface WhyReadOnly extends CopyFacts {
  readonly type: 'moved' | 'incoming' | 'backup';
}

/** Which ledger a database holds, and whether it may be written to. */
export interface LedgerFacts {
  /** Random id, made with the ledger; a copy has the id of the ledger it was made from. Undefined if it lacks one. */
  readonly id: string | undefined;
  readonly readOnly: WhyReadOnly | undefined;
  /** The last copy into it that was completed. */
  readonly copied: CopyFacts | undefined;
}

/**
 * Names of facts whose values are `CopyFacts` as JSON. `copied`: recorded in place of `incoming` once that is complete.
 */
export type CopyFactName = WhyReadOnly['type'] | 'copied';

/** The facts that make a ledger read-only. */
const READ_ONLY = ['moved', 'incoming', 'backup'] as const satisfies readonly WhyReadOnly['type'][];

/**
 * Reads which ledger this is now: since it was opened, another process may have moved it, or filled it from another.
 */
export async function readLedgerFacts(db: Kysely<Schema>): Promise<LedgerFacts> {
  return toLedgerFacts(await db.selectFrom('facts').selectAll().execute());
}

/** Converts the lines of the table `facts`. */
export function toLedgerFacts(lines: readonly { readonly name: string; readonly value: string }[]): LedgerFacts {
  const valueOf = (name: CopyFactName | 'id'): string | undefined => lines.find((line) => line.name === name)?.value;
  const why = READ_ONLY.flatMap((type) => {
    const value = valueOf(type);
    return value === undefined ? [] : [{ type, ...parseFacts(value) }];
  });
  const copied = valueOf('copied');
  return { id: valueOf('id'), readOnly: why[0], copied: copied === undefined ? undefined : parseFacts(copied) };
}

/** Returns the facts as JSON, for their record. */
export function factsAsJson({ place, copy, at }: CopyFacts): string {
  return JSON.stringify({ place, copy, at });
}

/** Matches the message of a guard. */
const GUARD = /voxbatch: this ledger is (\w+): (\{.*\})/s;

/** Returns the message with which a guard refuses a write. */
export function guardWords(why: WhyReadOnly): string {
  return `voxbatch: this ledger is ${why.type}: ${factsAsJson(why)}`;
}

/** Returns why a guard refused a write, from the message of its error; undefined for other errors. */
export function whyOfGuard(message: string): WhyReadOnly | undefined {
  const [, word, json = ''] = GUARD.exec(message) ?? [];
  const type = READ_ONLY.find((one) => one === word);
  return type === undefined ? undefined : { type, ...parseFacts(json) };
}

/** Parses facts without trusting them: a ledger from elsewhere may contain anything. */
function parseFacts(json: string): CopyFacts {
  const { place, copy, at } = parseObject(json);
  return {
    place: typeof place === 'string' ? place : '(unknown)',
    copy: typeof copy === 'string' ? copy : '',
    at: typeof at === 'number' && Math.abs(at) < LATEST_MS ? at : 0,
  };
}

/** The last moment that a `Date` can hold, ms. */
const LATEST_MS = 8.64e15;

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

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
 * Why a ledger takes no writes, though it can be read. The database itself refuses them, see `CopyDialect.guard`.
 * `moved`: its work goes on at `place`. `incoming`: it is being filled from the ledger at `place`, and not open yet.
 * `backup`: it is a backup of the ledger at `place`, made at `at`, and nobody has accepted it: what was recorded since
 * is not in it.
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

/** Names of facts, beside `id`. Values are `CopyFacts` as JSON. `copied`: what was `incoming`, once it is complete. */
export type CopyFactName = WhyReadOnly['type'] | 'copied';

/** The facts that make a ledger read-only. */
const READ_ONLY = ['moved', 'incoming', 'backup'] as const satisfies readonly WhyReadOnly['type'][];

/**
 * Reads which ledger this is now: since it was opened, another process may have moved it, or filled it from another.
 */
export async function readLedgerFacts(db: Kysely<Schema>): Promise<LedgerFacts> {
  return toLedgerFacts(await db.selectFrom('facts').selectAll().execute());
}

/** What the lines of `facts` say. */
export function toLedgerFacts(lines: readonly { readonly name: string; readonly value: string }[]): LedgerFacts {
  const valueOf = (name: CopyFactName | 'id'): string | undefined => lines.find((line) => line.name === name)?.value;
  const why = READ_ONLY.flatMap((type) => {
    const value = valueOf(type);
    return value === undefined ? [] : [{ type, ...parseFacts(value) }];
  });
  const copied = valueOf('copied');
  return { id: valueOf('id'), readOnly: why[0], copied: copied === undefined ? undefined : parseFacts(copied) };
}

/** The facts as they are kept. */
export function factsAsJson({ place, copy, at }: CopyFacts): string {
  return JSON.stringify({ place, copy, at });
}

/** What a guard says, so that its error can be recognised. */
const GUARD = /voxbatch: this ledger is (\w+): (\{.*\})/s;

/** The words with which the database refuses a write. */
export function guardWords(why: WhyReadOnly): string {
  return `voxbatch: this ledger is ${why.type}: ${factsAsJson(why)}`;
}

/** Why a guard refused a write; undefined if it was no guard's error. */
export function whyOfGuard(message: string): WhyReadOnly | undefined {
  const [, word, json = ''] = GUARD.exec(message) ?? [];
  const type = READ_ONLY.find((one) => one === word);
  return type === undefined ? undefined : { type, ...parseFacts(json) };
}

/** A ledger may come from somebody else, so a fact may hold anything; it counts all the same. */
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

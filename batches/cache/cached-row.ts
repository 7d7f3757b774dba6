import {
  columnsReadBy,
  COLUMN_CELLS,
  dialectOf,
  linkOf,
  operationOf,
  stepsIn,
  type Step,
} from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, ResultRecord, ResultSource, RowRecord, RowStanding } from '../../ledger/record-types.ts';
import { lastAttempt } from '../../policy/rows/row-machine.ts';
import type { Store } from '../../store/store.ts';
import { stepKey } from './result-keys.ts';

/** Something that shapes a result. */
export interface KeyPart {
  /** `api`, `api-dialect`, `account`, `operation`, a column, or `api.<field>`. */
  readonly name: string;
  readonly value: string;
}

/** A row that has a result: it made it, or reused it. */
export interface ResultHolder extends ResultRecord {
  /** Whether its file is in the store. */
  readonly isStored: boolean;
}

/** A step of a row, as the cache sees it. */
export interface CachedStep {
  readonly step: Step;
  /** What its result is known by; null: nothing can equal it, or its batch uses no cache. */
  readonly key: string | null;
  /** What the key is made of. */
  readonly parts: readonly KeyPart[];
  /** Where its result came from; null: it was made for this row, or is not there. */
  readonly source: ResultSource | null;
  /** The rows that have this result and let later rows have it, the one that made it first. */
  readonly holders: readonly ResultHolder[];
}

/** The part of a row that matters here. */
export interface LookedUpRow extends Pick<RowStanding, 'charges'> {
  readonly row: Pick<RowRecord, 'spec'>;
}

/** What the cache knows about each step of a row. Asks no other machine. */
export async function lookUpRow(
  ledger: Pick<Ledger, 'resultNames'>,
  store: Pick<Store, 'measure'>,
  batch: BatchRecord,
  { row, charges }: LookedUpRow,
): Promise<readonly CachedStep[]> {
  const steps: CachedStep[] = [];
  for (const step of stepsIn(row.spec)) {
    const last = lastAttempt(charges, step);
    // Without a recorded key, one that depends on media is not known here.
    const planned = batch.settings.cache === 'off' ? undefined : stepKey(batch, row.spec, step);
    const key = last === undefined ? (planned ?? null) : last.resultKey;
    const names = key === null ? [] : await ledger.resultNames(key);
    const files = await store.measure(names.map(({ file }) => file.key));
    const holders = names.map((one, at) => ({ ...one, isStored: files[at] !== undefined }));
    steps.push({ step, key, parts: partsOf(batch, { row, step }), source: last?.source ?? null, holders });
  }
  return steps;
}

function partsOf(
  { apiUrl, account, settings }: BatchRecord,
  { row: { spec }, step }: Pick<LookedUpRow, 'row'> & { readonly step: Step },
): readonly KeyPart[] {
  const link = linkOf(spec.kind, step);
  const columns = columnsReadBy(spec.kind, step).flatMap((column): KeyPart[] => {
    if (link?.column === column) return [{ name: column, value: `what step ${link.of} makes` }];
    const value = spec[column];
    if (value === undefined) return [];
    if (typeof value === 'object') {
      return value.map(({ path, sha256 }) => ({ name: column, value: `${path}, its content (${sha256.slice(0, 8)})` }));
    }
    const isMedia = COLUMN_CELLS[column] === 'link';
    return [{ name: column, value: isMedia ? `${String(value)}, with its ETag and length` : String(value) }];
  });
  return [
    { name: 'api', value: apiUrl },
    { name: 'api-dialect', value: dialectOf(spec) },
    { name: 'account', value: account },
    { name: 'operation', value: operationOf(spec, step, settings.tts) },
    ...columns,
    ...Object.entries(spec.extra).map(([field, value]) => ({ name: `api.${field}`, value: JSON.stringify(value) })),
  ];
}

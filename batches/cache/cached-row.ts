import { join } from 'node:path';
import {
  columnsReadBy,
  COLUMN_CELLS,
  dialectOf,
  linkOf,
  operationOf,
  stepsIn,
  type RowSpec,
  type Step,
} from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, ResultRecord, ResultSource, RowRecord, RowStanding } from '../../ledger/record-types.ts';
import { lastAttempt } from '../../policy/rows/row-machine.ts';
import type { Store } from '../../store/store.ts';
import { stepKey } from './result-keys.ts';

/** A row, as the cache sees it. */
export interface CachedRowView {
  readonly batch: string;
  readonly row: number;
  readonly id: string;
  readonly steps: readonly CachedStep[];
}

/** A step of a row, as the cache sees it. */
interface CachedStep {
  readonly step: Step;
  /** What its result is known by; null: nothing can equal it, or its batch uses no cache. */
  readonly key: string | null;
  /** What the key is made of: `api`, `api-dialect`, `account`, `operation`, columns, and `api.<field>`. */
  readonly parts: ReadonlyMap<string, string>;
  /** Where its result came from; null: it was made for this row, or is not there. */
  readonly source: (ResultSource['from'] & Pick<ResultSource, 'is' | 'jobId'> & { readonly madeAt: Date }) | null;
  /** The rows that have this result and let later rows have it, the one that made it first. */
  readonly holders: readonly ResultHolder[];
}

/** A row that has a result: it made it, or reused it. */
interface ResultHolder extends Pick<ResultRecord, 'batch' | 'row' | 'bytes'> {
  readonly sha256: string;
  /** Of its file; null: it is missing. */
  readonly path: string | null;
  /** Where its file was, if it is missing. */
  readonly missing?: string;
  readonly madeAt: Date;
  readonly usedAt: Date;
}

/** What is looked up. */
export interface LookedUpRow extends Pick<RowStanding, 'charges'> {
  readonly batch: BatchRecord;
  readonly row: Pick<RowRecord, 'row' | 'id' | 'spec'>;
}

/** What the results of a row are known by, where they are kept, and who has them. `folder`: that of the store. Asks no other machine. */
export async function lookUpRow(
  ledger: Pick<Ledger, 'resultNames'>,
  store: Pick<Store, 'measure'>,
  folder: string,
  { batch, row, charges }: LookedUpRow,
): Promise<CachedRowView> {
  const steps: CachedStep[] = [];
  for (const step of stepsIn(row.spec)) {
    const last = lastAttempt(charges, step);
    // Without a recorded key, one that depends on media is not known here.
    const planned = batch.settings.cache === 'off' ? undefined : stepKey(batch, row.spec, step);
    const key = last === undefined ? (planned ?? null) : last.resultKey;
    const names = key === null ? [] : await ledger.resultNames(key);
    const files = await store.measure(names.map(({ file }) => file.key));
    const holders = names.map((one, at) => holderOf(one, join(folder, one.file.key), files[at] !== undefined));
    const { source = null } = last ?? {};
    steps.push({
      ...{ step, key, parts: partsOf(batch, row.spec, step), holders },
      source: source && { is: source.is, ...source.from, jobId: source.jobId, madeAt: new Date(source.madeAt) },
    });
  }
  return { batch: batch.name, row: row.row, id: row.id, steps };
}

function holderOf(
  { batch, row, bytes, file: { sha256 }, madeAt, usedAt }: ResultRecord,
  path: string,
  isStored: boolean,
): ResultHolder {
  const place = isStored ? { path } : { path: null, missing: path };
  return { batch, row, bytes, sha256, ...place, madeAt: new Date(madeAt), usedAt: new Date(usedAt) };
}

function partsOf({ apiUrl, account, settings }: BatchRecord, spec: RowSpec, step: Step): ReadonlyMap<string, string> {
  const link = linkOf(spec.kind, step);
  const columns = columnsReadBy(spec.kind, step).flatMap((column): (readonly [string, string])[] => {
    if (link?.column === column) return [[column, `what step ${link.of} makes`]];
    const value = spec[column];
    if (value === undefined) return [];
    if (typeof value === 'object') {
      return value.map(({ path, sha256 }) => [column, `${path}, its content (${sha256.slice(0, 8)})`]);
    }
    const isMedia = COLUMN_CELLS[column] === 'link';
    return [[column, isMedia ? `${String(value)}, with its ETag and length` : String(value)]];
  });
  return new Map([
    ['api', apiUrl],
    ['api-dialect', dialectOf(spec)],
    ['account', account],
    ['operation', operationOf(spec, step, settings.tts)],
    ...columns,
    ...Object.entries(spec.extra).map(([field, value]) => [`api.${field}`, JSON.stringify(value)] as const),
  ]);
}

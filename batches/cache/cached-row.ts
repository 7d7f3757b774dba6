import { contentOfCell } from '../../contract/local-media.ts';
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
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ResultRecord } from '../../ledger/cache/found-results.ts';
import type { ResultSource } from '../../ledger/requests/charge-records.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import { lastAttempt } from '../../policy/rows/row-machine.ts';
import { displayPath } from '../../store/open-store.ts';
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
  /** The cache key of its result; null if no result can be equal to it, or its batch uses no cache. */
  readonly key: string | null;
  /** The key's parts: `api`, `api-dialect`, `account`, `operation`, columns, and `api.<field>`. */
  readonly parts: ReadonlyMap<string, string>;
  /** Where its result was reused from; null if it was made for this row, or there is none. */
  readonly source: CachedSource | null;
  /** The rows that have this result and share it with later rows; its maker comes first. */
  readonly holders: readonly ResultHolder[];
}

/** The earlier request whose result was reused. */
type CachedSource = ResultSource['from'] & Pick<ResultSource, 'is' | 'jobId'> & { readonly madeAt: Date };

/** A row that made or reused a result. */
interface ResultHolder extends Pick<ResultRecord, 'batch' | 'row' | 'bytes'> {
  readonly sha256: string;
  /** Path of its file; null if missing. */
  readonly path: string | null;
  /** Where its file was, if it is missing. */
  readonly missing?: string;
  readonly madeAt: Date;
  readonly usedAt: Date;
}

/** A row to look up, with its batch and its requests. */
export interface LookedUpRow extends Pick<RowSnapshot, 'charges'> {
  readonly batch: BatchRecord;
  readonly row: Pick<RowRecord, 'row' | 'id' | 'spec'>;
}

/**
 * Looks up the cache keys of a row's results, where they are stored, and which rows share them. `address`: the store's
 * address (folder or `s3://` URL), to show full paths. Reads only ledger and store.
 */
export async function lookUpRow(
  ledger: Pick<Ledger, 'resultEntries'>,
  store: Pick<Store, 'measure'>,
  address: string,
  { batch, row, charges }: LookedUpRow,
): Promise<CachedRowView> {
  const steps: CachedStep[] = [];
  for (const step of stepsIn(row.spec)) {
    const last = lastAttempt(charges, step);
    // A key that depends on media can only be known here if it was recorded.
    const planned = batch.settings.cache === 'off' ? undefined : stepKey(batch, row.spec, step);
    const key = last === undefined ? (planned ?? null) : last.resultKey;
    const entries = key === null ? [] : await ledger.resultEntries(key);
    const files = await store.measure(entries.map(({ file }) => file.key));
    const { source = null } = last ?? {};
    steps.push({
      step,
      key,
      parts: partsOf(batch, row.spec, step),
      holders: entries.map((entry, at) =>
        holderOf(entry, displayPath(address, entry.file.key), files[at] !== undefined),
      ),
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

/** Returns the cache key's parts by name, in readable form: media links stand for their content. */
function partsOf({ apiUrl, account, settings }: BatchRecord, spec: RowSpec, step: Step): ReadonlyMap<string, string> {
  const link = linkOf(spec.kind, step);
  const columns = columnsReadBy(spec.kind, step).flatMap((column): (readonly [string, string])[] => {
    if (link?.column === column) return [[column, `what step ${link.of} makes`]];
    const value = spec[column];
    if (value === undefined) return [];
    if (typeof value === 'object') {
      return value.map(({ path, sha256 }) => [column, `${path}, its content (${sha256.slice(0, 8)})`]);
    }
    const isMedia = COLUMN_CELLS[column] === 'link' && contentOfCell(String(value)) === undefined;
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

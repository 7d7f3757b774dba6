import { defined } from '../../contract/defined.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { sourceOf, type ResultRecord } from '../../ledger/cache/found-results.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { ResultSource } from '../../ledger/requests/charge-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { copyStemOf } from '../../store/layout.ts';
import type { Reused } from '../../store/store.ts';
import type { DueRow } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import { judgeCheck, readTranscriptFile } from '../verification/judge-check.ts';

/**
 * `taken`: the row uses the result (`used`), or has changed meanwhile and cannot use it any more; see its snapshot.
 * `damaged`: a file of the result is missing or altered.
 */
type ReuseAnswer =
  | { readonly type: 'taken'; readonly snapshot: RowSnapshot & { readonly used: boolean } }
  | { readonly type: 'damaged'; readonly source: ResultSource };

/**
 * Uses the result of an earlier, equal row for a step: copies its files under the row's own names, verifies each copy
 * against its hash, then records them. After a kill in between, the row's next holder makes the copies again. A damaged
 * result is removed from the cache, so that no other row tries it. `saved`: the credits that the row saves; null if
 * unknown.
 */
export async function reuseResult(
  deps: Dependencies,
  batch: BatchRecord,
  { key, snapshot: before }: DueRow,
  result: ResultRecord,
  saved: number | null,
): Promise<ReuseAnswer> {
  const copies: ResultFile[] = [];
  // The main file comes last, so that the others exist if it does.
  for (const file of [...result.extraFiles, result.file]) {
    const copy = await deps.store.reuse(file, copyStemOf(batch.layout, key, file.sha256));
    if (copy.type !== 'reused') return forget(deps, result, copy.type);
    copies.push(copy.file);
  }
  const file = copies.at(-1);
  if (file === undefined) throw new Error(`Expected a copy of ${result.file.key}, but there is none.`);
  await deps.atFaultPoint('before-reuse-record');
  const isText = file.extension === 'txt';
  const text = isText ? await readTranscriptFile(deps, file.key) : '';
  const check = isText ? judgeCheck(before, batch, key, { text, isFree: true }) : undefined;
  const snapshot = await deps.ledger.useResult(key, {
    ...check,
    result,
    file,
    extraFiles: copies.slice(0, -1),
    saved,
    owner: deps.owner,
    ...defined({ fence: key.fence }),
  });
  return { type: 'taken', snapshot };
}

/** Removes a damaged result from the cache. */
async function forget(
  deps: Pick<Dependencies, 'ledger' | 'observe'>,
  result: ResultRecord,
  is: Exclude<Reused['type'], 'reused'>,
): Promise<ReuseAnswer> {
  const source = sourceOf(result, is);
  deps.observe({ type: 'note', what: 'result-forgotten', ...source.from, facts: { file: result.file.key, is } });
  await deps.ledger.dropResult(source.from);
  return { type: 'damaged', source };
}

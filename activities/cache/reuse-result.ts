import type { FencedAttempt } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { BatchRecord, ResultFile, ResultRecord, ResultSource, RowStanding } from '../../ledger/record-types.ts';
import { sourceOf } from '../../ledger/cache/found-results.ts';
import { copyStemOf } from '../../store/layout.ts';
import type { Reused } from '../../store/store.ts';
import type { Dependencies } from '../dependencies.ts';
import { judgeCheck, readTranscriptFile } from '../verification/judge-check.ts';

/** A step that an earlier result will do for. */
export interface Reuse {
  readonly batch: BatchRecord;
  readonly standing: RowStanding;
  readonly key: FencedAttempt;
  readonly result: ResultRecord;
  /** What the row would cost without it, up to this step; null if unknown. */
  readonly saved: number | null;
}

/** `taken`: the row has it (`used`), or cannot have it any more; see its state. `damaged`: its file is not what the record says. */
export type ReuseAnswer =
  | { readonly type: 'taken'; readonly standing: RowStanding & { readonly used: boolean } }
  | { readonly type: 'damaged'; readonly source: ResultSource };

/**
 * Gives a step the result of an earlier, equal row: copies of its files under the row's own names, each read again and
 * compared with its hash, and then the record. Killed in between, copies without a record are left; the next holder of
 * the row makes them again. A damaged result is forgotten, so that nobody tries it again.
 */
export async function reuseResult(
  deps: Dependencies,
  { batch, standing: before, key, result, saved }: Reuse,
): Promise<ReuseAnswer> {
  const copies: ResultFile[] = [];
  // The result comes last: if it is there, all files are.
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
  const standing = await deps.ledger.useResult(key, {
    ...check,
    ...{ result, file, extraFiles: copies.slice(0, -1), saved, owner: deps.owner },
    ...defined({ fence: key.fence }),
  });
  return { type: 'taken', standing };
}

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

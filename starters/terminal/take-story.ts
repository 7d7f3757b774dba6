import { join } from 'node:path';
import type { TakeReason } from '../../contract/outcomes.ts';
import { ROW_KINDS, type Step } from '../../contract/row-kinds.ts';
import type { BatchRecord, RowRecord, TakeRecord } from '../../ledger/record-types.ts';
import { isoTime } from '../../results/receipt.ts';
import { oneLine } from './table.ts';

/** What is needed to tell why a row was tried again. */
export interface TakesOfRow {
  readonly batch: Pick<BatchRecord, 'columns'>;
  readonly row: Pick<RowRecord, 'kind' | 'input'>;
  /** Folder of the store, where files of earlier takes stay. Absolute. */
  readonly store: string;
  /** The takes after the first, oldest first. */
  readonly takes: readonly TakeRecord[];
}

/** A cell that a person changed. */
interface CellChange {
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

const REASONS: Readonly<Record<TakeReason, string>> = {
  redrive: 'redriven by a person',
  edited: 'redriven by a person, with edited cells',
  resubmitted: "paid again on a person's word, although the request before may have been charged",
  retake: 'by itself after a job that failed (--retakes)',
  'on-unknown': 'by itself after an answer that was lost (--on-unknown resubmit)',
};

/** Longest cell that is shown of a change. */
const LONGEST_CELL = 60;

/** Why there is a take, for people. `at`: its place among the takes after the first. */
export function takeLines(story: TakesOfRow, at: number): readonly string[] {
  const take = story.takes[at];
  if (take === undefined) return [];
  const kept = keptSteps(story, take);
  const keeps = kept.length === 0 ? '' : `; ${kept.join(', ')} kept`;
  return [
    `Take ${take.take}, ${isoTime(take.madeAt)}: ${REASONS[take.reason]}; from ${take.fromStep} on${keeps}`,
    `  replaced ${beforeWords(take, story.store)}`,
    ...changesOf(story, at).map(({ column, from, to }) => `  ${oneLine(column)}: ${short(from)} → ${short(to)}`),
  ];
}

/** The same for machines. */
export function takeJson(story: TakesOfRow, at: number): object {
  const take = story.takes[at];
  if (take === undefined) return {};
  const { outcome, failure, file } = take.before;
  return {
    take: take.take,
    reason: take.reason,
    from_step: take.fromStep,
    kept_steps: keptSteps(story, take),
    made_at: isoTime(take.madeAt),
    before: {
      outcome,
      failure,
      file: file === null ? null : { bytes: file.bytes, sha256: file.sha256, path: join(story.store, file.key) },
    },
    changes: changesOf(story, at),
  };
}

function keptSteps({ row }: TakesOfRow, { fromStep }: TakeRecord): readonly Step[] {
  const { steps } = ROW_KINDS[row.kind];
  return steps.slice(0, Math.max(0, steps.indexOf(fromStep)));
}

function beforeWords({ before: { outcome, failure, file } }: TakeRecord, store: string): string {
  const words = failure === null ? '' : ` (${failure.class}: ${oneLine(failure.message)})`;
  const result =
    file === null
      ? ''
      : `, whose result was ${String(file.bytes)} bytes, sha256 ${file.sha256}, kept as ${join(store, file.key)}`;
  return `${outcome ?? 'a try that had not ended the row'}${words}${result}`;
}

/** What the take changed of the input: each record has what was before, so the next one, or the row, has what came. */
function changesOf({ batch, row, takes }: TakesOfRow, at: number): readonly CellChange[] {
  const before = takes[at]?.before.input;
  if (before === undefined) return [];
  const after = takes.slice(at + 1).find((take) => take.before.input !== undefined)?.before.input ?? row.input;
  return batch.columns.flatMap((column, place) => {
    const [from, to] = [before[place] ?? '', after[place] ?? ''];
    return from === to ? [] : [{ column, from, to }];
  });
}

function short(cell: string): string {
  const line = oneLine(cell);
  return `"${line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line}"`;
}

import { join } from 'node:path';
import type { TakeStory } from '../../batches/look/explain.ts';
import type { TakeReason } from '../../contract/outcomes.ts';
import type { TakeRecord } from '../../ledger/record-types.ts';
import { isoTime } from '../../results/receipt.ts';
import { size } from './size.ts';
import { pathOf, REMOVED } from './stored-words.ts';
import { clipped, oneLine } from './table.ts';

const REASONS: Readonly<Record<TakeReason, string>> = {
  redrive: 'redriven by a person',
  edited: 'redriven by a person with edited cells',
  resubmitted: 'sent again by a person, although the previous request may have been charged',
  retake: 'automatic retake after a failed job or an unfit result (--retakes)',
  'on-unknown': 'automatic resubmit after a lost answer (--on-unknown resubmit)',
};

/** Longest cell that is shown of a change. */
const LONGEST_CELL = 60;

/** Why a take was made, for people. `store`: folder of the store, where files of earlier takes stay. Absolute. */
export function takeLines(take: TakeStory, store: string): readonly string[] {
  const keeps = take.kept.length === 0 ? '' : `; ${take.kept.join(', ')} kept`;
  return [
    `Take ${take.take}, ${isoTime(take.madeAt)}: ${REASONS[take.reason]}; from ${take.fromStep} on${keeps}`,
    `  replaced ${beforeWords(take, store)}`,
    ...take.changes.map(({ column, from, to }) => `  ${oneLine(column)}: ${short(from)} → ${short(to)}`),
  ];
}

/** The same for machines. */
export function takeJson(take: TakeStory, store: string): object {
  const { outcome, failure, file } = take.before;
  return {
    take: take.take,
    reason: take.reason,
    from_step: take.fromStep,
    kept_steps: take.kept,
    made_at: isoTime(take.madeAt),
    before: {
      outcome,
      failure,
      file: file === null ? null : { bytes: file.bytes, sha256: file.sha256, path: pathOf(file, store) },
    },
    changes: take.changes,
  };
}

function beforeWords({ before: { outcome, failure, file } }: TakeRecord, store: string): string {
  const words = failure === null ? '' : ` (${failure.class}: ${oneLine(failure.message)})`;
  const result =
    file === null
      ? ''
      : `, whose result was ${size(file.bytes)}, sha256 ${file.sha256}, ${file.removedAt === undefined ? `kept as ${join(store, file.key)}` : REMOVED}`;
  return `${outcome ?? 'a take that did not end the row'}${words}${result}`;
}

function short(cell: string): string {
  return `"${clipped(cell, LONGEST_CELL)}"`;
}

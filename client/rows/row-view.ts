import { join } from 'node:path';
import type { TakeHistory } from '../../batches/rows/explain.ts';
import { takeInUse, takeResults } from '../../batches/rows/take-results.ts';
import { oddityOf, type RowFile } from '../../results/result-line.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { receiptsOf } from '../../results/receipt.ts';
import { viewFailure, type Failure } from '../../contract/failures.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import { partNumber } from '../../contract/row-parts.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import { viewAction } from '../history/history-view.ts';
import type { RowExplanation } from './explain.ts';

// For the command line, which imports only `client/`.
export { takeResults, type TakeResult } from '../../batches/rows/take-results.ts';

/** Views a row's history for `--json`. Attempts are as in `receipts.jsonl`, plus their failures. */
export function viewRow(history: RowExplanation) {
  const { batch, row, files, lost, store, charges } = history;
  return {
    batch: batch.name,
    row: row.partOf ?? row.row,
    ...(row.partOf === null ? {} : { part: partNumber(row.id), path: pathOf(row.file, store) }),
    id: row.id,
    line: row.line,
    kind: row.kind,
    apiDialect: dialectOf(row.spec),
    state: row.state,
    outcome: row.outcome,
    voice: row.spec.voice ?? null,
    // Parts are only in the store until they are joined.
    parts: history.parts.map(({ id, outcome, state, text, file }) => {
      return { id, outcome, state, text, path: pathOf(file, store) };
    }),
    waitsFor: row.state === 'blocked' && row.parts === null ? { voice: row.awaitedVoice, row: row.voiceRow } : null,
    input: inputOf(history),
    takes: history.takes.map((take) => viewTake(take, store)),
    takeInUse: takeInUse(history),
    takeResults: takeResults(history).map(({ take, file, isInUse }) => {
      const { bytes, sha256 } = file;
      return { take, inUse: isInUse, bytes, sha256, path: pathOf(file, store) };
    }),
    attempts: receiptsOf(history, files).map((receipt, at) => ({
      ...receipt,
      failure: failureOf(charges[at]?.failure),
    })),
    decisions: history.decisions.map(({ step, take, attempt, what, jobId, who, madeAt }) => {
      return { step, take, attempt, what: what.replace('-', '_'), jobId, who, madeAt: new Date(madeAt) };
    }),
    actions: history.actions.map(viewAction),
    failure: failureOf(row.failure),
    oddity: hasResult(row.outcome) ? oddityOf(row) || null : null,
    text: row.text,
    files: files.map(({ name, file: { bytes, sha256, unfit } }: RowFile) => {
      return { name, bytes, sha256, ...(unfit && { unfit }) };
    }),
    storedFileLost: lost === null ? null : { is: lost.is, free: lost.isFree },
    updatedAt: new Date(row.updatedAt),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt),
  };
}

/** Path of a stored file; null if there is none. `store`: absolute path of the store's folder. */
export function pathOf(file: RowExplanation['row']['file'], store: string): string | null {
  return file === null || file.removedAt !== undefined ? null : join(store, file.key);
}

/** A row's cells by column; for a part, which has no line in the manifest, only its text. */
export function inputOf({ batch, row }: Pick<RowExplanation, 'batch' | 'row'>): ReadonlyMap<string, string> {
  if (row.partOf !== null) return new Map([['text', row.spec.text ?? '']]);
  return new Map(batch.columns.map((column, at) => [column, row.input[at] ?? '']));
}

function viewTake({ take, reason, fromStep, kept, madeAt, before, changes }: TakeHistory, store: string) {
  const { outcome, failure, file } = before;
  const stored = file === null ? null : { bytes: file.bytes, sha256: file.sha256, path: pathOf(file, store) };
  return {
    take,
    reason,
    fromStep,
    keptSteps: kept,
    madeAt: new Date(madeAt),
    before: { outcome, failure: failureOf(failure), file: stored },
    changes,
  };
}

function failureOf(failure: Failure | null | undefined) {
  return failure == null ? null : viewFailure(failure);
}

/** The fields that determine a row's voice, and whether the row waits for it. */
type VoicedRow = Pick<RowExplanation['row'], 'spec' | 'voiceRow' | 'awaitedVoice'>;

/**
 * The voice that blocks a row: its id while it may be in training, otherwise its name. `maker`: the row that makes it.
 */
export function voiceAwaited({ spec: { voice = '' }, voiceRow, awaitedVoice }: VoicedRow): {
  readonly voice: string;
  readonly isTraining: boolean;
  readonly maker: number | null;
} {
  const name = requestedVoiceName(voice) ?? voice;
  return { voice: awaitedVoice ?? name, isTraining: awaitedVoice !== null, maker: voiceRow };
}

/** The voice behind a name that the user gave; undefined if the user gave an id, or the voice does not exist yet. */
export function voiceFound({
  input,
  spec: { voice },
}: Pick<RowExplanation['row'], 'spec' | 'input'>): string | undefined {
  if (voice === undefined || requestedVoiceName(voice) !== undefined) return undefined;
  return input.some((cell) => requestedVoiceName(cell.trim()) !== undefined) ? voice : undefined;
}

import type { Failure } from '../../contract/failures.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { resultOf } from '../../contract/row-kinds.ts';
import { copyOut, type CopiedOut } from '../../results/copy-out.ts';
import { resultFields, type CreditsKind } from '../../results/result-line.ts';
import type { Store } from '../../store/store.ts';
import type { SingleRecord } from './find-single.ts';

/** A single job as it is on record. */
export interface JobResult {
  /** Name of its batch of one row, which `explain`, `status` and `clean` take. */
  readonly name: string;
  /** Null: it has not ended. */
  readonly outcome: Outcome | null;
  /** What was heard, of a transcription. */
  readonly text: string | null;
  /** Id of the voice that it made, of `createVoice`. */
  readonly voice: string | null;
  /** Why it has no result. */
  readonly failure: Failure | null;
  /** Known cost in credits, of all its takes. */
  readonly credits: number;
  /** `uncertain`: more may have been charged. */
  readonly creditsKind: CreditsKind;
  readonly take: number;
  /** Extensions of its files, without dots, such as `mp3`, or `txt` and `srt`. */
  readonly extensions: readonly string[];
  /**
   * Copies its file to a path: whole, or not at all. `replace`: over another file; default false. `extension`: which of its
   * files; default the first. Throws an error of the system if the path cannot be written, and for an extension that it has
   * not.
   */
  save(path: string, options?: { readonly replace?: boolean; readonly extension?: string }): Promise<CopiedOut>;
}

export function jobResult(record: SingleRecord, store: () => Promise<Pick<Store, 'read'>>): JobResult {
  const { batch, row } = record;
  const files = row.file === null ? [] : [row.file, ...row.extraFiles];
  const { _credits: credits, _credits_kind: creditsKind } = resultFields(record, batch.name, '');
  const isVoice = resultOf(row.kind) === 'voice';
  return {
    ...{ name: batch.name, outcome: row.outcome, failure: row.failure, take: row.take },
    ...{ text: isVoice ? null : row.text, voice: isVoice ? row.text : null },
    ...{ credits, creditsKind, extensions: files.map(({ extension }) => extension) },
    save: async (path, { replace = false, extension } = {}) => {
      const file = files.find((one) => extension === undefined || one.extension === extension);
      if (file === undefined) throw new Error(`Job "${batch.name}" has no ${extension ?? 'file'}.`);
      return copyOut(file, await store(), path, { replace });
    },
  };
}

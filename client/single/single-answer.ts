import type { Dialect } from '../../contract/dialects.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import type { SameAgain } from '../../policy/single/same-again.ts';
import type { Confirm, NotApproved } from '../person.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { resultOf } from '../../contract/row-kinds.ts';
import { copyOut, type CopiedOut } from '../../results/copy-out.ts';
import { resultFields, type CreditsKind } from '../../results/result-line.ts';
import type { Store } from '../../store/store.ts';
import type { SingleRecord } from './find-single.ts';

/** Options of every single job. Omitted options come from the configuration. */
export interface SingleJobOptions {
  /** Limits and policies. */
  readonly tuning?: Tuning;
  /** Assumed length of media without a stated one, in seconds; only used for the price. */
  readonly assumeSeconds?: number;
  /**
   * Which of the API's dialects a new job speaks. A job on record keeps its own, and another one throws
   * {@link VoxbatchError} (`bad-option`). Default: the configuration's, else `v1`.
   */
  readonly apiDialect?: Dialect;
  /** Make a new take, at its price, even if there is a result. Default: false. */
  readonly again?: boolean;
  /** Resend a request that may have been charged, which can charge it twice. Default: false. */
  readonly resubmit?: boolean;
  /** Called before a bill above `confirmAbove` of the configuration is paid. Default: such a bill is refused. */
  readonly confirm?: Confirm;
  /** Stops waiting for the job, never the job itself. */
  readonly signal?: AbortSignal;
}

/**
 * Result of a single job. `done`: it has its result. `failed`: it ended without one. `held`: it ended earlier, and only
 * `again` or `resubmit` lets it run again; see `why`. `open`: the wait was aborted, or its batch paused; repeating the
 * call resumes it. In all other cases nothing was sent.
 */
export type SingleAnswer =
  | { readonly type: 'done' | 'failed' | 'open'; readonly job: JobResult }
  | {
      readonly type: 'held';
      readonly why: Extract<SameAgain, { readonly type: 'hold' }>['why'];
      readonly job: JobResult;
    }
  | { readonly type: 'faulty'; readonly problems: readonly ManifestProblem[] }
  /** It cannot continue as requested; `why` explains it in full sentences. */
  | { readonly type: 'not-opened'; readonly why: string }
  | NotApproved;

/** A recorded single job. */
export interface JobResult {
  /** Name of its batch of one row, which `explain`, `status` and `clean` take. */
  readonly name: string;
  /** Null while it has not ended. */
  readonly outcome: Outcome | null;
  /** The transcript, for `transcribe`. */
  readonly text: string | null;
  /** Id of the voice it made, for `createVoice`. */
  readonly voice: string | null;
  /** Why it has no result. */
  readonly failure: Failure | null;
  /** Known cost of all its takes, in credits. */
  readonly credits: number;
  /** `uncertain`: more may have been charged. */
  readonly creditsKind: CreditsKind;
  readonly take: number;
  /** Extensions of its files, without dots, such as `mp3`, or `txt` and `srt`. */
  readonly extensions: readonly string[];
  /**
   * Copies its file to a path atomically. `replace`: overwrite an existing file; default: false. `extension`: selects
   * one of its files; default: the first. Throws a system error if the path cannot be written, and an error for an
   * extension that it lacks.
   */
  save(path: string, options?: { readonly replace?: boolean; readonly extension?: string }): Promise<CopiedOut>;
}

/** Builds the result of a recorded job. `store`: opened when a file is saved. */
export function jobResult(record: SingleRecord, store: () => Promise<Store>): JobResult {
  const { batch, row } = record;
  const files = row.file === null ? [] : [row.file, ...row.extraFiles];
  const { _credits: credits, _credits_kind: creditsKind } = resultFields(record, batch.name, '');
  // A row that makes a voice has the voice's id as its text.
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

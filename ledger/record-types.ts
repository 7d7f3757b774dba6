import type { AttemptKey, BatchSettings, VoiceWait } from '../contract/batch.ts';
import type { CleanParts } from '../contract/cleaning.ts';
import type { Failure, FailureClass } from '../contract/failures.ts';
import type { AttemptState, Control, Outcome, RowState, TakeReason } from '../contract/outcomes.ts';
import type { Kind, RowSpec, Step } from '../contract/row-kinds.ts';
import type { RowPart } from '../contract/row-parts.ts';
import type { Subset } from '../contract/subset.ts';
import type { Judgement } from '../contract/verify.ts';

/** What identifies a batch. The same four mean the same batch. */
export interface BatchIdentity {
  readonly name: string;
  /** sha256 of the manifest's bytes, hex. */
  readonly digest: string;
  readonly apiUrl: string;
  readonly account: string;
}

export interface NewBatch extends BatchIdentity {
  readonly settings: BatchSettings;
  /** Input columns in order, without `_…`. */
  readonly columns: readonly string[];
  /** Where the manifest was read from, for people. */
  readonly source: string;
  /** The rows to run. Default: all. */
  readonly subset?: Subset | null;
}

export interface BatchRecord extends NewBatch {
  /** The rows that were last asked for; null: all. Rows of an earlier, larger subset run all the same. */
  readonly subset: Subset | null;
  /** Which batch it was, in the order in which they were made. */
  readonly number: number;
  /** Where its files are: its own folder in the store, and how many rows share a folder there (null: all of them). */
  readonly layout: { readonly stem: string; readonly rowsAFolder: number | null };
  /**
   * `loading`: rows are still being written; such a batch never ran. `open`: it has rows without outcome, or may get
   * some. `closed`: every row ended.
   */
  readonly state: 'loading' | 'open' | 'closed';
  readonly control: Control;
  /** Why the batch paused by itself, if it did. */
  readonly pauseReason: Failure | null;
  /** Why the batch gave up by itself (`--halt`), in one sentence; null if it did not. */
  readonly halted: string | null;
  readonly rows: number;
  readonly createdAt: number;
  /** First paid request of the batch, ms. */
  readonly startedAt: number | null;
  /** When ended rows were last opened again, ms; null: never. */
  readonly reopenedAt: number | null;
  readonly closedAt: number | null;
  /**
   * When its media, and when what its rows asked for, were last removed (`clean`), ms; null: never. `unfinished`: what is
   * being removed, or was when a clean was cut off; then no row can be opened again before it is finished.
   */
  readonly cleaned: {
    readonly media: number | null;
    readonly rows: number | null;
    readonly unfinished: CleanParts | null;
  };
}

export interface NewRow {
  /** 1-based. */
  readonly row: number;
  readonly id: string;
  /** Physical line on which the record starts; the header is line 1. */
  readonly line: number;
  readonly spec: RowSpec;
  /** The input cells in column order, unchanged. */
  readonly input: readonly string[];
  /** Sum of the quotes of its steps; null if no price is known. */
  readonly quoted: number | null;
}

/** A row to be loaded. */
export interface LoadedRow extends NewRow {
  /**
   * What it is spoken in, at least two. They become rows of their own, from the number `first` on, which comes after
   * those of all rows of the manifest. Default: it is not split.
   */
  readonly parts?: { readonly first: number; readonly rows: readonly RowPart[] };
  /** The row is not in the batch's subset: it ends `skipped` at once, until a later run selects it. Default false. */
  readonly isNotChosen?: boolean;
  /** The voice that it waits for. Default: none. */
  readonly waitsFor?: VoiceWait;
}

/** A stored result of a step. */
export interface ResultFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly extension: string;
  /** How long it plays, in seconds; omitted for text, raw audio, and files of earlier versions. */
  readonly seconds?: number;
  /** Why it did not pass a check, in a few words; it stays on record if a person accepted the file. */
  readonly unfit?: string;
  /** What is odd about it, in a few words, although it passed: somebody should listen to it. */
  readonly oddity?: string;
  /** When it was removed from the store on purpose, ms; such a file is not missing. */
  readonly removedAt?: number;
}

export interface RowRecord extends NewRow {
  readonly kind: Kind;
  readonly state: RowState;
  readonly outcome: Outcome | null;
  /** Why it ended this way; for an open row, what last went wrong with its result. */
  readonly failure: Failure | null;
  /** The final result; `.srt` and `.vtt` files of a transcript are in `extraFiles`. */
  readonly file: ResultFile | null;
  readonly extraFiles: readonly ResultFile[];
  /** Transcribed text, for `stt`. */
  readonly text: string | null;
  readonly take: number;
  /** First step that the current take pays for; the steps before it keep what an earlier take made. Null: all steps. */
  readonly redoFrom: Step | null;
  /** Automatic takes since a person last asked for one. */
  readonly autoTakes: number;
  /**
   * The take whose results of earlier steps its current take uses, because a person accepted them as they are in the middle
   * of a chain, or went back to that take. Null: the last that there are.
   */
  readonly acceptedTake: number | null;
  /** The take whose result a person went back to; null: it stands at its current take (`presentTake`). */
  readonly returnedTo: number | null;
  /** The file that it ends with if what is under way brings no better; undefined: it has kept none. */
  readonly keptFile?: ResultFile | undefined;
  /** Start of the time that its job may take, ms; null: its acceptance. */
  readonly waitSince: number | null;
  /** The row that makes its voice; null: none does. */
  readonly voiceRow: number | null;
  /** The id of the voice that it waits for, because that may be in training; null: it does not, or not yet. */
  readonly awaitedVoice: string | null;
  /** The row that it is a part of; null: it is a row of the manifest. */
  readonly partOf: number | null;
  /** How many parts it is spoken in; null: it is not split. Such a row makes no request: its parts do. */
  readonly parts: number | null;
  /** Counts how often it was claimed or taken back; see `RowAttempt` of the contract. */
  readonly fence: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

/** Why and when a row got a new take, and its state before. Take 1 has no such record. */
export interface TakeRecord {
  readonly batch: string;
  readonly row: number;
  /** From 2. */
  readonly take: number;
  readonly reason: TakeReason;
  /** The first step that it pays for. */
  readonly fromStep: Step;
  readonly madeAt: number;
  readonly before: {
    readonly outcome: Outcome | null;
    readonly failure: Failure | null;
    /** The result that it replaces. */
    readonly file: ResultFile | null;
    readonly extraFiles: readonly ResultFile[];
    /** What the row asked for until then; only if this take changes it. */
    readonly spec?: RowSpec;
    readonly input?: readonly string[];
    /** What it stood at, for a take that is taken back. Default: on record from before this was kept. */
    readonly standing?: Pick<RowRecord, 'redoFrom' | 'acceptedTake' | 'returnedTo'>;
    /** The lost result that it no longer fetches, for a take that is taken back. Default: there was none. */
    readonly givenUp?: GivenUp;
  };
}

/** An attempt whose result was lost, as it was before its row was paid for anew. */
export interface GivenUp {
  readonly attempt: AttemptKey;
  /** Its lost file; null: none was ever stored. */
  readonly file: ResultFile | null;
  /** Its job was read for it. */
  readonly isRead: boolean;
}

/** One attempt: one paid request. */
export interface ChargeRecord extends AttemptKey {
  /** The take that made what it uses of an earlier step; null: it uses nothing of one. */
  readonly fromTake: number | null;
  readonly state: AttemptState;
  readonly jobId: string | null;
  readonly quoted: number | null;
  /** What was charged: the API's figure, or the quote if it gave none. Null unless accepted or done. */
  readonly charged: number | null;
  /** Source of `charged`. Null with a charge of 0: another attempt has its job too, and pays for it there. */
  readonly chargedFrom: 'api' | 'quote' | null;
  /**
   * The price that an answer reported before the attempt got its verdict, or that of a job that is charged to another
   * attempt.
   */
  readonly reportedPrice: number | null;
  readonly failure: Failure | null;
  readonly requestId: string | null;
  /** sha256 (hex) of the audio link that a chain's lip-sync got; the link itself is never recorded. */
  readonly linkHash: string | null;
  /** Whether no voice had the name that the request gives, right before it; null: not known, or no voice is made. */
  readonly nameWasFree: boolean | null;
  /** The worker process that made the intent. */
  readonly owner: string;
  readonly intentAt: number;
  readonly verdictAt: number | null;
  /** The job ended (either way); if it completed, its result is in the store. */
  readonly finishedAt: number | null;
  readonly file: ResultFile | null;
  /** What its result is known by; null: nothing can equal it, or its batch uses no cache. */
  readonly resultKey: string | null;
  /** Where its result came from, if it was not made for it, or why it had to be made. */
  readonly source: ResultSource | null;
  /** For a verification: what the comparison with the text has found; null: there was none. */
  readonly judgement: Judgement | null;
}

/** An earlier result that an attempt used, or could not use. */
export interface ResultSource {
  /** `used`: in place of a request. `missing`, `altered`: its file was, so a request was made. */
  readonly is: 'used' | 'missing' | 'altered';
  /** The attempt whose file it was. */
  readonly from: AttemptKey;
  readonly jobId: string | null;
  /** When it was made, ms. */
  readonly madeAt: number;
  /** What was charged for it; null: nobody knows. */
  readonly credits: number | null;
}

/** A stored result that later, equal rows may use. */
export interface ResultRecord extends AttemptKey {
  readonly key: string;
  readonly file: ResultFile;
  /** `.srt` and `.vtt` files of a transcript. */
  readonly extraFiles: readonly ResultFile[];
  /** Transcribed text. */
  readonly text: string | null;
  readonly jobId: string | null;
  /** What was charged for it when it was made. */
  readonly credits: number | null;
  /** Length of all its files. */
  readonly bytes: number;
  readonly madeAt: number;
  /** When a row last used it, ms; at first when it was made. */
  readonly usedAt: number;
}

/**
 * A row and all its charges, in order of step, take, attempt, as of one moment. The charges of a row in parts are those
 * of its parts, part by part.
 */
export interface RowStanding {
  readonly row: RowRecord;
  readonly charges: readonly ChargeRecord[];
  /** Of a row in parts: the number of the row that is its first part; the others follow. */
  readonly firstPart?: number;
}

/** The row that has a job. */
export interface JobHolder {
  readonly batch: string;
  readonly row: number;
}

/** An attempt that may have made a job that no row has. */
export interface UnresolvedAttempt extends ChargeRecord {
  /** What its row asked for at the attempt's take. */
  readonly spec: RowSpec;
}

export interface Counts {
  readonly total: number;
  /** Of the rows that ended `skipped`, those that `--limit` or `--sample` left out. */
  readonly notChosen: number;
  /** Rows without an outcome, by state. */
  readonly states: Readonly<Record<RowState, number>>;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** Total price of skipped rows, in credits, by why they were skipped; null if a price is unknown. */
export interface SkippedQuotes {
  readonly overBudget: number | null;
  readonly notChosen: number | null;
}

/** A person's decision about a request whose outcome nobody knew. */
export interface DecisionRecord extends AttemptKey {
  /**
   * `adopted`: the job belongs to it. `released`: that was wrong, and its outcome is unknown again. `not-charged`: the
   * account shows that it was never accepted. `went-back`: its result is the row's again, instead of that of a later take.
   */
  readonly what: 'adopted' | 'released' | 'not-charged' | 'went-back';
  readonly jobId: string | null;
  /** User and host of the command. */
  readonly who: string;
  readonly madeAt: number;
}

/** Requests of replaced takes of which nobody knows whether they were charged. */
export interface EarlierUnresolved {
  readonly count: number;
  /** The first of them, in manifest order. */
  readonly first: readonly { readonly row: number; readonly id: string; readonly take: number }[];
}

/** Rows that failed for one reason. */
export interface ReasonCount {
  readonly class: FailureClass;
  /** In a few words: `403 from cdn.example`; empty if only the class is known. */
  readonly cause: string;
  /** Open rows: what last went wrong with them may pass. */
  readonly open: number;
  readonly ended: number;
}

export interface Money {
  /** Sum over accepted and done attempts. */
  readonly charged: number;
  /** Quotes of attempts in flight; under a budget also those of the later steps of rows that have begun. */
  readonly reserved: number;
  /** Quotes of attempts whose outcome is unknown. */
  readonly uncertain: number;
  /** True if part of the sums is quotes, not the API's figures. */
  readonly estimated: boolean;
  /** What rows would have cost that used an earlier result. */
  readonly saved: number;
  /** Missing or altered files of earlier results in whose stead requests were made, each once a row and take. */
  readonly damaged: number;
}

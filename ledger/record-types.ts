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
  /** Human-readable source of the manifest. */
  readonly source: string;
  /** The rows to run. Default: all. */
  readonly subset?: Subset | null;
}

/**
 * A load of a batch's rows, as `createBatch` began it. Whoever discards what was loaded takes the batch away from it:
 * it can then add and open nothing more.
 */
export interface Loading {
  readonly batch: string;
  /** Of its folder in the store, which no other load has. */
  readonly stem: string;
}

export interface BatchRecord extends NewBatch {
  /** The subset requested last; null for all rows. Rows of an earlier, larger subset still run. */
  readonly subset: Subset | null;
  /** Sequence number, in order of creation. */
  readonly number: number;
  /** Where its files are: its folder in the store, and how many rows share a subfolder there (null for all). */
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
  /** When ended rows were last reopened, ms; null if never. */
  readonly reopenedAt: number | null;
  readonly closedAt: number | null;
  /**
   * When its media and its rows' requests were last removed (`clean`), ms; null if never. `unfinished`: the parts being
   * removed, or left by an interrupted clean; no row can be reopened until that clean is finished.
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
   * Its parts, at least two. They become separate rows, numbered from `first`, after all rows of the manifest. Default:
   * not split.
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
  /** Duration in seconds; omitted for text, raw audio, and files of earlier versions. */
  readonly seconds?: number;
  /** Why it did not pass a check, in a few words; it stays on record if a person accepted the file. */
  readonly unfit?: string;
  /** Why a person should listen to it although it passed, in a few words. */
  readonly oddity?: string;
  /** When it was removed from the store on purpose, ms; such a file is not missing. */
  readonly removedAt?: number;
}

export interface RowRecord extends NewRow {
  readonly kind: Kind;
  readonly state: RowState;
  readonly outcome: Outcome | null;
  /** Why it ended this way; for an open row, the latest trouble with its result. */
  readonly failure: Failure | null;
  /** The final result; `.srt` and `.vtt` files of a transcript are in `extraFiles`. */
  readonly file: ResultFile | null;
  readonly extraFiles: readonly ResultFile[];
  /** Transcribed text, for `stt`. */
  readonly text: string | null;
  readonly take: number;
  /** First step the current take pays for; earlier steps keep the results of an earlier take. Null for all steps. */
  readonly redoFrom: Step | null;
  /** Automatic takes since a person last asked for one. */
  readonly autoTakes: number;
  /**
   * The take whose earlier-step results the current take uses, because a person accepted them mid-chain or went back to
   * that take. Null for the latest results.
   */
  readonly acceptedTake: number | null;
  /** The take whose result a person went back to; null if the row is at its current take (`presentTake`). */
  readonly returnedTo: number | null;
  /** The file it ends with unless the work under way brings a better one; undefined if none is kept. */
  readonly keptFile?: ResultFile | undefined;
  /** Start of its job's deadline, ms; null to count from its acceptance. */
  readonly waitSince: number | null;
  /** The row that makes its voice; null if none does. */
  readonly voiceRow: number | null;
  /** Id of the voice it waits for, which may be in training; null if it waits for none, or not yet. */
  readonly awaitedVoice: string | null;
  /** The row it is a part of; null for rows of the manifest. */
  readonly partOf: number | null;
  /** Number of parts it is spoken in; null if not split. A split row makes no requests: its parts do. */
  readonly parts: number | null;
  /** Counts claims and take-backs; see `RowAttempt` of the contract. */
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
    /** The row's previous request; only if this take changes it. */
    readonly spec?: RowSpec;
    readonly input?: readonly string[];
    /** Its previous position, for undoing the take. Omitted in records that predate this field. */
    readonly standing?: Pick<RowRecord, 'redoFrom' | 'acceptedTake' | 'returnedTo'>;
    /** The lost result it stopped fetching, for undoing the take. Default: none. */
    readonly givenUp?: GivenUp;
  };
}

/** An attempt whose result was lost, as it was before its row was paid for anew. */
export interface GivenUp {
  readonly attempt: AttemptKey;
  /** Its lost file; null if none was ever stored. */
  readonly file: ResultFile | null;
  /** Its job was read for it. */
  readonly isRead: boolean;
}

/** One attempt: one paid request. */
export interface ChargeRecord extends AttemptKey {
  /** The take that produced its input from an earlier step; null if it has no such input. */
  readonly fromTake: number | null;
  readonly state: AttemptState;
  readonly jobId: string | null;
  readonly quoted: number | null;
  /** Charged credits: the API's figure, or the quote if it gave none. Null unless accepted or done. */
  readonly charged: number | null;
  /** Source of `charged`. Null with a charge of 0: its job is charged to another attempt. */
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
  /** Whether the requested voice name was free right before the request; null if unknown, or if it makes no voice. */
  readonly nameWasFree: boolean | null;
  /** The worker process that made the intent. */
  readonly owner: string;
  readonly intentAt: number;
  readonly verdictAt: number | null;
  /** The job ended (either way); if it completed, its result is in the store. */
  readonly finishedAt: number | null;
  readonly file: ResultFile | null;
  /** Cache key of its result; null if nothing can equal it, or its batch uses no cache. */
  readonly resultKey: string | null;
  /** The earlier result it used, or the damaged one it could not use. */
  readonly source: ResultSource | null;
  /** For a verification: the result of the comparison with the text; null if there was none. */
  readonly judgement: Judgement | null;
}

/** An earlier result that an attempt used, or could not use. */
export interface ResultSource {
  /** `used`: replaced a request. `missing`, `altered`: its file was damaged, so a request was made. */
  readonly is: 'used' | 'missing' | 'altered';
  /** The attempt whose file it was. */
  readonly from: AttemptKey;
  readonly jobId: string | null;
  /** When it was made, ms. */
  readonly madeAt: number;
  /** Charged credits; null if unknown. */
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
  /** When it was made, or a person last went back to it, ms. */
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
  /** For a row in parts: the row number of its first part; the others follow. */
  readonly firstPart?: number;
}

/** The row that has a job. */
export interface JobHolder {
  readonly batch: string;
  readonly row: number;
}

/** An attempt that may have made a job that no row has. */
export interface UnresolvedAttempt extends ChargeRecord {
  /** Its row's request at the attempt's take. */
  readonly spec: RowSpec;
}

export interface Counts {
  readonly total: number;
  /** Skipped rows that `--limit` or `--sample` left out. */
  readonly notChosen: number;
  /** Rows without an outcome, by state. */
  readonly states: Readonly<Record<RowState, number>>;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** Rows that ended lately, ms. `first`, `last`: when the first and the last of them did; 0 if there are none. */
export interface RecentEnds {
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

/** The request of an open row that was recorded first of all whose jobs still run. */
export interface OldestRow {
  readonly row: number;
  readonly id: string;
  /** The row that it is a part of; null if it is none. */
  readonly partOf: number | null;
  readonly step: Step;
  /** When it was recorded, ms. */
  readonly since: number;
  /** From when the deadline of its job counts, ms: since it was accepted, or since somebody has waited for it again. */
  readonly waitedSince: number;
}

/** Total price of skipped rows, in credits, by reason; null if a price is unknown. */
export interface SkippedQuotes {
  readonly overBudget: number | null;
  readonly notChosen: number | null;
}

/** A person's decision about a request whose outcome nobody knew. */
export interface DecisionRecord extends AttemptKey {
  /**
   * `adopted`: the job belongs to it. `released`: that was wrong, and its outcome is unknown again. `not-charged`: the
   * account shows that it was never accepted. `went-back`: its result is the row's again, instead of that of a later
   * take.
   */
  readonly what: 'adopted' | 'released' | 'not-charged' | 'went-back';
  readonly jobId: string | null;
  /** User and host of the command. */
  readonly who: string;
  readonly madeAt: number;
}

/** Requests of replaced takes that may have been charged. */
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
  /** Open rows, whose trouble may be temporary. */
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
  /** True if the sums include quotes rather than only the API's figures. */
  readonly estimated: boolean;
  /** Credits saved by reusing earlier results. */
  readonly saved: number;
  /** Missing or altered files of earlier results that requests had to replace, counted once per row and take. */
  readonly damaged: number;
}

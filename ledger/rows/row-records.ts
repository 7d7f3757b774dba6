import type { ChargeRecord } from '../requests/charge-records.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Kind, RowSpec, Step } from '../../contract/row-kinds.ts';
import type { Outcome, RowState } from '../../contract/outcomes.ts';
import { type ResultFile, toFailure, toFile } from '../records.ts';
import type { RowLine } from '../schema.ts';
import type { RowPart } from '../../contract/row-parts.ts';
import type { VoiceWait } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import { toFallback } from './row-effects.ts';

/*
 * Rows as the rest of the program sees them, and their conversion from and to lines of the table `rows`. JSON is parsed
 * without a check: only `ledger/` writes these columns.
 */

/** What a row has from the beginning. */
export interface NewRow {
  /** 1-based. */
  readonly row: number;
  readonly id: string;
  /** Physical line on which the record starts; the header is line 1. */
  readonly line: number;
  readonly spec: RowSpec;
  /** The input cells in column order, unchanged. */
  readonly input: readonly string[];
  /** Sum of the quotes of its steps, in credits; null if a price is unknown. */
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

/** A row as the ledger records it. Times are ms. */
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
  /** First step that the current take pays for; earlier steps keep their results. Null if it pays for all steps. */
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
  /** For an open row: the file of its fallback, with which it ends unless a better one comes; omitted if none. */
  readonly keptFile?: ResultFile | undefined;
  /** When the time for its job's deadline starts; null: when the job was accepted. */
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

/**
 * A row and all its charges, in order of step, take, attempt, as of one moment. The charges of a row in parts are those
 * of its parts, part by part.
 */
export interface RowSnapshot {
  readonly row: RowRecord;
  readonly charges: readonly ChargeRecord[];
  /** For a row in parts: the row number of its first part; the others follow. */
  readonly firstPart?: number;
}

/** The columns of a row's request. */
export const SPEC_COLUMNS = ['kind', 'dialect', 'voice', 'name', 'verify', 'spec'] as const;

type SpecLine = Pick<RowLine, (typeof SPEC_COLUMNS)[number]>;

/** Converts the columns of a row's request. */
export function toSpec({ kind, dialect, voice, name, verify, spec }: SpecLine): RowSpec {
  const others = JSON.parse(spec) as Pick<RowSpec, 'extra'>;
  return {
    kind,
    ...others,
    ...(voice === null ? {} : { voice }),
    ...(name === null ? {} : { name }),
    ...(dialect === null ? {} : { dialect }),
    ...(verify === null ? {} : { verify }),
  };
}

/** The columns of a request. */
export function fromSpec({ kind, dialect, voice, name, verify, ...others }: RowSpec): SpecLine {
  return {
    kind,
    dialect: dialect ?? null,
    voice: voice ?? null,
    name: name ?? null,
    verify: verify ?? null,
    spec: JSON.stringify(others),
  };
}

/** Converts a line of `rows`. */
export function toRow(line: RowLine): RowRecord {
  return {
    row: line.row,
    id: line.id,
    line: line.line,
    spec: toSpec(line),
    input: JSON.parse(line.input) as string[],
    quoted: line.quoted,
    kind: line.kind,
    state: line.state,
    outcome: line.outcome,
    failure: toFailure(line.failure),
    file: toFile(line.file),
    extraFiles: line.extra_files === null ? [] : (JSON.parse(line.extra_files) as ResultFile[]),
    text: line.text,
    take: line.take,
    redoFrom: line.redo_from,
    autoTakes: line.auto_takes,
    acceptedTake: line.accepted_take,
    returnedTo: line.returned_to,
    ...defined({ keptFile: line.outcome === null ? toFallback(line.fallback)?.ending.file : undefined }),
    waitSince: line.wait_since,
    voiceRow: line.voice_row,
    awaitedVoice: line.awaits,
    partOf: line.part_of,
    parts: line.parts,
    fence: line.hold,
    updatedAt: line.updated_at,
    endedAt: line.ended_at,
  };
}

import type { BatchSettings } from '../contract/batch.ts';
import type { CleanParts } from '../contract/cleaning.ts';
import { defined } from '../contract/defined.ts';
import type { Failure } from '../contract/failures.ts';
import { partId } from '../contract/row-parts.ts';
import { learnOperations } from '../contract/add-operations.ts';
import { BUILT_IN_PRICES, type RowSpec } from '../contract/row-kinds.ts';
import type { Subset } from '../contract/subset.ts';
import type { Judgement } from '../contract/verify.ts';
import type { Selectable } from 'kysely';
import type {
  BatchRecord,
  ChargeRecord,
  LoadedRow,
  ResultFile,
  ResultRecord,
  ResultSource,
  RowRecord,
  TakeRecord,
} from './record-types.ts';
import { defaultSubmits } from '../policy/lanes/share.ts';
import type { Fallback } from './rows/row-effects.ts';
import type { ChargeLine, NewRowLine, RowLine } from './schema.ts';
import type { BatchesTable } from './tables/batches.ts';
import type { ResultsTable } from './tables/charges.ts';
import type { TakesTable } from './tables/rows.ts';

/**
 * Converts lines of the tables to records and back. JSON is parsed without a check: only this room ever writes these
 * columns.
 */

/** `lastRow`: the number of its last row or part. Default: it has no parts. */
export function toBatch(line: Selectable<BatchesTable>, lastRow = line.rows): BatchRecord {
  const subset = line.subset === null ? null : (JSON.parse(line.subset) as Subset);
  return {
    name: line.name,
    digest: line.digest,
    apiUrl: line.api_url,
    account: line.account,
    settings: withSubmits(toSettings(line.settings), subset?.rows ?? lastRow),
    columns: JSON.parse(line.columns) as string[],
    source: line.source,
    subset,
    number: line.number,
    layout: { stem: line.stem, rowsAFolder: line.rows_a_folder },
    state: line.state,
    control: line.control,
    pauseReason: toFailure(line.pause_reason),
    halted: line.halted,
    rows: line.rows,
    createdAt: line.created_at,
    startedAt: line.started_at,
    reopenedAt: line.reopened_at,
    closedAt: line.closed_at,
    cleaned: {
      media: line.media_cleaned_at,
      rows: line.rows_cleaned_at,
      unfinished: line.cleaning === null ? null : (JSON.parse(line.cleaning) as CleanParts),
    },
  };
}

function withSubmits(settings: BatchSettings, requests: number): BatchSettings {
  if (settings.submitsByRows !== true) return settings;
  return { ...settings, limits: { ...settings.limits, submits: defaultSubmits(requests) } };
}

/** The columns of a batch's settings. */
export function settingsColumns(settings: BatchSettings): Pick<BatchesTable, 'settings' | 'budget'> {
  return { settings: JSON.stringify(settings), budget: settings.budget };
}

let lastSettings: { readonly json: string; readonly settings: BatchSettings } | undefined;

/** The settings of a batch. Each intent reads them, and they hardly ever change, so the last ones are kept. */
export function toSettings(json: string): BatchSettings {
  if (lastSettings?.json !== json) {
    const settings = JSON.parse(json) as BatchSettings;
    learnOperations(settings.operations);
    // No row of the batch uses later operations, but a file that is compared with it may name one.
    lastSettings = { json, settings: { ...settings, prices: { ...BUILT_IN_PRICES, ...settings.prices } } };
  }
  return lastSettings.settings;
}

/** The columns that say what a row asks for. */
export const SPEC_COLUMNS = ['kind', 'dialect', 'voice', 'name', 'verify', 'spec'] as const;
type SpecLine = Pick<RowLine, (typeof SPEC_COLUMNS)[number]>;

/** What a row asks for. */
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

/** What all rows have that are loaded together. */
export interface Loading {
  readonly batch: string;
  /** The number of the batch. */
  readonly loaded: number;
  readonly now: number;
}

/** `notChosen`: why it ends at once, if it does. It has no end time, because it never began. */
export function fromRow({ batch, loaded, now }: Loading, row: LoadedRow, notChosen?: Failure): NewRowLine {
  const { waitsFor, parts } = row;
  return {
    batch,
    row: row.row,
    id: row.id,
    line: row.line,
    loaded,
    ...fromSpec(row.spec),
    input: JSON.stringify(row.input),
    quoted: row.quoted,
    ...(parts === undefined ? waitOf(waitsFor) : BLOCKED),
    part_of: null,
    parts: parts?.rows.length ?? null,
    take: 1,
    auto_takes: 0,
    promised: 0,
    hold: 0,
    updated_at: now,
    outcome: notChosen === undefined ? null : 'skipped',
    ...failureColumns(notChosen),
  };
}

/** The parts of a row, as rows of their own. Their parts wait for its voice; the row waits for its parts. */
export function fromParts(loading: Loading, row: LoadedRow, notChosen?: Failure): readonly NewRowLine[] {
  const { parts, waitsFor, line } = row;
  if (parts === undefined) return [];
  return parts.rows.map((part, at) => ({
    ...fromRow(loading, { ...part, row: parts.first + at, id: partId(row.id, at + 1), line, input: [] }, notChosen),
    ...waitOf(waitsFor),
    part_of: row.row,
  }));
}

/** A row in parts waits for those, and for nothing else. */
const BLOCKED = { state: 'blocked', voice_row: null, awaits: null } as const;

function waitOf(waitsFor: LoadedRow['waitsFor']): Pick<NewRowLine, 'state' | 'voice_row' | 'awaits'> {
  return {
    state: waitsFor === undefined ? 'waiting' : 'blocked',
    voice_row: waitsFor?.type === 'made' ? waitsFor.row : null,
    awaits: waitsFor?.type === 'training' ? waitsFor.voice : null,
  };
}

export function toCharge(line: ChargeLine): ChargeRecord {
  return {
    batch: line.batch,
    row: line.row,
    step: line.step,
    take: line.take,
    attempt: line.attempt,
    fromTake: line.from_take,
    state: line.state,
    jobId: line.job_id,
    quoted: line.quoted,
    charged: line.charged,
    chargedFrom: line.charged_from,
    reportedPrice: line.told,
    failure: toFailure(line.failure),
    requestId: line.request_id,
    linkHash: line.link_hash,
    nameWasFree: line.name_free === null ? null : line.name_free === 1,
    owner: line.owner,
    intentAt: line.intent_at,
    verdictAt: line.verdict_at,
    finishedAt: line.finished_at,
    file: toFile(line.file),
    resultKey: line.result_key,
    source: line.source === null ? null : (JSON.parse(line.source) as ResultSource),
    judgement: line.judgement === null ? null : (JSON.parse(line.judgement) as Judgement),
  };
}

export function toResult(line: Selectable<ResultsTable>): ResultRecord {
  const { key, batch, row, step, take, attempt, text, credits, bytes } = line;
  return {
    key,
    batch,
    row,
    step,
    take,
    attempt,
    text,
    credits,
    bytes,
    file: JSON.parse(line.file) as ResultFile,
    extraFiles: line.extra_files === null ? [] : (JSON.parse(line.extra_files) as ResultFile[]),
    jobId: line.job_id,
    madeAt: line.made_at,
    usedAt: line.used_at,
  };
}

export function toTake(line: TakesTable): TakeRecord {
  return {
    batch: line.batch,
    row: line.row,
    take: line.take,
    reason: line.reason,
    fromStep: line.from_step,
    madeAt: line.made_at,
    before: JSON.parse(line.before) as TakeRecord['before'],
  };
}

/** JSON for a column that may be empty. */
export function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The columns of a row's failure. */
export function failureColumns(
  failure: Failure | null | undefined,
): Pick<RowLine, 'failure' | 'failure_class' | 'failure_cause'> {
  return {
    failure: failure == null ? null : JSON.stringify(failure),
    failure_class: failure?.class ?? null,
    failure_cause: failure?.cause ?? null,
  };
}

export function toFailure(json: string | null): Failure | null {
  return json === null ? null : (JSON.parse(json) as Failure);
}

export function toFallback(json: string | null): Fallback | undefined {
  return json === null ? undefined : (JSON.parse(json) as Fallback);
}

export function toFile(json: string | null): ResultFile | null {
  return json === null ? null : (JSON.parse(json) as ResultFile);
}

import { defined } from '../contract/defined.ts';
import type { Failure } from '../contract/failures.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import type { Judgement } from '../contract/verify.ts';
import type { Selectable } from 'kysely';
import type { ChargeRecord, ResultFile, ResultRecord, ResultSource, RowRecord, TakeRecord } from './record-types.ts';
import type { Fallback } from './rows/row-effects.ts';
import type { ChargeLine, RowLine } from './schema.ts';
import type { ResultsTable } from './tables/charges.ts';
import type { TakesTable } from './tables/rows.ts';

/**
 * Converts lines of the tables to records and back; batches are in `batches/batch-records.ts`. JSON is parsed without a
 * check: only this room ever writes these columns.
 */

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

import type { Dialect } from '../contract/dialects.ts';
import { mayBePartId } from '../contract/row-parts.ts';
import {
  type RowSpec,
  checkedStepOf,
  makesJob,
  operationOf,
  stepsIn,
  type TtsMode,
  dialectsOf,
  KINDS,
  type StepChoice,
} from '../contract/row-kinds.ts';
import { dialectOfRow } from '../policy/dialects/dialect-of-row.ts';
import type { Decimal } from '../contract/table-format.ts';
import type { fitText } from './text-limits.ts';
import { unguardCell } from './formula-guard.ts';
import type { HeaderCheck } from './header-check.ts';
import type { JoinCheck } from './sound/join-check.ts';
import { type LinePlaces, RowIdentities } from './row-identity.ts';
import type { ManifestOptions, UnpricedRow } from './manifest-options.ts';
import { parseRow, type RowDraft, type RowRules } from './parse-row.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';
import type { VoiceRow } from './voices/voice-uses.ts';
import type { CastVoices } from './cast/cast-voices.ts';
import type { Columns, PlacedFinding } from './columns.ts';

/** A record as a row, or its problems. */
type ReadRow =
  | { readonly row: UnpricedRow }
  | {
      /** Its `id` cell, trimmed. */
      readonly givenId: string;
      readonly findings: readonly PlacedFinding[];
      /** The usable part of the row despite its problems, if any. */
      readonly draft?: VoiceRow['spec'] | undefined;
      readonly speaker?: VoiceRow['speaker'];
    };

/** A record whose cells fit the columns. */
interface RecordCells {
  readonly line: number;
  /** Its number among the rows, from 1. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Its `id` cell, trimmed; empty if it has none. */
  readonly givenId: string;
}

/** What {@link RowReader} needs besides the options. */
interface RowSurroundings {
  /** Whether the file has a header, unlike JSONL. */
  readonly hasHeader: boolean;
  /** Returns the decimal separator of the current file. */
  readonly decimal: () => Decimal;
  /** Whether to compare ids and names with those of other rows. */
  readonly checksDuplicates: boolean;
  readonly header: HeaderCheck;
  /** The checks for `--join`. Undefined without it. */
  readonly join: JoinCheck | undefined;
  /** The speakers of `--cast`. Undefined without it. */
  readonly cast: CastVoices | undefined;
  /** Checks and splits texts. Undefined if no limit is known and no text is to be split. */
  readonly fitText: typeof fitText | undefined;
  readonly places: LinePlaces;
}

/**
 * Reads the records of a manifest one by one: parses the cells, assigns id and file name, and checks that the API can
 * do what the row asks for. Keeps no rows, only hashes of ids and names.
 */
export class RowReader {
  readonly #options: ManifestOptions;
  readonly #with: RowSurroundings;
  readonly #identities: RowIdentities;
  readonly #previous = new PreviousRows();

  constructor(options: ManifestOptions, surroundings: RowSurroundings) {
    this.#options = options;
    this.#with = surroundings;
    this.#identities = new RowIdentities(options.nameTemplate, surroundings);
  }

  /** The `_batch` of an outcome file. */
  get previousBatch(): string | undefined {
    return this.#previous.batch;
  }

  /** Reads a record: its line, its cells as the file has them, and its number among the rows, from 1. */
  read(line: number, raw: readonly string[], row: number): ReadRow {
    const { header, hasHeader } = this.#with;
    // A file with another header than the first was reported as a whole.
    if (header.isOther) return { givenId: '', findings: [] };
    const { columns } = header;
    const cells = columns.guarded ? raw.map(unguardCell) : raw;
    // With a useless header, each row would repeat its problems. An outcome file needs only the columns `_batch` and
    // `_row`: its batch may have been read with `--map`.
    if (header.isUseless) return { givenId: '', findings: this.#previous.read(columns, cells).findings };
    const givenId = cells[columns.known.get('id') ?? -1]?.trim() ?? '';
    const ragged = hasHeader ? columns.findRagged(cells) : undefined;
    return ragged === undefined ? this.#parse({ line, row, cells, givenId }) : { givenId, findings: [ragged] };
  }

  /** Parses the cells of a record, and checks the row. */
  #parse({ line, row, cells, givenId }: RecordCells): ReadRow {
    const { header, places } = this.#with;
    const { columns } = header;
    const { strict, legacyShare = 0, voices } = this.#options;
    const { spec, draft, findings, unused, speaker } = parseRow(columns, cells, this.#rules());
    if (!strict) for (const column of unused) header.warnOfUnused(column, line);
    this.#identities.checksNames = header.isTemplateGood;
    const place = places.placeOf(line);
    const identity = this.#identities.identify({ columns, cells, givenId, place, row, kind: spec?.kind });
    const { id, name } = identity;
    const previous = columns.batchAt === undefined ? undefined : this.#previous.read(columns, cells);
    const dialect = draft && dialectOfRow(draft, id, legacyShare);
    const joined = this.#with.join?.findWrong(columns, { cells, kind: spec?.kind, name, row }) ?? [];
    const fitted = spec && this.#with.fitText?.(inDialect(spec, dialect), this.#options);
    const all = [
      ...(previous?.findings ?? []),
      ...findings,
      ...identity.findings,
      ...(spec === undefined ? [] : this.#findUnable(spec, dialect)),
      ...joined,
      ...(fitted !== undefined && 'finding' in fitted ? [{ column: columns.headerOf('text'), ...fitted.finding }] : []),
      ...this.#findPartId(givenId),
    ];
    if (spec === undefined || all.length > 0)
      return { givenId, findings: all, draft: draft && inDialect(draft, dialect), speaker };
    const input = columns.input.map(({ at }) => cells[at] ?? '');
    const found: UnpricedRow = { row, line, id, ...withVoice(inDialect(spec, dialect), voices), input, name };
    if (speaker !== undefined) Object.assign(found, { speaker });
    const texts = fitted !== undefined && 'parts' in fitted ? fitted.parts : [];
    const split = texts.length === 0 ? found : { ...found, texts };
    if (previous?.row === undefined) return { row: split };
    return { row: { ...split, previousRow: previous.row, previousJobs: previous.jobs ?? [] } };
  }

  /** Returns the rules for the cells of the current file. */
  #rules(): RowRules {
    const { strict, defaults, anyApiField, localMedia } = this.#options;
    const { header, decimal, cast } = this.#with;
    return { kind: header.kind, defaults, strict, anyApiField, localMedia, decimal: decimal(), cast };
  }

  /** Finds requests that the API cannot fulfil, or results that voxbatch cannot process. */
  #findUnable(spec: RowSpec, dialect: Dialect | undefined): readonly Finding[] {
    const found = [dialect === undefined ? notInLegacy(spec) : undefined, notVerifiable(spec, this.#options.tts)];
    return found.filter((one) => one !== undefined);
  }

  /** Finds an id reserved for parts of rows. */
  #findPartId(id: string): readonly Finding[] {
    if (this.#options.split === undefined || !mayBePartId(id)) return [];
    const expected = 'an id that does not end in # and a number: with --split, parts of rows have such ids';
    const column = this.#with.header.columns.headerOf('id');
    return [{ column, expected, got: show(id), code: 'part-id' }];
  }
}

/** Adds the dialect to a spec, if it is not the usual one. */
function inDialect<S extends RowDraft>(spec: S, dialect: Dialect | undefined): S {
  return dialect === 'legacy' ? { ...spec, dialect } : spec;
}

/** Returns a row's spec with the id of its voice, and the voice that the row must wait for, if any. */
function withVoice(spec: RowSpec, voices: ManifestOptions['voices']): Pick<UnpricedRow, 'spec' | 'waitsFor'> {
  const resolved = voices?.get(spec.voice ?? '');
  if (resolved === undefined) return { spec };
  if (resolved.type === 'made') return { spec, waitsFor: resolved };
  const { id, isInTraining } = resolved;
  const known = spec.voice === id ? spec : { ...spec, voice: id };
  return isInTraining ? { spec: known, waitsFor: { type: 'training', voice: id } } : { spec: known };
}

/**
 * Returns the finding for a row whose speech cannot be verified: the API transcribes only links, and only jobs return
 * one. Undefined if it can be.
 */
export function notVerifiable(spec: RowSpec, tts: TtsMode): Finding | undefined {
  if (spec.verify === undefined) return undefined;
  const checked = stepsIn(spec).flatMap((step) => checkedStepOf(spec.kind, step) ?? []);
  if (checked.every((step) => makesJob(operationOf(spec, step, tts)))) return undefined;
  const expected =
    'no verification of immediate speech, because the API transcribes links only and immediate speech has none ' +
    '(use --tts job, or leave verify out)';
  return { column: 'verify', expected, got: `verify with --tts ${tts}`, code: 'not-verifiable' };
}

/** Returns the finding for a row that must use the legacy paths of the API, which lack its operation. */
export function notInLegacy({ kind, verify }: StepChoice): Finding {
  if (verify !== undefined && dialectsOf({ kind }).includes('legacy')) {
    const expected =
      'no verification, because the legacy paths of the API have no transcription (verify needs --api-dialect v1)';
    return { column: 'verify', expected, got: 'verify with --api-dialect legacy', code: 'not-in-dialect' };
  }
  const able = KINDS.filter((one) => dialectsOf({ kind: one }).includes('legacy'));
  const expected = `a kind that the legacy paths of the API have: ${able.join(', ')} (${kind} rows need --api-dialect v1)`;
  return { column: 'kind', expected, got: kind, code: 'not-in-dialect' };
}

/**
 * Reads which batch and rows an outcome file (a table of results that is run again) refers to in its columns `_batch`,
 * `_row` and `_job_ids`.
 */
class PreviousRows {
  /** The batch; undefined for any other file. */
  batch: string | undefined;

  /** Reads and checks a record's batch and row number. */
  read({ batchAt, rowAt, jobsAt }: Columns, cells: readonly string[]): PreviousRow {
    const batch = cells[batchAt ?? -1]?.trim() ?? '';
    if (batch === '') return { row: undefined, findings: [] };
    this.batch ??= batch;
    const findings: Finding[] = [];
    if (batch !== this.batch) {
      const expected = `rows of one batch (${show(this.batch)})`;
      findings.push({ column: '_batch', expected, got: show(batch), code: 'mixed-batches' });
    }
    const cell = cells[rowAt ?? -1]?.trim() ?? '';
    if (cell === '') return { row: undefined, findings };
    if (/^[1-9]\d{0,14}$/.test(cell)) return { row: Number(cell), jobs: jobsIn(cells[jobsAt ?? -1] ?? ''), findings };
    findings.push({
      column: '_row',
      expected: 'the number of a row of that batch',
      got: show(cell),
      code: 'bad-number',
    });
    return { row: undefined, findings };
  }
}

/** What a record of an outcome file refers to. */
interface PreviousRow {
  /** Number of the row in its batch; undefined if the record has none. */
  readonly row: number | undefined;
  /** Ids of its jobs there, split by {@link wordsOf}. */
  readonly jobs?: readonly string[];
  readonly findings: readonly Finding[];
}

/** Parses `_job_ids`: ids separated by spaces, as in CSV, or a JSON list. */
function jobsIn(cell: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(cell);
    if (Array.isArray(list)) return list.flatMap((one) => wordsOf(String(one)));
  } catch {
    // Not a JSON list, so plain ids.
  }
  return wordsOf(cell);
}

/** Splits a text at white space. Job ids may contain spaces, which also separate them, so they are compared by word. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}

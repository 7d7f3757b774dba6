import type { Dialect } from '../contract/dialects.ts';
import { mayBePartId } from '../contract/row-parts.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import { dialectOfRow } from '../policy/subset/subset.ts';
import { fitText } from './parts/fit-text.ts';
import { unguardInput } from './formula-guard.ts';
import type { HeaderCheck } from './header-check.ts';
import type { JoinCheck } from './sound/join-check.ts';
import type { LinePlaces } from './line-places.ts';
import type { ManifestOptions } from './manifest-options.ts';
import type { UnpricedRow } from './manifest-row.ts';
import { notInLegacy, notVerifiable } from './not-supported.ts';
import { parseRow, type RowDraft } from './parse-row.ts';
import { PreviousRows } from './previous-rows.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';
import { RowIdentities } from './row-identity.ts';
import type { VoiceRow } from './voices/voice-uses.ts';

/** The result of reading a record: a row, or its problems. */
type ReadRow =
  | { readonly row: UnpricedRow }
  | {
      readonly givenId: string;
      readonly findings: readonly Finding[];
      /** What it is in spite of them, as far as that is known. */
      readonly draft?: VoiceRow['spec'] | undefined;
    };

/** What a record is read with. */
interface RowSurroundings {
  /** Whether the file is CSV, not JSONL. */
  readonly csv: boolean;
  /** Whether to compare ids and names with those of other rows. */
  readonly unique: boolean;
  readonly header: HeaderCheck;
  /** Undefined without `--join`. */
  readonly join: JoinCheck | undefined;
  readonly places: LinePlaces;
}

/**
 * Reads records one by one: parses the cells, assigns id and name, and checks what the row asks for against the options.
 * Keeps only hashes of ids and names.
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

  /** Reads the record on a line; `row`: its number. */
  read(line: number, raw: readonly string[], row: number): ReadRow {
    const { header, csv, places } = this.#with;
    if (header.isOther) return { givenId: '', findings: [] };
    const { columns } = header;
    const cells = columns.guarded ? raw.map(unguardInput) : raw;
    // Even if the columns make no sense: the manifest of that batch may have been read with `--map`.
    if (header.isUseless) return { givenId: '', findings: this.#previous.read(columns, cells).findings };
    const givenId = cells[columns.known.get('id') ?? -1]?.trim() ?? '';
    const ragged = csv ? columns.findRagged(cells) : undefined;
    if (ragged !== undefined) return { givenId, findings: [ragged] };
    const { strict, defaults, anyApiField, legacyShare = 0, voices } = this.#options;
    const rules = { kind: header.kind, defaults, strict, anyApiField };
    const { spec, draft, findings, unread } = parseRow(columns, cells, rules);
    if (!strict) for (const column of unread) header.warnOfUnread(column, line);
    this.#identities.checksNames = header.isTemplateGood;
    const place = places.placeOf(line);
    const identity = this.#identities.identify({ columns, cells, givenId, place, row, kind: spec?.kind });
    const { id, name } = identity;
    const previous = columns.batchAt === undefined ? undefined : this.#previous.read(columns, cells);
    const dialect = draft && dialectOfRow(draft, id, legacyShare);
    const joined = this.#with.join?.findWrong(columns, { cells, kind: spec?.kind, name, row }) ?? [];
    const fitted = spec && fitText(inDialect(spec, dialect), this.#options);
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
      return { givenId, findings: all, draft: draft && inDialect(draft, dialect) };
    const input = columns.input.map(({ at }) => cells[at] ?? '');
    const found: UnpricedRow = { row, line, id, ...withVoice(inDialect(spec, dialect), voices), input, name };
    const texts = fitted !== undefined && 'parts' in fitted ? fitted.parts : [];
    const split = texts.length === 0 ? found : { ...found, texts };
    if (previous?.row === undefined) return { row: split };
    return { row: { ...split, previousRow: previous.row, previousJobs: previous.jobs ?? [] } };
  }

  /** What the API cannot do of a row, or voxbatch cannot with its result. */
  #findUnable(spec: RowSpec, dialect: Dialect | undefined): readonly Finding[] {
    const found = [dialect === undefined ? notInLegacy(spec) : undefined, notVerifiable(spec, this.#options.tts)];
    return found.filter((one) => one !== undefined);
  }

  /** An id that is kept for parts of rows. */
  #findPartId(id: string): readonly Finding[] {
    if (this.#options.split === undefined || !mayBePartId(id)) return [];
    const expected = 'an id that does not end in # and a number: with --split, parts of rows have such ids';
    const column = this.#with.header.columns.headerOf('id');
    return [{ column, expected, came: show(id), code: 'part-id' }];
  }
}

function inDialect<S extends RowDraft>(spec: S, dialect: Dialect | undefined): S {
  return dialect === 'legacy' ? { ...spec, dialect } : spec;
}

/** A row's spec with the id of its voice, and what it waits for. */
function withVoice(spec: RowSpec, voices: ManifestOptions['voices']): Pick<UnpricedRow, 'spec' | 'waitsFor'> {
  const meant = voices?.get(spec.voice ?? '');
  if (meant === undefined) return { spec };
  if (meant.type === 'made') return { spec, waitsFor: meant };
  const { id, isInTraining } = meant;
  const known = spec.voice === id ? spec : { ...spec, voice: id };
  return isInTraining ? { spec: known, waitsFor: { type: 'training', voice: id } } : { spec: known };
}

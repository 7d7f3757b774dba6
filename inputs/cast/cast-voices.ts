import { CAST_COLUMN, type Cast, type CastMember } from '../../contract/cast.ts';
import { parseApiCell } from '../../contract/exact-json.ts';
import { columnsOfKind, type JsonValue, type Kind } from '../../contract/row-kinds.ts';
import { show, type Finding, type ManifestProblem } from '../../contract/manifest-problems.ts';
import { VoiceNames, type NamedVoice } from '../../policy/voices/voice-name.ts';
import type { Columns } from '../header.ts';
import { suggestName } from '../../contract/suggest-name.ts';

/** Unknown names that are compared with those of the cast. */
const MOST_HINTS = 20;

/** What a cast gives a row. */
export interface CastValues {
  /** The name as the cast has it; empty if there are findings. */
  readonly name: string;
  /** By column; empty if there are findings. */
  readonly values: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, JsonValue>>;
  readonly findings: readonly Finding[];
}

/** Finds for each row what the cast says of its speaker. Names are compared like those of voices. */
export class CastVoices {
  readonly #names: VoiceNames<NamedVoice & { readonly given: CastValues }>;
  readonly #members: readonly string[];
  readonly #from: string;
  /** What is said of names that the cast does not have. */
  readonly #unknown = new Map<string, string>();

  constructor({ members, from }: Cast) {
    this.#names = new VoiceNames(
      members.map((member) => ({ id: '', provider: '', name: member.name, given: givenBy(member) })),
    );
    this.#members = members.map(({ name }) => name);
    this.#from = from;
  }

  /**
   * What the cast gives a row; undefined if it gives nothing: the row's kind has no voice, its voice is in its own
   * cell, or nobody is named in it.
   */
  valuesFor(columns: Columns, cells: readonly string[], kind: Kind): CastValues | undefined {
    const cellOf = (column: string): string => cells[columns.known.get(column) ?? -1]?.trim() ?? '';
    const name = cellOf(CAST_COLUMN);
    if (name === '' || cellOf('voice') !== '' || !columnsOfKind(kind).required.includes('voice')) return undefined;
    const given = this.valuesOf(name);
    if (given !== undefined) return given;
    const expected = `a name of the cast ${this.#from}${this.#hintFor(name)}`;
    const column = columns.headerOf(CAST_COLUMN);
    return { ...NOTHING, findings: [{ column, expected, got: show(name), code: 'unknown-speaker' }] };
  }

  /**
   * The nearest name, for the first names that are asked for: to compare a name with all of a large cast takes a while.
   */
  #hintFor(name: string): string {
    const known = this.#unknown.get(name);
    if (known !== undefined || this.#unknown.size >= MOST_HINTS) return known ?? '';
    const near = suggestName(name, this.#members);
    const hint = near === undefined ? '' : `; the nearest is ${show(near)}`;
    this.#unknown.set(name, hint);
    return hint;
  }

  /**
   * What a name stands for; undefined if the cast does not have it, or has it in several cases and in none exactly so.
   */
  valuesOf(name: string): CastValues | undefined {
    const found = this.#names.find(name);
    return found.type === 'found' ? found.voice.given : undefined;
  }
}

const NOTHING: CastValues = { name: '', values: {}, extra: {}, findings: [] };

function givenBy({ name, values }: CastMember): CastValues {
  const api = Object.entries(values).filter(([column]) => column.startsWith('api.'));
  return {
    name,
    values: Object.fromEntries(Object.entries(values).filter(([column]) => !column.startsWith('api.'))),
    extra: Object.fromEntries(api.map(([column, cell]) => [column.slice('api.'.length), parseApiCell(cell)])),
    findings: [],
  };
}

/** Lines that a problem names. */
const MOST_LINES = 3;

/** Names told apart; a manifest with more has something else in that column. */
const MOST_NAMES = 1_000;

interface Known {
  rows: number;
  readonly lines: number[];
}

/** Makes one problem of the rows whose speaker is the same name that the cast does not have. */
export class UnknownSpeakers {
  readonly #known = new Map<string, Known>();

  /** Whether a problem repeats an earlier one; if so, its row is counted there. */
  repeats(problem: ManifestProblem): boolean {
    if (problem.code !== 'unknown-speaker') return false;
    const key = keyOf(problem);
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size < MOST_NAMES) this.#known.set(key, { rows: 1, lines: [problem.line] });
      return false;
    }
    known.rows += 1;
    if (known.lines.length < MOST_LINES) known.lines.push(problem.line);
    return true;
  }

  /** A problem with how many rows have it, and the first lines. */
  counted(problem: ManifestProblem): ManifestProblem {
    const known = problem.code === 'unknown-speaker' ? this.#known.get(keyOf(problem)) : undefined;
    if (known === undefined || known.rows === 1) return problem;
    const { rows, lines } = known;
    const more = rows > lines.length ? ', …' : '';
    return { ...problem, got: `${problem.got} (in ${String(rows)} rows: lines ${lines.join(', ')}${more})` };
  }
}

function keyOf({ file, got }: ManifestProblem): string {
  return JSON.stringify([file, got]);
}

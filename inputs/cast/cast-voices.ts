import { CAST_COLUMN, type Cast, type CastMember } from '../../contract/cast.ts';
import { parseApiCell } from '../../contract/exact-json.ts';
import { columnsOfKind, type JsonValue, type Kind } from '../../contract/row-kinds.ts';
import { show, type Finding, type ManifestProblem } from '../../contract/manifest-problems.ts';
import { VoiceNames, type NamedVoice } from '../../policy/voices/voice-name.ts';
import type { Columns } from '../columns.ts';
import { suggestName } from '../../contract/suggest-name.ts';

/** Max unknown names for which the nearest name of the cast is looked up. */
const MAX_HINTS = 20;

/** What a row takes from the cast instead of from its own cells. */
export interface CastValues {
  /** The name as the cast has it; empty if there are findings. */
  readonly name: string;
  /** By column; empty if there are findings. */
  readonly values: Readonly<Record<string, string>>;
  /** Fields of its request from `api.` columns. */
  readonly extra: Readonly<Record<string, JsonValue>>;
  readonly findings: readonly Finding[];
}

/**
 * Looks up the speakers of rows in a cast: the table of speakers, their voices and other cells that `--cast` names.
 * Names are compared like those of voices.
 */
export class CastVoices {
  readonly #names: VoiceNames<NamedVoice & { readonly row: CastValues }>;
  readonly #members: readonly string[];
  readonly #from: string;
  /** The hints for the first unknown names. */
  readonly #unknown = new Map<string, string>();

  constructor({ members, from }: Cast) {
    this.#names = new VoiceNames(
      members.map((member) => ({ id: '', provider: '', name: member.name, row: valuesOfMember(member) })),
    );
    this.#members = members.map(({ name }) => name);
    this.#from = from;
  }

  /**
   * Returns what a row takes from the cast; undefined for nothing: the row's kind needs no voice, the row has a voice
   * of its own, or it names no speaker. An unknown speaker is a finding.
   */
  valuesFor(columns: Columns, cells: readonly string[], kind: Kind): CastValues | undefined {
    const cellOf = (column: string): string => cells[columns.known.get(column) ?? -1]?.trim() ?? '';
    const name = cellOf(CAST_COLUMN);
    if (name === '' || cellOf('voice') !== '' || !columnsOfKind(kind).required.includes('voice')) return undefined;
    const values = this.valuesOf(name);
    if (values !== undefined) return values;
    const expected = `a name of the cast ${this.#from}${this.#hintFor(name)}`;
    const column = columns.headerOf(CAST_COLUMN);
    return { ...NOTHING, findings: [{ column, expected, got: show(name), code: 'unknown-speaker' }] };
  }

  /**
   * Returns a hint to the nearest name, for the first {@link MAX_HINTS} names only, because comparing a name with all
   * of a large cast takes a while.
   */
  #hintFor(name: string): string {
    const known = this.#unknown.get(name);
    if (known !== undefined || this.#unknown.size >= MAX_HINTS) return known ?? '';
    const near = suggestName(name, this.#members);
    const hint = near === undefined ? '' : `; the nearest is ${show(near)}`;
    this.#unknown.set(name, hint);
    return hint;
  }

  /**
   * Returns the values of a name; undefined if the cast does not have it, or has several that differ from it in upper
   * and lower case only.
   */
  valuesOf(name: string): CastValues | undefined {
    const found = this.#names.find(name);
    return found.type === 'found' ? found.voice.row : undefined;
  }
}

/** For rows whose speaker is unknown. */
const NOTHING: CastValues = { name: '', values: {}, extra: {}, findings: [] };

/** Splits a member's cells into values of our columns and `api.` fields. */
function valuesOfMember({ name, values }: CastMember): CastValues {
  const api = Object.entries(values).filter(([column]) => column.startsWith('api.'));
  return {
    name,
    values: Object.fromEntries(Object.entries(values).filter(([column]) => !column.startsWith('api.'))),
    extra: Object.fromEntries(api.map(([column, cell]) => [column.slice('api.'.length), parseApiCell(cell)])),
    findings: [],
  };
}

/** Max lines that a problem names. */
const MAX_LINES = 3;

/** Max distinct unknown names. A manifest with more has something else in that column. */
const MAX_NAMES = 1_000;

/** The rows of an unknown name. */
interface RowsOfName {
  rows: number;
  readonly lines: number[];
}

/** Merges the problems of rows with the same unknown speaker into one. */
export class UnknownSpeakers {
  readonly #known = new Map<string, RowsOfName>();

  /** Whether a problem repeats an earlier one; if so, its row is counted there. */
  repeats(problem: ManifestProblem): boolean {
    if (problem.code !== 'unknown-speaker') return false;
    const key = keyOf(problem);
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size < MAX_NAMES) this.#known.set(key, { rows: 1, lines: [problem.line] });
      return false;
    }
    known.rows += 1;
    if (known.lines.length < MAX_LINES) known.lines.push(problem.line);
    return true;
  }

  /** Adds to a problem how many rows have it, and the first lines. Call it once all rows were read. */
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

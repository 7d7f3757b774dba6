import { CAST_COLUMN, type Cast, type CastMember } from '../../contract/cast.ts';
import { valueOfApiCell } from '../../contract/exact-json.ts';
import { columnsOfKind, type JsonValue, type Kind } from '../../contract/row-kinds.ts';
import { show, type Finding } from '../../contract/manifest-problems.ts';
import { VoiceNames, type NamedVoice } from '../../policy/voices/voice-name.ts';
import type { Columns } from '../header.ts';
import { slipOf } from '../../contract/nearest-name.ts';

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

  constructor({ members, from }: Cast) {
    this.#names = new VoiceNames(
      members.map((member) => ({ id: '', provider: '', name: member.name, given: givenBy(member) })),
    );
    this.#members = members.map(({ name }) => name);
    this.#from = from;
  }

  /**
   * What the cast gives a row; undefined if it gives nothing: the row's kind has no voice, its voice is in its own cell,
   * or nobody is named in it.
   */
  valuesFor(columns: Columns, cells: readonly string[], kind: Kind): CastValues | undefined {
    const cellOf = (column: string): string => cells[columns.known.get(column) ?? -1]?.trim() ?? '';
    const name = cellOf(CAST_COLUMN);
    if (name === '' || cellOf('voice') !== '' || !columnsOfKind(kind).required.includes('voice')) return undefined;
    const given = this.valuesOf(name);
    if (given !== undefined) return given;
    const near = slipOf(name, this.#members);
    const hint = near === undefined ? '' : `; the nearest is ${show(near)}`;
    const expected = `a name of the cast ${this.#from}${hint}`;
    const column = columns.headerOf(CAST_COLUMN);
    return { ...NOTHING, findings: [{ column, expected, got: show(name), code: 'unknown-speaker' }] };
  }

  /** What a name stands for; undefined if the cast does not have it, or has it in several cases and in none exactly so. */
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
    extra: Object.fromEntries(api.map(([column, cell]) => [column.slice('api.'.length), valueOfApiCell(cell)])),
    findings: [],
  };
}

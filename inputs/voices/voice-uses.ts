import { dialectOf, resultOf } from '../../contract/row-kinds.ts';
import { defined } from '../../contract/defined.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import type { RowDraft } from '../parse-row.ts';

/** A group of rows, and the first of them. */
export interface UsedBy {
  readonly rows: number;
  /** Line of the first. */
  readonly line: number;
  /** Id of the first. */
  readonly id: string;
  /** File of the first, where a manifest has several. */
  readonly file: string | undefined;
  /** The speaker of the first, if the cast gives it its voice. */
  readonly speaker?: string;
}

/** A voice as the manifest writes it. */
export interface VoiceUse extends UsedBy {
  readonly voice: string;
  /** Engines requested by its v1 rows; rows without one are left out. */
  readonly engines: ReadonlyMap<string, UsedBy>;
}

/** A row that creates a voice. */
export interface VoiceMaker {
  /** The name of the new voice. */
  readonly name: string;
  /** 1-based position among the rows. */
  readonly row: number;
  readonly line: number;
  readonly id: string;
}

/** The voices of a manifest, in order of first use. */
export interface UsedVoices {
  readonly uses: readonly VoiceUse[];
  /** The first {@link MAX_VOICES} rows that create voices. */
  readonly makers: readonly VoiceMaker[];
  /** The first row that names a voice beyond the limit; such a name cannot be looked up. */
  readonly beyond: UsedBy | undefined;
  /** Whether some rows could not be read; they may create voices, too. */
  readonly isCut: boolean;
  /** The headers of these columns in the file. */
  readonly columns: { readonly voice: string; readonly engine: string; readonly speaker: string };
}

/** Max distinct voices tracked; a manifest with more has something else in that column. */
export const MAX_VOICES = 50_000;

/** The part of a row needed to count its voice. */
export interface VoiceRow {
  readonly spec: RowDraft;
  readonly row: number;
  readonly line: number;
  readonly id: string;
  /** The name of the cast that gives the row its voice, if one does. */
  readonly speaker?: string | undefined;
}

/** Counts the voices of a manifest. Ids beyond the first {@link MAX_VOICES} voices are not counted. */
export class VoiceUses {
  readonly #uses = new Map<string, Counted & { readonly engines: Map<string, Counted> }>();
  readonly #makers: VoiceMaker[] = [];
  readonly #maxVoices: number;
  #beyond: Counted | undefined;

  /** @param maxVoices max distinct voices, and max rows that create voices */
  constructor(maxVoices = MAX_VOICES) {
    this.#maxVoices = maxVoices;
  }

  /** Counts a row. `file`: label of its file, if the manifest has several. */
  add({ spec, row, line, id, speaker }: VoiceRow, file?: string): void {
    const { kind, name, voice, engine } = spec;
    if (resultOf(kind) === 'voice' && name !== undefined && this.#makers.length < this.#maxVoices)
      this.#makers.push({ name, row, line, id });
    if (voice === undefined) return;
    const first = { line, id, file, ...defined({ speaker }) };
    let use = this.#uses.get(voice);
    if (use === undefined) {
      if (this.#uses.size >= this.#maxVoices) {
        if (requestedVoiceName(voice) !== undefined) (this.#beyond ??= { ...first, rows: 0 }).rows += 1;
        return;
      }
      this.#uses.set(voice, (use = { ...first, rows: 0, engines: new Map() }));
    }
    use.rows += 1;
    // Only v1 engines count: the legacy paths use other names for them.
    if (engine === undefined || dialectOf(spec) !== 'v1') return;
    const known = use.engines.get(engine);
    if (known === undefined) use.engines.set(engine, { ...first, rows: 1 });
    else known.rows += 1;
  }

  /** Returns the voices so far. `isCut`: see {@link UsedVoices}. */
  list(columns: UsedVoices['columns'], isCut = false): UsedVoices {
    const uses = [...this.#uses].map(([voice, use]) => ({ voice, ...use }));
    return { uses, makers: this.#makers, beyond: this.#beyond, isCut, columns };
  }
}

/** Rows that are still being counted. */
interface Counted extends UsedBy {
  rows: number;
}

/** Voices that a manifest asks for by name: `name:Ada` in place of an id. */

/** Prefix of a cell that names a voice. No id begins with it. */
const PREFIX = /^name:/i;

/** A voice that a name may refer to. */
export interface NamedVoice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
}

/** Returns the name in a `voice` cell, trimmed; undefined if the cell is an id. */
export function requestedVoiceName(voice: string): string | undefined {
  return PREFIX.test(voice) ? voice.replace(PREFIX, '').trim() : undefined;
}

/** Result of looking up a name. `ambiguous`: all voices that match equally well. */
export type FoundName<V extends NamedVoice> =
  | { readonly type: 'found'; readonly voice: V }
  | { readonly type: 'ambiguous'; readonly voices: readonly V[] }
  | { readonly type: 'unknown' };

/**
 * The voices of a list by their names.
 *
 * Names are compared in Unicode NFC, without white space around them. An exact match takes precedence, as `Ada` and
 * `ada` may both exist; otherwise case is ignored.
 */
export class VoiceNames<V extends NamedVoice> {
  readonly #exact = new Map<string, V[]>();
  readonly #folded = new Map<string, V[]>();

  constructor(voices: Iterable<V>) {
    for (const voice of voices) {
      const name = exactForm(voice.name);
      add(this.#exact, name, voice);
      add(this.#folded, foldedForm(name), voice);
    }
  }

  /** Looks up a voice by its name. */
  find(name: string): FoundName<V> {
    const exact = exactForm(name);
    const voices = this.#exact.get(exact) ?? this.#folded.get(foldedForm(exact)) ?? [];
    const [voice] = voices;
    if (voice === undefined) return { type: 'unknown' };
    return voices.length === 1 ? { type: 'found', voice } : { type: 'ambiguous', voices };
  }
}

function exactForm(name: string): string {
  return name.trim().normalize('NFC');
}

/** Folds case. Upper case first, because it also unifies `ß` with `SS`, and the two forms of sigma. */
function foldedForm(name: string): string {
  return name.toUpperCase().toLowerCase().normalize('NFC');
}

function add<V>(to: Map<string, V[]>, name: string, voice: V): void {
  const there = to.get(name);
  if (there === undefined) to.set(name, [voice]);
  else there.push(voice);
}

import type { Voice } from '../../api/speech-api.ts';
import { suggestName } from '../../contract/suggest-name.ts';
import { show, type ManifestProblem, type ManifestWarning } from '../../contract/manifest-problems.ts';
import type { JobHolder } from '../../ledger/requests/unresolved.ts';
import {
  MAX_VOICES,
  type UsedBy,
  type UsedVoices,
  type VoiceMaker,
  type VoiceUse,
} from '../../inputs/voices/voice-uses.ts';
import { requestedVoiceName, type FoundName } from '../../policy/voices/voice-name.ts';

/** Max unknown voices for which the nearest name or id of the list is searched. */
const MAX_COMPARED = 20;
/** Max voices with a warning of their own; the others are counted in one. */
export const MAX_WARNED = 20;
/** Max candidates that a problem names. */
export const MAX_CANDIDATES = 5;
/** Max problems kept; further ones are only counted. */
const MAX_PROBLEMS = 1_000;

/** What a name may stand for: a voice of the list, or one that a row of the manifest will make. */
export type VoiceCandidate = Voice & {
  /** The row of the manifest that will make it. */
  readonly maker?: VoiceMaker;
  /** The row of the ledger that made it. */
  readonly madeBy?: JobHolder;
};

/** Collects problems and warnings about voices, in words. Each method reports one kind of them. */
export class VoiceReport {
  readonly problems: ManifestProblem[] = [];
  readonly warnings: ManifestWarning[] = [];
  problemCount = 0;
  readonly #columns: UsedVoices['columns'];
  readonly #cast: string | undefined;
  /** Searches for a nearest name so far. */
  #compared = 0;
  /** Voices without a warning of their own. */
  #beyondWarned = 0;

  /** `cast`: the file of the cast, if there is one. */
  constructor(columns: UsedVoices['columns'], cast?: string) {
    this.#columns = columns;
    this.#cast = cast;
  }

  tooMany(beyond: UsedBy): void {
    const expected = `at most ${String(MAX_VOICES)} voices where some are named by name:`;
    this.#add(beyond, { expected, got: 'another name', code: 'too-many-voices' });
  }

  unknownName(use: VoiceUse, voices: readonly VoiceCandidate[]): void {
    const name = requestedVoiceName(use.voice) ?? '';
    const nearest = this.#nearest(
      name,
      voices.map((voice) => voice.name),
    );
    const hint = nearest === undefined ? '' : `; the nearest is ${show(`name:${nearest}`)}`;
    const expected = `a voice of the API's list, by its name${hint} (voxbatch voices list)`;
    this.#add(use, { expected, got: show(use.voice), code: 'unknown-voice' });
  }

  ambiguous(use: VoiceUse, voices: readonly VoiceCandidate[]): void {
    const shown = voices.slice(0, MAX_CANDIDATES).map(candidateWords);
    const more = voices.length > shown.length ? `, and ${String(voices.length - shown.length)} more` : '';
    const made = voices.some(({ maker }) => maker !== undefined) ? ', or another name for the new voice' : '';
    const again = voices.find(({ maker }) => maker !== undefined)?.maker;
    const isThere = voices.filter(({ maker }) => maker === undefined).length === 1;
    const there =
      again === undefined || !isThere
        ? ''
        : `; to speak with the voice that is there, remove line ${String(again.line)}, which makes another one`;
    const expected = `the id of one of the ${String(voices.length)} voices of this name${made}: ${shown.join(', ')}${more}${there}`;
    this.#add(use, { expected, got: show(use.voice), code: 'ambiguous-voice' });
  }

  /** A cell without `name:` that is no id of the list, but the name of a voice that the manifest makes. */
  nameOfMade({ voice, ...use }: VoiceUse, maker: VoiceMaker): void {
    const expected = `${show(`name:${voice}`)}, for the voice that row ${String(maker.row)} makes (line ${String(maker.line)}); without name: it is an id, and no voice has it`;
    this.#add(use, { expected, got: show(voice), code: 'unknown-voice' });
  }

  /**
   * An id that the list does not have. `called`: the voices with this name. `strict`: it is a problem, not a warning.
   */
  unknownId(
    use: VoiceUse,
    {
      voices,
      called,
      strict,
    }: {
      readonly voices: ReadonlyMap<string, Voice>;
      readonly called: FoundName<VoiceCandidate>;
      readonly strict: boolean;
    },
  ): void {
    const { voice, rows, line, speaker } = use;
    const hint = nameHint(voice, called, speaker === undefined ? undefined : this.#cast) ?? this.#idHint(voice, voices);
    if (strict) {
      const expected = `a voice of the API's list, under --strict${hint} (voxbatch voices list)`;
      this.#add(use, { expected, got: show(voice), code: 'unknown-voice' });
    } else if (this.warnings.length < MAX_WARNED) {
      const message = `"${voice}"${this.#ofCast(use)} is not in the API's list of voices${hint} (voxbatch voices list)`;
      this.warnings.push({ column: this.#columnOf(use), message, line, rows });
    } else this.#warnOfMore(use);
  }

  takenName({ name, line }: VoiceMaker, voice: VoiceCandidate): void {
    const message =
      `a voice is called ${show(name)} already: ${candidateWords(voice)}. This row makes another one, at its price. ` +
      'If its answer is lost, the two cannot be told apart';
    this.warnings.push({ column: 'name', message, line, rows: 1 });
  }

  moreTakenNames({ line }: VoiceMaker, rows: number): void {
    const message = `${String(rows)} further ${rows === 1 ? 'row makes a voice' : 'rows make voices'} of a name that is taken already`;
    this.warnings.push({ column: 'name', message, line, rows });
  }

  /** Engines that the voice does not work with. Nothing if the API does not list the voice's engines. */
  engines({ engines, voice: written }: VoiceUse, { id, modelIds }: Voice): void {
    if (modelIds === undefined) return;
    const fits = new Set(modelIds.map((one) => one.toLowerCase()));
    for (const [engine, use] of engines) {
      if (fits.has(engine.toLowerCase())) continue;
      const whose = written === id ? show(id) : `${show(written)} (${id})`;
      const expected = `an engine that voice ${whose} works with: ${modelIds.join(', ')}`;
      this.#add(use, { column: this.#columns.engine, expected, got: show(engine), code: 'engine-misfit' });
    }
  }

  #idHint(id: string, voices: ReadonlyMap<string, Voice>): string {
    const nearest = this.#nearest(id, [...voices.keys()]);
    return nearest === undefined ? '' : `; the nearest is ${nearest}`;
  }

  #nearest(name: string, among: readonly string[]): string | undefined {
    if (among.length === 0 || this.#compared >= MAX_COMPARED) return undefined;
    this.#compared += 1;
    return suggestName(name, among);
  }

  #warnOfMore({ line, rows }: VoiceUse): void {
    const last = this.warnings.at(MAX_WARNED);
    this.#beyondWarned += 1;
    const count = this.#beyondWarned;
    const message = `${String(count)} further ${count === 1 ? 'voice is' : 'voices are'} not in the API's list of voices`;
    this.warnings[MAX_WARNED] = {
      column: this.#columns.voice,
      message,
      line: last?.line ?? line,
      rows: (last?.rows ?? 0) + rows,
    };
  }

  /** Returns the manifest's column that gives a voice: the speaker column if the voice is from the cast. */
  #columnOf({ speaker }: UsedBy): string {
    return speaker === undefined ? this.#columns.voice : this.#columns.speaker;
  }

  /** Returns ` of Lin in cast.csv` for a voice from the cast, else an empty string. */
  #ofCast({ speaker }: UsedBy): string {
    return speaker === undefined || this.#cast === undefined ? '' : ` of ${speaker} in ${this.#cast}`;
  }

  #add(use: UsedBy, what: Pick<ManifestProblem, 'expected' | 'got' | 'code'> & { readonly column?: string }): void {
    this.problemCount += 1;
    if (this.problems.length >= MAX_PROBLEMS) return;
    const { line, id, file, rows } = use;
    const often = rows > 1 ? ` (in ${String(rows)} rows, of which this is the first)` : '';
    const place = { line, id, column: what.column ?? this.#columnOf(use), ...(file === undefined ? {} : { file }) };
    this.problems.push({
      ...what,
      ...place,
      got: `${what.got}${what.column === undefined ? this.#ofCast(use) : ''}${often}`,
    });
  }
}

function candidateWords({ id, provider, maker, madeBy }: VoiceCandidate): string {
  if (maker !== undefined) return `the voice that row ${String(maker.row)} makes (line ${String(maker.line)})`;
  const origin = madeBy === undefined ? '' : `, which row ${String(madeBy.row)} of batch "${madeBy.batch}" made`;
  return `${provider === '' ? id : `${id} (${provider})`}${origin}`;
}

/**
 * Returns a hint for a cell without `name:` that is the name of a voice; undefined if it is none. `cast`: the cast
 * file, if the cell is in it.
 */
function nameHint(cell: string, called: FoundName<VoiceCandidate>, cast: string | undefined): string | undefined {
  if (called.type === 'unknown') return undefined;
  const voices = called.type === 'found' ? [called.voice] : called.voices;
  const shown = voices.slice(0, MAX_CANDIDATES).map(candidateWords).join(', ');
  const more = voices.length > MAX_CANDIDATES ? `, and ${String(voices.length - MAX_CANDIDATES)} more` : '';
  if (voices.length > 1) return `; several voices have this name: ${shown}${more}. Give the id of one`;
  const name = show(`name:${cell}`);
  if (cast !== undefined) return `; if you mean the voice of that name, ${shown}, write ${name} in ${cast}`;
  return `; did you mean ${name}, the name of ${shown}?`;
}

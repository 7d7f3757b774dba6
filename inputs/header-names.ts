import { CAST_COLUMN } from '../contract/cast.ts';
import { columnsOfKind, KINDS, type SpecColumn } from '../contract/row-kinds.ts';
import { suggestName } from '../contract/suggest-name.ts';

/** Returns the columns that some kind of row reads. */
export function specColumns(): readonly SpecColumn[] {
  const columns = KINDS.map(columnsOfKind).flatMap(({ required, optional }) => [...required, ...optional]);
  return [...new Set(columns)];
}

/** Returns the names of all columns with a meaning, besides `api.*` and `_*`. */
export function knownColumns(): ReadonlySet<string> {
  return new Set(['id', 'kind', ...specColumns()]);
}

/** Whether a column is sent to the API as it is: `api.<field>`. */
export function isApi(name: string): boolean {
  return name.startsWith('api.') && name.length > 'api.'.length;
}

/** Returns the form in which headers are compared if none matches exactly. */
export function foldHeader(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, '_');
}

/**
 * Returns the header of one of our columns in a file with these headers (`names`); the expected header if it has none.
 */
export function headerFor(
  ours: string,
  names: readonly string[],
  { map, anyCase }: { readonly map: Readonly<Record<string, string>>; readonly anyCase?: boolean | undefined },
): string {
  const wanted = map[ours] ?? ours;
  if (names.includes(wanted) || anyCase !== true) return wanted;
  const folded = foldHeader(wanted);
  return names.find((name) => foldHeader(name) === folded) ?? wanted;
}

/** Other names of our columns, folded. Such a header is only suggested, never accepted by itself. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  id: ['nr', 'no', 'nummer', 'number', 'key', 'cue', 'line_id', 'string_id', 'zeilennummer'],
  kind: ['art', 'typ', 'type'],
  text: ['sprechtext', 'texte', 'texto', 'testo', 'dialog', 'dialogue', 'script', 'skript', 'line', 'zeile', 'satz'],
  voice: ['stimme', 'voiceid', 'voice_id', 'voix', 'voz', 'voce'],
  [CAST_COLUMN]: ['sprecher', 'sprecherin', 'rolle', 'figur', 'charakter', 'character', 'role', 'actor', 'personnage'],
  engine: ['modell', 'model', 'engine_id', 'model_id'],
  language: ['sprache', 'lang', 'locale', 'langue', 'idioma', 'lingua'],
  speed: ['tempo', 'geschwindigkeit', 'rate', 'vitesse'],
  audio: ['ton', 'sound', 'audio_url', 'tonspur'],
  video: ['film', 'clip', 'video_url'],
  duration: ['dauer', 'seconds', 'sekunden', 'laenge', 'länge', 'length'],
  max_seconds: ['max_sekunden', 'max_dauer', 'maxdauer', 'max_länge', 'max_length', 'max_duration', 'maxseconds'],
};

/**
 * Guesses which column a header is meant as: one that it misspells, or a missing one that it is a synonym of. Undefined
 * if none is near. `isThere`: whether the file has a column already.
 */
export function guessColumn(
  header: string,
  candidates: readonly string[],
  isThere: (ours: string) => boolean = () => false,
): string | undefined {
  const folded = foldHeader(header);
  const usual = candidates.find((ours) => SYNONYMS[ours]?.includes(folded) === true && !isThere(ours));
  return usual ?? suggestName(header, candidates);
}

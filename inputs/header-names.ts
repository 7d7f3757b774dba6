import { CAST_COLUMN } from '../contract/cast.ts';
import { columnsOfKind, KINDS, type SpecColumn } from '../contract/row-kinds.ts';
import { suggestName } from '../contract/suggest-name.ts';

/** Columns that some kind reads. */
export function specColumns(): readonly SpecColumn[] {
  const columns = KINDS.map(columnsOfKind).flatMap(({ required, optional }) => [...required, ...optional]);
  return [...new Set(columns)];
}

/** Every column that means something, by name; `api.*` and `_*` come on top. */
export function knownColumns(): ReadonlySet<string> {
  return new Set(['id', 'kind', ...specColumns()]);
}

export function isApi(name: string): boolean {
  return name.startsWith('api.') && name.length > 'api.'.length;
}

/** The form in which headers are compared where none is exactly the wanted one. */
export function foldHeader(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, '_');
}

/** How a file with these columns calls one of ours; our name, or that of the map, if it has none. */
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

/** What people call our columns, folded: a header like that is suggested, never taken by itself. */
const USUAL_WORDS: Readonly<Record<string, readonly string[]>> = {
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
 * The column that a header is probably meant as: a typo of one, or a usual word for one that is not there. Undefined if
 * none is near.
 */
export function guessColumn(
  header: string,
  candidates: readonly string[],
  isThere: (ours: string) => boolean = () => false,
): string | undefined {
  const folded = foldHeader(header);
  const usual = candidates.find((ours) => USUAL_WORDS[ours]?.includes(folded) === true && !isThere(ours));
  return usual ?? suggestName(header, candidates);
}

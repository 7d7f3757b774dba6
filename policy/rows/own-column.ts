import { fieldNamesOf } from '../../contract/request-fields.ts';
import { perKind, type Kind, type SpecColumn } from '../../contract/row-kinds.ts';

/**
 * Which `api.` fields a request fills itself. Such a field would buy something else than what the row is checked, priced,
 * looked for and cached by. It counts however it is written, because nobody knows which spellings the API takes for one:
 * `voice_id` and `VoiceID` for `voiceId`, and the ways in which forms write members and lists (`text[]`, `voice.id`).
 */

/** The column by whose value requests for rows of this kind fill a field; undefined: none does. */
export function ownColumnOf(kind: Kind, field: string): SpecColumn | undefined {
  const own = ownFieldsOf(kind);
  return own.get(plain(field)) ?? own.get(plain(rootOf(field)));
}

const ownFieldsOf = perKind((kind) => {
  const pairs = [...fieldNamesOf(kind)].flatMap(([column, names]) =>
    names.map((name) => [plain(name), column] as const),
  );
  return new Map(pairs);
});

/** `text` of `text[0]` and of `text.plain`. */
function rootOf(field: string): string {
  return /[^.[\]]+/.exec(field)?.[0] ?? '';
}

/** A name without case and separators. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

import { fieldNamesOf } from '../../contract/request-fields.ts';
import { memoizePerKind, type Kind, type SpecColumn } from '../../contract/row-kinds.ts';

/**
 * The `api.` fields that a request already fills from columns. Overriding one would buy something other than what the
 * row is checked, priced, looked up and cached by. All spellings count, because it is unknown which ones the API treats
 * as equal: `voice_id` and `VoiceID` for `voiceId`, and form notations for members and lists (`text[]`, `voice.id`).
 */

/** Returns the column from which requests for rows of this kind fill an `api.` field; undefined if none does. */
export function ownColumnOf(kind: Kind, field: string): SpecColumn | undefined {
  const own = ownFieldsOf(kind);
  return own.get(plain(field)) ?? own.get(plain(rootOf(field)));
}

const ownFieldsOf = memoizePerKind((kind) => {
  const pairs = [...fieldNamesOf(kind)].flatMap(([column, names]) =>
    names.map((name) => [plain(name), column] as const),
  );
  return new Map(pairs);
});

/** Returns the first name in form notation: `text` of `text[0]` and of `text.plain`. */
function rootOf(field: string): string {
  return /[^.[\]]+/.exec(field)?.[0] ?? '';
}

/** Normalises a name: without case and separators. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

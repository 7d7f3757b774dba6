import { shellWord } from '../../contract/shell-word.ts';
import type { VoiceOfRow } from '../../batches/reconcile/unclaimed.ts';
import { rowWord } from '../terminal/row-words.ts';
import { tableLines } from '../terminal/table.ts';

/** Where a voice may be the one that was there before: a person has to look. */
const OLDER =
  'WARNING: where the column "new" does not say yes, a voice of that name may have been there before the request, which is not the row\'s own. Look in your account first.';

/** Voices that rows may have made, as a table with the way to say so. */
export function lostVoiceLines(voices: readonly VoiceOfRow[], batch: string): readonly string[] {
  const [first] = voices;
  if (first === undefined) return [];
  const columns = [
    { title: 'row', value: rowWord },
    { title: 'voice', value: ({ voice }: VoiceOfRow) => voice },
    { title: 'name', value: ({ name }: VoiceOfRow) => name },
    { title: 'provider', value: ({ provider }: VoiceOfRow) => provider },
    { title: 'new', value: ({ isNew }: VoiceOfRow) => (isNew ? 'yes' : 'unknown') },
    { title: 'created', value: (voice: VoiceOfRow) => createdAt(voice) ?? '' },
  ];
  const rivals = voices.filter(({ row, voice }) => row === first.row || voice === first.voice);
  const isOlder = voices.some(({ isNew }) => !isNew);
  // An id is only named where nothing else can be meant: a person may paste the command as it is.
  const voice = rivals.length === 1 && first.isNew ? first.voice : 'VOICE';
  return [
    'Voices of the name that such a row gives, which no row has. They may be its own, or somebody else made them.',
    ...(isOlder ? [OLDER] : []),
    ...tableLines(columns, voices).map((line) => `  ${line}`),
    `To give a row its voice: voxbatch reconcile ${shellWord(batch)} --adopt ${shellWord(`${rowWord(first)}=${voice}`)}`,
  ];
}

/** The same for machines; null: they could not be listed. */
export function lostVoicesJson(voices: readonly VoiceOfRow[] | null): readonly object[] | null {
  return (
    voices?.map((one) => {
      const { row, id, voice, name, provider, isNew } = one;
      return { row, id, voice, name, provider, is_new: isNew, created_at: createdAt(one) ?? null };
    }) ?? null
  );
}

function createdAt({ createdAtMs }: VoiceOfRow): string | undefined {
  return createdAtMs === undefined ? undefined : new Date(createdAtMs).toISOString();
}

import type { VoiceOfRow } from '../../batches/list-lost-voices.ts';
import { shellWord } from '../terminal/go-on-command.ts';
import { rowWord } from '../terminal/row-words.ts';
import { tableLines } from '../terminal/table.ts';

/** Voices that rows may have made, as a table with the way to say so. */
export function lostVoiceLines(voices: readonly VoiceOfRow[], batch: string): readonly string[] {
  const [first] = voices;
  if (first === undefined) return [];
  const columns = [
    { title: 'row', value: rowWord },
    { title: 'voice', value: ({ voice }: VoiceOfRow) => voice },
    { title: 'name', value: ({ name }: VoiceOfRow) => name },
    { title: 'provider', value: ({ provider }: VoiceOfRow) => provider },
    { title: 'created', value: (voice: VoiceOfRow) => createdAt(voice) ?? '' },
  ];
  return [
    'Voices of the name that such a row gives, which no row has. They may be its own, or somebody else made them.',
    ...tableLines(columns, voices).map((line) => `  ${line}`),
    `To give a row its voice: voxbatch reconcile ${shellWord(batch)} --adopt ${shellWord(`${rowWord(first)}=${first.voice}`)}`,
  ];
}

/** The same for machines; null: they could not be listed. */
export function lostVoicesJson(voices: readonly VoiceOfRow[] | null): readonly object[] | null {
  return (
    voices?.map((one) => {
      const { row, id, voice, name, provider } = one;
      return { row, id, voice, name, provider, created_at: createdAt(one) ?? null };
    }) ?? null
  );
}

function createdAt({ createdAtMs }: VoiceOfRow): string | undefined {
  return createdAtMs === undefined ? undefined : new Date(createdAtMs).toISOString();
}

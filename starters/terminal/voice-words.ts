import { ROW_STATES, type RowState } from '../../contract/outcomes.ts';
import type { Counts, RowRecord } from '../../ledger/record-types.ts';
import { nameAskedFor } from '../../policy/voices/voice-name.ts';
import { number } from './words.ts';
import { oneLine } from './table.ts';

/** Whose voice a row speaks with, and whether it waits for that. */
export type VoicedRow = Pick<RowRecord, 'spec' | 'voiceRow' | 'awaitedVoice'>;

/** What a blocked row waits for: `voice "Ada", which row 3 makes`. */
export function awaitedWords({ spec, voiceRow, awaitedVoice }: VoicedRow): string {
  const by = voiceRow === null ? '' : `, which row ${String(voiceRow)} makes`;
  if (awaitedVoice !== null) return `voice ${oneLine(awaitedVoice)}${by}: it may still be in training`;
  const { voice = '' } = spec;
  return `voice "${oneLine(nameAskedFor(voice) ?? voice)}"${by}`;
}

/** The voice that a row speaks with where the user named one; undefined: it wrote the id, or there is none yet. */
export function voiceFound({ input, spec: { voice } }: Pick<RowRecord, 'spec' | 'input'>): string | undefined {
  if (voice === undefined || nameAskedFor(voice) !== undefined) return undefined;
  return input.some((cell) => nameAskedFor(cell.trim()) !== undefined) ? voice : undefined;
}

/** What people cannot guess. */
const NOTES: Readonly<Partial<Record<RowState, string>>> = { blocked: ' (waiting for a voice or for their parts)' };

/** The states of open rows, with how many there are: `40 blocked (waiting for a voice or for their parts), 8 submitting`. */
export function openWords({ states }: Pick<Counts, 'states'>): string {
  const open = ROW_STATES.filter((state) => states[state] > 0);
  return open.map((state) => `${number(states[state])} ${state}${NOTES[state] ?? ''}`).join(', ');
}

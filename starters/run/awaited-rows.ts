import type { VoiceMeant } from '../../inputs/manifest-options.ts';
import type { UsedVoices } from '../../inputs/voices/voice-uses.ts';
import { nameAskedFor } from '../../policy/voices/voice-name.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { oneLine } from '../terminal/table.ts';

/** A row that makes a voice, and the rows that wait for it. */
export interface AwaitedRow {
  readonly voice: string;
  /** The row that makes it, and its line. */
  readonly row: number;
  readonly line: number;
  /** How many rows wait for it, and the line of the first. */
  readonly rows: number;
  readonly first_line: number;
}

/** Rows that are named for themselves. */
const NAMED = 5;

/** The rows of a manifest that others wait for, in its order. */
export function awaitedRows(
  { uses, makers }: UsedVoices,
  voices: ReadonlyMap<string, VoiceMeant>,
): readonly AwaitedRow[] {
  const byRow = new Map(makers.map((maker) => [maker.row, maker]));
  const found = new Map<number, AwaitedRow>();
  for (const { voice, rows, line } of uses) {
    const meant = voices.get(voice);
    const maker = meant?.type === 'made' ? byRow.get(meant.row) : undefined;
    if (maker === undefined) continue;
    // Rows may ask for one voice in several ways: `name:Ada`, `name:ada`.
    const before = found.get(maker.row);
    found.set(maker.row, {
      voice: `name:${maker.name}`,
      row: maker.row,
      line: maker.line,
      rows: rows + (before?.rows ?? 0),
      first_line: Math.min(line, before?.first_line ?? line),
    });
  }
  return [...found.values()].sort((one, other) => one.row - other.row);
}

/** `Voices: 2 are made by rows of this manifest; 20 rows wait for them`, and the first few. */
export function awaitedLines(awaited: readonly AwaitedRow[]): readonly string[] {
  if (awaited.length === 0) return [];
  const waiting = awaited.reduce((sum, { rows }) => sum + rows, 0);
  const more = awaited.length - NAMED;
  return [
    `Voices: ${number(awaited.length)} ${awaited.length === 1 ? 'is' : 'are'} made by rows of this manifest; ${rowsInWords(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for ${awaited.length === 1 ? 'it' : 'them'}`,
    ...awaited
      .slice(0, NAMED)
      .map(
        ({ voice, row, line, rows, first_line: first }) =>
          `  row ${String(row)} (line ${String(line)}) makes "${oneLine(nameAskedFor(voice) ?? voice)}": ${rowsInWords(rows)}, the first in line ${String(first)}`,
      ),
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ];
}

import { join } from 'node:path';
import { shellWord } from '../../contract/shell-word.ts';
import type { KeptTable } from '../../results/redrive/edited-tables.ts';
import { shortPath } from '../../client/look/path-args.ts';

/** Describes tables that somebody had edited before they were written again. `out`: absolute. */
export function keptLines(kept: readonly KeptTable[], out: string): string[] {
  return kept.map(({ name, keptAs }) => {
    const path = shortPath(join(out, keptAs));
    return `${shortPath(join(out, name))} had been edited: it is kept as ${path}. To run it: voxbatch run ${shellWord(path)}`;
  });
}

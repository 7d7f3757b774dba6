import { TABLES, type Schema, type Tx } from '../schema.ts';
import type { Column } from '../tables/columns.ts';
import { requireEmpty } from './begun-copy.ts';
import type { NumberedColumn } from './copy-dialect.ts';
import type { CopyMoment, CopyProgress, CopyProof, CopySide } from './copy-side.ts';
import { copyLines, rereadLines, type LinesRead } from './copy-lines.ts';
import { CopyDiffers } from './copy-refused.ts';
import { markReadOnly } from './mark-read-only.ts';
import { readLedgerFacts, type CopyFacts } from './read-only.ts';
import { compareTallies, countAgain, readRecorded, type Difference, type Tally } from './tally.ts';

/** What {@link fillCopy} needs. */
interface Fill {
  readonly from: CopySide;
  readonly to: CopySide;
  /** Transaction on FROM, in which nobody else writes. */
  readonly source: Tx;
  /** Transaction on TO. */
  readonly tx: Tx;
  /** What TO says of FROM while it is read-only. */
  readonly facts: CopyFacts;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Called after each step, for tests. */
  readonly reach: (moment: CopyMoment) => void | Promise<void>;
}

/** Fills TO, compares it with FROM, and makes it read-only. */
export async function fillCopy({
  source,
  tx,
  to: { dialect },
  from,
  facts,
  onProgress,
  reach,
}: Fill): Promise<CopyProof> {
  await dialect.lockTables(tx);
  // TO is read-only if an unfinished copy has filled it. Otherwise checks again that it is empty.
  if ((await readLedgerFacts(tx)).readOnly !== undefined) await dialect.unguard(tx);
  else await requireEmpty(tx);
  await dialect.setCounters(tx, 'off');
  await dialect.empty(
    tx,
    NAMES.filter((name) => name !== 'facts'),
  );
  // Facts about the versions of its tables stay.
  await tx.deleteFrom('facts').where('name', 'not like', 'oldest-for-%').execute();
  const total = await countLines(source);
  const read = new Map<keyof Schema, LinesRead>();
  let before = 0;
  for (const table of NAMES) {
    const found = await copyLines(table, source, { tx, dialect }, (lines) => {
      onProgress({ type: 'copying', lines: before + lines, total });
    });
    read.set(table, found);
    before += found.lines;
  }
  for (const column of NUMBERED) await dialect.setNumber(tx, column, await from.dialect.readNumber(source, column));
  await reach('filling');
  await dialect.setCounters(tx, 'on');
  await dialect.analyze(tx);
  const tally = await compare({ source, tx, read, onProgress, total });
  await markReadOnly(tx, dialect, 'incoming', facts);
  return { lines: Object.fromEntries([...read].map(([table, { lines }]) => [table, lines])), tally };
}

/** Names of all tables. */
const NAMES = Object.keys(TABLES) as readonly (keyof Schema)[];

/** Columns with generated numbers. */
const NUMBERED: readonly NumberedColumn[] = NAMES.flatMap((table) =>
  Object.entries<Column>(TABLES[table].columns)
    .filter(([, { isNumbered = false }]) => isNumbered)
    .map(([column]) => ({ table, column })),
);

async function countLines(tx: Tx): Promise<number> {
  let total = 0;
  for (const table of NAMES) {
    const counted = tx.selectFrom(table).select((count) => count.fn.countAll<number>().as('n'));
    total += (await counted.executeTakeFirstOrThrow()).n;
  }
  return total;
}

interface Comparison extends Pick<Fill, 'source' | 'tx' | 'onProgress'> {
  /** What was read from FROM. */
  readonly read: ReadonlyMap<keyof Schema, LinesRead>;
  readonly total: number;
}

/**
 * Compares the hashes of all tables, and the counts and sums of each batch: FROM's recorded ones, FROM's counted again
 * from its rows and charges, and TO's counted again. Returns the last. Throws {@link CopyDiffers}.
 */
async function compare({ source, tx, read, onProgress, total }: Comparison): Promise<Tally> {
  const differences: Difference[] = [];
  let before = 0;
  for (const [table, expected] of read) {
    const found = await rereadLines(table, tx);
    if (found.lines !== expected.lines || found.digest !== expected.digest) {
      const what = found.lines === expected.lines ? `values in ${table}` : `lines in ${table}`;
      differences.push({ batch: null, what, expected: expected.lines, got: found.lines });
    }
    before += found.lines;
    onProgress({ type: 'comparing', lines: before, total });
  }
  const counted = await countAgain(source);
  const copied = await countAgain(tx);
  differences.push(...compareTallies(counted, await readRecorded(source), true));
  differences.push(...compareTallies(counted, copied, false));
  if (differences.length > 0) throw new CopyDiffers(differences);
  return copied;
}

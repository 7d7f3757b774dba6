import type { Command } from 'commander';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../policy/judge-parity.ts';
import type { CommandContext } from '../command-context.ts';
import { share } from '../commands/flag-values.ts';
import type { CompareFlags } from './compare.ts';
import { shareWord } from './share-word.ts';

const SAYS = `Spends nothing: it reads the ledger and the files, sends nothing, and needs no worker. Exit code 0: parity
within the tolerances; 10: they differ; 75: no difference so far, but rows have not ended.`;

/** Adds `compare`. */
export function addCompareCommand(program: Command, { output, done }: CommandContext): void {
  const upTo = (name: keyof Tolerances, words: string): string =>
    `${words}; any: not judged (default: ${shareWord(DEFAULT_TOLERANCES[name])})`;
  program
    .command('compare')
    .description('Compare two batches of one manifest row by row: outcomes, lengths, words, latency, credits; free')
    .argument('<batch>', 'The first batch')
    .argument('<other>', 'The second batch')
    .option('--length <share>', upTo('length', 'How much the lengths of a row may differ, above half a second'), share)
    .option('--words <share>', upTo('words', "How many of the words of a row's transcripts may differ"), share)
    .option('--rows <share>', upTo('rows', 'How many of the rows may differ'), share)
    .option('--credits <share>', upTo('credits', 'How much the sums of credits may differ'), share)
    .option('--latency <share>', upTo('latency', 'How much slower the second batch may be'), share)
    .option('-o, --out <file>', 'Also write the rows that differ to this CSV file')
    .option('--json', 'Print one line of JSON')
    .addHelpText(
      'after',
      `\n${SAYS}\n\nExample:\n  voxbatch compare lines lines-legacy --length 10% --out differ.csv\n`,
    )
    .action(async (one: string, other: string, flags: CompareFlags) => {
      const { compare } = await import('./compare.ts');
      done(await compare([one, other], flags, output));
    });
}

import type { Command } from 'commander';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../contract/tolerances.ts';
import type { CommandContext } from '../command-context.ts';
import { positive, share, shareWord, wholeFrom } from '../commands/flag-values.ts';
import { usageError } from '../exit-error.ts';
import type { CompareFlags } from './compare.ts';
import type { DialectFlags } from './compare-dialects.ts';

const SAYS = `Two batches of one manifest, from the ledger and the stored files: it sends nothing and needs no worker. Without
batches: the account (profile, voices, lip-sync jobs), read in both dialects of the API, v1 and legacy; each request is
logged on stderr. Either way it spends nothing and changes nothing.

Exit code 0: parity within the tolerances; 10: they differ, or a dialect could not be read; 75: no difference so far, but
rows have not ended; 5: the account could not be read at all.`;

type Flags = CompareFlags & DialectFlags;

/** Flags of the one use that make no sense in the other. */
const OF_BATCHES = ['length', 'words', 'rows', 'credits', 'latency', 'out'] as const satisfies readonly (keyof Flags)[];
const OF_DIALECTS = ['jobs', 'pollRate', 'apiUrl'] as const satisfies readonly (keyof Flags)[];

/** Flags of two words, as they are typed. */
const FLAG_NAMES: Readonly<Record<string, string>> = { apiUrl: 'api-url', pollRate: 'poll-rate' };

/** Adds `compare`. */
export function addCompareCommand(program: Command, { output, done }: CommandContext): void {
  const upTo = (name: keyof Tolerances, words: string): string =>
    `${words}; any: not judged (default: ${shareWord(DEFAULT_TOLERANCES[name])})`;
  program
    .command('compare')
    .description('Compare two batches of one manifest row by row, or the account in both dialects of the API; free')
    .argument('[batch]', 'The first batch')
    .argument('[other]', 'The second batch')
    .option('--length <share>', upTo('length', 'How much the lengths of a row may differ, above half a second'), share)
    .option('--words <share>', upTo('words', "How many of the words of a row's transcripts may differ"), share)
    .option('--rows <share>', upTo('rows', 'How many of the rows may differ'), share)
    .option('--credits <share>', upTo('credits', 'How much the sums of credits may differ'), share)
    .option('--latency <share>', upTo('latency', 'How much slower the second batch may be'), share)
    .option('-o, --out <file>', 'Also write the rows that differ to this CSV file')
    .option('--jobs <n>', 'Without batches: how many of the newest lip-sync jobs to read (default: 20)', wholeFrom(0))
    .option(
      '--poll-rate <rate>',
      'Without batches: max requests per second, in both dialects together (default: limits.pollRate)',
      positive,
    )
    .option('--api-url <url>', 'Without batches: API address (default: VOXBATCH_API_URL)')
    .option('--json', 'Print one line of JSON')
    .addHelpText(
      'after',
      `\n${SAYS}\n\nExample:\n  voxbatch compare lines lines-legacy --length 10% --out differ.csv\n`,
    )
    .action(async (one: string | undefined, other: string | undefined, flags: Flags) => {
      if (one !== undefined && other === undefined)
        throw usageError(`Compare "${one}" with which batch? Name two, or none to compare the dialects of the API.`);
      if (one === undefined || other === undefined) {
        refuse(OF_BATCHES, flags, 'needs two batches');
        const { compareAccount } = await import('./compare-dialects.ts');
        done(await compareAccount(flags, output));
      } else {
        refuse(OF_DIALECTS, flags, 'is for a comparison without batches');
        const { compare } = await import('./compare.ts');
        done(await compare([one, other], flags, output));
      }
    });
}

function refuse(names: readonly (keyof Flags)[], flags: Flags, why: string): void {
  for (const name of names) if (flags[name] !== undefined) throw usageError(`--${FLAG_NAMES[name] ?? name} ${why}.`);
}

import { EXIT_CODES, type Retry } from '../../contract/exit-codes.ts';

const RETRY_WORDS: Readonly<Record<Retry, string>> = {
  now: 'yes, at once',
  later: 'yes, after a wait',
  'after-change': 'after a change',
  no: 'no',
};

/** The exit codes, what they mean, and whether to run the same command again. */
export function exitCodeTable(): string {
  const rows = Object.entries(EXIT_CODES).map(
    ([name, { code, meaning, retry }]) => `| ${code} | \`${name}\` | ${meaning} | ${RETRY_WORDS[retry]} |`,
  );
  return ['| code | `exit` | meaning | run it again? |', '|---|---|---|---|', ...rows, ''].join('\n');
}

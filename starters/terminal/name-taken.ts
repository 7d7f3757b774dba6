import { dialectChoiceOf, type Reading } from '../../contract/batch.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { RunAnswer } from '../../client/run/run-functions.ts';
import { readingFlags } from '../../client/status/continue-command.ts';
import { oneLine } from './table.ts';
import { goOnCommand } from './words.ts';

type TakenName = Extract<RunAnswer, { readonly type: 'taken' }>;
type Batch = TakenName['batch'];

/** A manifest: its path as typed, and its name in messages, which differs for stdin. */
interface Source {
  readonly path: string;
  readonly label: string;
}

/**
 * Returns the message that another batch has the name, and the user's choices. `commandNamed`: returns the command as
 * typed, but with another `--name`.
 */
export function nameTakenText(
  { batch, differs, wanted, canAskAgain, subset, canRedrive, makers }: TakenName,
  source: Source,
  commandNamed: (name: string) => string,
): string {
  return [
    `The name "${batch.name}" is taken by a batch that ${DIFFERENCE_WORDS[differs](batch, wanted)}. Nothing was spent. Choices:`,
    ...(differs === 'api' ? [addressChoice(batch)] : []),
    ...(differs === 'reading' && canAskAgain
      ? [`  ${goOnCommand({ ...batch, subset })}    goes on with the flags of that batch`]
      : []),
    ...(differs === 'reading' && !canAskAgain && batch.state === 'open'
      ? ['  voxbatch up --until-idle    goes on with that batch as it was made']
      : []),
    ...(differs === 'manifest' && batch.state === 'open' ? [stopChoice(batch.name)] : []),
    ...(canRedrive ? [redriveChoice(batch.name, source)] : []),
    `  ${commandNamed('NEW-NAME')}    runs this manifest as a new batch, and pays for the rows without a result to reuse`,
    ...(differs === 'manifest' ? withoutMakers(makers) : []),
    `  voxbatch status ${shellWord(batch.name)}    shows the batch with this name`,
  ].join('\n');
}

const DIFFERENCE_WORDS: Readonly<Record<TakenName['differs'], (batch: Batch, wanted: Reading) => string>> = {
  api: ({ apiUrl }) => `ran against another API (${apiUrl})`,
  account: ({ account }) => `belongs to another account (${account})`,
  manifest: () => 'has another manifest',
  dialect: ({ settings }, reading) =>
    `speaks to the API with --api-dialect ${dialectChoiceOf(settings)}, for good (now: ${dialectChoiceOf({ reading })})`,
  reading: ({ settings: { reading } }, wanted) => {
    const cast = otherCast(reading, wanted);
    const differences = [otherFlags(reading, wanted), cast].filter((difference) => difference !== '').join('; ');
    return `read the same manifest with ${cast === '' ? 'other flags' : 'another cast'}: ${differences}`;
  },
  'file-names': ({ settings }) => `names its files differently (--file-name ${settings.nameTemplate})`,
};

/** Returns which rows to remove first: rows of kind `voice` would pay again for voices that the batch has made. */
function withoutMakers(makers: TakenName['makers']): readonly string[] {
  const [first] = makers;
  if (first === undefined) return [];
  const which =
    makers.length === 1
      ? `line ${String(first.line)}`
      : `the ${String(makers.length)} rows of kind voice (the first: line ${String(first.line)})`;
  return [
    `      Before that, remove ${which} from the manifest: the voices that this batch made are there, and rows find them by name.`,
  ];
}

/** Describes the flags that differ: `--voice ada there, --voice lin now; no --format there, --format wav now`. */
function otherFlags(recorded: Reading, wanted: Reading): string {
  const [there, now] = [wordsByFlag(recorded), wordsByFlag(wanted)];
  const flags = [...new Set([...there.keys(), ...now.keys()])];
  return flags
    .filter((flag) => there.get(flag) !== now.get(flag))
    .map((flag) => `${there.get(flag) ?? `no ${flag}`} there, ${now.get(flag) ?? `no ${flag}`} now`)
    .join('; ');
}

/** Names of the cast that are listed. */
const MAX_NAMES = 5;

/**
 * Describes how the cast differs: `Lin was v1 and is v2, Bob was not there and is v3`; empty if it is the same, or if
 * only one reading has a cast.
 */
function otherCast({ cast: there }: Reading, { cast: now }: Reading): string {
  if (there === undefined || now === undefined) return '';
  const [before, after] = [there, now].map(({ members }) => new Map(members.map(({ name, values }) => [name, values])));
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
  const changes = names.flatMap((name) => {
    const [was, is] = [castWords(before?.get(name)), castWords(after?.get(name))];
    return was === is ? [] : [`${oneLine(name)} was ${was} and is ${is}`];
  });
  const more = changes.length > MAX_NAMES ? `, and ${String(changes.length - MAX_NAMES)} more` : '';
  return changes.length === 0 ? '' : `${changes.slice(0, MAX_NAMES).join(', ')}${more}`;
}

function castWords(values: Readonly<Record<string, string>> | undefined): string {
  if (values === undefined) return 'not there';
  const { voice = '', ...others } = values;
  return [voice, ...Object.entries(others).map(([column, value]) => `${column} ${value}`)].map(oneLine).join(' ');
}

/** Returns the flags of a reading, each with its values as typed. */
function wordsByFlag(reading: Reading): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  let flag = '';
  for (const word of readingFlags(reading)) {
    if (word.startsWith('--')) flag = word;
    const before = words.get(flag);
    words.set(flag, before === undefined ? word : `${before} ${shellWord(word)}`);
  }
  return words;
}

/** The choice of a user who has changed the API's URL, but not the API (localhost for 127.0.0.1). */
function addressChoice({ apiUrl }: Batch): string {
  return (
    `  export VOXBATCH_API_URL=${shellWord(apiUrl)}    if that is the same API under its former address (or set api.url, or --api-url): ` +
    'the same command then goes on with that batch'
  );
}

/** The choice of a user who has corrected the manifest of an unfinished batch. */
function stopChoice(name: string): string {
  return (
    `  voxbatch stop ${shellWord(name)} --now    first, if this is that manifest with corrections: ` +
    'its rows that have not ended would be paid for without them; what runs is fetched later, free'
  );
}

function redriveChoice(name: string, { path, label }: Source): string {
  const isPiped = path !== label;
  const command = `voxbatch redrive ${shellWord(name)} --from ${isPiped ? '- < FILE' : shellWord(path)}`;
  return `  ${command}    pays only for edited rows and rows without a result (cannot add rows)`;
}

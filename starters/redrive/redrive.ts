import { nameAmong } from '../commands/flag-values.ts';
import { KINDS, STEPS } from '../../contract/row-kinds.ts';
import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { batchOfFile } from '../../client/redrive/outcome-file.ts';
import { redrive as redriveRows } from '../../client/redrive/redrive.ts';
import { previewRedrive } from '../../client/redrive/preview-redrive.ts';
import type { RedriveOptions, RedrivePreview } from '../../client/redrive/redrive-options.ts';
import { viewPreview } from '../../client/redrive/redrive-view.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { printAnswer, type RunContext } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import { unchangedError } from '../exit-error.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { openManifestArgument } from '../run/open-manifest-argument.ts';
import { confirmedSettings } from '../trust/confirm.ts';
import { finishRedrive, redriveError, redrivePrinter } from './show-redrive.ts';
import { questionsOf } from '../person.ts';
import { forecastLines } from './redrive-words.ts';
import { leftBudgetRefusal, noteText } from '../terminal/spend-words.ts';
import { FAILURES, type FailureClass } from '../../contract/failures.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';

type OpenFile = Awaited<ReturnType<typeof openManifestArgument>>;

/**
 * `voxbatch redrive [BATCH]`: runs ended rows again, selected by conditions, names or a file. Exits with the batch's
 * exit code, even if no row matches.
 */
export async function redrive(name: string | undefined, typedFlags: Flags, context: RunContext): Promise<ExitName> {
  const flags = withAccepted(typedFlags);
  refuseCombinations(flags);
  if (flags.from === undefined) return redriveFrom(name, undefined, flags, context);
  const source = await openManifestArgument(flags.from, flags);
  try {
    return await redriveFrom(name ?? (await batchOfFile(source)), source, flags, context);
  } finally {
    await source.close();
  }
}

async function redriveFrom(
  name: string | undefined,
  from: OpenFile | undefined,
  flags: Flags,
  context: RunContext,
): Promise<ExitName> {
  const settings = await confirmedSettings(flags);
  return withInvocation({ settings, flags, context, mustExist: true, input: flags.from }, async (invocation) => {
    const { session, person, output, webhook } = invocation;
    const batch = await chooseBatch(await session.ledger(), name);
    requireSelection(flags, batch.name);
    const out = resolve(flags.out ?? defaultOut(batch.name));
    const { newStore, reason, confirm: confirmAbove } = flags;
    const request = { ...selectionOf(flags), ...defined({ newStore, reason }), from, out, confirmAbove, webhook };
    const command = { batch, command: commandOf(batch.name, flags), file: from?.label, out };
    const onEvent = redrivePrinter({ batch, out }, invocation, flags.dryRun);
    if (flags.dryRun !== true)
      return finishRedrive(await redriveRows(session, batch, request, person, onEvent), command, invocation);
    const preview = await previewRedrive(session, batch, request, person, onEvent);
    if (preview.type !== 'ready') throw redriveError(preview, command, output);
    return showPreview(preview, batch.name, invocation);
  });
}

function selectionOf({ where = [], rows, damaged, step, resubmit, accept }: Flags): RedriveOptions {
  const isAccepting = accept === undefined ? undefined : true;
  const names = rows?.filter(hasName);
  const firstStep = step === undefined ? undefined : nameAmong('--step', step, STEPS);
  return {
    ...readConditions(where),
    ...defined({ rows: names, damaged, step: firstStep, resubmit, accept: isAccepting }),
  };
}

/** Returns the flags with rows of `--accept ROW…` as if selected by `--rows`. */
function withAccepted(flags: Flags): Flags {
  const { accept, rows = [] } = flags;
  return accept === undefined || accept === true ? flags : { ...flags, accept: true, rows: [...rows, ...accept] };
}

/** Throws if no row is selected. Called after the batch is found, since it is named in the advice. */
function requireSelection({ where, rows, damaged, from }: Flags, batch: string): void {
  const statusCommand = `voxbatch status ${shellWord(batch)}`;
  if (rows?.some(hasName) === false)
    throw unchangedError('--rows names no row. Give ids or numbers, separated by commas.', statusCommand);
  if ((where ?? rows ?? damaged ?? from) !== undefined) return;
  throw unchangedError(
    'Which rows? Give --where (such as --where outcome=failed), --rows (such as --rows a1,a7), --damaged or --from EDITED-FILE.',
    statusCommand,
  );
}

/** Whether a value of `--rows` has more than commas and spaces. */
function hasName(text: string): boolean {
  return !/^[\s,]*$/u.test(text);
}

/** Throws for flags that exclude each other; rows are selected by conditions and names, or by a file. */
function refuseCombinations({ where, rows, damaged, newStore, dryRun, from, accept, step, resubmit }: Flags): void {
  if (accept !== undefined && (from ?? step ?? resubmit) !== undefined) {
    throw unchangedError('--accept cannot be combined with --from, --step or --resubmit.');
  }
  if (damaged !== undefined && (accept ?? from ?? step ?? resubmit) !== undefined) {
    throw unchangedError('--damaged cannot be combined with --accept, --from, --step or --resubmit.');
  }
  if (newStore !== undefined && dryRun !== undefined) {
    throw unchangedError('--new-store cannot be combined with --dry-run, which makes nothing.');
  }
  if ((where ?? rows) !== undefined && from !== undefined) {
    throw unchangedError('--from cannot be combined with --where or --rows.');
  }
}

/**
 * Returns the command with the flags that select rows, for advice; those that affect only how work is done are left
 * out.
 */
function commandOf(batch: string, { where = [], rows = [], damaged, from, step, accept }: Flags): string {
  const words = [
    ...where.flatMap((condition) => ['--where', condition]),
    ...rows.flatMap((names) => ['--rows', names]),
    ...(damaged === undefined ? [] : ['--damaged']),
    ...(from === undefined ? [] : ['--from', from]),
    ...(step === undefined ? [] : ['--step', step]),
    ...(accept === undefined ? [] : ['--accept']),
  ];
  return ['voxbatch', 'redrive', batch, ...words].map(shellWord).join(' ');
}

type Ready = Extract<RedrivePreview, { readonly type: 'ready' }>;

/**
 * Returns what a redrive of these rows would do and cost, and whether it would be refused, as `redrive --dry-run
 * --json` prints it. For the web page: changes nothing and asks nobody. Throws {@link ExitError}.
 */
export async function priceRedrive(
  name: string,
  choice: Pick<RedriveOptions, 'rows' | 'resubmit' | 'accept'>,
  context: RunContext,
): Promise<ReturnType<typeof viewOf>> {
  const flags = { yes: true };
  const settings = await confirmedSettings(flags);
  return withInvocation({ settings, flags, context, mustExist: true }, async ({ session, person, output }) => {
    const batch = await chooseBatch(await session.ledger(), name);
    const preview = await previewRedrive(session, batch, choice, person);
    if (preview.type === 'ready') return viewOf(preview, batch.name);
    const command = commandOf(batch.name, { rows: [...(choice.rows ?? [])] });
    throw redriveError(preview, { batch, command, file: undefined, out: resolve(defaultOut(batch.name)) }, output);
  });
}

function viewOf(preview: Ready, batch: string): ReturnType<typeof viewPreview> {
  const { facts, asks: about, refusal: why } = preview;
  const refusal = why === undefined ? null : leftBudgetRefusal(batch, false)(why, facts);
  return viewPreview(preview, batch, { asks: questionsOf({ facts, about }), refusal });
}

/** `redrive --dry-run`: prints what the redrive would do and cost, and whether it would ask or refuse. */
function showPreview(preview: Ready, batch: string, { output, json }: Pick<Invocation, 'output' | 'json'>): ExitName {
  const { forecast, facts, notes } = preview;
  const view = viewOf(preview, batch);
  const { refusal, asks } = view;
  printAnswer(output, { json }, view, () => [
    ...forecastLines(forecast, batch),
    ...notes.map((note) => noteText(note, facts)),
    ...asks.map((question) => `redrive asks for confirmation: ${question} (--yes confirms)`),
    ...(refusal === null ? [] : [`redrive refuses this (exit code 3):\n${refusal}`]),
  ]);
  if (refusal === null && forecast.count > 0)
    output.say('Nothing was changed, nothing was spent. To do it, run the same command without --dry-run.');
  return 'complete';
}

/** The keys of `--where`, with their values. */
const CONDITIONS = {
  outcome: OUTCOMES,
  class: Object.keys(FAILURES) as FailureClass[],
  kind: KINDS,
} as const;
type Key = keyof typeof CONDITIONS;

/**
 * Parses `--where` conditions: `KEY=VALUE[,VALUE…]`. The values of one condition are alternatives; several conditions
 * must all hold. Throws {@link ExitError} `usage` with the allowed ones.
 */
export function readConditions(texts: readonly string[]): Pick<RedriveOptions, 'outcomes' | 'classes' | 'kinds'> {
  const allowed = new Map<Key, readonly string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(at, 0)).trim();
    if (!isKey(key)) {
      throw unchangedError(
        `--where ${text}: expected ${Object.keys(CONDITIONS).join('=…, ')}=…, as in --where outcome=failed.`,
      );
    }
    const values = text
      .slice(at + 1)
      .split(',')
      .map((value) => value.trim());
    const known: readonly string[] = CONDITIONS[key];
    const wrong = values.find((value) => !known.includes(value));
    if (wrong !== undefined)
      throw unchangedError(`--where ${text}: expected ${key}= one of ${known.join(', ')}; got "${wrong}".`);
    const before = allowed.get(key) ?? values;
    allowed.set(
      key,
      values.filter((value) => before.includes(value)),
    );
  }
  const optionNames = { outcome: 'outcomes', class: 'classes', kind: 'kinds' } as const;
  return Object.fromEntries([...allowed].map(([key, values]) => [optionNames[key], values]));
}

function isKey(key: string): key is Key {
  return Object.hasOwn(CONDITIONS, key);
}

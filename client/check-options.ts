import { parseResultMember, RESULT_MEMBER_FORM } from '../contract/result-member.ts';
import { isDeepStrictEqual } from 'node:util';
import { isBatchName } from '../contract/batch-name.ts';
import type { WantedBatch } from '../batches/batch-settings.ts';
import { DIALECT_FORMS, DIALECTS, parseDialectChoice, type Dialect } from '../contract/dialects.ts';
import {
  effectiveFinishing,
  findFinishingFault,
  type WantedFinishing,
  parsePause,
  PAUSE_FORM,
} from '../contract/finishing.ts';
import { POLLING } from '../contract/polling-settings.ts';
import { SUBSET_TYPES, type Subset } from '../contract/subset.ts';
import { TUNABLE_NAMES, TUNABLES, valuesOf, type Tuning } from '../contract/tunables.ts';
import { urlSchemeOf } from '../contract/urls.ts';
import { expectedOf, formatValue, parseValue, type AnyValue, type ValueKind } from '../contract/value-kinds.ts';
import type { Config } from '../inputs/config-file.ts';
import { refuseOption as refuse } from './problem.ts';
import type { RedriveSelection } from '../batches/redrive/selection.ts';
import type { SettlementRequest } from '../batches/reconcile/settlement-request.ts';
import { FAILURES } from '../contract/failures.ts';
import { OUTCOMES } from '../contract/outcomes.ts';
import { KINDS, STEPS } from '../contract/row-kinds.ts';

// Validation of a program's options, as strict as that of the command line. Types are not enough: a budget that is not
// a number would mean none, and with a path as the batch name no paid result could be stored. All functions throw
// VoxbatchError (`bad-option`).

/** Checks the records folder: a URL would become a local folder of that name. */
export function checkHome(home: string | undefined): void {
  const scheme = urlSchemeOf(home);
  // Name only the scheme of a URL: the rest may hold a password.
  if (scheme !== undefined) refuse('home', 'a path on this machine', `a ${scheme}: URL`);
}

/** Checks tunables. */
export function checkTuning(tuning: Tuning): void {
  for (const name of Object.keys({ ...tuning, ...tuning.limits })) {
    if (name === 'limits' || TUNABLE_NAMES.some((known) => known === name)) continue;
    refuse(name, `one of ${TUNABLE_NAMES.join(', ')}`, name);
  }
  checkTunables(tuning);
}

/** Checks a configuration that was passed in rather than read from a file. */
export function checkConfig(config: Config): void {
  checkTunables(config);
  for (const [name, value] of Object.entries(config.polling ?? {})) {
    if (name in POLLING) checkValue(`polling.${name}`, POLLING[name as keyof typeof POLLING].takes, value);
  }
  for (const [operation, price] of Object.entries(config.prices ?? {})) {
    if (price === undefined) continue;
    checkNumber(`prices.${operation}.credits`, price.credits, 0);
    if (price.cjkFactor !== undefined) checkNumber(`prices.${operation}.cjkFactor`, price.cjkFactor, 0);
  }
  checkDialectChoice(config.apiDialect);
  checkFinishing(config.finish);
  if (config.resultMember !== undefined && parseResultMember(config.resultMember) === undefined)
    refuse('resultMember', RESULT_MEMBER_FORM, config.resultMember);
  if (config.confirmAbove !== undefined) checkNumber('confirmAbove', config.confirmAbove, 0);
  if (config.assumeSeconds !== undefined) checkNumber('assumeSeconds', config.assumeSeconds, 0);
}

/** Checks the options of a batch, and its name. */
export function checkWanted(wanted: WantedBatch, name?: string): void {
  if (name !== undefined && !isBatchName(name))
    refuse('name', 'at most 100 letters, digits, spaces, dots, dashes and underscores', name);
  if (wanted.assumeSeconds !== undefined) checkNumber('assumeSeconds', wanted.assumeSeconds, 0);
  if (wanted.join !== undefined && parsePause(String(wanted.join.pause)) === undefined)
    refuse('join.pause', PAUSE_FORM, wanted.join.pause);
  checkDialectChoice(wanted.apiDialect);
  checkFinishing(wanted.finish);
  if (wanted.tuning !== undefined) checkTuning(wanted.tuning);
  if (wanted.subset !== undefined && wanted.subset !== null) checkSubset(wanted.subset);
}

/** Checks a single job's dialect. A batch may also send a share of its rows in another dialect; a single job cannot. */
export function checkDialect(dialect: Dialect | undefined): void {
  const known: readonly string[] = DIALECTS;
  if (dialect !== undefined && !known.includes(dialect)) refuse('apiDialect', `one of ${DIALECTS.join(', ')}`, dialect);
}

/** An unknown dialect would silently be recorded as v1. */
function checkDialectChoice(choice: string | undefined): void {
  if (choice !== undefined && parseDialectChoice(choice) === undefined) refuse('apiDialect', DIALECT_FORMS, choice);
}

function checkFinishing(finish: WantedFinishing | undefined): void {
  const fault = findFinishingFault(effectiveFinishing(finish) ?? {});
  if (fault !== undefined) refuse(`finish.${fault.option}`, fault.expected, finish?.[fault.option]);
}

function checkSubset(subset: Subset): void {
  const types: readonly string[] = SUBSET_TYPES;
  if (!types.includes(subset.type)) refuse('subset.type', `one of ${types.join(', ')}`, subset.type);
  checkWhole('subset.rows', subset.rows, 1);
  if (subset.type === 'sample') checkWhole('subset.seed', subset.seed, 0);
}

function checkWhole(option: string, value: unknown, min: number): void {
  if (!Number.isSafeInteger(value) || Number(value) < min) refuse(option, `a whole number, ${min} or more`, value);
}

function checkTunables(tuning: Tuning): void {
  const values = valuesOf(tuning);
  for (const name of TUNABLE_NAMES)
    if (values[name] !== undefined) checkValue(name, TUNABLES[name].takes, values[name]);
}

/** A value is valid if it survives a write-and-read round trip. */
function checkValue(option: string, takes: ValueKind, value: unknown): void {
  const isWritable = ['number', 'string', 'object'].includes(typeof value);
  const again = isWritable ? parseValue(takes, formatValue(value as AnyValue)) : undefined;
  if (again === undefined || !isDeepStrictEqual(again, value)) refuse(option, expectedOf(takes), value);
}

function checkNumber(option: string, value: unknown, min: number): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < min)
    refuse(option, `a number, ${min} or more`, value);
}

/** A redrive's options, with the file `from` by its path. */
type GivenRedrive = RedriveSelection & { readonly from?: string | undefined; readonly tuning?: Tuning };

/** Refuses an empty list: it selects no row, but its author may expect all. */
export function refuseEmptyLists({ outcomes, classes, kinds }: RedriveSelection): void {
  const lists = { outcomes: [outcomes, OUTCOMES], classes: [classes, Object.keys(FAILURES)], kinds: [kinds, KINDS] };
  for (const [option, [list, known = []]] of Object.entries(lists))
    if (list?.length === 0) refuse(option, `one of ${known.join(', ')}`, 'none');
}

/** Checks a redrive's options. */
export function checkRedrive(options: GivenRedrive): void {
  const { from, rows, outcomes, classes, kinds, damaged, step, resubmit, accept, tuning } = options;
  const isSelected = [rows, outcomes, classes, kinds].some((one) => one !== undefined) || damaged === true;
  if (!isSelected && from === undefined)
    refuse('rows', 'rows, outcomes, classes, kinds, damaged or from', 'none of them');
  if (isSelected && from !== undefined) refuse('from', 'no rows, outcomes, classes, kinds or damaged beside it', from);
  if (accept === true && (from !== undefined || step !== undefined || resubmit === true))
    refuse('accept', 'no from, step or resubmit beside it', accept);
  if (damaged === true && (step !== undefined || resubmit === true || accept === true))
    refuse('damaged', 'no step, resubmit or accept beside it', damaged);
  checkNames('rows', rows);
  checkWords('outcomes', outcomes, OUTCOMES);
  checkWords('classes', classes, Object.keys(FAILURES));
  checkWords('kinds', kinds, KINDS);
  checkWords('step', step === undefined ? undefined : [step], STEPS);
  if (tuning !== undefined) checkTuning(tuning);
}

/** Checks a reconciliation's options. */
export function checkSettlement({ adopt, release, notCharged, resubmit, rows }: SettlementRequest): void {
  checkNames('adopt', adopt && [...adopt.map(({ row }) => row), ...adopt.map(({ job }) => job)]);
  for (const [option, names] of Object.entries({ release, notCharged, resubmit, rows })) checkNames(option, names);
}

/** An empty list selects no row, but its author may expect all. */
function checkNames(option: string, names: readonly unknown[] | undefined): void {
  if (names === undefined) return;
  if (names.length === 0) refuse(option, 'one name at least', 'none');
  for (const name of names)
    if (typeof name !== 'string' || name.trim() === '') refuse(option, 'names that are not empty', name);
}

function checkWords(option: string, words: readonly string[] | undefined, known: readonly string[]): void {
  for (const word of words ?? []) if (!known.includes(word)) refuse(option, `one of ${known.join(', ')}`, word);
}

import { viewSingle, type SingleView } from '../../client/single/single-view.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { resultOf } from '../../contract/row-kinds.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import type { RunContext } from '../command-context.ts';
import type { WorkEnd } from '../run/work-on-batch.ts';
import type { Given, Giving, GivingPlace } from './giving.ts';
import type { Flags } from '../commands/flags.ts';
import { costText, endText, STOPPED_HERE } from './single-words.ts';

/** How a job stands when its command ends. */
export interface SingleEnd extends Pick<Giving, 'give'>, Pick<GivingPlace, 'store'> {
  readonly record: SingleRecord;
  readonly ledger: Parameters<typeof viewSingle>[0];
  readonly flags: Flags;
  readonly context: RunContext;
  readonly why: WorkEnd;
  /** Nothing was sent by this command. */
  readonly isOld: boolean;
}

/** Hands out the result of a job, or says why there is none and what to do. Returns the exit code. */
export async function endSingle(end: SingleEnd): Promise<ExitName> {
  const { record, ledger, why, isOld, context, flags } = end;
  const { output } = context;
  const stopped = why === 'interrupted' || why === 'terminated' ? why : undefined;
  const { view, exit } = await viewSingle(ledger, record);
  const given: Given =
    stopped === undefined && hasResult(record.row.outcome)
      ? await handOut(end, view)
      : { exit: stopped ?? exit, file: null };
  if (stopped !== undefined) output.say(STOPPED_HERE);
  else if (!hasResult(record.row.outcome)) for (const line of endText(view)) output.say(line);
  if (flags.json === true) output.data(JSON.stringify(factsOf(view, given, isOld)));
  return given.exit;
}

async function handOut({ record, give, store, context, flags, isOld }: SingleEnd, view: SingleView): Promise<Given> {
  const { batch, row } = record;
  const { output } = context;
  const given = await give(record, { store, output, json: flags.json === true, isOld });
  const before = isOld
    ? 'Finished before, nothing was sent now. '
    : row.outcome === 'cached'
      ? 'An earlier result was used. '
      : '';
  output.say(`${before}${costText(view)} Record: voxbatch explain ${shellWord(batch.name)}`);
  return given;
}

/** The same for machines. */
function factsOf({ batch, row, fields }: SingleView, { exit, file }: Given, isOld: boolean): object {
  return {
    batch: batch.name,
    exit,
    outcome: row.outcome,
    file,
    text: row.text,
    ...(resultOf(row.kind) === 'voice' ? { voice: row.text } : {}),
    credits: fields._credits,
    credits_kind: fields._credits_kind,
    take: fields._take,
    job_ids: fields._job_ids,
    error_class: fields._error_class === '' ? null : fields._error_class,
    message: fields._message === '' ? null : fields._message,
    was_finished: isOld,
  };
}

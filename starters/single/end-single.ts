import { exitOfView } from '../../batches/look/view-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { resultOf } from '../../contract/row-kinds.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import { resultFields } from '../../results/result-line.ts';
import type { RunContext } from '../command-context.ts';
import type { WorkEnd } from '../run/work-on-batch.ts';
import type { Given, Giving, GivingPlace } from './giving.ts';
import type { SingleFlags } from './single-flags.ts';
import { costText, endText, STOPPED_HERE } from './single-words.ts';

/** How a job stands when its command ends. */
export interface SingleEnd extends Pick<Giving, 'give'>, Pick<GivingPlace, 'store'> {
  readonly record: SingleRecord;
  readonly ledger: Pick<Ledger, 'counts' | 'money'>;
  readonly flags: Pick<SingleFlags, 'json'>;
  readonly context: RunContext;
  readonly why: WorkEnd;
  /** Nothing was sent by this command. */
  readonly isOld: boolean;
}

/** Hands out the result of a job, or says why there is none and what to do. Returns the exit code. */
export async function endSingle(end: SingleEnd): Promise<ExitName> {
  const { record, ledger, why, isOld, context, flags } = end;
  const { batch, row } = record;
  const { output } = context;
  const json = flags.json === true;
  const stopped = why === 'interrupted' || why === 'terminated' ? why : undefined;
  const given: Given =
    stopped === undefined && hasResult(row.outcome)
      ? await handOut(end, json)
      : { exit: stopped ?? exitOfView({ batch, counts: await ledger.counts(batch.name) }), file: null };
  if (stopped !== undefined) output.say(STOPPED_HERE);
  else if (!hasResult(row.outcome)) for (const line of endText(record, await uncertainOf(end))) output.say(line);
  if (json) output.data(JSON.stringify(factsOf(record, given, isOld)));
  return given.exit;
}

async function handOut(end: SingleEnd, json: boolean): Promise<Given> {
  const { record, give, store, context, isOld } = end;
  const { batch, row } = record;
  const { output } = context;
  const given = await give(record, { store, output, json, isOld });
  const before = isOld
    ? 'Finished before, nothing was sent now. '
    : row.outcome === 'cached'
      ? 'An earlier result was used. '
      : '';
  output.say(`${before}${costText(record, await uncertainOf(end))} Record: voxbatch explain ${shellWord(batch.name)}`);
  return given;
}

/** Quotes of its requests that may have been charged, in credits. */
async function uncertainOf({ ledger, record }: SingleEnd): Promise<number> {
  return (await ledger.money(record.batch.name)).uncertain;
}

/** The same for machines. */
function factsOf(record: SingleRecord, { exit, file }: Given, isOld: boolean): object {
  const fields = resultFields(record, record.batch.name, '');
  return {
    batch: record.batch.name,
    exit,
    outcome: record.row.outcome,
    file,
    text: record.row.text,
    ...(resultOf(record.row.kind) === 'voice' ? { voice: record.row.text } : {}),
    credits: fields._credits,
    credits_kind: fields._credits_kind,
    take: fields._take,
    job_ids: fields._job_ids,
    error_class: fields._error_class === '' ? null : fields._error_class,
    message: fields._message === '' ? null : fields._message,
    was_finished: isOld,
  };
}

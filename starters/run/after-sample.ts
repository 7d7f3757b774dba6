import type { Pilot } from './finish-run.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { defined } from '../../contract/defined.ts';
import { decideAfterSample } from '../../client/run/after-sample.ts';
import type { RunContext } from '../terminal/output.ts';
import { personAt } from '../person.ts';
import { askYesNo } from '../terminal/ask.ts';
import { inCredits } from '../terminal/money.ts';
import { rowsInWords } from '../terminal/words.ts';
import type { RunRequest } from './run-options.ts';

/** Runs a manifest; `run` of `run.ts`, which imports this file. */
type Run = (request: RunRequest, context: RunContext) => Promise<ExitName>;

/**
 * `run --sample N --confirm-after-sample`: runs the sample, then asks whether to send the other rows at the measured
 * prices, and sends them. If declined, ends like a plain sample run. `pilot`: what the sample shows about the others.
 */
export async function runSampleFirst(
  request: RunRequest,
  context: RunContext,
  run: Run,
  ask: (question: string) => Promise<boolean> = askYesNo,
): Promise<ExitName> {
  const { output } = context;
  const sample: { pilot?: Pilot } = {};
  const data: string[] = [];
  const onPilot = (pilot: Pilot): void => {
    sample.pilot = pilot;
  };
  // Data are held back, because only those of the last run are the command's.
  const held = { ...context, output: { ...output, data: (line: string) => void data.push(line) } };
  const exit = await run({ ...request, onPilot }, held);
  if (sample.pilot !== undefined && (await isAgreed({ exit, pilot: sample.pilot, request, output, ask }))) {
    return run(withoutSample(request), context);
  }
  for (const line of data) output.data(line);
  return exit;
}

interface Question extends Pick<RunContext, 'output'> {
  readonly exit: ExitName;
  readonly pilot: Pilot;
  readonly request: RunRequest;
  readonly ask: (question: string) => Promise<boolean>;
}

/** Whether the other rows are to be sent: asks the user, or prints why they are not. */
async function isAgreed({ exit, pilot, request: { flags, manifestPath }, output, ask }: Question): Promise<boolean> {
  const { yes, canAsk } = personAt(output, flags, manifestPath);
  const decision = decideAfterSample({ exit, left: pilot.left, yes, canAsk });
  switch (decision.type) {
    case 'go':
      return true;
    case 'ask':
      return ask(questionText(pilot));
    case 'stop':
      if (decision.why !== 'nothing-left') output.say(stopText(decision.why, pilot));
      return false;
  }
}

/**
 * Returns the request for all rows, whose price is approved. The first run has used up its server and ledger thread.
 */
function withoutSample({ flags, plan, ...request }: RunRequest): RunRequest {
  return {
    ...request,
    flags: defined({ ...flags, sample: undefined, seed: undefined, confirmAfterSample: undefined }),
    plan: { ...plan, subset: null, manifest: { ...plan.manifest, subset: null } },
    server: undefined,
    ledgerThread: undefined,
    isAgreed: true,
  };
}

function questionText({ left, prices: { rest } }: Pilot): string {
  const cost = rest.expected === null ? 'at a cost that cannot be known' : `for about ${inCredits(rest.expected)}`;
  return `Send the other ${rowsInWords(left)} ${cost}?`;
}

function stopText(why: 'not-clean' | 'nobody', { left }: Pilot): string {
  const others = `The other ${rowsInWords(left)} ${left === 1 ? 'is' : 'are'} not sent`;
  return why === 'nobody'
    ? `${others}: there is no terminal to ask on. To send them after the sample, run the same command with --yes.`
    : `${others}: not every row of the sample succeeded, and --yes agrees only to a sample without failures.`;
}

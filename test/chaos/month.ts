import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkMonth, fateOf, spendByBatch, type CheckedTime } from './check-month.ts';
import { checkEnds, checkWorld } from './check-world.ts';
import type { Finding } from './finding.ts';
import { DAY_MS, monthBudgetOf, planMonth, RATE, RUN_BUDGET, type MonthDay } from './month-plan.ts';
import { MonthPerformer, manifestFor } from './month-performer.ts';
import { MonthWorld } from './month-world.ts';
import type { ChaosOptions } from './options.ts';

const SCHEDULE = 'nightly';
/** Workers end within this after SIGTERM, ms. */
const WORKER_END_MS = 45_000;
/** The schedule is made so long before its first day at least, ms: a command on a busy machine takes seconds. */
const LEAD_MS = 8_000;

/**
 * A month of a daily schedule in fast-forward, on the real server: a day lasts 15 s. Processes and the server are killed, also at the moment of firing;
 * the power is off; runs last longer than a day; a manifest is bad; somebody pauses; the budget of the month ends. In the end every day must have run
 * once or say why not, and no run and no month may have cost more than it may.
 */
export async function month(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, days, dist, minutes } = options;
  const plan = planMonth(seed, days);
  const monthBudget = monthBudgetOf(plan);
  const world = await MonthWorld.create(seed, dist, say);
  let isWhole = false;
  try {
    world.start();
    await world.replaceManifest('day-1', manifestFor(1, plan[0]?.rows ?? 0));
    await until(async () => (await world.run('up', '--wait', '2m')).code === 0, 120_000);
    const first = Math.ceil((Date.now() + LEAD_MS) / DAY_MS) * DAY_MS;
    const due = plan.map(({ day }) => first + (day - 1) * DAY_MS);
    await makeSchedule(world, { first, last: due.at(-1) ?? first, monthBudget });
    say(`${days} days of ${DAY_MS / 1_000} s; ${RUN_BUDGET} credits a run, ${monthBudget} a month`);
    const performer = new MonthPerformer(world, SCHEDULE, say);
    await performer.play(plan, first);
    const times = await untilSettled(world, due, minutes * 60_000);
    const codes = await Promise.all(world.members.map((member) => member.end(WORKER_END_MS)));
    const charges = await world.judge.ledger();
    for (const line of tableOf(plan, due, times, spendByBatch(charges))) say(line);
    const batches = await world.batches();
    const findings: Finding[] = [
      ...checkMonth(times, charges, batches, { due, runBudget: RUN_BUDGET, monthBudget }),
      performer.finding(),
      {
        promise: 'up and worker end in order on SIGTERM',
        broken: codes.flatMap((code, at) =>
          code === 0 ? [] : [`${world.members[at]?.name ?? ''}: exit ${String(code)}`],
        ),
      },
      checkEnds(world.members.flatMap(({ name, ends }) => ends.map((end) => ({ name, ...end })))),
      ...(await checkWorld({
        ...{ folder: world.folder, ledger: world.ledger, batches, dist, judge: world.judge, token: world.token },
        ...{ doubts: performer.doubts, mostDoubtful: 0, manifestOf: (batch: string) => manifestOf(world, batch) },
        mayOrderAgain: true,
      })),
    ];
    isWhole = findings.every(({ broken }) => broken.length === 0);
    return findings;
  } finally {
    if (!isWhole || options.keep) say(`The folder is kept: ${world.folder}`);
    await world.close(!isWhole || options.keep);
  }
}

async function makeSchedule(
  world: MonthWorld,
  { first, last, monthBudget }: { readonly first: number; readonly last: number; readonly monthBudget: number },
): Promise<void> {
  const times = ['--every', `${DAY_MS / 1_000}s`, '--catch-up', '10s', '--until', new Date(last + 500).toISOString()];
  const money = ['--budget', String(RUN_BUDGET), '--budget-month', String(monthBudget), '--rate', String(RATE)];
  // An earlier day would have no plan.
  await until(() => Promise.resolve(Date.now() > first - DAY_MS), DAY_MS);
  const made = await world.run('schedule', 'create', SCHEDULE, 'lines.csv', ...times, ...money, '--submits', '4');
  if (made.code !== 0 || Date.now() >= first) throw new Error(`The schedule is not there in time: ${made.output}`);
}

/** Waits until nothing runs or waits any more, or the time is over; returns what became of each due time. */
async function untilSettled(
  world: MonthWorld,
  due: readonly number[],
  limitMs: number,
): Promise<readonly CheckedTime[]> {
  let times: readonly CheckedTime[] = [];
  await until(async () => {
    const { output } = await world.run('schedule', 'check', SCHEDULE, '--since', '7d', '--json');
    const line = output.split('\n').find((one) => one.startsWith('{'));
    if (line === undefined) return false;
    const { schedules } = JSON.parse(line) as {
      readonly schedules: readonly { readonly occurrences: CheckedTime[] }[];
    };
    times = schedules[0]?.occurrences ?? [];
    const isOpen = ({ state }: CheckedTime): boolean => state === 'running' || state === 'waiting';
    return times.length >= due.length && !times.some(isOpen);
  }, limitMs).catch(() => undefined);
  return times;
}

/** The manifest that a batch was made of: its rows say of which day they are. */
async function manifestOf(world: MonthWorld, batch: string): Promise<string> {
  const results = await readFile(join(world.folder, 'out', batch, 'results.csv'), 'utf8');
  return world.manifestOf(`day-${/Day (\d+),/.exec(results)?.[1] ?? '?'}`);
}

function tableOf(
  plan: readonly MonthDay[],
  due: readonly number[],
  times: readonly CheckedTime[],
  spent: ReadonlyMap<string, number>,
): readonly string[] {
  const lines = plan.map(({ day, event }, index) => {
    const at = new Date(due[index] ?? 0).toISOString().slice(0, 19);
    const found = times.find((one) => one.at === `${at}Z`);
    const fate = found === undefined ? 'NOT ON RECORD' : fateOf(found);
    const code = found?.exit_code ?? null;
    const end = code === null ? fate : `${fate}, exit ${code}`;
    const cost = String(spent.get(found?.batch ?? '') ?? 0).padStart(5);
    return `${String(day).padStart(4)}  ${at}Z  ${event.padEnd(14)} ${end.padEnd(22)} ${cost}  ${found?.reason ?? ''}`;
  });
  return [' day  due                   event          what became of it      spend  why', ...lines];
}

async function until(holds: () => Promise<boolean>, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`The condition does not hold after ${limitMs} ms: ${String(holds)}`);
    await sleep(500);
  }
}
